"""The explorer as a still picture: the same document cut in several ways, one lane below the other (lesson 07).

It stands in the recorded notebook, for those who read without a kernel.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby

from labkit.chunking.chunk import body_words
from labkit.chunking.readings import times_held
from labkit.parsing.blocks import ParsedDocument
from labkit.show.cuttings import THREE, Cutting, cut_all, table_of_readings
from labkit.show.style import BROWN, FAINT, INK, SOFT, Picture, canvas, course_style
from labkit.show.wording import say

_TINTS = ("#CFE5F6", "#FBE3B8")  # those of the explorer's page
_SCISSORS = 40  # with more chunks there is room for a brown edge only
_NUMBERED = 0.022  # the share of the width from which on a chunk has room for its number


def still(parsed: ParsedDocument, settings: Iterable[tuple[str, int]] = THREE, *, title: str | None = None) -> Picture:
    """How a document falls into chunks, for each (method, size) of `settings` a lane: chunks as bars along its words, those that begin
    inside a sentence, an item or a row marked ✂, its tables shaded through all lanes, words in no chunk hatched (lesson 07).

    `method` is 'fixed', 'overlapping' or 'by_structure'. The title says what the readings say, `title` says it in other words; the twin has
    the readings and the words of each chunk. Raises BadArgument for other methods and sizes, and for what is no parsed document.
    """
    return picture_of(cut_all(parsed, settings), title)


def picture_of(cuttings: Sequence[Cutting], title: str | None = None) -> Picture:
    """The still picture of cuttings of one document that are made already, a lane each."""
    parsed = cuttings[0].parsed
    starts = [start for start, _ in body_words(parsed)]
    tables = _tables(parsed, starts)
    with course_style():
        figure = _draw(cuttings, starts, tables, title or _title(cuttings, starts), _caption(parsed, starts, tables))
    twin = table_of_readings(cuttings, sizes=True, caption=say("still.twin", title=parsed.title))
    return Picture(figure, _alt(cuttings, starts, tables), twin)


def _tables(parsed: ParsedDocument, starts: Sequence[int]) -> list[tuple[int, int]]:
    """First and last + 1 word of each table, parts over a page as one."""
    spans: list[tuple[int, int]] = []
    for block in parsed.blocks:
        if block.kind == "table":
            first, last = bisect_left(starts, block.start), bisect_left(starts, block.end)
            if block.continues and spans and spans[-1][1] == first:
                spans[-1] = (spans[-1][0], last)
            else:
                spans.append((first, last))
    return [(first, last) for first, last in spans if last > first]


# --- words ---------------------------------------------------------------------------------------------------------------------------


def _title(cuttings: Sequence[Cutting], starts: Sequence[int]) -> str:
    parsed = cuttings[0].parsed
    if not starts:
        return say("still.title_nothing", title=parsed.title)
    of = len(cuttings[0].readings.tables)
    if of > 1:
        each = [say("still.title_tables_each", name=one.short, n=one.readings.tables.count(1)) for one in cuttings]
        return say("still.title_tables", of=of, each=", ".join(each))
    if not of:
        each = [say("still.title_inside_each", name=one.short, n=one.readings.begin_inside, of=one.readings.chunks) for one in cuttings]
        return say("still.title_inside", each=", ".join(each))
    whole = [one for one in cuttings if one.readings.tables == (1,)]
    cut = [one for one in cuttings if one not in whole]
    if not cut:
        return say("still.title_all_whole")
    said = "; ".join(
        say("still.title_cut", name=name, n=", ".join(str(one.readings.tables[0]) for one in ones)) for name, ones in _by_method(cut)
    )
    return say(f"still.title_{'whole' if whole else 'none_whole'}", whole=", ".join(name for name, _ in _by_method(whole)), cut=said)


def _by_method(cuttings: Sequence[Cutting]) -> list[tuple[str, list[Cutting]]]:
    """Neighbours of one method under one name: 'fixed 50, 100, 200'."""
    groups = [list(group) for _, group in groupby(cuttings, key=lambda one: one.method)]
    return [(", ".join([ones[0].short, *(str(one.size) for one in ones[1:])]), ones) for ones in groups]


def _caption(parsed: ParsedDocument, starts: Sequence[int], tables: Sequence[tuple[int, int]]) -> str:
    said = say("still.many_tables" if len(tables) > 1 else "still.one_table")
    return say("still.caption" if tables else "still.caption_plain", title=parsed.title, words=f"{len(starts):,}", tables=said)


def _lane(cutting: Cutting) -> str:
    said = cutting.readings
    return say(
        "still.lane" if said.tables else "still.lane_plain",
        chunks=f"{said.chunks:,}",
        stored=f"{said.words_stored:,}",
        of=say("still.table_label" if len(said.tables) == 1 else "still.tables_label"),
        tables=cutting.tables,
        inside=f"{said.begin_inside:,}",
    )


def _alt(cuttings: Sequence[Cutting], starts: Sequence[int], tables: Sequence[tuple[int, int]]) -> str:
    spans = ", ".join(say("still.alt_span", first=f"{first:,}", last=f"{last:,}") for first, last in tables[:8])
    spans += say("still.alt_more", n=len(tables) - 8) if len(tables) > 8 else ""
    where = say("still.alt_table" if len(tables) == 1 else "still.alt_tables", spans=spans) if tables else ""
    lanes = "; ".join(say("still.alt_lane", name=one.name, said=_lane(one)) for one in cuttings)
    lanes = lanes[:1].upper() + lanes[1:]
    title, words = cuttings[0].parsed.title, f"{len(starts):,}"
    return " ".join(say("still.alt", title=title, words=words, n=len(cuttings), tables=where, lanes=lanes).split())


# --- drawing -------------------------------------------------------------------------------------------------------------------------


def _draw(cuttings: Sequence[Cutting], starts: Sequence[int], tables: Sequence[tuple[int, int]], title: str, caption: str):
    figure, axes = canvas(title, 0.7 + 1.0 * len(cuttings), caption)
    words = max(len(starts), 1)
    named = -words
    for first, last in tables:
        axes.axvspan(first, last, color=FAINT, linewidth=0, zorder=0)
        middle = min(max((first + last) / 2, words * 0.03), words * 0.97)
        if middle - named > words * 0.07:  # closer, the names would stand on each other; the caption says what is shaded
            axes.text(middle, -0.66, say("still.table_label"), ha="center", va="center", fontsize=9, color=INK)
            named = middle
    for lane, cutting in enumerate(cuttings):
        axes.text(0, lane - 0.38, cutting.short, ha="left", va="center", fontweight="bold", fontsize=9.5, zorder=5)
        axes.text(words, lane - 0.38, _lane(cutting), ha="right", va="center", fontsize=8.5, color=INK, zorder=5)
        _draw_lane(axes, lane, cutting, starts, words)
    axes.set(xlim=(-0.002 * words, 1.002 * words), ylim=(len(cuttings) - 0.48, -0.82), xlabel=say("still.axis"), yticks=[])
    axes.spines["left"].set_visible(False)
    return figure


def _draw_lane(axes, lane: int, cutting: Cutting, starts: Sequence[int], words: int) -> None:
    spans = [(bisect_left(starts, chunk.start), bisect_left(starts, chunk.end)) for chunk in cutting.chunks]
    thin = len(spans) > 120  # where edges would cover what they surround
    tops = (lane - 0.12, lane + 0.1)  # neighbours on two heights, so that an overlap is seen, in grey too
    for odd in (0, 1):
        bars = [(first, last - first) for first, last in spans[odd::2]]
        axes.broken_barh(bars, (tops[odd], 0.2), facecolor=_TINTS[odd], edgecolor=INK, linewidth=0.2 if thin else 0.8, zorder=3)
        cut = [spans[number][0] for number in range(odd, len(spans), 2) if cutting.inside[number]]
        axes.vlines(cut, tops[odd], tops[odd] + 0.2, color=BROWN, linewidth=0.4 if thin else 3, zorder=5, capstyle="butt")
    for number, (first, last) in enumerate(spans):
        top = tops[number % 2]
        if last - first >= words * _NUMBERED:
            axes.text((first + last) / 2, top + 0.1, str(number), ha="center", va="center", fontsize=8, zorder=4)
        if cutting.inside[number] and len(spans) <= _SCISSORS:
            outside = lane + 0.39 if number % 2 else lane - 0.2
            axes.text(first, outside, "✂", ha="center", va="center", fontsize=8.5, color=BROWN, zorder=6)
    gaps = [(first, last - first) for first, last in _gaps(times_held(cutting.parsed, cutting.chunks))]
    axes.broken_barh(gaps, (lane - 0.12, 0.42), facecolor="white", edgecolor=SOFT, hatch="////", linewidth=0.8, zorder=3)


def _gaps(times: Sequence[int]) -> list[tuple[int, int]]:
    """First and last + 1 of each run of words that are in no chunk."""
    gaps: list[tuple[int, int]] = []
    for number, held in enumerate(times):
        if held:
            continue
        if gaps and gaps[-1][1] == number:
            gaps[-1] = (gaps[-1][0], number + 1)
        else:
            gaps.append((number, number + 1))
    return gaps
