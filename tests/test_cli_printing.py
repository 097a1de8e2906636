"""How the commands print: as wide as the terminal, in words that fit their number."""

import io
import sys

import pytest

from labkit.cli_printing import complain
from labkit.textfiles import counted


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "lines"), [(Terminal, 3), (io.StringIO, 1)], ids=["a person", "a program"])
def test_a_fault_fits_the_terminal_of_whom_reads_it_there(monkeypatch, stream, lines):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stderr", stream())
    complain("my/questions.md:12: the quote 'parcel up to 5 kg $9.95' does not stand in section 'Costs' of costs.html — copy it from there")
    said = sys.stderr.getvalue()
    assert said.count("\n") == lines and max(map(len, said.split("\n"))) <= (60 if lines > 1 else 200)


@pytest.mark.parametrize(("number", "said"), [(0, "0 searches"), (1, "1 search"), (2000, "2,000 searches")])
def test_counted(number, said):
    assert counted(number, "search") == said
