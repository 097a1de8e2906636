"""What a check answers, and how it is shown: as plain text, as HTML for a screen reader, and as data for `labkit room`.

Three outcomes, not two: correct, not yet, not attempted. The words carry the meaning; there is no colour, so nothing depends on it.
"""

from __future__ import annotations

import hashlib
import html
import re
import sys
from dataclasses import dataclass

from labkit.lessons.texts import engine

CORRECT, NOT_YET, NOT_ATTEMPTED = "correct", "not yet", "not attempted"
ANSWER_MIME = "application/vnd.labkit.answer+json"
PREDICTION_MIME = "application/vnd.labkit.prediction+json"

_KEYS = {CORRECT: "status.correct", NOT_YET: "status.not_yet", NOT_ATTEMPTED: "status.not_attempted"}
_BORDERS = {CORRECT: "4px solid", NOT_YET: "4px dashed", NOT_ATTEMPTED: "4px dotted"}
_MESSAGE = "3px double"  # a hint or a guess judges nothing, and looks like none of the three


@dataclass(frozen=True)
class Outcome:
    """What a checker found.

    `status` is 'correct', 'not yet' or 'not attempted'. `mistake` is the key of the typical mistake that was recognised, or of the
    general fault ('nothing', 'nan', …), None where there is none. `text` is what the learner reads. `value` is a short text of what
    was reached. `code` stands under the text as it is: a line of the learner's own, or what two tables hold.
    """

    status: str
    text: str
    mistake: str | None = None
    value: str | None = None
    code: str | None = None


def digest(source: str) -> str:
    """12 hex digits of a cell's source, white space at its ends apart: tells whether an answer belongs to the source beside it."""
    return hashlib.sha256(source.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _marked(text: str) -> str:
    """Text with `code` and *stress* as HTML."""
    pieces = re.split(r"(`[^`\n]+`)", text)
    out = []
    for piece in pieces:
        if len(piece) > 2 and piece[0] == piece[-1] == "`":
            out.append(f"<code>{html.escape(piece[1:-1])}</code>")
        else:
            plain = html.escape(piece, quote=False)
            out.append(re.sub(r"(?<![\w*])\*([^\s*][^*\n]*?)\*(?![\w*])", r"<em>\1</em>", plain))
    return "".join(out).replace("\n", "<br>")


def as_plain(head: str, text: str, code: str | None = None) -> str:
    """The whole message as plain text, each part on lines of its own."""
    parts = [head, text, "" if code is None else "\n".join("    " + line for line in code.split("\n"))]
    return "\n".join(part for part in parts if part)


def as_html(head: str, text: str, code: str | None, border: str) -> str:
    """The same as HTML: text in the reader's own colours; the status is the first word, and the border only repeats it."""
    block = "" if code is None else f"<pre><code>{html.escape(code, quote=False)}</code></pre>"
    body = f"<p>{_marked(text)}</p>" if text else ""
    return (
        f'<div class="labkit-answer" style="border-left: {border} currentColor; padding: 0 0 0 0.8em; margin: 0.5em 0">'
        f"<p><strong>{_marked(head)}</strong></p>{body}{block}</div>"
    )


def bundle(outcome: Outcome, lesson: str, exercise: str, title: str, source: str | None) -> dict:
    """The mime bundle of an answer. The same answer to the same cell gives the same bundle, byte for byte."""
    head = engine("answer.head", status=engine(_KEYS[outcome.status]).capitalize(), title=title)
    return {
        "text/plain": as_plain(head, outcome.text, outcome.code),
        "text/html": as_html(head, outcome.text, outcome.code, _BORDERS[outcome.status]),
        ANSWER_MIME: {
            "lesson": lesson,
            "exercise": exercise,
            "status": outcome.status,
            "mistake": outcome.mistake,
            "value": outcome.value,
            "digest": digest(source) if source is not None else None,
        },
    }


def message(head: str, text: str, code: str | None = None, data: dict | None = None) -> dict:
    """The mime bundle of a hint, a solution or a prediction."""
    bundle = {"text/plain": as_plain(head, text, code), "text/html": as_html(head, text, code, _MESSAGE)}
    return bundle | (data or {})


def shell():
    """The running IPython, or None."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None


def show(data: dict) -> None:
    """Displays a mime bundle in a notebook; prints its plain text anywhere else."""
    running = shell()
    if running is not None and getattr(running, "kernel", None) is not None:
        from IPython.display import display

        display(data, raw=True)
    else:
        print(data["text/plain"])


_cell: list[str | None] = [None]


def _remember(info) -> None:
    _cell[0] = info.raw_cell


def watch_cells() -> None:
    """From the next cell on, `cell_source` knows the source of the cell that runs. Calling it twice does no harm."""
    running = shell()
    if running is not None and _remember not in running.events.callbacks["pre_run_cell"]:
        running.events.register("pre_run_cell", _remember)


def cell_source() -> str | None:
    """The source of the cell that is running, None outside IPython."""
    return _cell[0] if shell() is not None else None
