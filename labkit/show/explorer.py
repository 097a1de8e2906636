"""The explorer: turn method and size, and see what becomes of one document (lesson 07).

`explore(parsed)` shows two things. The live explorer is a widget: two choices that work from the keyboard, and a page (explorer_view.py)
that is made anew for each. It needs a running kernel, and nothing can compare it later. So below it always stands the still picture
(explorer_picture.py) with its text twin, for those who read without a kernel. Where a recorded notebook stands, in the course's
notebooks/ and snapshots/, there is the picture alone: the same on each machine, and compared like any other output.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from labkit.chunking.chunk import body_words
from labkit.course import MARKS
from labkit.errors import BadArgument
from labkit.parsing.blocks import ParsedDocument
from labkit.show.cuttings import ALL, SIZES, THREE, USUAL, Cutting, cut, table_of_readings
from labkit.show.explorer_picture import picture_of, still
from labkit.show.explorer_view import body_html, parts, summary, summary_html
from labkit.show.style import Picture
from labkit.show.wording import say

__all__ = ["Explorer", "explore", "still"]

_RECORDED = ("notebooks", "snapshots")

# What Python cannot say to JupyterLab. It takes a key pressed at a list for a command of its own (the arrows leave the list, d, d deletes
# the cell), unless the element that has the focus forbids it. And a screen reader follows a region that is there before its text changes,
# so the one around the summary, which stays, is made one. Elsewhere the script finds nothing and does nothing.
_KEYS = """<script>
if (!window.labkitExplorer) {
  window.labkitExplorer = true;
  document.addEventListener("focusin", event => {
    const box = event.target.closest(".labkit-explorer-live");
    if (!box) return;
    event.target.setAttribute("data-lm-suppress-shortcuts", "true");
    box.querySelectorAll(".labkit-explorer-status > .widget-html-content").forEach(it => it.setAttribute("aria-live", "polite"));
  });
}
</script>"""


def explore(parsed: ParsedDocument, *, live: bool | None = None) -> Explorer:
    """A document and its chunks, cut in three ways at three sizes each: to be looked at, and turned (lesson 07).

    As the last line of a cell it displays itself: the live explorer, and below it the still picture with its text twin. Methods and sizes:
    fixed and overlapping windows of 50, 100 or 200 words (a quarter of them repeated), structure-aware chunks of at most 100, 200 or 400.
    `live` None: the live explorer is left out where a recorded notebook stands, and outside a notebook; True or False: as you say.

    Raises BadArgument for what is no parsed document.
    """
    return Explorer(parsed, live)


class Explorer:
    """What `explore` gives. `method` and `size` say what is on show ('fixed' and 100 at first); `turn` changes them, as the choices do."""

    def __init__(self, parsed: ParsedDocument, live: bool | None = None):
        self._words = len(body_words(parsed))  # says what is wrong with another argument
        self.parsed, self._live = parsed, live
        self.method, self.size = THREE[0]
        self._parts = parts(parsed)
        self._cuttings: dict[tuple[str, int], Cutting] = {}
        self._widget = None

    def __repr__(self) -> str:
        return f"{self.parsed.title}\n{summary(self.cutting)}\n\n{table_of_readings(self.all_cuttings)}"

    @property
    def cutting(self) -> Cutting:
        """The cutting on show: its chunks, its readings, and what each chunk begins inside."""
        return self._cut(self.method, self.size)

    @property
    def all_cuttings(self) -> Sequence[Cutting]:
        """The nine, in the order of the choices."""
        return [self._cut(method, size) for method, size in ALL]

    @property
    def picture(self) -> Picture:
        """The still picture: the three methods at their usual sizes."""
        return picture_of([self._cut(method, size) for method, size in THREE])

    def turn(self, method: str | None = None, size: int | None = None) -> None:
        """Show another method, another size, or both. A new method keeps the size where it has it. Raises BadArgument for others."""
        method = self.method if method is None else method
        if not isinstance(method, str) or method not in SIZES:
            raise BadArgument(f"method {method!r}: there are {', '.join(map(repr, SIZES))}")
        if size is None:
            size = self.size if self.size in SIZES[method] else USUAL[method]
        if size not in SIZES[method]:
            raise BadArgument(f"size {size!r}: {method} has {', '.join(map(str, SIZES[method]))}")
        self.method, self.size = method, size
        if self._widget is not None:
            self._widget.follow()

    @property
    def widget(self):
        """The live explorer, an ipywidgets box; the same one each time."""
        if self._widget is None:
            self._widget = _Live(self)
        return self._widget.box

    def page(self, part: int = 0) -> tuple[str, str]:
        """Summary and page of what is on show, as HTML; `part` (0-based) of a long document."""
        return summary_html(self.cutting), body_html(self.cutting, self.all_cuttings, self._parts[part], len(self._parts))

    @property
    def part_names(self) -> list[str]:
        """What the parts of a long document are called; a short one has one."""
        return [part.name for part in self._parts]

    def _cut(self, method: str, size: int) -> Cutting:
        if (method, size) not in self._cuttings:
            self._cuttings[method, size] = cut(self.parsed, method, size)
        return self._cuttings[method, size]

    def _ipython_display_(self) -> None:
        if not _in_notebook():
            print(repr(self))
            return
        if live_here() if self._live is None else self._live:
            from IPython.display import publish_display_data

            publish_display_data({"text/html": _KEYS, "text/plain": say("explorer.keys")})
            bundle = self.widget._repr_mimebundle_()
            publish_display_data({**bundle, "text/plain": repr(self)})
        self.picture._ipython_display_()


class _Live:
    """The choices and the page. Choices are drop-down lists: a browser's own, so that keys, names and states are what everybody knows."""

    def __init__(self, explorer: Explorer):
        import ipywidgets

        self.explorer = explorer
        wide = {"description_width": "initial"}
        methods = [(say(f"cuttings.{method}"), method) for method in SIZES]
        self.method = ipywidgets.Dropdown(options=methods, value=explorer.method, description=say("explorer.method"), style=wide)
        self.size = ipywidgets.Dropdown(description=say("explorer.size"), style=wide)
        names = [(name, number) for number, name in enumerate(explorer.part_names)]
        self.part = ipywidgets.Dropdown(options=names, value=0, description=say("explorer.part"), style=wide)
        whole = ipywidgets.Layout(width="100%")
        flush = ipywidgets.Layout(width="100%", margin="0")
        self.summary, self.page = ipywidgets.HTML(layout=flush), ipywidgets.HTML(layout=flush)
        choices = [self.method, self.size, *([self.part] if len(names) > 1 else [])]
        flow = ipywidgets.Layout(flex_flow="row wrap")
        self.box = ipywidgets.VBox([ipywidgets.HBox(choices, layout=flow), self.summary, self.page], layout=whole)
        self.box.add_class("labkit-explorer-live")
        self.summary.add_class("labkit-explorer-status")
        self._following = False
        self.follow()
        self.method.observe(lambda change: self._chosen(method=change["new"]), "value")
        self.size.observe(lambda change: self._chosen(size=change["new"]), "value")
        self.part.observe(lambda change: self._chosen(), "value")

    def _chosen(self, **changed) -> None:
        if not self._following:  # a list that gets other sizes says that its choice has changed; nobody chose
            self.explorer.turn(**changed)

    def follow(self) -> None:
        """Show what the explorer is turned to."""
        self._following = True
        try:
            method, size = self.explorer.method, self.explorer.size
            self.method.value = method
            text = "explorer.at_most" if method == "by_structure" else "explorer.windows"
            options = tuple((say(text, size=each), each) for each in SIZES[method])
            if self.size.options != options:
                self.size.options = options
            self.size.value = size
            self.summary.value, self.page.value = self.explorer.page(self.part.value)
        finally:
            self._following = False


def live_here(folder: Path | None = None) -> bool:
    """Is this a place for the live explorer? Not where a recorded notebook stands: in the notebooks/ or snapshots/ of a course."""
    here = (folder or Path.cwd()).resolve()
    for inner, outer in zip((here, *here.parents), here.parents, strict=False):
        if inner.name in _RECORDED and all((outer / mark).is_file() for mark in MARKS):
            return False
    return True


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    running = module.get_ipython() if module else None
    return getattr(running, "kernel", None) is not None
