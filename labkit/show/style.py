"""The one look of the course's pictures, and what a picture is: a figure, its alternative text, and its text twin (every lesson).

Nothing here touches matplotlib's global settings: a learner's own plots look as they always did.
"""

from __future__ import annotations

import base64
import contextlib
import io
import logging
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from labkit.files import write_atomically

_matplotlib_log = logging.getLogger("matplotlib")


@contextlib.contextmanager
def _quiet():
    # The first import on a machine builds a font cache and says so on stderr, which would stand in a notebook's output. So would a
    # complaint about a character that no font of ours has; it is drawn as a box, and the twin has it in full.
    level = _matplotlib_log.level
    _matplotlib_log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*[Gg]lyph.* missing from.*")
            yield
    finally:
        _matplotlib_log.setLevel(level)


with _quiet():
    from matplotlib import style as _mpl_style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

# Okabe and Ito's colours, in an order in which neighbours also differ in grey; each goes with a marker, a line and a hatch of its own.
# Source: M. Okabe, K. Ito, "Color Universal Design" (2008).
BLUE, ORANGE, GREEN, PINK, SKY, BROWN = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
INK, SOFT, FAINT = "#1A1A1A", "#595959", "#D9D9D9"
COLOURS = (BLUE, BROWN, GREEN, PINK, ORANGE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 3)), (0, (8, 2)))
HATCHES = ("", "///", "...", "xx", "\\\\\\", "++")

_TITLE = FontProperties(family=["DejaVu Sans"], size=11.5, weight="bold")
_CAPTION = FontProperties(family=["DejaVu Sans"], size=8.5)
WIDTH = 7.2  # inches; at 100 pixels an inch it fits a notebook's output
_SCREEN_DPI, _FILE_DPI = 100, 160

SETTINGS = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same letters on every system
    "font.size": 10.0,
    "text.color": INK,
    "text.parse_math": False,  # a price in dollars is no formula
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "axes.unicode_minus": True,
    "axes.labelsize": 10.0,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.dpi": _SCREEN_DPI,
    "svg.fonttype": "path",
}


@contextlib.contextmanager
def course_style():
    """Within this block matplotlib draws in the course's style; after it, everything is as it was, a learner's own settings too."""
    with _quiet(), _mpl_style.context(SETTINGS, after_reset=True):
        yield


@dataclass(eq=False)
class Picture:
    """A figure with its alternative text and its text twin, both computed from the data that the figure shows.

    `figure` is a matplotlib Figure; `alt` one or two sentences for those who do not see it; `twin` a Table or a sentence with the same
    data. In a notebook a picture gives two outputs: the PNG, with `alt` in its metadata and as its plain text, and then the twin.
    """

    figure: Figure = field(repr=False)
    alt: str
    twin: object = field(repr=False)

    def png(self) -> bytes:
        """The picture as a PNG, without date, version or path in it: the same data give the same bytes on the same machine."""
        target = io.BytesIO()
        with course_style():
            FigureCanvasAgg(self.figure)
            self.figure.savefig(target, format="png", dpi=_FILE_DPI, metadata={"Software": None})
        return target.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the PNG to `path` (whole or not at all) and give the path back."""
        path = Path(path)
        write_atomically(path, self.png())
        return path

    def __repr__(self) -> str:
        return self.alt

    def _picture_bundle(self) -> tuple[dict, dict]:
        inches = self.figure.get_size_inches()
        wide, high = (round(float(side) * _SCREEN_DPI) for side in inches)
        # The place that nbconvert's classic template and our own export read an alternative text from. JupyterLab 4.6 and nbconvert's
        # lab template take width and height only, so the twin always follows as an output of its own.
        return (
            {"image/png": base64.b64encode(self.png()).decode("ascii"), "text/plain": self.alt},
            {"image/png": {"alt": self.alt, "width": wide, "height": high}},
        )

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        return self._picture_bundle()

    def _ipython_display_(self) -> None:
        from IPython.display import publish_display_data

        data, metadata = self._picture_bundle()
        publish_display_data(data=data, metadata=metadata)
        bundle = getattr(self.twin, "_repr_mimebundle_", None)
        publish_display_data(data=bundle() if bundle else {"text/plain": str(self.twin)})


def canvas(title: str, height: float, caption: str = "", width: float = WIDTH):
    """A Figure and its Axes in the course's style (call it inside `course_style()`): title above on the left, caption below.

    `height` and `width` are inches without the title's and caption's lines, which are added.
    """
    heading = fill(title, width - 0.25, _TITLE)
    notes = fill(caption, width - 0.25, _CAPTION)
    extra = 0.24 * (heading.count("\n") + 1) * bool(heading) + 0.18 * (notes.count("\n") + 1) * bool(notes)
    figure = Figure(figsize=(width, round(height + extra, 2)), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.07)
    axes = figure.subplots()
    if heading:
        figure.suptitle(heading, x=0.012, ha="left", fontproperties=_TITLE, linespacing=1.25)
    if notes:
        figure.supxlabel(notes, x=0.012, ha="left", fontproperties=_CAPTION, color=SOFT, linespacing=1.3)
    return figure, axes


def fill(text: str, width: float, font: FontProperties) -> str:
    """The text in lines of about equal length, each at most `width` inches in this font (a single word may be longer)."""
    words = text.split()
    sizes = [text_width(word, font) for word in words]
    space = text_width("n n", font) - 2 * text_width("n", font)
    number = len(_lines(sizes, space, width))
    # the narrowest that needs no further line, so that no word is left over alone
    narrow, wide = 0.0, width
    for _ in range(12):
        middle = (narrow + wide) / 2
        narrow, wide = (narrow, middle) if len(_lines(sizes, space, middle)) <= number else (middle, wide)
    lines, start = [], 0
    for count in _lines(sizes, space, wide):
        lines.append(" ".join(words[start : start + count]))
        start += count
    return "\n".join(lines)


def _lines(sizes: list[float], space: float, width: float) -> list[int]:
    """How many words stand on each line."""
    counts: list[int] = []
    used = 0.0
    for size in sizes:
        if counts and used + space + size <= width:
            counts[-1] += 1
            used += space + size
        else:
            counts.append(1)
            used = size
    return counts


def text_width(text: str, font: FontProperties) -> float:
    """How wide the text stands in this font, in inches."""
    with _quiet():
        return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72  # as it is set, not as its curves lie


def look(number: int) -> dict[str, object]:
    """Colour, marker, line and hatch of the series `number` (0-based); they differ without colour too, and repeat after six."""
    place = number % len(COLOURS)
    return {"colour": COLOURS[place], "marker": MARKERS[place], "line": LINES[place], "hatch": HATCHES[place]}


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in the same order, at least `gap` apart and inside low … high where there is room for all.

    So that labels at the ends of close curves do not cover each other.
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(1, len(wanted) - 1)) if len(wanted) > 1 else gap
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    places = [min(max(wanted[i], low), high) for i in order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    if places[-1] > high:
        places[-1] = high
        for i in range(len(places) - 2, -1, -1):
            places[i] = min(places[i], places[i + 1] - gap)
    out = [0.0] * len(wanted)
    for place, i in zip(places, order, strict=True):
        out[i] = place
    return out
