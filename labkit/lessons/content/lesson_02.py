"""Lesson 02, sections: the learner finds the headings of a Markdown text, and gives each piece a name that says where it comes from."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

TITLES = FunctionExercise(
    "titles",
    stub='''
def titles(text):
    """The level-2 headings of a Markdown text, in order, without their marks."""
    found = []
    fenced = False
    for line in text.split("\\n"):
        ...
    return found


lesson.check("titles", titles)
''',
    solution='''
def titles(text):
    """The level-2 headings of a Markdown text, in order, without their marks."""
    found = []
    fenced = False
    for line in text.split("\\n"):
        if line.startswith("```"):
            fenced = not fenced
        elif line.startswith("## ") and not fenced:
            found.append(line.strip(" #"))
    return found


lesson.check("titles", titles)
''',
    cases=[
        "# Tea\n\n## Water\n\nBoil it.\n\n## Leaves\n\nOne spoon.",
        "## Pot\n\n### Of china\n\nWarm it.\n\n## Cup",
        "## How to write it\n\n```\n## Not a heading\n```\n\n## Real",
        "## Code\n\n```python\n## a comment\n```\n\n## After",
        "##  Notes  ##\n\nNothing yet.",
        "Put ## in front of a heading.\n\n##tag\n\n## Notes\n\nOne.\n\n## Notes\n\nTwo.",
        "No headings here.",
    ],
    mistakes=[
        mistake("two-marks", ('line.startswith("## ")', 'line.startswith("##")')),
        mistake("any-marks", ('line.startswith("## ")', 'line.startswith("#")')),
        mistake("anywhere", ('line.startswith("## ")', '"## " in line')),
        mistake("fences-ignored", (' and not fenced', '')),
        mistake("fence-not-closed", ("fenced = not fenced", "fenced = True")),
        mistake("bare-fence", ('line.startswith("```")', 'line == "```"')),
        mistake("marks-kept", ('line.strip(" #")', "line")),
        mistake("lines-kept", ('line.startswith("## ") and not fenced', '"##" in line'), ('line.strip(" #")', "line")),
        mistake("closing-kept", ('line.strip(" #")', "line[3:].strip()")),
        mistake("not-stripped", ('line.strip(" #")', "line[3:]")),
        mistake("spaces-kept", ('line.strip(" #")', 'line.strip("#")')),
        mistake("once-each", ("found.append(line", 'if line.strip(" #") not in found:\n                found.append(line')),
        mistake("first-only", ('found.append(line.strip(" #"))', 'return [line.strip(" #")]')),
        mistake("counted", ("return found", "return len(found)")),
        mistake("letters", ('found.append(line.strip(" #"))', 'found += line.strip(" #")')),
        mistake("append-kept", ("found.append(line", "found = found.append(line")),
        mistake("split-at-marks", source='''
def titles(text):
    return [part.split("\\n")[0].strip(" #") for part in text.split("## ")[1:]]


lesson.check("titles", titles)
'''),
    ],
)

PASSAGE_ID = FunctionExercise(
    "passage-id",
    stub='''
import re


def passage_id(doc_id, version, heading):
    """The name of a section, as in 'returns-policy@v3#return-window'."""
    return ...


lesson.check("passage-id", passage_id)
''',
    solution='''
import re


def passage_id(doc_id, version, heading):
    """The name of a section, as in 'returns-policy@v3#return-window'."""
    plain = "-".join(re.findall(r"\\w+", heading.lower()))
    return f"{doc_id}@v{version}#{plain}"


lesson.check("passage-id", passage_id)
''',
    cases=[
        ("returns-policy", "3", "Return window"),
        ("help-centre-faq", "7", "Do you match prices?"),
        ("garantie-legale-quebec", "1", "Garantie prolongée"),
        ("volt-battery-guide", "2", "What the charger's light says"),
        ("kettle-care", "2", "Descaling"),
        ("tea", "2b", "Cups,  pots & spoons"),
    ],
    mistakes=[
        mistake("spaces-left", ('"-".join(re.findall(r"\\w+", heading.lower()))', "heading.lower()")),
        mistake("as-it-stands", ('"-".join(re.findall(r"\\w+", heading.lower()))', "heading")),
        mistake("capitals", ("heading.lower()", "heading")),
        mistake("punctuation", ('"-".join(re.findall(r"\\w+", heading.lower()))', 'heading.lower().replace(" ", "-")')),
        mistake("split", ('re.findall(r"\\w+", heading.lower())', "heading.lower().split()")),
        mistake("underscores", ('"-".join', '"_".join')),
        mistake("underscores-only", ('"-".join(re.findall(r"\\w+", heading.lower()))', 'heading.lower().replace(" ", "_")')),
        mistake("accents-lost", ('r"\\w+"', 'r"[a-z0-9]+"')),
        mistake("ends-in-hyphen", ('"-".join(re.findall(r"\\w+", heading.lower()))', 're.sub(r"\\W+", "-", heading.lower())')),
        mistake("a-hyphen-each", ('"-".join(re.findall(r"\\w+", heading.lower()))', 're.sub(r"\\W", "-", heading.lower()).strip("-")')),
        mistake("marks-dropped", (
            '"-".join(re.findall(r"\\w+", heading.lower()))',
            're.sub(r"[^\\w ]", "", heading.lower()).replace(" ", "-")',
        )),
        mistake("no-version", ("@v{version}", "")),
        mistake("no-v", ("@v{version}", "@{version}")),
        mistake("no-document", ("{doc_id}@v{version}#", "")),
        mistake("run-together", ('"-".join', '"".join')),
    ],
)

EXERCISES = [TITLES, PASSAGE_ID]
PREDICTIONS = [
    Prediction("leaflet", 3, form=".0f", low=0, high=20),
    Prediction("sections", 100, form=".0f", low=0, high=5000),
    Prediction("mixed", 20, form=".0f", low=0, high=1000),
]
