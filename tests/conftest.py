"""What all tests share: the command, and on which examples the laws are tried.

The same ones each time, so that `make test` on a room's machine, a day ahead, says what it will say in the room. New ones are drawn by

    make test ARGS="-m hypothesis --hypothesis-profile=fresh"      # a hundred a law, others each time
    make test ARGS="-m hypothesis --hypothesis-profile=deep"       # a thousand a law
"""

import pytest
from command_line import run
from hypothesis import settings

settings.register_profile("fixed", derandomize=True)
settings.register_profile("fresh", derandomize=False)
settings.register_profile("deep", derandomize=False, max_examples=1000)
settings.load_profile("fixed")


@pytest.fixture
def columns() -> int:
    """The width of the terminal; a test file may set its own."""
    return 80


@pytest.fixture
def labkit(capsys, monkeypatch, columns):
    """`labkit(ARGUMENTS)`: its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", str(columns))

    def ran(*arguments, keys=None):
        code = run(*arguments, keys=keys)
        return code, *capsys.readouterr()

    return ran
