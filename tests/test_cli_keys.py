"""Keys as they come from a pipe and from a terminal."""

import io
import os
import sys

import pytest

from labkit.cli_keys import Pipe, answers


@pytest.mark.parametrize(
    ("text", "keys"),
    [("", [None]), ("r\n", ["r", None]), ("r\r\nno\n\nq", ["r", "no", "", "q", None]), ("é\n", ["é", None])],
)
def test_a_pipe(monkeypatch, text, keys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    said = []
    with answers(said.append, terminal=False) as given:
        assert isinstance(given, Pipe)
        assert [given.key("Which?") for _ in keys] == keys
    assert said == ["\nWhich?"] * len(keys)


def test_no_stdin_at_all(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert Pipe(lambda text: None).key("?") is None


if os.name == "posix":
    import pty
    import termios

    @pytest.fixture
    def keyboard(monkeypatch):
        master, slave = pty.openpty()
        with os.fdopen(slave, "r+b", buffering=0) as raw:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw, encoding="utf-8", line_buffering=True))
            yield master, slave
            os.close(master)

    @pytest.mark.parametrize(
        ("typed", "keys"),
        [
            (b"rn", ["r", "n"]),  # typed ahead
            ("éß".encode(), ["é", "ß"]),
            (b"\x1b[Ar", ["\x1b[A", "r"]),  # an arrow is one key
            (b"\x1b", ["\x1b"]),
            (b"\n", ["\n"]),
            (b"r\x04", ["r", None]),
        ],
    )
    def test_a_terminal(keyboard, typed, keys):
        master, slave = keyboard
        before = termios.tcgetattr(slave)
        with answers(lambda text: None, terminal=True) as given:
            os.write(master, typed)
            assert [given.key("?") for _ in keys] == keys
            assert termios.tcgetattr(slave)[3] != before[3]
        assert termios.tcgetattr(slave) == before

    def test_a_line_between_keys(keyboard, monkeypatch):
        master, slave = keyboard
        monkeypatch.setattr("builtins.input", lambda prompt: sys.stdin.readline().rstrip("\n"))
        before = termios.tcgetattr(slave)
        with answers(lambda text: None, terminal=True) as given:
            os.write(master, b"s")
            assert given.key("?") == "s"
            os.write(master, b"2-3\n")
            assert given.line("which?") == "2-3"
            os.write(master, b"n")
            assert given.key("?") == "n"
        assert termios.tcgetattr(slave) == before

    def test_an_error_gives_the_terminal_back(keyboard):
        _, slave = keyboard
        before = termios.tcgetattr(slave)
        with pytest.raises(ZeroDivisionError), answers(lambda text: None, terminal=True):
            raise ZeroDivisionError
        assert termios.tcgetattr(slave) == before
