"""The map of embeddings and the curves of hit@k: what they say is computed from what they show, and nothing is cut off."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from labkit.errors import BadArgument
from labkit.evaluation.significance import interval
from labkit.show.embedding_map import embedding_map
from labkit.show.rank_curves import rank_curves
from labkit.show.style import Picture, course_style
from labkit.show.tables import Table

LONG = "Rules for a group whose name is a whole sentence, and goes on for two lines at least"


def rows(spec: dict[str, int], width: int = 8) -> tuple[np.ndarray, list[str]]:
    """Texts in groups that lie apart: each group around a direction of its own, length 1."""
    made, groups, chance = [], [], np.random.default_rng(12)
    for number, (name, n) in enumerate(spec.items()):
        middle = np.zeros(width)
        middle[number % width] = 1
        made += [middle + 0.2 * chance.normal(size=width) for _ in range(n)]
        groups += [name] * n
    made = np.array(made)
    return made / np.linalg.norm(made, axis=1, keepdims=True), groups


def measured(ranks: list, k: int = 30) -> pd.DataFrame:
    """What evaluate gives: a rank a question, None for no hit, 'x' for one that is not scored."""
    scored = [rank != "x" for rank in ranks]
    found = [rank if isinstance(rank, int) and rank <= k else None for rank in ranks]
    return pd.DataFrame(
        {"id": [f"Q{number}" for number in range(len(ranks))], "scored": scored, "first_rank": pd.array(found, dtype="Int64")}
    )


THREE = rows({"Loans": 20, "Safety": 15, "Parcels": 12})
MAPS = {
    "three groups": lambda: embedding_map(*THREE, marked={"a question": THREE[0][0]}),
    "six, long names": lambda: embedding_map(*rows({f"{LONG} {number}": 5 for number in range(6)})),
    "one group": lambda: embedding_map(*rows({"All": 9})),
    "two texts": lambda: embedding_map([[1.0, 0.0], [0.0, 1.0]], ["a", "b"], marked={"q": np.array([0.6, 0.8]), "r": np.array([0.8, 0.6])}),
    "all alike": lambda: embedding_map(np.ones((4, 3)), ["a", "a", "b", "b"]),
}
RANKS = [1, 1, 2, 3, 3, 7, 12, 30, None, "x"]
CURVES = {
    "three": lambda: rank_curves(
        {
            "words": measured(RANKS),
            "meaning": measured([4, 1, 1, 1, 9, 9, 2, None, 2, "x"]),
            "both": measured([2, 1, 1, 1, 3, 7, 2, 30, 2, "x"]),
        }
    ),
    "one, always first": lambda: rank_curves({"one": measured([1] * 6)}, up_to=5),
    "nothing found": lambda: rank_curves({"a": measured([None] * 6), "b": measured([None] * 6)}, up_to=10),
    "level": lambda: rank_curves({name: measured(RANKS) for name in ("one", "two", "three")}, up_to=12),
    "two questions": lambda: rank_curves({"a": measured([1, 2])}, up_to=2),
}
DRAWN = MAPS | CURVES


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return {name: make() for name, make in DRAWN.items()}


def written(picture: Picture):
    with course_style():
        canvas = FigureCanvasAgg(picture.figure)
        canvas.draw()
        renderer = canvas.get_renderer()
        (axes,) = picture.figure.axes
        texts = [*axes.texts, axes.xaxis.label, axes.yaxis.label, picture.figure._suptitle, picture.figure._supxlabel]
        texts = [text for text in texts if text is not None and text.get_text().strip()]
        return [(text.get_text(), text.get_window_extent(renderer)) for text in texts], picture.figure.bbox


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_written_is_cut_off_or_covered(pictures, name):
    texts, page = written(pictures[name])
    for text, box in texts:
        assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1, f"{text!r} runs over the side"
        assert box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1, f"{text!r} runs over the top or the bottom"
    for (one, a), (other, b) in combinations(texts, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 1 or high <= 2, f"{one!r} and {other!r} cover each other"


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_has_its_texts(pictures, name):
    picture = pictures[name]
    assert isinstance(picture.twin, Table) and max(map(len, str(picture.twin).split("\n"))) <= 80
    assert len(picture.alt) > 40 and not re.search(r"\bnan\b|0x|-0\.00", picture.alt + str(picture.twin))


@pytest.mark.parametrize("name", ["three groups", "three"])
def test_the_same_data_give_the_same_bytes(name):
    assert DRAWN[name]().png() == DRAWN[name]().png()


def test_the_map_counts_whose_nearest_text_is_of_the_own_group():
    groups = ["a", "a", "a", "b", "b"]
    line = np.array([[0, 0, 0], [1, 0, 0], [5.2, 0, 0], [6, 0, 0.1], [9, 0, 0]], float)
    picture = embedding_map(line, groups)
    assert picture.twin.headers == ("group", "texts", "across", "upwards", "own nearest: all 3", "on the map")
    assert [row[0::4] + row[5:] for row in picture.twin.rows] == [("a", "2", "2"), ("b", "1", "1")]
    title = picture.figure._suptitle.get_text().replace("\n", " ")
    assert title == "Nearest text of the same group: 3 of 5 by all 3 numbers, 3 on this map"


def test_what_the_map_has_lost():
    """Two groups that only a third direction tells apart."""
    spread = np.array([[x, y, z] for z in (-0.1, 0.1) for x in (-5, 0, 5) for y in (-3, 0, 3)], float)
    spread[:9, 0] += 0.2
    picture = embedding_map(spread, ["low"] * 9 + ["high"] * 9)
    assert [row[5] for row in picture.twin.rows] == ["0", "0"]


def test_long_names_stay_apart_in_the_key(pictures):
    names = [text.get_text() for text in pictures["six, long names"].figure.axes[0].texts]
    assert len(set(names)) == 6 and all(name.startswith("Rules for a group") and name.count("\n") == 1 for name in names)


def test_a_mark_is_put_on_the_map_of_the_texts_and_moves_nothing(pictures):
    picture = pictures["three groups"]
    assert picture.twin.rows[:3] == embedding_map(*THREE).twin.rows
    assert picture.twin.rows[3][:2] == ("a question", "1")
    assert "a question at " in picture.alt and "nearest by all numbers to a text of Loans" in picture.alt


def test_the_curves_say_hit_at_k_with_the_intervals_of_labkit(pictures):
    twin = pictures["three"].twin
    assert [row[1] for row in twin.rows[:6]] == ["1", "3", "5", "10", "20", "30"]
    words = {row[1]: row[2:] for row in twin.rows if row[0] == "words"}
    assert [words[k][0] for k in ("1", "3", "10", "30")] == ["0.222", "0.556", "0.667", "0.889"]  # of nine that are scored
    span = interval([1.0] * 5 + [0.0] * 4)
    assert words["3"][1:] == (f"{span.low:.3f}", f"{span.high:.3f}")
    title = pictures["three"].figure._suptitle.get_text().replace("\n", " ")
    assert title == "At k = 1, meaning and both lead together with 0.333; at k = 30, both leads with 1.000"
    assert "one, two and three lead together" in pictures["level"].alt


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: embedding_map(np.ones((3, 2)), ["a", "b"]), "2 groups"),
        (lambda: embedding_map(np.eye(7), list("abcdefg")), "7 groups"),
        (lambda: embedding_map(np.ones((1, 4)), ["a"]), "a plane needs"),
        (lambda: embedding_map(np.eye(3), list("aab"), marked={"q": np.ones(2)}), "rows of 3 numbers"),
        (lambda: rank_curves({}), "need a search"),
        (lambda: rank_curves({"a": measured(RANKS)}, up_to=1), "up_to"),
        (lambda: rank_curves({"a": measured(["x", "x"])}), "no question is scored"),
        (lambda: rank_curves({"a": measured(RANKS), "b": measured(RANKS[:-2])}), "different questions"),
        (lambda: rank_curves({"a": measured(RANKS).drop(columns="first_rank")}), "first_rank"),
        (lambda: rank_curves({"a": [1, 2]}), "give what evaluate"),
    ],
)
def test_what_cannot_be_drawn(make, said):
    with pytest.raises(BadArgument, match=re.escape(said)):
        make()
