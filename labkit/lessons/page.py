"""A lesson as one HTML page, for reading, printing and checking: `python -m labkit.lessons.page NOTEBOOK -o FILE`.

The page stands alone: no script, no network, pictures inside, formulas as MathML, one main part with a skip link before it. Nothing is
smoothed over: a picture without alternative text gets no `alt` (an empty one would call it decoration), and headings keep their levels, so
that a check for accessibility sees what the lesson lacks. The usual templates hide both.
"""

from __future__ import annotations

import argparse
import base64
import html
import mimetypes
import re
import sys
from collections.abc import Mapping
from itertools import groupby, pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons.notebooks import read
from labkit.lessons.texts import language, sentence

# The first that an output has is shown, in JupyterLab's own order.
_FORMS = ("text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "text/plain")
_WIDE = 84  # characters of code that a line of the page holds
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(notebook, name: str = "notebook", folder: Path | None = None) -> str:
    """The notebook (as nbformat gives it) as the text of an HTML page.

    `name` is the title where the notebook has none; `folder` is where pictures named in markdown cells are looked for (None: nowhere).
    Code, its results, and markdown stand in the order of the notebook; folded answers stay folded.
    """
    made = _Page(folder)
    body = [made.cell(each) for each in notebook.cells]
    title = next((text for level, text, _ in made.headings if level == 1), "")
    if not title:
        title = name
        body.insert(0, f"<h1>{html.escape(title)}</h1>")
    nav = _contents([(text, place) for level, text, place in made.headings if level == 2])
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
        f'<style>\n{style}</style>\n</head>\n<body>\n<a class="skip" href="#lesson">{_say("skip")}</a>\n{nav}'
        f'<main id="lesson" tabindex="-1">\n' + "\n".join(each for each in body if each) + "\n</main>\n</body>\n</html>\n"
    )


def _contents(parts: list[tuple[str, str]]) -> str:
    if not parts:
        return ""
    title = _say("contents")
    items = "\n".join(f'<li><a href="#{html.escape(place)}">{html.escape(text)}</a></li>' for text, place in parts)
    return f'<nav aria-label="{title}">\n<details>\n<summary>{title}</summary>\n<ul>\n{items}\n</ul>\n</details>\n</nav>\n'


def _say(key: str, **values) -> str:
    return html.escape(sentence("page", key, **values))


class _Page:
    """One page in the making: the headings and ids so far, and how many code cells there were."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self.headings: list[tuple[int, str, str]] = []
        self.ids = {"lesson"}
        self.count = 0
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        self.markdown.block.ruler.before("fence", "formula", _formula_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
        self.markdown.inline.ruler.before("escape", "formula", _formula_inline)
        for rule in (_formula, _image, _fence, _code_block):
            self.markdown.add_render_rule(rule.__name__.lstrip("_"), rule)

    def cell(self, cell) -> str:
        """One cell in an element of its own, whose id is the cell's; '' for a raw or an empty one."""
        if cell.cell_type not in ("markdown", "code") or not cell.source.strip():
            return ""
        place = self.place(f"cell-{cell.get('id') or 'without-id'}")
        shown = self.text(cell.source, cell.get("attachments")) if cell.cell_type == "markdown" else self.code(cell)
        return f'<div id="{html.escape(place)}">\n{shown}\n</div>'

    def code(self, cell) -> str:
        self.count += 1
        label = _say("code", number=self.count)
        shown = f'<p class="label">{label}</p>\n{_block(cell.source, label)}'
        outputs = self.outputs(cell.get("outputs", []))
        if outputs:
            shown += f'\n<p class="label">{_say("result", number=self.count)}</p>\n<div class="result">\n{outputs}\n</div>'
        return shown

    def text(self, source: str, attachments: Mapping | None = None) -> str:
        """Markdown as HTML; its headings are noted and get an id each, as JupyterLab makes them."""
        tokens = self.markdown.parse(source, env := {"attachments": attachments or {}, "folder": self.folder})
        for opened, inside in pairwise(tokens):
            if opened.type == "heading_open":
                text = "".join(each.content for each in inside.children or [] if each.type in ("text", "code_inline", "formula"))
                opened.attrSet("id", self.place(re.sub(r"\s+", "-", text.strip()) or "heading"))
                self.headings.append((int(opened.tag[1]), text, opened.attrGet("id")))
        return self.markdown.renderer.render(tokens, self.markdown.options, env).rstrip()

    def place(self, wanted: str) -> str:
        """An id that no other element of ours has."""
        found, number = wanted, 1
        while found in self.ids:
            number += 1
            found = f"{wanted}-{number}"
        self.ids.add(found)
        return found

    def outputs(self, outputs: list) -> str:
        """What a cell gave, in order; pieces of one stream that follow each other are one text."""
        shown = []
        for stream, group in groupby(outputs, lambda each: each.name if each.output_type == "stream" else None):
            pieces = list(group)
            shown += [self.stream(stream, "".join(each.text for each in pieces))] if stream else map(self.output, pieces)
        return "\n".join(each for each in shown if each)

    def stream(self, name: str, text: str) -> str:
        label = _say("warning" if name == "stderr" else "result", number=self.count)
        heading = f'<p class="label">{label}</p>\n' if name == "stderr" else ""
        return heading + _block(text, label)

    def output(self, output) -> str:
        if output.output_type == "error":
            return _block("\n".join(output.traceback) or f"{output.ename}: {output.evalue}", _say("result", number=self.count))
        return self.data(output.get("data", {}), output.get("metadata", {}))

    def data(self, data: Mapping, about: Mapping) -> str:
        form = next((form for form in _FORMS if form in data), None)
        if form is None:
            return ""
        value = data[form]
        if form == "text/html":
            return value
        if form == "text/markdown":
            return self.text(value)
        if form == "text/latex":
            return _mathml(value.strip().strip("$"), block=True)
        if form == "text/plain":
            return _block(value, _say("result", number=self.count))
        if form == "image/svg+xml":
            value = base64.b64encode(value.encode("utf-8")).decode("ascii")
        mine = about.get(form) if isinstance(about.get(form), Mapping) else {}
        size = {side: mine[side] for side in ("width", "height") if str(mine.get(side, "")).isdigit()}
        picture = _picture(f"data:{form};base64,{''.join(value.split())}", mine.get("alt") or about.get("alt"), size)
        return f"<p>{picture}</p>"


def _picture(address: str, alt: object, more: Mapping | None = None) -> str:
    attributes = {"src": address}
    if str(alt or "").strip():
        attributes["alt"] = str(alt)
    attributes |= more or {}
    return "<img " + " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items()) + ">"


def _block(text: str, label: str) -> str:
    """Fixed-width text. What may be wider than the page scrolls and can be reached by keyboard; anything narrower wraps."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n")).strip("\n")
    if not text.strip():
        return ""
    wide = f' tabindex="0" role="group" aria-label="{label}"' if max(map(len, text.split("\n"))) > _WIDE else ""
    return f"<pre{wide}><code>{html.escape(text, quote=False)}</code></pre>"


# --- what markdown-it does not do by itself, or does otherwise -------------------------------------------------------------------------


def _fence(self, tokens, place, options, env) -> str:
    label = (tokens[place].info.split() or ["text"])[0]
    return _block(tokens[place].content, html.escape(label)) + "\n"


def _code_block(self, tokens, place, options, env) -> str:
    return _block(tokens[place].content, "text") + "\n"


def _image(self, tokens, place, options, env) -> str:
    token = tokens[place]
    address = str(token.attrGet("src") or "")
    title = {"title": token.attrGet("title")} if token.attrGet("title") else {}
    return _picture(_inside(address, env), self.renderInlineAsText(token.children or [], options, env), title)


def _inside(address: str, env: Mapping) -> str:
    """A picture's address as data, where the picture is an attachment of the cell or a file in the notebook's folder."""
    if address.startswith("attachment:"):
        found = env["attachments"].get(unquote(address.removeprefix("attachment:")), {})
        return next((f"data:{kind};base64,{''.join(value.split())}" for kind, value in found.items()), address)
    folder = env["folder"]
    if folder is None or re.match(r"[A-Za-z][\w+.-]*:|[/#]", address):
        return address
    file = (folder / unquote(address)).resolve()
    kind = mimetypes.guess_type(file.name)[0] or ""
    if not (file.is_relative_to(folder.resolve()) and kind.startswith("image/") and file.is_file()):
        return address
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"


def _formula(self, tokens, place, options, env) -> str:
    return _mathml(tokens[place].content, tokens[place].block) + ("\n" if tokens[place].block else "")


def _mathml(source: str, block: bool) -> str:
    from latex2mathml.converter import convert

    source = " ".join(source.split())
    try:
        made = convert(source, display="block" if block else "inline")
    except Exception:  # not LaTeX as the converter knows it: its source says more than nothing
        return f"<p><code>{html.escape(source)}</code></p>" if block else f"<code>{html.escape(source)}</code>"
    return made.replace("<math ", f'<math alttext="{html.escape(source)}" ', 1)


def _formula_inline(state, silent: bool) -> bool:
    """$…$ and $$…$$ in a line. "$10 to $20" is money: a formula has no blank inside its marks, and no digit after them."""
    found = re.compile(r"\$\$(?P<two>[^$]+)\$\$|\$(?P<one>[^\s$](?:[^$]*[^\s$\\])?)\$(?!\d)").match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content = found["two"] or found["one"]
    state.pos = found.end()
    return True


def _formula_block(state, first: int, last: int, silent: bool) -> bool:
    """Lines from one that begins with $$ to one that ends with it, so that nothing between is taken for Markdown."""
    if state.is_code_block(first) or not state.src.startswith("$$", state.bMarks[first] + state.tShift[first]):
        return False
    lines = []
    for number in range(first, last):
        start, end = state.bMarks[number] + state.tShift[number], state.eMarks[number]
        line = state.src[start:end].rstrip()
        if not line:
            return False
        lines.append(line)
        text = "\n".join(lines)
        if line.endswith("$$") and len(text) > 4 and "$$" not in text[2:-2]:
            break
    else:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.block, token.map = text[2:-2], True, [first, number + 1]
        state.line = number + 1
    return True


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns 0, or 2 where the notebook cannot be read or the page not be written."""
    parser = argparse.ArgumentParser(prog="python -m labkit.lessons.page", description="A notebook as one HTML page that stands alone.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="the file to write (none: the page is printed)")
    wanted = parser.parse_args(arguments)
    try:
        text = page(read(wanted.notebook), wanted.notebook.stem, wanted.notebook.parent)
        if wanted.output is None:
            sys.stdout.buffer.write(text.encode("utf-8"))
        else:
            write_atomically(wanted.output, text)
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{wanted.output} cannot be written ({error.strerror}) — name another file with -o", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
