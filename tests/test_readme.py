"""The README and the pages beside it: what they name exists, and what they count is so."""

import re
import tomllib
from pathlib import Path

import pytest

from labkit.lessons.catalogue import LESSONS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
README = PAGES[0].read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def targets() -> set[str]:
    return set(re.search(r"^\.PHONY:(.*)$", MAKEFILE, re.MULTILINE)[1].split())


def code(text: str) -> list[str]:
    """Code spans and the lines of indented code."""
    return re.findall(r"`([^`\n]+)`", text) + re.findall(r"^(?: {4}|\t)(.+)$", text, re.MULTILINE)


def test_the_table_of_lessons_is_the_catalogue():
    rows = re.findall(r"^\| \[(\d\d) ([^\]]+)\]\(notebooks/([^)]+)\) \| (\d+) \| (.+) \|$", README, re.MULTILINE)
    assert rows == [(row.number, row.title, row.notebook, str(row.minutes), row.idea) for row in LESSONS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if not re.match(r"https?://", target):
            file, _, anchor = target.partition("#")
            there = page.parent / file if file else page
            assert there.is_file(), f"{page.name} links to {target}"
            headings = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.MULTILINE) if anchor else []
            assert not anchor or anchor in [re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings], target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_commands_exist(page):
    named = {match for span in code(page.read_text("utf-8")) for match in re.findall(r"(?:^|[ ;])make ([a-z-]+)", span)}
    assert named <= targets()


def test_each_command_of_the_makefile_is_listed_and_has_a_rule():
    listed = set(re.findall(r'^\t@echo "make ([a-z-]+)', MAKEFILE, re.MULTILINE))
    assert listed == targets() - {"help", "ready"}
    for target in targets():
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_labkit_commands_exist(page):
    import typer

    from labkit.cli import app

    command = typer.main.get_command(app)
    for span in code(page.read_text("utf-8")):
        for found in re.finditer(r"(?<!from )(?:^|(?<=[ /]))labkit ([a-z]+)([^`;]*)", span):
            name, rest = found.groups()
            assert name in command.commands, f"{page.name}: labkit {name}"
            options = {option for parameter in command.commands[name].params for option in parameter.opts}
            assert set(re.findall(r"(?<!\S)--[a-z-]+", rest.partition("#")[0])) <= options, f"{page.name}: {span}"


def test_the_counts_of_the_first_lines_are_those_of_the_collection():
    from labkit import load_inventory, load_questions

    documents, questions = (int(n) for n in re.search(r"(\d+) documents of Larkfield.* and (\d+) questions", README, re.DOTALL).groups())
    assert (documents, questions) == (len(load_inventory()), len(load_questions()))


def test_the_citation_gives_the_project_s_version():
    import yaml

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert set(citation) >= {"cff-version", "message", "title", "authors", "license"}


@pytest.mark.parametrize("command", ["uv run --no-project --with-requirements requirements.lock --with-editable . labkit open"])
def test_the_way_with_uv_is_written_out(command):
    assert command in code(README)
