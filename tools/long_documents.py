"""Writes the recorded parts of docs/long-documents.md: settings, contracts, a golden transcript, failures, a rollback.

Each part is what really happened, on the long code's PDF, in a folder that is gone afterwards; no time, path or date is in it, so the same
labkit writes the same page. `python tools/long_documents.py` writes it (so does `make record`); with --check it says whether it is up to
date.
"""

from __future__ import annotations

import argparse
import csv
import errno
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdf

from labkit.collection import COLUMNS, load_inventory
from labkit.course import course_folder
from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons.embeddings import embedder
from labkit.own import long_asking
from labkit.own.long_asking import Answer, ask, make_ready
from labkit.own.long_settings import LONG_TOML, STAGES
from labkit.own.long_work import PREPARING

PAGE = "docs/long-documents.md"
QUESTION = "What is the most that a student loan may cost in interest per year, and how long may it run?"
SETTINGS = """[long]
budget = 400

[long.owners]
read = "Mei"
parents = "Amira"
children = "Amira"
embed = "Amira"
index = "Mei"
search = "Amira"
rerank = "Amira"
expand = "Priya"
context = "Grace"
"""
DAMAGED = 34  # the physical page on which the answer stands
FULL_AT = 256  # texts that fit before the disk is full
_FILE = "documents/consumer-code.pdf"


class FullDisk:
    """An Embedder for whom the disk is full, once FULL_AT passages are embedded (passages begin with the document's title)."""

    def __init__(self, model, title: str):
        self.model, self.title, self.done = model, title, 0
        self.name, self.dimensions = model.name, model.dimensions
        self.embed_query = model.embed_query

    def embed(self, texts: Sequence[str]):
        """As Embedder says, until the disk is full."""
        passages = sum(text.startswith(self.title) for text in texts)
        if passages and self.done + passages > FULL_AT:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.done += passages
        return self.model.embed(texts)


class Counting:
    """An Embedder that counts the texts it was asked for."""

    def __init__(self, model):
        self.model, self.asked = model, 0
        self.name, self.dimensions = model.name, model.dimensions
        self.embed_query = model.embed_query

    def embed(self, texts: Sequence[str]):
        """As Embedder says."""
        self.asked += len(texts)
        return self.model.embed(texts)


class Rehearsal:
    """A folder with the long code's PDF, and what its stages did."""

    def __init__(self, folder: Path, course: Path):
        self.folder, self.keep = folder / "code", folder / "kept"
        self.pdf = course / "corpus" / "northmark" / "print" / "consumer-code.pdf"
        (document,) = load_inventory(course / "corpus" / "northmark")
        self.title = document.title
        (self.folder / "documents").mkdir(parents=True)
        row = [str(getattr(document, name) or "") for name in COLUMNS]
        row[0], row[-1] = _FILE, "pdf"
        with (self.folder / "inventory.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, row])
        self.settings(SETTINGS)
        self.good()
        self.model = embedder()
        self.done: list[str] = []

    def settings(self, text: str) -> None:
        (self.folder / "labkit.toml").write_text(text, "utf-8", newline="")

    def good(self) -> None:
        shutil.copyfile(self.pdf, self.folder / _FILE)

    def damage(self) -> None:
        """From its middle on, the page's text is overwritten by opening brackets."""
        data = self.pdf.read_bytes()
        stream = pypdf.PdfReader(self.pdf).pages[DAMAGED - 1]["/Contents"].get_object().get_data()
        if data.count(stream) != 1:
            raise LabError(f"{self.pdf.name}: page {DAMAGED} does not stand in it as plain text")
        half = len(stream) // 2
        (self.folder / _FILE).write_bytes(data.replace(stream, stream[:half] + b"(" * (len(stream) - half)))

    def ask(self, **options) -> Answer:
        return self._watched(lambda told: ask(self.folder, QUESTION, keep=self.keep, progress=told, **{"embedder": self.model} | options))

    def ready(self, **options):
        return self._watched(lambda told: make_ready(self.folder, progress=told, **{"embedder": self.model} | options))

    def _watched(self, work: Callable):
        self.done = []

        def told(stage: str, done: int, of: int, what: str) -> None:
            if done == of and what == "done":
                self.done.append(stage)

        return work(told)

    def left(self, stage: str, name: str):
        """What a stage left, of those that prepare or of those that answer."""
        place = self.folder / ".labkit" / "long" if stage in PREPARING else self.keep
        text = (place / stage / name).read_text("utf-8")
        return json.loads(text) if name.endswith(".json") else text

    def record(self, stage: str) -> dict:
        return json.loads((self.folder / ".labkit/long/manifest.json").read_text("utf-8"))["stages"][stage]


# --- the parts --------------------------------------------------------------------------------------------------------------------------


def parts(course: Path) -> dict[str, str]:
    """Each recorded part of the page, by its name."""
    with tempfile.TemporaryDirectory(prefix="labkit-long-") as name:
        scene = Rehearsal(Path(name), course)
        golden = scene.ask()
        made = {"settings": f"```toml\n{LONG_TOML}```", "contracts": contracts(), "golden": golden_transcript(scene, golden)}
        made["rollback"] = rollback(scene, golden)
        made["failure-page"] = damaged_page(scene, golden)
        made["failure-stage"] = half_done(scene)
        return made


def contracts() -> str:
    """The nine stages as a table."""
    rows = ["| stage | does | leaves | a good result | what a failure leaves |", "| --- | --- | --- | --- | --- |"]
    for stage in long_asking.all_stages():
        rows.append(f"| {stage.name} | {stage.does} | {_LEAVES[stage.name]} | {stage.promises} | {stage.on_failure} |")
    return "\n".join(rows)


_LEAVES = {
    "read": "`documents.json`", "parents": "`parents.jsonl`", "children": "`children.jsonl`", "embed": "`rows.db`",
    "index": "`public.db`, `staff.db`", "search": "`found.json`", "rerank": "`kept.json`", "expand": "`delivered.json`",
    "context": "`context.json`, `context.md`",
}  # fmt: skip


def golden_transcript(scene: Rehearsal, answer: Answer) -> str:
    """The question from the PDF to cited context, stage by stage."""
    (document,) = scene.left("read", "documents.json")
    (parents_,) = scene.left("parents", "counts.json")["documents"]
    (children_,) = scene.left("children", "counts.json")["documents"]
    rows = scene.left("embed", "counts.json")
    readers = scene.left("index", "counts.json")
    found, kept = scene.left("search", "found.json"), scene.left("rerank", "kept.json")
    delivered = scene.left("expand", "delivered.json")
    first = found[:5]
    table = ["| rank | child | by words | by meaning |", "| --- | --- | --- | --- |"]
    table += [f"| {row['rank']} | `{row['id']}` | {_rank(row['by words'])} | {_rank(row['by meaning'])} |" for row in first]
    cited = answer.passages[0]
    aside = {name: record["set_aside"] for name, record in answer.stages.items() if record.get("set_aside")}
    said = {
        "read": f"`{_FILE}`: {document['words']:,} words; {len(document['problems'])} problems.",
        "parents": f"{parents_['parents']} parents.",
        "children": f"{children_['children']} children.",
        "embed": f"{rows['rows']} rows of {scene.model.dimensions} numbers, by {rows['model']}.",
        "index": ", ".join(f"{reader}: {number} children" for reader, number in readers.items()) + ".",
        "search": f"{len(found)} children. The first {len(first)}:\n\n" + _indented("\n".join(table)),
        "rerank": f"judge: {kept['judge']}; {len(kept['kept'])} kept, {len(kept['left'])} left.",
        "expand": f"{_count(len(delivered['delivered']), 'passage')}, {delivered['words']} of {answer.budget} words. "
        f"{_count(len(cited.children), 'child', 'children')} brought the first: {', '.join(f'`{each}`' for each in cited.children)}.",
        "context": f"`context.md`:\n\n{_indented(_fenced(scene.left('context', 'context.md')))}",
    }
    lines = ["```toml", SETTINGS.rstrip("\n"), "```", "", f"> {QUESTION}", ""]
    lines += [f"{number}. **{name}** ({answer.stages[name]['owner']}). {said[name]}" for number, name in enumerate(STAGES, start=1)]
    return "\n".join([*lines, "", f"Set aside: {json.dumps(aside) if aside else 'nothing'}."])


def rollback(scene: Rehearsal, golden: Answer) -> str:
    """A setting is changed, and taken back: by the setting alone, and with a copy of the results."""
    before = scene.left("children", "children.jsonl")
    place = scene.folder / ".labkit" / "long"
    shutil.copytree(place, scene.folder / "long-before")
    scene.settings(SETTINGS.replace("[long]\n", "[long]\nthreshold = 0.7\n"))
    other = scene.ask()
    changed, number = list(scene.done), scene.left("children", "children.jsonl").count("\n")
    if scene.left("children", "children.jsonl") == before:
        raise LabError("the other threshold makes no other children: the rollback shows nothing")
    scene.settings(SETTINGS)
    again = scene.ask()
    back, same = list(scene.done), scene.left("children", "children.jsonl") == before and _places(again) == _places(golden)
    scene.settings(SETTINGS.replace("[long]\n", "[long]\nthreshold = 0.7\n"))
    scene.ask()
    scene.settings(SETTINGS)
    shutil.rmtree(place)
    (scene.folder / "long-before").rename(place)
    scene.ready()
    copied = list(scene.done)
    if not same:
        raise LabError("the setting is taken back, and the result is not what it was")
    return "\n".join([
        f"1. `threshold = 0.7` is written into `[long]`. Done again: {_names(changed)}. There are {number} children now, not "
        f"{before.count(chr(10))}. {_now_cited(other, golden)}",
        f"2. The line is taken out again. Done again: {_names(back)}. The children are the same, byte for byte, and so is the answer.",
        f"3. The same with a copy: `cp -r .labkit/long long-before` before the change; after it, the line out, the copy back in its place. "
        f"Done again: {_names(copied)}.",
    ])  # fmt: skip


def damaged_page(scene: Rehearsal, golden: Answer) -> str:
    """The page with the answer cannot be read: what is said, what is left, and how it is put right."""
    scene.damage()
    hurt = scene.ask()
    (problem,) = hurt.problems
    (aside,) = scene.record("read")["set_aside"]
    lost = {each.passage.text for each in golden.passages} - {each.passage.text for each in hurt.passages}
    (counted,) = scene.left("parents", "counts.json")["documents"]
    said = [
        f"Page {DAMAGED}, on which the answer stands, is overwritten from its middle on. The same question:",
        "",
        _fenced(f"not whole: {problem['file']}: page {problem['page']}: {problem['what']} — {problem['todo']}"),
        "",
        f"- What the stages say: all nine are done. `read` has set aside, for {scene.record('read')['owner']}: `{aside['item']}`, "
        f"“{aside['reason'].partition(' — ')[0]}”.",
        f"- What is left: {counted['parents']} parents, made of the other pages. {_now_cited(hurt, golden)}"
        + (" So an answer can be cited, sound, and beside the point: read that line first." if lost else ""),
    ]
    scene.good()
    again = scene.ask()
    if _places(again) != _places(golden):
        raise LabError("the sound file is back, and the answer is another one")
    said.append(
        f"- How to go on: put a sound file in its place and ask again. Done again: {_names(scene.done)}; the answer is the one above, and "
        "the warning is gone. Nothing has to be deleted."
    )
    return "\n".join(said)


def half_done(scene: Rehearsal) -> str:
    """The disk is full in the middle of a stage: what is refused, what is left, what is done again."""
    shutil.rmtree(scene.folder / ".labkit")
    try:
        scene.ready(embedder=FullDisk(scene.model, scene.title))
        raise LabError("the disk was to be full, and it was not")
    except OSError:
        pass
    finished, record = list(scene.done), scene.record("embed")
    try:
        scene.ready(start="index")
        raise LabError("a half-done stage was taken for a whole one")
    except LabError as error:
        refused = str(error)
    model = Counting(scene.model)
    scene.ready(embedder=model)
    total = scene.left("embed", "counts.json")["rows"]
    shown = {name: record[name] for name in ("status", "owner", "attempts", "reason", "left")}
    return "\n".join([
        f"The disk is full after {FULL_AT} passages. Finished by then: {_names(finished)}. In the manifest stands of `embed`:",
        "",
        _fenced(json.dumps(shown, ensure_ascii=False, indent=1), "json"),
        "",
        "`labkit ask FOLDER --from index` goes on from nothing that is half done:",
        "",
        _fenced(refused),
        "",
        f"With room on the disk, and no more said than `labkit ask FOLDER`: done again are {_names(scene.done)}, and of {total} texts "
        f"{model.asked} are embedded; the others were kept.",
    ])  # fmt: skip


def _now_cited(answer: Answer, golden: Answer) -> str:
    if _places(answer) == _places(golden):
        return "The answer is still the same."
    first = f"The first passage is now: {answer.passages[0].citation}." if answer.passages else "No passage is handed over now."
    return f"The answer is another one. {first}"


def _places(answer: Answer) -> list[tuple[str, str]]:
    return [(each.citation, each.passage.text) for each in answer.passages]


def _names(stages: Sequence[str]) -> str:
    return ", ".join(stages) if stages else "nothing"


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _count(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


def _fenced(text: str, language: str = "text") -> str:
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.split("\n"))


# --- the page ---------------------------------------------------------------------------------------------------------------------------


def with_parts(page: str, made: dict[str, str]) -> str:
    """The page with what was recorded between its marks. Raises LabError where a mark is missing."""
    for name, text in made.items():
        begin, end = f"<!-- recorded: {name} -->", f"<!-- end of {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise LabError(f"{PAGE}: the marks {begin} and {end} must stand in it once each")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"
    return page


def main(arguments: list[str] | None = None) -> int:
    """The command line: writes the page, or with --check exits with 1 where it is not up to date."""
    parser = argparse.ArgumentParser(prog="python tools/long_documents.py", description=f"Writes the recorded parts of {PAGE}.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    only_check = parser.parse_args(arguments).check
    try:
        course = course_folder()
        page = (course / PAGE).read_text("utf-8")
        new = with_parts(page, parts(course))
        if new == page:
            print(f"as it was: {PAGE}")
            return 0
        if only_check:
            print(f"{PAGE} is not up to date: make record")
            return 1
        write_atomically(course / PAGE, new)
        print(f"changed: {PAGE}")
        return 0
    except LabError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
