"""The picture of a page's two orders: its numbers are the orders that it was given, and whatever a page holds, it is drawn."""

import io
import math
import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle
from pdf_making import drawn, write
from PIL import Image
from pypdf import PdfReader

from labkit.errors import BadArgument
from labkit.parsing.reading import parse
from labkit.show.reading_order import reading_order
from labkit.show.style import Picture, course_style

LEFT, RIGHT = ["Keep the kettle", "dry, and the bread", "in the bin."], ["Never put a fork", "into the toaster", "while it is on."]
ACROSS = [(x, 90 - 15 * row, text) for row in range(3) for x, text in ((40, LEFT[row]), (200, RIGHT[row]))]
DOWN = [0, 2, 4, 1, 3, 5]
TABLE = [
    (73, 456, "Corded power tools"), (191, 456, "Hedge trimmers and other tools with a long cable,"), (191, 444, "corded mowers"),
    (359, 456, "3 years"), (401, 456, "Blades are not covered, nor is string"), (73, 424, "Sheds"), (401, 424, "Glass 1 year"),
]  # fmt: skip

PAGES = {
    "two columns": (ACROSS, DOWN),
    "in order": (ACROSS, range(6)),
    "a table": (TABLE, [0, 1, 2, 3, 4, 5, 6]),
    "one piece": ([(0, 0, "Alone")], [0]),
    "a heading over both": ([(40, 120, "Kitchen rules that hold for everybody, guests and cats included, at any hour"), *ACROSS],
                            [0, *(place + 1 for place in DOWN)]),
    "drawn from the foot": (ACROSS[::-1], [5 - place for place in DOWN]),
    "columns half a line apart": ([(x, y - (x > 100), text) for x, y, text in ACROSS], DOWN),
    "twice in one place": ([(40, 90, "Bold"), (40, 90, "Bold"), (40, 75, "plain")], [0, 1, 2]),
    "nine side by side": ([(10 * number, 5, f"word{number}") for number in range(9)], range(9)),
    "nothing in some": ([(0, 0, ""), (50, 0, "  \n "), (100, 0, "x")], [2, 1, 0]),
    "no space in a long one": ([(0, 10, "x" * 200), (300, 10, "y" * 200), (0, 0, "z")], [0, 2, 1]),
    "prices and other scripts": ([(0, 1, "$5 and $6_a^b"), (9, 1, "短い質問"), (0, 0, "<b>😀</b> & co.")], [2, 1, 0]),
    "a long page": ([(20.5, -12.25 * number, f"line {number}") for number in range(101)], range(100, -1, -1)),
}  # fmt: skip


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return {name: reading_order(*page) for name, page in PAGES.items()}


def written(picture: Picture):
    """The axes' texts with their boxes, and the frames of the two pages."""
    (axes,) = picture.figure.axes
    with course_style():
        FigureCanvasAgg(picture.figure).draw()
        renderer = picture.figure.canvas.get_renderer()
        texts = [(text.get_text(), text.get_window_extent(renderer)) for text in axes.texts if text.get_text()]
        frames = [patch.get_window_extent(renderer) for patch in axes.patches if isinstance(patch, Rectangle)]
    return texts, frames


def whole(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_covered_and_everything_stands_on_a_page(pictures, name):
    texts, frames = written(pictures[name])
    assert len(frames) == 2
    for text, box in texts:
        if not text.startswith("in the order"):
            assert any(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1 for frame in frames), text
    for (one, a), (other, b) in combinations(texts, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 1 or high <= 2, f"{one!r} and {other!r} cover each other"


@pytest.mark.parametrize("name", PAGES)
def test_the_twin_has_every_piece_whole_with_both_numbers(pictures, name):
    pieces, read = PAGES[name]
    twin = pictures[name].twin
    as_read = {place: rank for rank, place in enumerate(read, 1)}
    assert twin.rows == tuple((str(place + 1), str(as_read[place]), whole(piece[2])) for place, piece in enumerate(pieces))
    assert max(map(len, str(twin).split("\n"))) <= 80
    assert repr(pictures[name]) == pictures[name].alt and not re.search(r"nan|0x", pictures[name].alt)


@pytest.mark.parametrize("name", PAGES)
def test_each_page_has_each_number_once_at_the_piece_that_it_counts(pictures, name):
    pieces, read = PAGES[name]
    (axes,) = pictures[name].figure.axes
    middle = sum(axes.get_xlim()) / 2
    numbers = [text for text in axes.texts if text.get_ha() == "center"]
    for order, side in ((range(len(pieces)), False), (read, True)):
        mine = [text for text in numbers if (text.get_position()[0] > middle) == side]
        assert [text.get_text() for text in mine] == [str(rank) for rank in range(1, len(pieces) + 1)]
        places = [text.get_position() for text in mine]
        for (one, (x1, y1)), (other, (x2, y2)) in combinations(zip(order, places, strict=True), 2):
            # what stands further right or higher on the page does so in the picture, whose y grows downwards
            assert (x1 < x2) == (pieces[one][0] < pieces[other][0])
            assert y1 <= y2 or pieces[one][1] <= pieces[other][1]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("two columns", "None of the file's 5 steps from piece to piece is one that a reader takes"),
        ("in order", "The file's order is the reader's: all 5 steps agree"),
        ("a heading over both", "Of the file's 6 steps from piece to piece, a reader takes 1"),
        ("one piece", "One piece of text has one order"),
    ],
)
def test_the_title_counts_the_steps_that_agree(pictures, name, title):
    assert whole(pictures[name].figure._suptitle.get_text()) == title


def test_the_alternative_text_says_where_the_orders_part(pictures):
    alt = pictures["two columns"].alt
    assert "0 of 5 steps agree. The first that does not: after “Keep the kettle” the file goes on with “Never put a fork”, " in alt
    assert alt.endswith("a person with “dry, and the bread”.")
    assert "with “while it is on.” a person has come to the end" in pictures["drawn from the foot"].alt
    assert pictures["in order"].alt.endswith("5 of 5 steps agree.")


def test_own_words_over_and_under_it():
    picture = reading_order(ACROSS, DOWN, title="Two orders", caption="a leaflet")
    assert (picture.figure._suptitle.get_text(), picture.figure._supxlabel.get_text()) == ("Two orders", "a leaflet")


def test_a_text_that_has_no_room_is_cut_and_one_that_has_is_not(pictures):
    shown = [text.get_text() for text in pictures["a table"].figure.axes[0].texts]
    assert "Sheds" in shown
    assert any(text.startswith("Hedge") and text.endswith("…") for text in shown)
    assert {text for _, _, text in ACROSS} <= {text.get_text() for text in pictures["two columns"].figure.axes[0].texts}


@pytest.mark.parametrize(
    ("pieces", "read", "says"),
    [
        ([], [], "without a piece"),
        (ACROSS, [0, 1, 2], "from 0 to 5 once"),
        (ACROSS, [0, 0, 1, 2, 3, 4], "from 0 to 5 once"),
        (ACROSS, [1, 2, 3, 4, 5, 6], "from 0 to 5 once"),
        ([(math.nan, 0, "x")], [0], "piece 0 stands at nan"),
        ([(0, 0, "x"), (0, math.inf, "y")], [0, 1], "piece 1 stands at inf"),
        ([(number, 0, "x") for number in range(40)], range(40), "side by side"),
    ],
)
def test_an_order_that_cannot_be_drawn(pieces, read, says):
    with pytest.raises(BadArgument, match=says):
        reading_order(pieces, read)


def test_the_same_page_gives_the_same_bytes():
    one, two = (reading_order(*PAGES["two columns"]).png() for _ in range(2))
    assert one == two and set(Image.open(io.BytesIO(one)).info) <= {"dpi"}


def test_a_real_page_from_its_file_and_from_its_blocks(tmp_path):
    """What a lesson does with it: the pieces as a PDF has them, the order as the reader's blocks have it."""

    def page(paper):
        for x, y, text in ACROSS:
            write(paper, x, 300 - y, text)

    file = tmp_path / "page.pdf"
    file.write_bytes(drawn(page))
    pieces = []

    def note(text, page_matrix, text_matrix, font, size):
        if text.strip():
            pieces.append((page_matrix[4] + text_matrix[4], page_matrix[5] + text_matrix[5], text))

    PdfReader(file).pages[0].extract_text(visitor_text=note)
    text = parse(file).text
    read = sorted(range(len(pieces)), key=lambda place: text.index(whole(pieces[place][2])))
    assert read == DOWN
    assert [row[1] for row in reading_order(pieces, read).twin.rows] == ["1", "4", "2", "5", "3", "6"]


PLACES = st.integers(0, 60).map(float) | st.floats(-1e3, 1e3)
TEXTS = st.text(st.characters(codec="latin-1", categories=("L", "N", "P", "Zs")), max_size=60)


@settings(max_examples=10, deadline=None)
@given(pieces=st.lists(st.tuples(PLACES, PLACES, TEXTS), min_size=1, max_size=8), data=st.data())
def test_whatever_a_page_holds_its_numbers_are_apart_and_on_it(pieces, data):
    read = data.draw(st.permutations(range(len(pieces))))
    texts, frames = written(reading_order(pieces, read))
    numbers = [(text, box) for text, box in texts if re.fullmatch(r"\d", text)]
    assert len(numbers) >= 2 * len(pieces)
    for _, box in texts[1:]:
        assert min(frame.x0 for frame in frames) - 1 <= box.x0 and box.x1 <= max(frame.x1 for frame in frames) + 1
    for left, right in pairwise(sorted(box.x0 for _, box in numbers if box.y0 == numbers[0][1].y0)):
        assert right - left > 1
