"""How the commands that work in stages say how it goes: a line on stderr for each stage."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import typer

from labkit.cli_printing import complain
from labkit.textfiles import printable


def watched(work: Callable):
    """Does the work, with a line on stderr for each stage; Ctrl-C ends it with a word on what is kept."""
    watch = Watch()
    try:
        return work(watch)
    except KeyboardInterrupt:
        watch.end()
        complain("stopped; finished stages are kept — run it again to go on")
        raise typer.Exit(130) from None
    except BaseException:
        watch.end()
        raise


class Watch:
    """A progress that writes a line a stage; in a terminal the line moves while the stage is at work."""

    def __init__(self) -> None:
        self._moves = sys.stderr.isatty()
        self._open = ""
        self._begun = self._shown = time.monotonic()

    def __call__(self, stage: str, done: int, of: int, what: str) -> None:
        now = time.monotonic()
        if done == of:
            took = "" if what == "nothing changed" else f" in {now - self._begun:.1f} s"
            self._put(f"{stage}: {what}{took}\n")
            self._begun = now
        elif self._moves and now - self._shown >= 0.1:
            self._put(f"{stage}: {done:,} of {of:,} {printable(what, 50)}")
            self._shown = now

    def _put(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}" if self._moves else text)
        sys.stderr.flush()
        self._open = "" if text.endswith("\n") else text

    def end(self) -> None:
        """Leaves the line that was moving."""
        if self._open:
            self._put("")
