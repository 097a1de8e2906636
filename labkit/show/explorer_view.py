"""The explorer's page as HTML: a document as it was read, and on it the chunks of one cutting (lesson 07).

Nothing here runs: strings in, strings out. All text of a document is escaped. Everything that a colour says stands in words as well, and
the tints are on white whatever the theme, so that they can be read on both.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labkit.chunking.chunk import body_words
from labkit.parsing.blocks import Block, Page, ParsedDocument
from labkit.show.cuttings import Cutting, table_of_readings
from labkit.show.tables import clean, table
from labkit.show.wording import say

PART_WORDS = 1500  # about five pages: what a browser shows at once without a wait, whatever the length of the document

_STYLE = """<style>
.labkit-explorer { background: #fff; color: #1a1a1a; padding: 0.2em 0.8em 0.8em; line-height: 1.5; white-space: normal;
  font-family: system-ui, sans-serif; font-size: 14px; overflow-wrap: anywhere; }
.labkit-explorer h3 { font-size: 1.2em; margin: 0.6em 0 0.2em; } .labkit-explorer h4 { font-size: 1.05em; margin: 1.1em 0 0.3em; }
.labkit-explorer p, .labkit-explorer ul { margin: 0.3em 0; } .labkit-explorer ul { padding-left: 1.3em; list-style: disc; }
.labkit-explorer table { border-collapse: collapse; font-size: 0.93em; overflow-wrap: normal; width: max-content; }
.labkit-explorer th { white-space: nowrap; }
.labkit-explorer caption { color: #595959; text-align: left; padding-bottom: 0.3em; }
.labkit-explorer th, .labkit-explorer td { padding: 0.15em 0.7em 0.15em 0; border-bottom: 1px solid #d9d9d9; vertical-align: top;
  max-width: 26em; }
.labkit-explorer .scroll { position: relative; overflow: auto; max-height: 34em; }
.labkit-explorer .document { border: 1px solid #8c8c8c; padding: 0.4em 0.8em; }
.labkit-explorer .block { display: grid; grid-template-columns: 6.5em 1fr; gap: 0 0.8em; margin: 0.45em 0; }
.labkit-explorer .kind { color: #595959; font-size: 0.85em; }
.labkit-explorer .words { white-space: pre-wrap; min-width: 0; }
.labkit-explorer .title, .labkit-explorer .heading { font-weight: 600; }
.labkit-explorer .code { font-family: monospace; }
.labkit-explorer .even { background: #cfe5f6; } .labkit-explorer .odd { background: #fbe3b8; }
.labkit-explorer .twice { background: repeating-linear-gradient(135deg, #cfe5f6 0 6px, #fbe3b8 6px 12px);
  border-bottom: 2px dotted #1a1a1a; }
.labkit-explorer .even, .labkit-explorer .odd, .labkit-explorer .twice { -webkit-box-decoration-break: clone;
  box-decoration-break: clone; padding: 0.12em 0; }
.labkit-explorer .none { border: 1px dashed #1a1a1a; background: #fff; padding: 0 0.25em; }
.labkit-explorer .begins, .labkit-explorer .ends { font-size: 0.8em; font-weight: 600; font-style: normal; white-space: nowrap;
  border: 1px solid #1a1a1a; background: #fff; padding: 0 0.3em; font-family: system-ui, sans-serif; }
.labkit-explorer .begins { border-left-width: 4px; border-radius: 0 3px 3px 0; margin-right: 0.25em; }
.labkit-explorer .ends { border-right-width: 4px; border-radius: 3px 0 0 3px; margin-left: 0.25em; font-weight: 400; }
.labkit-explorer .inside { background: #1a1a1a; color: #fff; }
.labkit-explorer .context { font-size: 0.88em; font-style: italic; font-weight: 400; color: #404040; margin-right: 0.4em; }
.labkit-explorer .small { font-size: 0.85em; font-weight: 400; color: #404040; }
.labkit-explorer .page { display: block; border-top: 2px dashed #595959; color: #404040; font-size: 0.85em; font-weight: 400;
  text-align: center; margin: 0.5em 0; font-family: system-ui, sans-serif; }
.labkit-explorer .cell { color: #595959; padding: 0 0.35em; }
.labkit-explorer .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
</style>"""


@dataclass(frozen=True)
class Part:
    """A stretch of a document that is shown at once: `start` to `end` in its text (code points, half-open), whole blocks, and its name."""

    start: int
    end: int
    name: str


def parts(parsed: ParsedDocument) -> list[Part]:
    """The document in stretches of about 1,500 words, at least one. They do not depend on the chunks, so that a reader keeps the place."""
    words = [start for start, _ in body_words(parsed)]
    edges = [parsed.body]
    for block in parsed.blocks:
        if bisect_left(words, block.end) - bisect_left(words, edges[-1]) > PART_WORDS and block.start > edges[-1]:
            edges.append(block.start)
    edges.append(len(parsed.text))
    spans = list(pairwise(edges))
    return [Part(start, end, _part_name(parsed, words, start, end, number, len(spans))) for number, (start, end) in enumerate(spans, 1)]


def _part_name(parsed: ParsedDocument, words: list[int], start: int, end: int, number: int, of: int) -> str:
    pages = [page.number for page in parsed.pages if page.start < end and page.end > start]
    if pages:
        key = "explorer.part_page" if len(pages) == 1 else "explorer.part_pages"
        return say(key, number=number, of=of, first=pages[0], last=pages[-1])
    first, last = bisect_left(words, start), bisect_left(words, end)
    return say("explorer.part_words", number=number, of=of, first=f"{min(first + 1, last):,}", last=f"{last:,}")


def summary(cutting: Cutting) -> str:
    """The readings in sentences: what a screen reader says when method or size change."""
    said, words = cutting.readings, len(body_words(cutting.parsed))
    if not words:
        return say("explorer.nothing")
    number = len(said.tables)
    tables = say(f"explorer.tables_{'none' if not number else 'one' if number == 1 else 'many'}", n=number, said=cutting.tables)
    inside = say("explorer.inside_some" if said.begin_inside else "explorer.inside_none", n=f"{said.begin_inside:,}", of=f"{said.chunks:,}")
    chunks = say("explorer.chunks_one" if said.chunks == 1 else "explorer.chunks_many", n=f"{said.chunks:,}")
    name = cutting.name[:1].upper() + cutting.name[1:]
    return say(
        "explorer.summary",
        name=name,
        chunks=chunks,
        stored=f"{said.words_stored:,}",
        words=f"{words:,}",
        none=f"{said.words_in_no_chunk:,}",
        tables=tables,
        inside=inside,
    )


def summary_html(cutting: Cutting) -> str:
    """The summary as a polite live region, and what could not be read of the document."""
    lines = [f'<p role="status" aria-live="polite"><strong>{_escape(summary(cutting))}</strong></p>']
    if cutting.parsed.problems:
        problems = "".join(f"<li>{_escape(str(problem))}</li>" for problem in cutting.parsed.problems)
        lines.append(f"<p>{say('explorer.problems')}</p><ul>{problems}</ul>")
    return f'{_STYLE}<div class="labkit-explorer">{"".join(lines)}</div>'


def body_html(cutting: Cutting, all_of_them: Sequence[Cutting], part: Part, of: int = 1) -> str:
    """Key, document, chunks, and the readings of all cuttings, under headings of levels 3 and 4; `of` is the number of parts."""
    parsed = cutting.parsed
    title = _escape(say("explorer.heading", title=parsed.title, name=cutting.name))
    held = [number for number, chunk in enumerate(cutting.chunks) if chunk.start < part.end and chunk.end > part.start]
    sections = [
        f"<h3>{title}</h3>",
        f"<h4>{say('explorer.document')}</h4>{_key()}{_scrolling(say('explorer.document'), _document(cutting, part), 'document')}",
    ]
    heading = say("explorer.table" if of == 1 else "explorer.table_part")
    sections.append(f"<h4>{heading}</h4>{_scrolling(heading, _table_of_chunks(cutting, held))}")
    readings = say("explorer.readings")
    sections.append(f"<h4>{readings}</h4>{_scrolling(readings, _readings(cutting, all_of_them))}")
    return f'<div class="labkit-explorer">{"".join(sections)}</div>'


def _scrolling(name: str, inner: str, kind: str = "") -> str:
    # what scrolls can be reached, and moved, by keyboard
    return f'<div class="scroll {kind}" tabindex="0" role="region" aria-label="{_escape(name)}">{inner}</div>'


def _readings(cutting: Cutting, all_of_them: Sequence[Cutting]) -> str:
    caption = say("explorer.readings_caption", title=cutting.parsed.title, words=f"{len(body_words(cutting.parsed)):,}")
    made = table_of_readings(all_of_them, caption=caption)
    here = [number for number, each in enumerate(all_of_them) if (each.method, each.size) == (cutting.method, cutting.size)]
    rows = [((say("explorer.here") if number in here else "") + row[0], *row[1:]) for number, row in enumerate(made.rows)]
    return type(made)(made.headers, tuple(rows), made.right, made.caption).to_html()


def _key() -> str:
    samples = {
        "chunk": f'<span class="begins">{say("explorer.begins", n=0)}</span><span class="even">…</span> '
        f'<span class="begins">{say("explorer.begins", n=1)}</span><span class="odd">…</span>',
        "twice": f'<span class="twice">{say("explorer.sample_twice")}</span>',
        "none": f'<span class="none">{say("explorer.sample_none")}</span>',
        "inside": "",
        "context": "",
    }
    return "<ul>" + "".join(f"<li>{say(f'explorer.key_{name}')} {sample}</li>" for name, sample in samples.items()) + "</ul>"


# --- the document --------------------------------------------------------------------------------------------------------------------


def _document(cutting: Cutting, part: Part) -> str:
    parsed = cutting.parsed
    marks = _Marks(cutting, part)
    last = part.end == len(parsed.text)
    pages = [page for page in parsed.pages if part.start <= page.start and (page.start < part.end or last)]
    lines: list[str] = []
    position = part.start
    for block in [*(block for block in parsed.blocks if part.start <= block.start < part.end), None]:
        start = block.start if block else part.end
        lines.append(_piece(parsed, None, position, start, marks, pages))
        if block:
            lines.append(_piece(parsed, block, start, block.end, marks, pages))
            position = block.end
    lines += [_page(page) for page in pages]  # pages without text behind the last word
    language = f' lang="{parsed.language}"' if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", parsed.language) else ""
    return f"<div{language}>{''.join(lines)}</div>"


def _piece(parsed: ParsedDocument, block: Block | None, start: int, end: int, marks: _Marks, pages: list[Page]) -> str:
    """A block, or what stands between two; `pages` loses those whose beginning was told."""
    before = ""
    while pages and (pages[0].start <= start or (block is None and pages[0].start < end and not parsed.text[start:end].strip())):
        before += _page(pages.pop(0))
    if not parsed.text[start:end].strip():
        return before
    breaks: dict[int, str] = {}
    while pages and pages[0].start < end:
        page = pages.pop(0)
        breaks[page.start] = breaks.get(page.start, "") + _page(page)
    inner = "".join(
        breaks.get(first, "") + marks.marked(first, last, block is not None and block.kind == "table")
        for first, last in marks.stretches(start, end, breaks)
    )
    kind = block.kind if block else "none"
    said = say(f"explorer.kind_{kind}", level=block.level if block else 0)
    css = kind if block else "gap"
    return f'{before}<div class="block"><span class="kind">{said}</span><div class="words {css}" dir="auto">{inner}</div></div>'


def _page(page: Page) -> str:
    key = "page_empty" if page.start == page.end else "page_label" if page.label not in ("", str(page.number)) else "page"
    return f'<span class="page">{_escape(say(f"explorer.{key}", number=page.number, label=page.label))}</span>'


class _Marks:
    """Where chunks begin and end, and how the text between is shown."""

    def __init__(self, cutting: Cutting, part: Part):
        self.cutting, self.text = cutting, cutting.parsed.text
        self.starts = [chunk.start for chunk in cutting.chunks]  # both rise: no chunk lies inside another
        self.ends = [chunk.end for chunk in cutting.chunks]
        self.edges = sorted({*self.starts, *self.ends})
        self.first_of_part = part.start

    def stretches(self, start: int, end: int, breaks: Iterable[int]) -> list[tuple[int, int]]:
        """`start` to `end`, divided where a chunk begins or ends, or a page."""
        inner = self.edges[bisect_right(self.edges, start) : bisect_left(self.edges, end)]
        edges = [start, *sorted({*inner, *breaks}), end]
        return list(pairwise(edges))

    def marked(self, start: int, end: int, table: bool) -> str:
        """One stretch with its marks."""
        holding = range(bisect_right(self.ends, start), bisect_right(self.starts, start))
        before = "".join(self._begins(number) for number in holding if self.starts[number] == start)
        if self.first_of_part is not None:
            goes_on = [number for number in holding if self.starts[number] < start]
            before = "".join(f'<span class="begins">{say("explorer.goes_on", n=number)}</span>' for number in goes_on) + before
            self.first_of_part = None
        after = "".join(f'<span class="ends">{say("explorer.ends", n=number)}</span>' for number in holding if self._ends_late(number, end))
        text = self.text[start:end]
        if not text.strip():
            return before + _text(text, table) + after
        if len(holding) > 1:
            css = "twice"
        elif len(holding) == 1:
            css = "odd" if holding[0] % 2 else "even"
        else:
            css = "none"
            before += f'<span class="small">{say("explorer.no_chunk")}</span>'
        # the tint goes from the first visible character to the last, the blanks around it stay plain
        visible = text.strip()
        left = text[: len(text) - len(text.lstrip())]
        right = text[len(left) + len(visible) :]
        return f'{_text(left, table)}{before}<span class="{css}">{_text(visible, table)}</span>{after}{_text(right, table)}'

    def _ends_late(self, number: int, end: int) -> bool:
        """Does the chunk end here, the next one being under way? Elsewhere the beginning of the next one says it."""
        return self.ends[number] == end and number + 1 < len(self.starts) and self.starts[number + 1] < end

    def _begins(self, number: int) -> str:
        mark = f'<span class="begins">{say("explorer.begins", n=number)}<span class="spoken">{say("explorer.begins_spoken")}</span></span>'
        if self.cutting.inside[number]:
            mark += f'<span class="begins inside">{say("explorer.inside", what=self.cutting.inside[number])}</span>'
        context = self.cutting.chunks[number].context
        if context:
            mark += f'<span class="context">{_escape(say("explorer.context", text=" › ".join(context.splitlines())))}</span>'
        return mark


def _text(text: str, table: bool) -> str:
    if table and "\t" in text:  # the border between two cells; a reader of the text sees only a gap
        return '<span class="cell" aria-hidden="true">│</span>'.join(_escape(cell) for cell in text.split("\t"))
    return _escape(text)


def _escape(text: str) -> str:
    return html.escape(clean(text))


# --- the chunks ----------------------------------------------------------------------------------------------------------------------


def _table_of_chunks(cutting: Cutting, held: Iterable[int]) -> str:
    heads = ["position", "id", "characters", "pages", "words", "repeated", "sections", "notes"]
    if not cutting.parsed.pages:
        heads.remove("pages")
    rows = []
    for number in held:
        chunk = cutting.chunks[number]
        before = cutting.chunks[number - 1].end if number else 0
        notes = [say("explorer.begins_inside", what=cutting.inside[number])] if cutting.inside[number] else []
        notes += [say("explorer.over")] if chunk.over_limit else []
        cells = {
            "position": chunk.position,
            "id": chunk.id,
            "characters": f"{chunk.start:,}–{chunk.end:,}",
            "pages": ", ".join(map(str, chunk.pages)),
            "words": chunk.words,
            "repeated": len(cutting.parsed.text[chunk.start : before].split()),
            "sections": ", ".join(chunk.sections),
            "notes": ", ".join(notes),
        }
        rows.append(tuple(cells[head] for head in heads))
    names = [say(f"explorer.head_{head}") for head in heads]
    return table(rows, columns=names, caption=say("explorer.table_caption", name=cutting.name)).to_html()
