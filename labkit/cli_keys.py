"""Single keys from a terminal, and lines from anything else: where `labkit label` gets its answers (lesson 15).

Click's getchar gives the terminal back after each key, and throws away what was typed meanwhile. Whoever judges fast types ahead. So the
terminal is set once, for the whole session, and each key is read by itself; a question that wants a line sets it back for that long.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterator

try:
    import termios
    import tty
except ImportError:  # Windows: its console gives single keys by msvcrt
    termios = tty = None

Say = Callable[[str], None]


class Pipe:
    """One answer a line, from stdin. `say` prints a prompt."""

    def __init__(self, say: Say):
        self._say = say

    def key(self, prompt: str) -> str | None:
        """The next line without its end; None where there is none."""
        self._say(f"\n{prompt}")
        try:
            given = sys.stdin.readline() if sys.stdin else ""
        except KeyboardInterrupt:
            return None
        return given.rstrip("\r\n") if given else None

    def line(self, prompt: str) -> str | None:
        """The same."""
        return self.key(prompt)


class Terminal:
    """Single keys of a person. Ctrl-C, Ctrl-D and a closed terminal end the input."""

    def __init__(self, say: Say):
        self._say = say
        self._saved = None

    def key(self, prompt: str) -> str | None:
        """The next key, without waiting for Enter; what an arrow key sends comes as one."""
        self._say(f"\n{prompt}")
        sys.stdout.flush()
        try:
            return _windows_key() if termios is None else self._read()
        except (KeyboardInterrupt, OSError):
            return None

    def line(self, prompt: str) -> str | None:
        """A line, which may be mended before Enter."""
        self._say(prompt)
        with self._given_back():
            try:
                return input("> ")
            except (EOFError, KeyboardInterrupt, OSError):
                return None

    @contextlib.contextmanager
    def open(self) -> Iterator[Terminal]:
        """Sets the terminal for single keys, and sets it back at the end, whatever happens."""
        if termios is None:
            yield self
            return
        file = sys.stdin.fileno()
        self._saved = termios.tcgetattr(file)
        try:
            tty.setcbreak(file, termios.TCSADRAIN)
            yield self
        finally:
            termios.tcsetattr(file, termios.TCSADRAIN, self._saved)

    @contextlib.contextmanager
    def _given_back(self) -> Iterator[None]:
        if termios is None or self._saved is None:
            yield
            return
        file = sys.stdin.fileno()
        termios.tcsetattr(file, termios.TCSADRAIN, self._saved)
        try:
            yield
        finally:
            tty.setcbreak(file, termios.TCSADRAIN)

    def _read(self) -> str | None:
        file = sys.stdin.fileno()
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        key = ""
        while not key:
            byte = os.read(file, 1)
            if not byte or byte == b"\x04":
                return None
            key = decoder.decode(byte)
        if key == "\x1b":
            key += _rest_of_a_sequence(file)
        return key


def _rest_of_a_sequence(file: int) -> str:
    """What a key such as an arrow sends behind its escape: it is there at once."""
    import select

    rest = ""
    while select.select([file], [], [], 0.01)[0] and len(rest) < 16:
        rest += os.read(file, 1).decode("latin-1")
        if rest[-1].isalpha() or rest[-1] == "~":
            break
    return rest


def _windows_key() -> str | None:
    import msvcrt

    key = msvcrt.getwch()
    if key in ("\x00", "\xe0"):  # an arrow or function key: a second character follows
        return key + msvcrt.getwch()
    return None if key in ("\x03", "\x04", "\x1a") else key


@contextlib.contextmanager
def answers(say: Say, terminal: bool) -> Iterator[Terminal | Pipe]:
    """Where answers come from: single keys where `terminal` says that a person sits at one, else lines of stdin."""
    if terminal:
        with Terminal(say).open() as keys:
            yield keys
    else:
        yield Pipe(say)
