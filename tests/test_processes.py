"""Processes that work together: how they start, and what ends them."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from labkit.processes import starting

POSIX = hasattr(signal, "pthread_sigmask")

HELPERS = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from labkit.processes import follow_the_first, starting

pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=follow_the_first)
with starting():
    tasks = [pool.submit({work}) for _ in range(2)]
"""


def _script(path: Path, work: str, after: str) -> list[str]:
    path.write_text(HELPERS.format(work=work) + textwrap.dedent(after), encoding="utf-8")
    return [sys.executable, str(path)]


def _gone(pid: int, within: float = 20) -> bool:
    """Whether a process that nobody waits for comes to its end."""
    last = time.monotonic() + within
    while time.monotonic() < last:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_ctrl_c_is_heard_when_all_have_started():
    reached = []
    with pytest.raises(KeyboardInterrupt), starting():
        os.kill(os.getpid(), signal.SIGINT) if POSIX else signal.raise_signal(signal.SIGINT)
        reached.append("the end of the block")
    assert reached == ["the end of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not POSIX or signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_error_while_they_start_comes_through_and_leaves_ctrl_c_as_it_was():
    with pytest.raises(ZeroDivisionError), starting():
        _ = 1 / 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_starts_hears_nothing_of_ctrl_c():
    asks = "import signal as s; print(s.SIGINT in s.pthread_sigmask(s.SIG_BLOCK, [])) if hasattr(s, 'pthread_sigmask') else None"
    with starting():
        inside = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True).stdout
    outside = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True).stdout
    assert (inside, outside) == (("True\n", "False\n") if POSIX else ("", ""))


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_where_the_first_is_killed_the_others_end_too(tmp_path, how):
    command = _script(
        tmp_path / "first.py",
        "os.getpid",
        """
        print(*{task.result() for task in tasks}, flush=True)
        time.sleep(60)
        """,
    )
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    others = [int(each) for each in process.stdout.readline().split()]
    process.send_signal(getattr(signal, how, signal.SIGTERM))
    process.wait(timeout=20)
    process.stdout.close()
    assert others and all(_gone(pid) for pid in others)
