"""A search that asks another one and makes something of its results, for the same reader (lessons 13 and 14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labkit.errors import BadArgument

_PASSED_ON = ("access", "allows", "given", "not_read", "passages")


class SearchOver:
    """`search(text, k)` over another search; who its reader is, and what it reads, it says as the other one does.

    Raises BadArgument where `search` is not callable.
    """

    search: Callable[[str, int], Sequence]

    def __init__(self, search: Callable[[str, int], Sequence]):
        if not callable(search):
            raise BadArgument(f"a search is needed, callable as search(text, k), not {search!r}")
        self.search = search

    def __getattr__(self, name: str):
        if name in _PASSED_ON and "search" in vars(self):
            return getattr(self.search, name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
