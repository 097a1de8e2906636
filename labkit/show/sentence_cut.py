"""One sentence and the chunks that hold some of it: what each one holds, boxed, and the rest in grey (lesson 07)."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle

from labkit.errors import BadArgument
from labkit.show.style import BROWN, INK, SOFT, WIDTH, Picture, canvas, course_style, text_width
from labkit.show.tables import table
from labkit.show.wording import say

# All lengths are inches of the picture.
_LABELS, _ROW = 1.5, 0.46
_LARGEST, _SMALLEST = 8.5, 4.0  # points
_HELD, _MISSING = "#CFE5F6", "#8C8C8C"


def sentence_cut(
    sentence: str, pieces: Iterable[tuple[str, int, int, str]], *, title: str | None = None, caption: str | None = None
) -> Picture:
    """A row for each chunk that holds some of the sentence: that part in a box, ✂ where it was cut, the missing part in grey.

    `pieces`: (name of the chunk, start, end, note), where `sentence[start:end]` is what it holds; positions are code points of the
    sentence, from 0, and the note is a few words for below the name. The title says how many hold it whole. Raises BadArgument for a
    sentence without a word or too long for one line, without a piece, and for a piece outside the sentence. Lesson 07.
    """
    rows = [(str(name), start, end, str(note)) for name, start, end, note in pieces]
    if not sentence.strip() or not rows:
        raise BadArgument("a picture of a sentence that was cut needs the sentence, and a chunk that holds some of it")
    wrong = [name for name, start, end, _ in rows if not 0 <= start < end <= len(sentence)]
    if wrong:
        raise BadArgument(f"{', '.join(wrong)}: a part stands at sentence[start:end], between 0 and {len(sentence)}, and is not empty")
    sentence = "".join(" " if letter.isspace() else letter for letter in sentence)  # one line, the positions as they were
    size = _LARGEST * min(1, (WIDTH - _LABELS - 0.35) / text_width(sentence, _font(_LARGEST)))
    if size < _SMALLEST:
        raise BadArgument(f"a sentence of {len(sentence)} characters is too long for one line: take a shorter one")
    whole = sum(_is_whole(sentence, start, end) for _, start, end, _ in rows)
    if title is None:
        title = say("sentence_cut.title", whole=whole, n=len(rows))
    if caption is None:
        caption = say("sentence_cut.caption")
    twin = table(
        [(name, " ".join(sentence[start:end].split()), note) for name, start, end, note in rows],
        columns=[say(f"sentence_cut.twin_{head}") for head in ("chunk", "holds", "note")],
    )
    with course_style():
        figure = _draw(sentence, rows, size, title, caption)
    return Picture(figure, _alt(sentence, rows), twin)


def _font(size: float) -> FontProperties:
    return FontProperties(family=["DejaVu Sans"], size=size)


def _is_whole(sentence: str, start: int, end: int) -> bool:
    return not sentence[:start].strip() and not sentence[end:].strip()


def _alt(sentence: str, rows) -> str:
    told = []
    for name, start, end, note in rows:
        key = "alt_whole" if _is_whole(sentence, start, end) else "alt_part"
        told.append(say(f"sentence_cut.{key}", name=name, text=" ".join(sentence[start:end].split()), note=note))
    return say("sentence_cut.alt", sentence=" ".join(sentence.split()), rows="; ".join(told))


def _draw(sentence: str, rows, size: float, title: str, caption: str):
    figure, axes = canvas(title, 0.15 + _ROW * len(rows), caption)
    axes.set_axis_off()
    axes.set(xlim=(0, WIDTH - 0.2), ylim=(_ROW * len(rows), 0))
    font = _font(size)

    def place(position: int) -> float:
        # a space has no outline of its own: measure with a full stop behind it, and take that off again
        return _LABELS + (text_width(sentence[:position] + ".", font) - text_width(".", font) if position else 0.0)

    for number, (name, start, end, note) in enumerate(rows):
        middle = _ROW * (number + 0.5)
        axes.text(0, middle - 0.09 * bool(note), name, va="center", fontsize=9, fontweight="bold")
        axes.text(0, middle + 0.09, note, va="center", fontsize=8, color=SOFT)
        left, right = place(start) - 0.03, place(end) + 0.04
        axes.add_patch(Rectangle((left, middle - 0.12), right - left, 0.24, facecolor=_HELD, edgecolor=INK, linewidth=0.9, zorder=1))
        for first, last in ((0, start), (start, end), (end, len(sentence))):
            colour = INK if first == start else _MISSING
            part = sentence[first:last]
            offset = len(part) - len(part.lstrip())
            if part.strip():
                axes.text(
                    place(first + offset), middle, part.strip(), va="center_baseline", fontproperties=font, color=colour, zorder=2
                )  # fmt: skip
        for edge, cut in ((left, sentence[:start]), (right, sentence[end:])):
            if cut.strip():
                axes.plot([edge, edge], [middle - 0.12, middle + 0.12], color=BROWN, linewidth=3, zorder=3)
                axes.text(edge, middle - 0.19, "✂", ha="center", va="center", fontsize=9, color=BROWN, zorder=3)
    return figure
