"""Lists that stand side by side on a page (lesson 06)."""

import pytest
from pdf_making import drawn, write

from labkit.parsing.pdf import read_pdf

LEFT = ["acceptance, 5", "arrears, 6", "business day, 5", "consumer, 3", "deposit, 6", "goods, 4"]
RIGHT = ["lender, 67", "mediator, 3", "producer, 3", "recall, 4", "service, 4"]


@pytest.mark.parametrize("mark", ["•", "–"])
@pytest.mark.parametrize(
    "top", [(), ("The terms of this leaflet, each with its chapter, in the order of the alphabet, for whoever looks for one.",)]
)
def test_two_lists_side_by_side_are_read_one_after_the_other(tmp_path, mark, top):
    def page(paper):
        for number, text in enumerate(top):
            write(paper, 60, 80 + 13 * number, text)
        for left, items in ((60, LEFT), (310, RIGHT)):
            for number, text in enumerate(items):
                write(paper, left, 120 + 15 * number, mark)
                write(paper, left + 12, 120 + 15 * number, text)

    (tmp_path / "a.pdf").write_bytes(drawn(page))
    blocks = read_pdf(tmp_path / "a.pdf").blocks[len(top) :]
    assert [(block.kind, block.text) for block in blocks] == [("list_item", f"{mark} {text}") for text in LEFT + RIGHT]


def test_a_table_with_a_list_s_marks_in_one_column_stays_a_table(tmp_path):
    def page(paper):
        for number, (term, sign) in enumerate(zip(LEFT, RIGHT, strict=False)):
            for x, text in ((60, term), (220, "•"), (310, sign)):
                write(paper, x, 120 + 15 * number, text)

    (tmp_path / "a.pdf").write_bytes(drawn(page))
    assert [block.kind for block in read_pdf(tmp_path / "a.pdf").blocks] == ["table"]
