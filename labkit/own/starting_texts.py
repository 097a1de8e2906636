"""The words of the files that `labkit new` lays in: questions.md with an example of each kind, and a README (lesson 15).

The examples stand in a code block, so that none of them counts as a question. Where the documents give one, they show a real document, a
real section and a real quotation, so that a copy is right but for its question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from labkit.own.guessing import Guess, Sample
from labkit.questions_markdown import quote_line

QUESTIONS = "questions.md"
MARK = "<!-- Laid in by labkit new. -->"

KINDS = ("answerable", "table", "exact-code", "version", "contradiction", "staff-only", "unanswerable")
"""The kinds that questions.md shows, in its order; a kind of one's own is welcome too."""

_QUESTIONS = """\
# Questions

as_of: {day}

Each question is a heading, in the words of whoever asks it, not in those of the document. Below it stand its fields, one a line:

- `kind`: a word to count by; those below, or your own. Only `unanswerable` has a meaning of its own: no document answers.
- `answer`: a right answer, in a sentence or two.
- `where`: document, version and section. The document is its doc_id or its file in inventory.csv. The version may be left out where there
  is one; the section, where the document has none.
- `quote`: the shortest text that answers, copied to the character; for a table, the whole row, as `labkit parse FILE --rows` prints
  it. A long one may run over lines up to its closing quotation mark. A second `where` with its `quote` is a second place that answers.
- If you like: `keys` (what a right answer must contain, divided by semicolons), `must_not`, `as_of`, `language`, `notes`, `tags`, `id`.

`as_of` above is the day on which all of them are asked; a question can have a day of its own. The first question is Q01, the second Q02,
and so on; give them an `id` where you will put others between them later.

Fifteen questions are a start: at least three of them unanswerable, at least one on a table. `labkit validate` says what is missing.

Below is an example of each kind. They stand in a code block and so count for nothing: copy one, put it below the block, make it yours.

```markdown
{examples}
```

<!-- Your questions begin here. -->
"""

_README = """\
# What this folder is

{mark}

{made} made it from your documents. It wrote over nothing. When documents have been added, run `labkit new FOLDER`: it adds their rows.

    inventory.csv     one row a document: which one it is, from when to when it holds, who may read it
    questions.md      what people ask, and where the answer stands (questions.jsonl: the same, from an import)
    labkit.toml       how to cut, search and count; every value has a default
    .labkit/          what a report keeps to be quick the next time (can be deleted)

## What to do next

1. **Look through inventory.csv.** Title, language and format are guesses; `doc_type` says so in each row until you write a type there.
   What no file says of itself is `unknown`. `effective_from` must be a date, so it is {always}, which means "always". `access` is
   `staff`, the closed label: write `public` where everybody may read. Two versions of one document get the same `doc_id`, different
   versions, and dates that do not overlap.
2. **Write questions** into questions.md, fifteen to begin with. Take real ones: from e-mails, tickets, the search box.
3. `labkit validate FOLDER` names every fault with its line, and says what so many questions can show.
4. `labkit label FOLDER` helps to find where answers stand: it shows passages, you judge them by a key.
5. `labkit report FOLDER` cuts, searches, compares, and writes report.html with a verdict in plain words.

Something else to begin from: `labkit import --help` (SQuAD, BEIR, tables of spans), `labkit score --help` (results of another system).
"""


def questions_text(documents: Iterable[tuple[str, Guess]], day: date) -> str:
    """questions.md for these (doc_id, guess); `day` is the day on which its questions are asked unless they say otherwise."""
    documents = list(documents)
    prose = next(((doc_id, each.prose) for doc_id, each in documents if each.prose), None)
    row = next(((doc_id, each.row) for doc_id, each in documents if each.row), None)
    where, quote = _place(prose, "returns-policy", "Return window", "You have 30 days from delivery to send it back.")
    in_table, table_row = _place(row, "warranty", "Periods", "| Kettle K-17 | 1 year |")
    found = _CODE.search(table_row)
    code = found[0] if found else "AB-12"
    examples = {
        "answerable": ("A question, as somebody would ask it?", [where, quote], []),
        "table": ("A question whose answer is one row of a table?", [in_table, table_row], []),
        "exact-code": (f"A question that names a code, such as {code}?", [in_table, table_row], [f"keys: {code}"]),
        "version": ("A question whose answer was another one last year?", [where, quote], ["as_of: 2024-06-01"]),
        "contradiction": ("A question on which two documents disagree?", [where, quote, in_table, table_row], []),
        "staff-only": ("A question that only staff may have answered?", [where, quote], ["public: no"]),
    }
    parts = [
        "\n".join([f"## {question}", "", f"kind: {kind}", "answer: What is right, in a sentence or two.", *places, *more])
        for kind, (question, places, more) in examples.items()
    ]
    parts.append("## A question that sounds as if your documents answered it, and none does?\n\nkind: unanswerable")
    return _QUESTIONS.format(day=day, examples="\n\n".join(parts))


_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Za-z0-9-]+(?![\w-])")
"""A word of letters and digits that begins with a capital or a digit: PK-2200, E31, 3M."""


def readme_text(made: str = "`labkit new`") -> str:
    """The README of a new folder; `made` is the command that made it."""
    return _README.format(mark=MARK, made=made, always="0001-01-01")


def _place(found: tuple[str, Sample] | None, doc_id: str, section: str, quote: str) -> tuple[str, str]:
    if found:
        doc_id, (section, quote) = found
    return f"where: {doc_id}{f', {section}' if section else ''}", quote_line(quote) or f'quote: "{quote}"'
