"""The picture of wins and losses: it counts what it is given, says the sums, and refuses what cannot be counted."""

import pandas as pd
import pytest

from labkit.errors import BadArgument
from labkit.show.wins_and_losses import wins_and_losses

ROWS = pd.DataFrame({"kind": ["table", "version", "direct"], "wins": [3, 0, 0], "losses": [1, 4, 0], "ties": [6, 6, 16]})


def test_title_text_and_twin_say_the_same():
    picture = wins_and_losses(ROWS, label="kind")
    assert picture.figure.get_suptitle() == "3 better, 5 worse, 28 as before"
    assert "table: 3 won, 1 lost of 10; version: 0 won, 4 lost of 10; direct: 0 won, 0 lost of 16" in picture.alt
    assert picture.twin.rows == (("table", "3", "1", "6"), ("version", "0", "4", "6"), ("direct", "0", "0", "16"))


def test_bars_go_both_ways_and_no_bar_stands_for_nothing():
    (axes,) = wins_and_losses(ROWS, label="kind").figure.axes
    assert sorted(bar.get_width() for bar in axes.patches) == [-4, -1, 3]
    assert {bar.get_hatch() for bar in axes.patches if bar.get_width() < 0} == {"///"}
    assert [text.get_text() for text in axes.texts] == ["3", "1", "4", "no change"]
    low, high = axes.get_xlim()
    assert -low == high > 4


def test_other_names_and_a_list_of_rows():
    rows = [{"who": "a", "up": 1, "down": 2, "same": 0}]
    picture = wins_and_losses(rows, label="who", wins="up", losses="down", ties="same", title="Mostly down")
    assert picture.alt.startswith("Mostly down. ")
    assert picture.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no row"),
        ([{"kind": "a", "wins": 1, "losses": 0}], "no column ties"),
        ([{"kind": "a", "wins": -1, "losses": 0, "ties": 0}], "-1"),
        ([{"kind": "a", "wins": 1.5, "losses": 0, "ties": 0}], "1.5"),
        ([{"kind": "a", "wins": float("nan"), "losses": 0, "ties": 0}], "nan"),
    ],
)
def test_what_cannot_be_counted(rows, said):
    with pytest.raises(BadArgument, match=said):
        wins_and_losses(rows, label="kind")
