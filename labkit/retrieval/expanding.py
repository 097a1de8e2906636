"""Search small, read large: from the children that a search found to the parents that a reader gets (lesson 11).

Each child brings its parent, once, however many of its children were found; the parents stand in the order of their best child.

With a budget, what counts is what is delivered, so that a search for parents and one for children can be compared at equal words:

- A parent of more words than the whole budget is not delivered; its selected children stand in its place, best first, each with its heading
  path as context.
- What is delivered is taken in rank order and stops before the first piece that would pass the budget (exactly the budget fits): the rule
  of equal budget (lesson 09). Nothing further down jumps the queue.

Here is no word of how children are made: anything with a parent_id that is a passage will do.
"""

from __future__ import annotations

from collections.abc import Iterable

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.search_over import SearchOver

Key = tuple[str, str, str]
"""doc_id, version, parent_id: a parent_id alone is unique in one edition of one document only."""

SELECTED = 20
"""How many children a search for parents goes by: what a reranker leaves at most."""


def expand_to_parents(children: Iterable[Passage], parents: Iterable[Passage], budget: int | None = None) -> list[Passage]:
    """The parents of `children` (best first), each once, in the order of its best child. Lesson 11.

    parents: at least those of these children, in any order. budget: how many words may be delivered in all (`passage.words`, context
    counted), by the rules above; None: every parent whole. A child that stands twice counts once. [] for no children, and where the first
    piece is longer than the budget.

    Raises BadArgument for what is no child or no parent, for a parent that is not there or stands twice, for a child and a parent that are
    for different readers (a staff parent must not come in by a public child), and unless the budget is a whole number from 0 up.
    """
    limit = None if budget is None else _whole_words(budget)
    return _expanded(children, _by_key(parents), limit)


class ParentSearch(SearchOver):
    """`search(text, k)`: the parents of the first children of another search. Lesson 11.

    search: any search whose results are children, best first. parents, budget: as for `expand_to_parents`. selected: by how many children
    it goes; what comes for a smaller k is the beginning of what comes for a larger one.
    """

    def __init__(self, search, parents: Iterable[Passage], *, budget: int | None = None, selected: int = SELECTED):
        super().__init__(search)
        self._parents = _by_key(parents)
        self.budget = None if budget is None else _whole_words(budget)
        self.selected = whole_k(selected, "selected")

    def __call__(self, text: str, k: int = 5) -> list[Passage]:
        children = list(self.search(text, self.selected))[: self.selected]
        return _expanded(children, self._parents, self.budget)[: whole_k(k)]

    @property
    def passages(self) -> list[Passage]:
        """The parents of what is searched, in the order given."""
        searched = {_key(child) for child in self.search.passages}
        return [parent for key, parent in self._parents.items() if key in searched]

    @property
    def given(self) -> list[Passage]:
        """The parents that were given."""
        return list(self._parents.values())

    def __repr__(self) -> str:
        return f"<parents of the first {self.selected} of {self.search!r}>"


def _expanded(children: Iterable[Passage], parents: dict[Key, Passage], limit: int | None) -> list[Passage]:
    if isinstance(children, str | dict | set | frozenset) or not isinstance(children, Iterable):  # a set has no order
        raise BadArgument(f"a list of children is needed, best first, not {children!r}")
    selected: dict[Key, dict[str, Passage]] = {}  # in the order of each parent's best child
    for child in children:
        selected.setdefault(_key(child), {}).setdefault(child.id, child)
    pieces: list[Passage] = []
    for key, its_children in selected.items():
        parent = parents.get(key)
        if parent is None:
            names = f"{key[2]} of {key[0]} (version {key[1]})"
            raise BadArgument(f"{names} is not among the parents — parents and children must come from one cut of the document")
        for child in its_children.values():
            if child.access != parent.access:
                raise BadArgument(f"{child.id} is for {child.access!r} and its parent for {parent.access!r} — cut the document anew")
        pieces += its_children.values() if limit is not None and parent.words > limit else [parent]
    if limit is None:
        return pieces
    delivered, used = [], 0
    for piece in pieces:
        used += piece.words
        if used > limit:
            break
        delivered.append(piece)
    return delivered


def _by_key(parents: Iterable[Passage]) -> dict[Key, Passage]:
    if isinstance(parents, str) or not isinstance(parents, Iterable):
        raise BadArgument(f"a list of parents is needed, not {parents!r}")
    found: dict[Key, Passage] = {}
    for parent in parents.values() if isinstance(parents, dict) else parents:
        key = _key(parent, "parent")
        if key in found:
            raise BadArgument(f"{key[2]} of {key[0]} (version {key[1]}) stands twice among the parents — give each once")
        found[key] = parent
    return found


def _key(passage: Passage, what: str = "child") -> Key:
    parent_id = getattr(passage, "parent_id", None)
    if not isinstance(passage, Passage) or not isinstance(parent_id, str) or not parent_id:
        raise BadArgument(f"{passage!r} is no {what} — `children` and `parents` make them (lesson 11)")
    return passage.doc_id, str(passage.version), parent_id


def _whole_words(words: int) -> int:
    try:
        return whole_k(words)
    except BadArgument:
        raise BadArgument(f"the budget is {words!r}: it is a number of words, a whole one from 0 up; None for no budget") from None
