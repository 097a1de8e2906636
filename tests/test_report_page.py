"""The page of a report: whatever stands in a folder stays text, every number is there without a script, nothing is loaded."""

import base64
import hashlib
import re
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from own_folders import asked, documents, inventory, questions
from own_reports import changed, methods, report

from labkit.evaluation.attribution import FOUND, NOT_SCORED
from labkit.evaluation.attribution import STAGES as EVERY_STAGE
from labkit.own.phrases import METRICS
from labkit.own.report_csv import COLUMNS
from labkit.own.report_html import FOLD, LONG, Cell, Column, number, sortable, text, theirs
from labkit.own.report_page import page_of
from labkit.own.report_texts import MEASURES, STAGES
from labkit.own.reporting import make_report
from labkit.own.verdict import verdict_of

EVIL = '<script>document.title = "ran"</script><img src="https://example.org/x.png" onerror=alert(1)>"\'&lt; --> ]]>'
BAD = {"file": f"documents/{EVIL}.pdf", "line": 3, "searched": False, "chunker": None, "page": 7, "what": EVIL, "todo": EVIL}


def read(made: dict) -> BeautifulSoup:
    return BeautifulSoup(page_of(made), "html.parser")


def rows_of(soup: BeautifulSoup, caption: str) -> list[list[str]]:
    (table,) = [each for each in soup.find_all("table") if each.caption and each.caption.get_text() == caption]
    return [[" ".join(cell.get_text(" ").split()) for cell in row.find_all(["th", "td"])] for row in table.tbody.find_all("tr")]


@pytest.fixture(scope="module")
def plain():
    return report({"a": [1] * 9 + [2, 0], "b": [1] * 8 + [2, 0, 0]}, unanswerable=2, against={"file": "before.json", "rows": [changed()],
                  "note": "1 question is left out: changed since."}, collection__unreadable=[BAD])  # fmt: skip


@pytest.fixture(scope="module")
def page(plain):
    return read(plain)


# --- whatever stands in a folder ----------------------------------------------------------------------------------------------------------


def hostile() -> dict:
    made = report(
        {EVIL: [1, 0], f"b{EVIL}": [0, 0]}, stage=EVIL, budgets=[100], verdict=[EVIL, EVIL],
        collection__name=EVIL, collection__languages={EVIL: 1}, collection__unreadable=[BAD, BAD | {"chunker": EVIL}],
        questions__kinds={EVIL: 2}, questions__files=[EVIL], against={"file": EVIL, "rows": [changed(EVIL)], "note": EVIL},
    )  # fmt: skip
    for row in [*made["per_question"], *made["misses"]]:
        row["kind"] = row["id"] = row["detail"] = EVIL
    for row in made["misses"]:
        row["gold"] = [EVIL]
    made["questions"]["asked"] = {EVIL: {"question": EVIL, "language": EVIL}}
    methods(made, chunker=[EVIL, EVIL], search=[EVIL, EVIL])
    made["settings"]["stop_words"] = {"value": [EVIL], "default": [], "reason": EVIL}
    return made


@pytest.fixture(scope="module")
def evil_page():
    return read(hostile())


def test_what_a_folder_holds_is_never_read_as_html(evil_page, page):
    soup = evil_page
    assert len(soup.find_all("script")) == 1 and {image["src"][:22] for image in soup.find_all("img")} == {"data:image/png;base64,"}
    assert not [tag for tag in soup.find_all() if any(name.startswith("on") for name in tag.attrs)]
    assert {tag.name for tag in soup.find_all()} <= {tag.name for tag in page.find_all()} | {"br"}
    assert soup.title.get_text() == f"Report on {EVIL}" and soup.h1.get_text() == f"Report on {EVIL}"
    assert soup.find(class_="answer").get_text() == EVIL and len([each for each in soup.find_all("bdi") if each.get_text() == EVIL]) > 15
    assert not soup.find_all(lang=EVIL)


def test_a_real_folder_with_a_title_that_is_a_script(tmp_path):
    these = {"documents/a.md": f"# {EVIL}\n\n## Cost\n\nIt costs nine dollars.\n", "documents/b.pdf": b"no PDF"}
    documents(tmp_path, these)
    inventory(tmp_path, these, title={"documents/a.md": EVIL})
    gold = ("a", "Cost", "nine dollars")
    questions(tmp_path, [asked("Q1", f"What is the cost? {EVIL}", gold), asked("Q2", "zebra", gold)])
    soup = read(make_report(tmp_path))
    assert len(soup.find_all("script")) == 1 and all(image["src"].startswith("data:") for image in soup.find_all("img"))
    assert any(EVIL in row[1] for row in rows_of(soup, "Every question"))
    assert rows_of(soup, "What could not be read")[0][0] == "documents/b.pdf"


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_text_stays_text(value):
    for made in (text(value), theirs(value, "fr")):
        soup = BeautifulSoup(f"<p>{made}</p>", "html.parser")
        assert {tag.name for tag in soup.find_all()} <= {"p", "bdi"} and not re.search(r"[\x00-\x08\ud800-\udfff]", made)
        assert soup.get_text().split() == BeautifulSoup("", "html.parser").new_string(_cleaned(value)).split()


def _cleaned(value: str) -> str:
    from labkit.show.tables import clean

    return clean(value)


@pytest.mark.parametrize(
    "language, said", [("fr", ' lang="fr"'), ("fr-CA", ' lang="fr-CA"'), ('"x', ""), ("unknown", ""), (None, ""), ("", "")]
)
def test_a_question_has_its_language(language, said):
    assert theirs("où", language) == f"<bdi{said}>où</bdi>"


# --- nothing is loaded, one script runs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["page", "evil_page"])
def test_nothing_is_loaded(name, request):
    soup = request.getfixturevalue(name)
    for tag in soup.find_all():
        for name, value in tag.attrs.items():
            if name in ("src", "href", "srcset", "action", "data", "poster", "background", "cite", "formaction", "xlink:href"):
                assert value.startswith(("data:image/png;base64,", "#")), (tag.name, value[:80])
    style, script = soup.style.get_text(), soup.script.get_text()
    code = style + re.sub(r"(?m)// .*$", "", script)
    assert not re.search(r"https?:|//|url\(|@import|fetch\(|XMLHttpRequest|import\(|WebSocket|sendBeacon", code)
    assert not soup.find_all(["link", "iframe", "object", "embed", "base", "form"])
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy and "connect-src" not in policy


def test_the_same_report_gives_the_same_page_and_its_own_verdict_is_shown():
    made = report({"a": [1], "b": [1]}, budgets=[50])
    assert page_of(made) == page_of(made | {"verdict": verdict_of(made)})
    assert read(made | {"verdict": ["A.", "B."]}).find(class_="verdict").get_text(" ", strip=True) == "Verdict A. B."


# --- everything is there ------------------------------------------------------------------------------------------------------------------


def test_the_verdict_comes_first(page, plain):
    first, *others = verdict_of(plain)
    section = page.main.find(True)
    assert section["class"] == ["verdict"] and section.find(class_="answer").get_text() == first
    assert [each.get_text() for each in section.find_all("li")] == others


def test_every_part_has_its_heading_and_the_links_lead_there(page):
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert len(ids) == len(set(ids)) and all(link["href"][1:] in ids for link in page.find_all("a"))
    assert {link["href"] for link in page.nav.find_all("a")} == {f"#{h2['id']}" for h2 in page.find_all("h2")} - {"#verdict"}
    levels = [int(tag.name[1]) for tag in page.find_all(re.compile("h[1-6]"))]
    assert levels[0] == 1 and levels.count(1) == 1 and all(after - before <= 1 for before, after in pairwise(levels))


def test_each_picture_has_a_text_and_its_numbers(page, plain):
    figures = page.find_all("figure")
    assert len(figures) == 5  # two of differences, two of scores, one of misses
    for figure in figures:
        assert len(figure.img["alt"]) > 40 and figure.img["width"] and figure.img["height"]
        twin = figure.find_next_sibling()
        assert twin.name == "details" and twin.summary.get_text() == "The picture’s numbers" and len(twin.find_all("tr")) > 2
    hits = next(row for row in plain["scores"] if (row["method"], row["budget"], row["metric"]) == ("b", 100, "hit"))
    assert f"{hits['mean']:.3f}" in page.find("section", {"aria-labelledby": "scores"}).details.get_text()


def test_tables_hold_the_reports_numbers(page, plain):
    scores = rows_of(page, "Scores at equal budgets, n = 11 questions; small: 95 % interval")
    assert [row[:2] for row in scores] == [[name, str(budget)] for name in "ab" for budget in (100, 200, 400)]
    got = {(row["method"], row["budget"], row["metric"]): row for row in plain["scores"]}
    for row in scores:
        for metric, cell in zip(("hit", "recall", "evidence", "evidence_in_context"), row[2:6], strict=True):
            found = got[row[0], int(row[1]), metric]
            assert cell == f"{found['mean']:.3f} {found['low']:.2f}–{found['high']:.2f}"
    compared = rows_of(page, "Methods compared with a")
    assert len(compared) == len(plain["comparisons"]) == 6 and {row[-1] for row in compared} == {"no"}
    assert [row[-1] for row in rows_of(page, "Since the earlier report")] == ["lost"]
    assert rows_of(page, "What could not be read")[0][-1] == "no"
    assert len(rows_of(page, "Settings")) == len(plain["settings"])
    every = {row[0]: row for row in rows_of(page, "Every question")}
    assert len(every) == 13 and every["Q0001"][3:] == ["1, from 100", "1, from 100"] and every["Q0010"][3:] == ["7, from 200", "not found"]
    assert every["Q0013"][2:] == ["unanswerable", "not scored", "not scored"]


def test_misses_stand_by_stage_each_explained(page):
    rows = {row[0]: row for row in rows_of(page, "Misses: cut by the budget")}
    assert set(rows) == {"Q0009", "Q0010", "Q0011"} and rows["Q0011"][4] == "every method: every budget"
    assert rows["Q0009"][4] == "b (rank 7): 100 words" and rows["Q0009"][3] == "doc@v1#part"
    assert rows["Q0010"][4] == "a (rank 7): 100 words b : every budget"
    assert STAGES["cut by the budget"][0] in page.find("section", {"aria-labelledby": "misses"}).get_text()


def test_each_stage_and_each_measure_is_explained(page):
    assert set(STAGES) == set(EVERY_STAGE) - {FOUND, NOT_SCORED}
    assert set(METRICS.values()) - {"words handed over", "words without repeats"} <= set(MEASURES)
    assert [each.get_text() for each in page.find(id="measures").find_next("dl").find_all("dt")][: len(MEASURES)] == list(MEASURES)


@pytest.mark.parametrize(
    "made, absent",
    [
        (report({"a": [], "b": []}, unanswerable=2), {"comparisons", "misses", "since"}),
        (report({"a": []}), {"comparisons", "misses", "since", "questions"}),
        (report({"a": [1, 1]}, budgets=[50]), {"comparisons", "since"}),
        (report({"a": [1, 1], "b": [1, 1]}, budgets=[50]), {"since"}),
        (report({"a": [0], "b": [0]}, stage="a stage of tomorrow"), {"since"}),
        (methods(report({"a": [1], "b": [0]}), median_words=[None, None], sections_per_chunk=[None, None], chunks=[0, 0]), {"since"}),
        (report({"a": [1], "b": [0]}, against={"file": "b.json", "rows": [], "note": "Nothing in common."}), set()),
    ],
    ids=["none scored", "no question", "one method", "none missed", "unknown stage", "no chunk", "nothing since"],
)
def test_with_less_there_is_less(made, absent):
    soup = read(made)
    parts = {"since", "scores", "comparisons", "cuts", "misses", "questions", "unreadable", "collection", "settings", "measures"}
    assert {each["id"] for each in soup.find_all("h2")} == (parts - absent) | {"verdict"}
    assert not re.search(r"\b(None|nan|NaN)\b", soup.main.get_text())


# --- tables -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n, folds, long", [(1, False, False), (FOLD, False, False), (FOLD + 1, True, False), (LONG + 1, True, True)])
def test_long_tables_fold(n, folds, long):
    made = sortable("A <table>", [Column("id"), Column("x", number=True)], [[Cell(f"r{i}"), number(i / 2)] for i in range(n)], fold="All")
    soup = BeautifulSoup(made, "html.parser")
    assert bool(soup.details) == folds and bool(soup.find(class_="long")) == long and len(soup.tbody.find_all("tr")) == n
    assert soup.caption.get_text() == "A <table>" and soup.find(role="group")["aria-label"] == "Table: A <table>"
    assert [each["scope"] for each in soup.find_all("th")] == ["col", "col"] + ["row"] * n


def test_settings_that_are_the_defaults_in_other_words():
    made = report({"a": [1]})
    used = [{"name": "keyword", "stem": False, "stop_words": []}]
    made["settings"]["searches"] = {"value": used, "default": [{"name": "keyword"}], "reason": "x"}
    assert {row[2] for row in rows_of(read(made), "Settings")} == {"the same"}
    made["settings"]["searches"]["value"][0]["stem"] = True
    assert "1 of 12 differs from its default" in read(made).get_text()


def test_a_thousand_questions_and_ten_methods_stay_small_and_folded():
    made = report({f"method {n}": [(i * (n + 3)) % 3 for i in range(250)] for n in range(10)}, budgets=[100])
    text_ = page_of(made)
    soup = BeautifulSoup(text_, "html.parser")
    long = [table for table in soup.find_all("table") if len(table.tbody.find_all("tr")) > FOLD]
    assert long and all(table.find_parent("details") for table in long)
    assert len(text_) < 2_500_000 and len(rows_of(soup, "Every question")) == 250


def test_the_documentation_explains_each_number():
    page_ = (Path(__file__).resolve().parent.parent / "docs" / "report.md").read_text("utf-8")
    named = {name.strip() for bold in re.findall(r"\*\*(.+?)\.?\*\*", page_) for name in bold.lower().split(",")}
    heads = {"points", "won", "lost", "level", "p", "p after holm", "beyond chance", "budget", "n", "what so many questions can show"}
    cuts = {"chunks", "median words", "words stored", "tables whole", "begin inside", "sections a chunk spans", "over the limit"}
    facts = {"documents", "words", "questions", "scored", "formats", "languages", "access labels", "kinds of question"}
    assert set(METRICS.values()) | heads | cuts | facts <= named
    made = report({"a": [0, 1], "b": [1, 0]}, against={"file": "x", "rows": [changed()], "note": ""})
    parts = {head.get_text() for head in read(made).find_all("h2")} - {"How to read the numbers"}
    assert parts <= set(re.findall(r"(?m)^## (.+)$", page_))
    assert set(re.findall(r"(?m)^\| ([a-z ]+) \|", page_)) - {"stage"} == set(STAGES)
    assert f"    {','.join(COLUMNS)}\n" in page_


def test_the_parts_of_the_page_are_beside_the_module():
    import labkit.own.report_page as module

    assert all(Path(module.__file__).with_name(f"report.{kind}").is_file() for kind in ("css", "js"))


def test_the_twin_of_the_differences_says_which_way_they_go():
    made = report({"a": [0] * 40, "b": [1] * 20 + [0] * 20}, budgets=[100])
    heads = {head.get_text() for head in read(made).find_all("th", scope="col")}
    assert "hit: points more than a" in heads
