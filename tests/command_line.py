"""labkit as its user types it, without a new process; for the tests of the commands."""

from __future__ import annotations

import io

import pytest

from labkit import cli


def run(*arguments, keys: str | None = None) -> int:
    """The exit code of `labkit ARGUMENTS`; `keys` is what is typed while it runs."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        if keys is not None:
            patch.setattr("sys.stdin", io.StringIO(keys))
        cli.main([str(each) for each in arguments])
    return ended.value.code or 0


def flat(text: str) -> str:
    """What was printed, whatever the width of the terminal made of it."""
    return " ".join(text.split())
