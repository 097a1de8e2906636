"""Runs a learner's code cells in a fresh kernel: whatever a cell does, the next one is run, and it all ends in time.

A cell that stops with an error is noted. One that does not end is interrupted. One that will not be interrupted, or ends Python itself,
costs the kernel: a new one runs the cells again without it. Nothing is written but in the folder where it runs, unless the learner's own
code writes elsewhere.
"""

from __future__ import annotations

import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons.answers import ANSWER_MIME

CELL_SECONDS = 40.0  # a lesson's cells take under 5; only a check of own tests (lesson 05) gives itself 20
LESSON_SECONDS = 240.0
_START_SECONDS = 60.0
_GRACE = 3.0  # for a cell that was interrupted to end
_STEP = 0.1
_KERNELS = 6  # a notebook in which more cells than this end Python is not run further

DONE, FAILED, ENDLESS, ENDED, NOT_RUN = "done", "failed", "endless", "ended", "not run"


class ReplayError(LabError):
    """No kernel could be started."""


class Stopped(LabError):
    """Somebody asked for an end."""


@dataclass(frozen=True)
class Ran:
    """What came of one cell. `end` is 'done', 'failed' (then `error` is its exception's name and text), 'endless' (it was interrupted),
    'ended' (Python ended in it), or 'not run' (time was up). `answers` are (data, plain text) of the checks in it, in order."""

    end: str
    answers: tuple[tuple[dict, str], ...] = ()
    error: tuple[str, str] | None = None


def replay(
    sources: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    cell_seconds: float = CELL_SECONDS,
    lesson_seconds: float = LESSON_SECONDS,
    stop: threading.Event | None = None,
) -> list[Ran]:
    """Runs the sources one after another in one fresh kernel in `folder`; returns what came of each, in their order.

    Raises ReplayError where no kernel starts, Stopped once `stop` is set.
    """
    stop = stop or threading.Event()
    deadly: dict[int, Ran] = {}
    end = time.monotonic() + lesson_seconds
    found: list[Ran] = []
    for _ in range(_KERNELS):
        found = []
        with _kernel(folder, environment) as kernel:
            for number, source in enumerate(sources):
                if number in deadly:
                    found.append(deadly[number])
                    continue
                seconds = min(cell_seconds, end - time.monotonic())
                if seconds <= 0:
                    found.append(Ran(NOT_RUN))
                    continue
                ran, alive = kernel.run(source, seconds, stop)
                found.append(ran)
                if not alive:
                    deadly[number] = ran
                    break
            else:
                return found
    return found + [Ran(NOT_RUN)] * (len(sources) - len(found))


class _Kernel:
    def __init__(self, manager, client):
        self._manager, self._client = manager, client

    def run(self, source: str, seconds: float, stop: threading.Event) -> tuple[Ran, bool]:
        """(what came of it, whether the kernel can go on)."""
        request = self._client.execute(source, allow_stdin=False, stop_on_error=False)
        answers: list[tuple[dict, str]] = []
        error = None
        end, late = time.monotonic() + seconds, False
        while True:
            if stop.is_set():
                raise Stopped("stopped")
            if time.monotonic() > end:
                if late:
                    return Ran(ENDLESS, tuple(answers)), False
                late, end = True, time.monotonic() + _GRACE
                self._manager.interrupt_kernel()
            try:
                said = self._client.get_iopub_msg(timeout=_STEP)
            except queue.Empty:
                if not self._manager.is_alive():
                    return Ran(ENDLESS if late else ENDED, tuple(answers)), False
                continue
            if said["parent_header"].get("msg_id") != request:
                continue
            kind, content = said["msg_type"], said["content"]
            if kind == "display_data" and isinstance(content.get("data", {}).get(ANSWER_MIME), dict):
                answers.append((content["data"][ANSWER_MIME], str(content["data"].get("text/plain", ""))))
            elif kind == "error":
                error = (str(content.get("ename")), " ".join(str(content.get("evalue")).split())[:300])
            elif kind == "status" and content.get("execution_state") == "idle":
                if late:
                    return Ran(ENDLESS, tuple(answers)), True
                if self._exits(request):
                    return Ran(ENDED, tuple(answers)), False
                return Ran(FAILED if error else DONE, tuple(answers), error), True

    def _exits(self, request: str) -> bool:
        """Did the cell call exit() or quit()? Then the kernel goes a moment later, and the next cell would get the blame."""
        end = time.monotonic() + _GRACE
        while time.monotonic() < end:
            try:
                said = self._client.get_shell_msg(timeout=_STEP)
            except queue.Empty:
                continue
            if said["parent_header"].get("msg_id") == request:
                return any(each.get("source") == "ask_exit" for each in said["content"].get("payload") or [])
        return False


@contextmanager
def _kernel(folder: Path, environment: Mapping[str, str]) -> Iterator[_Kernel]:
    from jupyter_client.manager import KernelManager

    from labkit.lessons import kernel

    with tempfile.TemporaryDirectory(prefix="labkit-kernel-") as place:
        # the file with the kernel's address beside it, not among those of the learner's own JupyterLab
        manager = kernel.manager(KernelManager, connection_file=str(Path(place) / "kernel.json"))
        client = None
        try:
            try:
                manager.start_kernel(cwd=str(folder), env=dict(environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                client = manager.blocking_client()
                client.start_channels()
                client.wait_for_ready(timeout=_START_SECONDS)
            except (RuntimeError, OSError) as error:
                raise ReplayError(f"no kernel could be started ({error}) — `labkit doctor` looks for the cause") from None
            yield _Kernel(manager, client)
        finally:
            if client is not None:
                client.stop_channels()
            if manager.has_kernel:
                manager.shutdown_kernel(now=True)
            manager.cleanup_resources()
