"""Lesson 06's leaflet: its file holds the pieces in the order in which they were drawn, and its reader finds the columns."""

import pytest
from pypdf import PdfReader

from labkit.lessons.content.lesson_06 import LEAFLET, draw_page
from labkit.parsing.reading import parse


def pieces_of(path) -> list[tuple[float, float, str]]:
    """As the lesson's cell has it."""
    found = []

    def note(text, page_matrix, text_matrix, font, size):
        if text.strip():
            found.append((page_matrix[4] + text_matrix[4], page_matrix[5] + text_matrix[5], text.strip()))

    [page] = PdfReader(path).pages
    page.extract_text(visitor_text=note)
    return found


@pytest.mark.parametrize(
    "pieces", [LEAFLET, [(40, 150, "a (b) c\\d"), (40, 100, ")("), (40.5, 60.25, "über 5 € – “so”")]], ids=["leaflet", "brackets"]
)
def test_what_is_drawn_is_what_the_file_has_in_its_order(tmp_path, pieces):
    draw_page(tmp_path / "page.pdf", pieces)
    assert pieces_of(tmp_path / "page.pdf") == pieces


def test_the_leaflet_is_drawn_across_and_read_down(tmp_path):
    draw_page(tmp_path / "leaflet.pdf", LEAFLET)
    columns = [" ".join(text for x, _, text in LEAFLET if x == left) for left in sorted({x for x, _, _ in LEAFLET})]
    assert len(columns) == 2 and sorted(y for _, y, _ in LEAFLET)[::-1] == [y for _, y, _ in LEAFLET]
    assert [block.text for block in parse(tmp_path / "leaflet.pdf").blocks] == columns
