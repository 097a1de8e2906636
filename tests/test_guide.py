"""docs/instructors.md: made from the lessons, up to date, and complete."""

from __future__ import annotations

import re
from pathlib import Path

import demo_lesson
import pytest

from labkit.lessons import catalogue, guide
from labkit.lessons.recording import files_of

COURSE = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def page():
    return guide.text(COURSE)


def rows():
    return [row for row in catalogue.lessons() if (COURSE / "notebooks" / row.notebook).is_file()]


def test_the_page_is_up_to_date(page):
    assert (COURSE / guide.FILE).read_text(encoding="utf-8") == page, "make record (or: python -m labkit.lessons.guide)"


def test_each_lesson_exercise_mistake_and_prediction_is_on_it(page):
    for row in rows():
        assert f"### {row.number} · {row.title}\n\n{row.minutes} minutes. {row.idea}." in page
        lesson = page.partition(f"### {row.number} · ")[2].partition("\n### ")[0]
        for name, exercise in row.exercises().items():
            part = lesson.partition(f"#### Exercise `{name}`")[2].partition("\n#### ")[0]
            told = [line for line in part.split("\n") if line.startswith("- *")]
            assert len(told) == len(exercise.mistakes) and all(re.fullmatch(r"- \*[^*]+\*: \S.*", line) for line in told)
            assert "If nobody moves, ask: " in part
            if exercise.kind == "choice":
                right = part.partition("\nRight: ")[2].partition("\n")[0]
                assert all(f"{item}: “{choice}”" in right for item, choice in exercise.right.items())
        guesses = {line.split("`")[1]: line for line in lesson.split("\n") if line.startswith(f"- `{row.number}.")}
        assert set(guesses) == {f"{row.number}.{name}" for name in row.predictions()}
        assert all(line.endswith("*") and "*Measured: " in line for line in guesses.values()) or row.number == "15"
        assert "#### To say at the end" in lesson and "#### To talk about: a common mistake" in lesson


def test_what_is_said_to_a_mistake_comes_before_long_calls_and_values(page):
    told = [line for line in page.split("\n") if line.startswith("- *")]
    calls = [line.partition("*: ")[2].partition(" gave ")[0] for line in told if re.match(r"- \*[^*]+\*: \w+\(.*\) gave ", line)]
    assert len(calls) > 100 and max(map(len, calls)) <= 60
    assert "grid(…) stopped with KeyError" in page


def test_the_measured_values_are_those_of_the_notebooks(page):
    assert "How many of the documents may the public see? *Measured: 27*" in page
    assert "Counting matches: are the opening hours among the first five? *Measured: no*" in page


def test_no_words_of_pythons_own_that_change_with_its_version(page):
    told = [line for line in page.split("\n") if line.startswith("- *")]
    stopped = [line for line in told if re.search(r"\b[A-Z]\w*Error\b", line)]
    assert stopped and not [line for line in stopped if re.search(r"Error: (min\(\)|'|list index|unsupported|\d)", line)]


def test_what_a_lesson_leaves_is_what_its_snapshot_adds(page):
    for row in rows():
        earlier = catalogue.before(row.number)
        before = files_of(COURSE / "snapshots" / earlier.name / "state") if earlier else {}
        after = files_of(COURSE / "snapshots" / row.name / "state")
        added = {f"`state/{name}`" for name, data in after.items() if before.get(name) != data}
        line = page.partition(f"### {row.number} · ")[2].partition("- Leaves: ")[2].partition("\n")[0]
        assert set(re.findall(r"`[^`]+`", line)) == added


def test_the_half_day_names_only_lessons_that_exist(page):
    route = page.partition("## A half-day\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\d\d) ", route, re.MULTILINE) == [row.number for row in rows() if row.number in guide.ROUTE]


def test_links_lead_somewhere_and_commands_exist(page):
    from labkit.cli import app

    headings = [line.lstrip("#").strip() for line in page.split("\n") if line.startswith("#")]
    anchors = {guide._anchor(heading) for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", page.partition("### 00")[0]):
        file, _, anchor = target.partition("#")
        if not file:
            assert anchor in anchors, target
        else:
            text = (COURSE / "docs" / file).read_text(encoding="utf-8")
            assert not anchor or anchor in {guide._anchor(line.lstrip("#").strip()) for line in text.split("\n") if line.startswith("#")}
    commands = {each.name or each.callback.__name__ for each in app.registered_commands}
    assert {name for name in re.findall(r"labkit ([a-z]+)", page.partition("## The lessons")[0])} <= commands | {"says"}


def test_no_mark_of_the_template_is_left_and_no_two_level_one_headings(page):
    assert page.count("\n# ") == 0 and page.startswith("# ") and "<!-- route" not in page and "<!-- lessons" not in page
    assert not re.search(r"\{\w+\}", re.sub(r"`[^`]*`", "", page.partition("## The lessons")[0]))


@pytest.fixture
def demo(tmp_path, monkeypatch):
    monkeypatch.setenv("LABKIT_LESSONS", "demo_catalogue")
    monkeypatch.syspath_prepend(str(demo_lesson.DEMO))
    folder = demo_lesson.course(tmp_path / "course")
    monkeypatch.setenv("LABKIT_COURSE", str(folder))
    return folder


def test_another_course_gets_its_own_page_whole_or_not_at_all(demo, capsys):
    assert guide.main(["--check"]) == 1
    assert guide.main([]) == 0 and guide.main(["--check"]) == 0
    path = demo / guide.FILE
    page = path.read_bytes()
    text = page.decode("utf-8")
    assert "### 90 · A demonstration" in text and "None of the lessons of the half-day route" in text
    assert "- *base 10*: 0.4150 is a base-10 logarithm. Use `math.log`." in text
    assert "Counting occurrences." in text and "- Leaves: no file of its own." in text
    before = path.stat().st_mtime_ns
    assert guide.write(demo) is False and path.stat().st_mtime_ns == before
    state = demo / "snapshots" / demo_lesson.NAME / "state"
    state.mkdir(parents=True)
    (state / "rarity.csv").write_text("word\n", encoding="utf-8")
    assert "- Leaves: `state/rarity.csv`." in guide.text(demo)
    (demo / "notebooks" / f"{demo_lesson.NAME}.ipynb").write_text("{", encoding="utf-8")
    capsys.readouterr()
    assert guide.main([]) == 1 and demo_lesson.NAME in capsys.readouterr().err and path.read_bytes() == page


@pytest.mark.parametrize(
    ("said", "safe"),
    [
        ("a < b & `c < d`", "a &lt; b &amp; `c < d`"),
        ("two\nlines", "two lines"),
        ("<script>`x`</script>", "&lt;script>`x`&lt;/script>"),
    ],
)
def test_a_message_cannot_become_html(said, safe):
    assert guide._safe(said) == safe
