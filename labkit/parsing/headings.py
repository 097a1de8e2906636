"""Which headings stand above a block (lesson 06)."""

from __future__ import annotations


class HeadingPath:
    """The headings above the place that a reader has come to, outermost first; the document's title is none of them.

    A heading closes those of its own level and of the levels below: after H1 → H3, an H2 closes the H3. Levels that a document leaves out
    leave no gap.
    """

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, text: str) -> list[str]:
        """A heading of that level (1–6) begins; gives its own path, which ends with itself."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))
        return self.here()

    def title(self) -> list[str]:
        """The document's title stands here, above everything: what was open before it is closed. Gives its path, which is empty."""
        self._open.clear()
        return self.here()

    def here(self) -> list[str]:
        """The path of a block at this place."""
        return [text for _, text in self._open]
