"""The picture of parents and children: what it says, counts and refuses."""

from dataclasses import dataclass, field

import pytest
from parsed_documents import parsed_markdown
from small_embedders import BagOfWords

from labkit.errors import BadArgument
from labkit.hierarchy import children_of, parents
from labkit.show.hierarchy_tree import hierarchy_tree

TEXT = """# The Rules

# Part 1 Lending

## Article 1 Loans

{long}

| what | days |
| --- | --- |
| a book | 21 |

A last word on loans.

## Article 2 Fees

A late book costs ten cents a day.

# Part 2 Rooms

Rooms close at nine.
""".format(long=" ".join(f"word{number}" for number in range(60)))


@dataclass
class Piece:
    id: str
    parent: str = ""
    parent_id: str = ""
    words: int = 7
    type: str = "text"
    position: int = 0
    heading_path: list = field(default_factory=list)


def tree():
    made = parents(parsed_markdown(TEXT))
    return made, [child for mine in children_of(made, BagOfWords()) for child in mine]


def test_it_counts_parents_and_children():
    made, theirs = tree()
    picture = hierarchy_tree(made, theirs)
    assert (len(made), len(theirs)) == (3, 5)
    assert picture.alt.startswith("Tree of 3 parents with 5 children. Article 1 Loans: 3 children.")
    assert "Article 2 Fees: 1 child." in picture.alt
    assert picture.figure.get_suptitle() == "3 parents, cut into 5 children"
    assert [row[1] for row in picture.twin.rows] == ["Article 1 Loans", "Article 2 Fees", "Part 2 Rooms"]
    assert [row[0] for row in picture.twin.rows] == ["Part 1 Lending", "Part 1 Lending", ""]
    assert "table" in picture.twin.rows[0][3]


def test_three_children_bring_one_parent_once():
    made, theirs = tree()
    picture = hierarchy_tree(made, theirs, found=[theirs[2].id, theirs[0].id, "another document's", theirs[1].id])
    assert picture.figure.get_suptitle() == "3 children found bring 1 parent, each once"
    assert list(picture.twin.rows[0][4:]) == ["1 (rank 2), 2 (rank 4), 3 (rank 1)", "once"]
    assert [row[5] for row in picture.twin.rows] == ["once", "no", "no"]
    assert "found at rank 2, 4, 1." in picture.alt


def test_one_child_brings_its_parent():
    made, theirs = tree()
    picture = hierarchy_tree(made, theirs, found=[theirs[1].id])
    assert picture.figure.get_suptitle() == "1 child found brings its parent, once"


def test_it_does_not_change_from_run_to_run():
    made, theirs = tree()
    assert hierarchy_tree(made, theirs).png() == hierarchy_tree(made, theirs).png()


def test_texts_of_any_kind_are_drawn():
    names = ["A" * 400, "$x^2$ and _y_", "<b>& ‘quoted’ 法律", " "]
    made = [Piece(f"p{number}", parent_id=f"p{number}", heading_path=[name, name]) for number, name in enumerate(names)]
    made.append(Piece("p4", parent_id="p4"))
    picture = hierarchy_tree(made, [Piece(f"{parent.id}c", parent=parent.id) for parent in made])
    assert picture.png().startswith(b"\x89PNG") and picture.twin.rows[-1][1] == "p4"


@pytest.mark.parametrize(
    "made, theirs, found, said",
    [
        ([], [], [], "needs a parent"),
        ([Piece("p")], [Piece("c", parent="q")], [], "c has no parent"),
        ([Piece("p"), Piece("q")], [Piece("c", parent="p")], [], "q has no child"),
        ([Piece("p")], [Piece("c", parent="p")], ["c", "c"], "c stands twice"),
    ],
)
def test_what_is_no_tree_is_refused(made, theirs, found, said):
    with pytest.raises(BadArgument, match=said):
        hierarchy_tree(made, theirs, found=found)
