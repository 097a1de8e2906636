"""Pictures: what they say is computed from what they show; nothing is cut off, covered or left to chance."""

import base64
import io
import math
import re
import sys
from itertools import combinations, pairwise

import matplotlib
import nbformat
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_client.manager import AsyncKernelManager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from PIL import Image

from labkit.errors import BadArgument
from labkit.evaluation.significance import interval
from labkit.lessons import kernel
from labkit.retrieval import bm25
from labkit.retrieval.keyword import Hit, Posting
from labkit.show import figures
from labkit.show.style import COLOURS, HATCHES, LINES, MARKERS, Picture, course_style, look, spread
from labkit.show.tables import Table

HITS = {"answerable": (13, 18), "contradiction": (4, 4), "injection-bait": (1, 3), "table": (1, 8)}


def measured(hits=HITS, unscored=3) -> pd.DataFrame:
    rows = [
        {"id": f"{kind}-{i}", "kind": kind, "scored": True, "hit": float(i < found)} for kind, (found, n) in hits.items() for i in range(n)
    ]
    rows += [{"id": f"none-{i}", "kind": "unanswerable", "scored": False, "hit": math.nan} for i in range(unscored)]
    return pd.DataFrame(rows)


HIT_AT = {"structure-aware": (0.661, 0.746, 0.864), "fixed": (0.661, 0.746, 0.864), "overlapping": (0.678, 0.746, 0.831)}
BUDGETS = pd.DataFrame(
    [
        {"chunker": name, "budget": budget, "hit": hit, "low": hit - 0.1, "high": hit + 0.09}
        for name, hits in HIT_AT.items()
        for budget, hit in zip((100, 200, 400), hits, strict=True)
    ]
)
METHODS = pd.DataFrame({"method": ["plain", "stemmed"], "hit": [0.695, 0.712], "low": [0.576, 0.593], "high": [0.797, 0.814]})
LONG = "a-document-with-quite-a-long-name@v12#a-section-whose-heading-is-a-whole-sentence-of-its-own"

DRAWN = {
    "index": lambda: figures.inverted_index({"kettle": [Posting("A", 2), Posting("B", 1)], "refund": [("C", 1)]}, sections=8),
    "index, long": lambda: figures.inverted_index(
        {"the": [(f"{LONG}-{i}", 1 + i % 3) for i in range(40)], "pump": [(f"{LONG}-3", 2)], "zebra": []}, sections=154
    ),
    "index, nothing": lambda: figures.inverted_index({"zebra": []}),
    "scores": lambda: figures.score_bars([("A", 1.3808), ("B", 1.0280), ("C", 0.4336), ("D", 0.4336), ("E", 0.4114)]),
    "scores, long": lambda: figures.score_bars(
        {LONG: 20.4, "b": 19.0, "c": 0.0}, notes={LONG: "the wrong model, though", "b": "staff only"}, decimals=1
    ),
    "scores, one": lambda: figures.score_bars([Hit("A", 2.0, 1)]),
    "scores, none": lambda: figures.score_bars([]),
    "scores, the second next to nothing": lambda: figures.score_bars({"0": 1.0, "00": 3.1e-250}),
    "saturation": lambda: figures.saturation([6, 42, 120], 42),
    "saturation, close": lambda: figures.saturation([6, 7, 8, 9], 7.25),
    "rarity": lambda: figures.rarity_curve(154, {"which": 9, "pump": 6, "kit": 3, "fits": 1, "the": 106, "pw": 7, "2200": 2}),
    "rarity, crowded": lambda: figures.rarity_curve(60, {f"word{n}": n for n in (1, 2, 3, 4, 5, 6, 7, 58, 59, 60)}),
    "rarity, bare": lambda: figures.rarity_curve(100_000),
    "kinds": lambda: figures.hit_by_kind(measured()),
    "kinds, one": lambda: figures.hit_by_kind(measured({"table": (0, 4)}), k=10),
    "bars": lambda: figures.bars(
        METHODS, label="method", value="hit", title="Stemming is no difference", axis="hit@5", n=59, reference=("baseline", 0.695)
    ),
    "curves": lambda: figures.curves(
        BUDGETS, x="budget", y="hit", series="chunker", low="low", high="high", title="The three tie", x_axis="budget (words)",
        y_axis="hit (share of questions)", n=59,
    ),
    "dollars": lambda: figures.score_bars([("$5 and $6_a^b", 1), ("costs \\alpha $x$", 0.5)], notes={"$5 and $6_a^b": "$9 off $10"}),
    "other scripts": lambda: figures.score_bars([("短い質問", 2), ("😀 emoji", 1)], title="标题 is a title"),
}  # fmt: skip


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return {name: draw() for name, draw in DRAWN.items()}


def boxes(picture: Picture):
    """(text, its box on the page) for everything written; and the page itself."""
    figure = picture.figure
    with course_style():
        FigureCanvasAgg(figure).draw()
        renderer = figure.canvas.get_renderer()
        (axes,) = figure.axes
        written = [*figure.texts, figure._suptitle, figure._supxlabel, *axes.texts]
        if axes.axison:
            written += [axes.xaxis.label, axes.yaxis.label]
            for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
                places = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=False)
                written += [label for place, label in places if min(limits) <= place <= max(limits)]
        found = {id(text): text for text in written if text is not None and text.get_text().strip()}
        return [(text.get_text(), text.get_window_extent(renderer)) for text in found.values()], figure.bbox


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_written_is_cut_off_or_covered(pictures, name):
    written, page = boxes(pictures[name])
    assert written
    for text, box in written:
        assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1, f"{text!r} runs over the side"
        assert box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1, f"{text!r} runs over the top or the bottom"
    for (one, a), (other, b) in combinations(written, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 1 or high <= 2, f"{one!r} and {other!r} cover each other"


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_has_its_texts_and_no_machine_in_them(pictures, name):
    picture = pictures[name]
    twin = str(picture.twin)
    assert len(picture.alt) > 20 and twin.strip()
    for text in (picture.alt, twin, repr(picture)):
        assert not re.search(r"0x[0-9a-f]{6}|/(home|root|tmp)/|nan", text)
    assert isinstance(picture.twin, Table) and max(map(len, twin.split("\n"))) <= 80
    assert repr(picture) == picture.alt


@pytest.mark.parametrize("name", ["index", "scores", "kinds"])
def test_the_same_data_give_the_same_bytes_without_date_or_version(name):
    one, two = DRAWN[name]().png(), DRAWN[name]().png()
    assert one == two
    image = Image.open(io.BytesIO(one))
    assert set(image.info) <= {"dpi"}
    assert image.width == pytest.approx(7.2 * 160, abs=2)


def test_the_order_of_drawing_changes_nothing():
    first = DRAWN["scores"]()
    before = first.png()
    DRAWN["kinds"]().png()
    assert first.png() == before


def test_a_learners_own_settings_stay_and_do_not_show(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 31)
    monkeypatch.setitem(matplotlib.rcParams, "axes.facecolor", "red")
    before = dict(matplotlib.rcParams)
    dressed = DRAWN["scores"]().png()
    assert dict(matplotlib.rcParams) == before
    monkeypatch.undo()
    assert DRAWN["scores"]().png() == dressed


def test_saved_whole_or_not_at_all(tmp_path, monkeypatch):
    picture = DRAWN["scores"]()
    target = tmp_path / "scores.png"
    assert picture.save(target) == target
    assert target.read_bytes() == picture.png()
    target.write_bytes(b"before")
    monkeypatch.setattr(Picture, "png", lambda self: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError):
        picture.save(target)
    assert target.read_bytes() == b"before" and [file.name for file in tmp_path.iterdir()] == ["scores.png"]


def test_in_a_notebook_a_picture_is_a_png_with_alternative_text_and_then_its_twin(tmp_path):
    cells = [
        nbformat.v4.new_code_cell("from labkit.show import figures\nfigures.score_bars([('A', 1.5), ('😀', 0.5)])"),
        nbformat.v4.new_code_cell("picture = figures.rarity_curve(8, {'kettle': 2})\ndisplay(picture)"),
        nbformat.v4.new_code_cell("import sys\n'matplotlib.pyplot' in sys.modules"),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    started = kernel.manager(AsyncKernelManager)
    NotebookClient(notebook, km=started, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute(cleanup_kc=True)
    for cell, first in zip(notebook.cells[:2], ("Bar chart", "Line chart"), strict=True):
        assert [output.output_type for output in cell.outputs] == ["display_data", "display_data"]  # no stderr, no Out
        picture, twin = cell.outputs
        alt = picture.metadata["image/png"]["alt"]
        assert alt.startswith(first) and picture.data["text/plain"] == alt
        assert (picture.metadata["image/png"]["width"], set(picture.data)) == (720, {"image/png", "text/plain"})
        assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
        assert "image/png" not in twin.data and "----" in twin.data["text/plain"]
    assert "kettle" in notebook.cells[1].outputs[1].data["text/plain"]
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(notebook)
    assert f'alt="{notebook.cells[1].outputs[0].data["text/plain"]}"' in page and "No description" not in page
    assert notebook.cells[2].outputs[0].data["text/plain"] == "False"  # pyplot would show every figure a second time


def test_looks_differ_without_colour():
    assert len(set(COLOURS)) == len(set(MARKERS)) == len(set(map(str, LINES))) == len(set(HATCHES)) == 6
    assert look(0) != look(1) and look(6) == look(0)


def test_colours_can_be_told_from_white_paper():
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    # WCAG 1.4.11: parts of a picture, 3 : 1; the first three serve most pictures
    assert all(1.05 / (light(colour) + 0.05) >= 3 for colour in COLOURS[:3])


# --- what each picture says ----------------------------------------------------------------------------------------------------------


def test_the_inverted_index_counts_and_cuts(pictures):
    short = pictures["index"]
    assert short.twin.rows == (("kettle", "2", "A ×2, B ×1"), ("refund", "1", "C ×1"))
    assert "kettle leads to 2 sections: A ×2, B ×1." in short.alt and "refund leads to 1 section: C ×1." in short.alt
    assert "3 sections found, the other 5 never opened" in short.figure._suptitle.get_text().replace("\n", " ")
    long = pictures["index, long"]
    assert [row[:2] for row in long.twin.rows] == [("the", "40"), ("pump", "1"), ("zebra", "0")]
    assert "zebra leads to no section." in long.alt
    texts = [text.get_text() for text in long.figure.axes[0].texts]
    assert "… and 28 more" in texts


@pytest.mark.parametrize(
    ("postings", "options"), [({}, {}), ({"a": [("x", 1)]}, {"limit": 0}), ({"a": [("x", 1), ("y", 1)]}, {"sections": 1})]
)
def test_an_index_that_cannot_be(postings, options):
    with pytest.raises(BadArgument):
        figures.inverted_index(postings, **options)


@pytest.mark.parametrize(
    "scores",
    [
        [("A", 2.0), ("B", 1.0)],
        [Hit("A", 2.0, 1), Hit("B", 1.0, 2)],
        {"B": 1.0, "A": 2.0},
        pd.Series([2.0, 1.0], index=["A", "B"]),
        pd.DataFrame({"id": ["B", "A"], "score": [1.0, 2.0], "rank": [2, 1]}),
    ],
)
def test_scores_in_any_shape_best_first(scores):
    picture = figures.score_bars(scores, decimals=1)
    assert picture.twin.rows == (("1", "A", "2.0"), ("2", "B", "1.0"))
    assert picture.figure._suptitle.get_text() == "A comes first with 2.0, 2.00 times the second"
    assert "A has 2.0, B has 1.0" in picture.alt
    assert [round(bar.get_width(), 6) for bar in picture.figure.axes[0].patches] == [2.0, 1.0]


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        ([("A", 2.0), ("B", 2.0)], "A comes first with 2.0000, level with the second"),
        ([("A", 2.0), ("B", 0.0)], "A comes first with 2.0000"),
        ([("A", 2.0)], "A is the only result, with 2.0000"),
        ([], "No results"),
    ],
)
def test_the_title_says_what_is_so(scores, title):
    assert figures.score_bars(scores).figure._suptitle.get_text() == title


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_a_score_that_cannot_be_drawn(bad):
    with pytest.raises(BadArgument, match="B"):
        figures.score_bars([("A", 1.0), ("B", bad)])
    with pytest.raises(BadArgument, match="score"):
        figures.score_bars(pd.DataFrame({"id": ["A"]}))


def test_notes_stand_in_the_twin_and_the_bar_is_hatched(pictures):
    picture = pictures["scores, long"]
    assert picture.twin.headers[-1] == "note"
    assert [row[-1] for row in picture.twin.rows] == ["the wrong model, though", "staff only", ""]
    assert [bool(bar.get_hatch()) for bar in picture.figure.axes[0].patches] == [True, True, False]


def test_saturation_is_bm25s_gain_and_ends_where_a_section_is_full():
    picture = figures.saturation([6, 30], 7.25)
    expected = [[bm25.gain(f, length, 7.25) if f <= length else None for length in (6, 30)] for f in range(1, 11)]
    shown = [("–" if value is None else f"{value:.2f}") for row in expected for value in row]
    assert [cell for row in picture.twin.rows for cell in row[1:]] == shown
    axes = picture.figure.axes[0]
    lines = [line for line in axes.lines if line.get_linestyle() != "None"]
    ceiling, *curves = lines
    assert ceiling.get_ydata() == [2.2, 2.2]
    assert [len(line.get_xdata()) for line in curves] == [6, 10]  # and no line from a curve's end to its name
    marks = [line for line in axes.lines if line not in lines]
    assert [(mark.get_marker(), mark.get_color()) for mark in marks] == [(curve.get_marker(), curve.get_color()) for curve in curves]
    assert all(mark.get_xdata()[0] > 1 and mark.get_transform() == axes.get_yaxis_transform() for mark in marks)  # beside the axes
    assert list(curves[0].get_ydata()) == [bm25.gain(f, 6, 7.25) for f in range(1, 7)]
    assert "stays below 2.2" in picture.alt


def test_saturation_of_a_learners_own_gain():
    picture = figures.saturation([5], 5, up_to=3, gain=lambda f, length, average_length, k1, b: float(f))
    assert [row[1] for row in picture.twin.rows] == ["1.00", "2.00", "3.00"]


@pytest.mark.parametrize(("lengths", "up_to"), [([], 10), ([1], 10), ([8], 1)])
def test_a_saturation_without_a_curve(lengths, up_to):
    with pytest.raises(BadArgument):
        figures.saturation(lengths, 7, up_to=up_to)


def test_rarity_marks_are_bm25s(pictures):
    twin = pictures["rarity"].twin
    assert [row[0] for row in twin.rows] == ["fits", "2200", "kit", "pump", "pw", "which", "the"]
    assert [row[2] for row in twin.rows] == [f"{bm25.rarity(154, int(row[1])):.4f}" for row in twin.rows]
    assert "the in 106 (0.00)" in pictures["rarity"].alt
    assert len(pictures["rarity, bare"].figure.axes[0].lines[0].get_xdata()) < 2000


@pytest.mark.parametrize("total", [2, 3, 8, 10, 20, 154, 5000, 100_000])
def test_the_floors_words_stand_in_its_shade_or_beside_it_never_across_its_edge(total):
    figure = figures.rarity_curve(total).figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes = figure.axes[0]
    (words,) = [text for text in axes.texts if "0.000001" in text.get_text()]
    box, edge = words.get_window_extent(canvas.get_renderer()), axes.transData.transform((total / 2, 0))[0]
    assert (box.x0 > edge) != (box.x1 < edge)
    assert axes.bbox.x0 < box.x0 and box.x1 < axes.bbox.x1
    assert ("→" in words.get_text()) == (box.x1 < edge)


@pytest.mark.parametrize(("total", "marked"), [(1, {}), (10, {"a": 0}), (10, {"a": 11})])
def test_a_rarity_that_cannot_be(total, marked):
    with pytest.raises(BadArgument):
        figures.rarity_curve(total, marked)


def test_hit_by_kind_is_what_the_rows_say(pictures):
    picture = pictures["kinds"]
    rows = measured()
    scored = rows[rows["scored"]]
    every = interval(rows)
    assert picture.twin.rows[-1] == ("all", "33", "19", f"{every.mean:.3f}", f"{every.low:.3f}", f"{every.high:.3f}")
    assert [row[0] for row in picture.twin.rows[:-1]] == ["contradiction", "answerable", "injection-bait", "table"]
    for kind, n, hits, mean, low, high in picture.twin.rows[:-1]:
        of = interval(scored[scored["kind"] == kind])
        assert (int(n), int(hits)) == HITS[kind][::-1]
        assert (mean, low, high) == tuple(f"{value:.3f}" for value in (of.mean, of.low, of.high))
    assert "table: 1 of 8" in picture.alt and "n = 33" in picture.figure._supxlabel.get_text()
    assert picture.figure._suptitle.get_text().replace("\n", " ") == (
        "hit@5 is 0.576 (19 of 33 questions); the weakest kind is table, 1 of 8"
    )


def test_hit_by_kind_needs_scored_rows():
    with pytest.raises(BadArgument, match="no question is scored"):
        figures.hit_by_kind(measured({}))
    with pytest.raises(BadArgument, match="kind"):
        figures.hit_by_kind(pd.DataFrame({"hit": [1.0]}))


def test_general_pictures_check_their_columns():
    options = {"label": "method", "title": "t", "axis": "a"}
    with pytest.raises(BadArgument, match="recall"):
        figures.bars(METHODS, value="recall", **options)
    with pytest.raises(BadArgument, match="plain"):
        figures.bars(METHODS.assign(high=1.2), value="hit", **options)
    with pytest.raises(BadArgument, match="no row"):
        figures.curves(BUDGETS.iloc[:0], x="budget", y="hit", series="chunker", title="t", x_axis="x", y_axis="y")


@pytest.mark.parametrize("n, said", [(1, r"n = 1 question\b"), (2, r"n = 2 questions\b")])
def test_one_question_is_one(n, said):
    rows, k = BUDGETS, {"x": "budget", "y": "hit", "series": "chunker", "title": "t", "x_axis": "x", "y_axis": "y"}
    drawn = [
        figures.curves(rows, low="low", high="high", n=n, **k),
        figures.hit_by_kind(measured({"table": (0, n)})),
        figures.bars(METHODS, label="method", value="hit", title="t", axis="x", n=n),
    ]
    assert all(re.match(said, picture.figure._supxlabel.get_text()) for picture in drawn)


def test_a_curve_is_drawn_in_the_order_of_x():
    shuffled = BUDGETS.sample(frac=1, random_state=3)
    picture = figures.curves(shuffled, x="budget", y="hit", series="chunker", title="t", x_axis="x", y_axis="y")
    assert all(list(line.get_xdata()) == [100, 200, 400] for line in picture.figure.axes[0].lines)
    assert "structure-aware goes from 0.661 at 100 to 0.864 at 400" in picture.alt


@given(wanted=st.lists(st.floats(0, 10), max_size=8), gap=st.floats(0.01, 1))
def test_labels_keep_apart_in_order_and_inside(wanted, gap):
    placed = spread(wanted, gap, 0, 10)
    assert all(-1e-9 <= place <= 10 + 1e-9 for place in placed)
    ordered = [placed[i] for i in sorted(range(len(wanted)), key=lambda i: (wanted[i], i))]
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(ordered))


LABELS = st.text(st.characters(codec="latin-1", categories=("L", "N", "P", "S")), min_size=1, max_size=90)


@settings(max_examples=8, deadline=None)
@given(names=st.lists(LABELS, min_size=1, max_size=5, unique=True), data=st.data())
def test_whatever_the_names_are_nothing_is_cut_off(names, data):
    scores = data.draw(st.lists(st.floats(0, 100), min_size=len(names), max_size=len(names)))
    written, page = boxes(figures.score_bars(dict(zip(names, scores, strict=True))))
    assert all(box.x0 >= -1 and box.x1 <= page.x1 + 1 for _, box in written)


def test_importing_pictures_leaves_pyplot_alone():
    import subprocess

    code = "import labkit.show.figures, sys; print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("short", "short"),
        ("product-care-pw2400@v1#parts-and-part-numbers-and-more", "product-care-pw2400@…-numbers-and-more"),
        ("x" * 60, "x" * 22 + "…" + "x" * 21),
        ("two\n words", "two words"),
    ],
)
def test_a_long_name_is_cut_between_words(name, shown):
    assert figures._label(name) == shown and len(shown) <= 44


def test_pictures_of_bm25_do_not_wait_for_what_they_do_not_use():
    import subprocess

    code = "import sys\nfrom labkit.show import figures\nfigures.saturation([6], 6).png()\nprint({'scipy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
