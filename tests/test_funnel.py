"""The picture of a funnel: it says what it is given, at every stage, and refuses what is none."""

import pytest

from labkit.errors import BadArgument
from labkit.show.funnel import funnel

STAGES = [("things", 1200), ("found", 30, "the one at 12"), ("good enough", 8, "at 3"), ("read", 1)]


def test_title_text_and_twin_say_the_same():
    picture = funnel(STAGES)
    assert picture.figure.get_suptitle() == "Of 1,200, 1 is left"
    assert "found: 30 (the one at 12); good enough: 8 (at 3); read: 1." in picture.alt
    assert picture.twin.rows[1] == ("found", "30", "the one at 12")
    assert len(picture.twin.headers) == 3


def test_without_notes_there_is_no_column_for_them():
    assert len(funnel([("a", 4), ("b", 2)]).twin.headers) == 2


def test_bars_narrow_and_stand_in_the_middle():
    (axes,) = funnel(STAGES).figure.axes
    bars = axes.patches
    shares = [bar.get_width() ** 2 / bars[0].get_width() ** 2 for bar in bars]
    assert shares == pytest.approx([1, 30 / 1200, 8 / 1200, 1 / 1200])
    assert len({round(bar.get_x() + bar.get_width() / 2, 9) for bar in bars}) == 1


def test_nothing_left_is_a_stage_too():
    picture = funnel([("a", 3), ("b", 0), ("c", 0)])
    assert picture.figure.get_suptitle() == "Of 3, 0 are left"
    assert picture.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ([], "two stages"),
        ([("a", 3)], "two stages"),
        ([("a", 3), ("b", 4)], "nothing comes back"),
        ([("a", 3), ("b", -1)], "-1"),
        ([("a", 3.5), ("b", 1)], "3.5"),
        ([("a", True), ("b", 1)], "True"),
        (["ab", ("b", 1)], "no stage"),
        ([("a",), ("b", 1)], "no stage"),
    ],
)
def test_what_is_no_funnel(stages, said):
    with pytest.raises(BadArgument, match=said):
        funnel(stages)
