"""The collection's PDF, HTML and French documents: what makes them, what they state, how they are written."""

import calendar
import csv
import importlib.util
import os
import re
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "larkfield"
SOURCES, DOCUMENTS = CORPUS / "sources", CORPUS / "documents"
SCRIPT = SOURCES / "make_pdfs.py"

spec = importlib.util.spec_from_file_location("make_pdfs", SCRIPT)
make_pdfs = importlib.util.module_from_spec(spec)
sys.modules["make_pdfs"] = make_pdfs  # dataclasses look their module up
spec.loader.exec_module(make_pdfs)

with open(CORPUS / "inventory.csv", encoding="utf-8", newline="") as file:
    INVENTORY = {Path(row["file"]).name: row for row in csv.DictReader(file)}

PDFS = sorted(name for name, row in INVENTORY.items() if row["format"] == "pdf")
PAGES_HTML = sorted(name for name, row in INVENTORY.items() if row["format"] == "html")
FRENCH = sorted(name for name, row in INVENTORY.items() if row["language"] == "fr")


def source_of(pdf):
    return SOURCES / f"{Path(pdf).stem}.md"


def body_of(pdf):
    return source_of(pdf).read_text(encoding="utf-8").split("---\n", 2)[2]


def pages_of(content):
    """The strings that each page shows, in order: uncompressed pages need no PDF library. Bullets are '•'."""
    pages = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        shown = re.findall(rb"\(((?:\\.|[^\\()])*)\) Tj", stream)
        plain = [re.sub(rb"\\([0-7]{3}|.)", lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1], text) for text in shown]
        if plain:
            pages.append(["•" if text == b"\xb7" else text.decode("cp1252") for text in plain])
    return pages


def prose_of(content):
    """The lines of each page without its running head (two strings, drawn first) and its number (drawn last)."""
    return [page[2:-1] for page in pages_of(content)]


def set_words(content):
    return [word for page in prose_of(content) for line in page for word in line.split() if word != "•"]


def source_words(pdf):
    plain = re.sub(r"^\|( --- \|)+$|^#+ |^- |\||\*", " ", body_of(pdf), flags=re.MULTILINE)
    return plain.split()


# --- the PDFs ---------------------------------------------------------------------------------------------------------


def test_each_pdf_has_its_source_and_each_source_its_pdf():
    assert [path.stem for path in sorted(SOURCES.glob("*.md"))] == [Path(name).stem for name in PDFS]
    assert len(PDFS) == 2


@pytest.mark.parametrize("pdf", PDFS)
def test_the_same_bytes_each_time(pdf):
    made = make_pdfs.make_pdf(source_of(pdf))
    assert made == make_pdfs.make_pdf(source_of(pdf))
    assert made == (DOCUMENTS / pdf).read_bytes(), "run: python corpus/larkfield/sources/make_pdfs.py"


def test_the_same_bytes_in_another_place_zone_and_hash_order(tmp_path):
    for seed, zone, epoch in [("1", "Asia/Tokyo", "0"), ("2", "America/Montreal", "1700000000")]:
        settings = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "SOURCE_DATE_EPOCH": epoch, "LC_ALL": "C"}
        run = subprocess.run([sys.executable, SCRIPT, "--check"], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pdf", PDFS)
def test_every_word_of_the_source_is_on_the_pages_in_order(pdf):
    assert set_words((DOCUMENTS / pdf).read_bytes()) == source_words(pdf)


@pytest.mark.parametrize("pdf", PDFS)
def test_heads_and_page_numbers_agree_with_the_inventory(pdf):
    row = INVENTORY[pdf]
    year, month, day = row["effective_from"].split("-")
    month = calendar.month_name[int(month)]
    pages = pages_of((DOCUMENTS / pdf).read_bytes())
    for number, page in enumerate(pages, 1):
        assert page[0] == f"Larkfield · {row['title']} · Version {row['version']}"
        assert page[1] == f"In force from {int(day)} {month} {year}"
        assert page[-1] == f"Page {number} of {len(pages)}"
    assert pages[0][2] == row["title"]


@pytest.mark.parametrize("pdf", PDFS)
def test_only_fonts_that_every_reader_has_and_no_compression(pdf):
    content = (DOCUMENTS / pdf).read_bytes()
    fonts = set(re.findall(rb"/BaseFont /([\w-]+)", content))
    assert fonts <= {b"Helvetica", b"Helvetica-Bold", b"Helvetica-Oblique", b"Symbol"}
    assert b"/FontFile" not in content and b"/FlateDecode" not in content


def table_of(pdf):
    rows = [line.strip("|").split("|") for line in body_of(pdf).split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if "---" not in row[0]]


def test_the_warranty_policy_is_as_long_as_the_lessons_say():
    pages = prose_of((DOCUMENTS / "warranty-policy.v5.pdf").read_bytes())
    words = [word for page in pages for line in page for word in line.split()]
    without_bullets = [word for word in words if word != "•"]
    assert len(pages) == 2
    assert 476 <= len(without_bullets) <= len(words) <= 500  # bullets may be words to one reader and not to another
    assert len(re.findall(r"^## ", body_of("warranty-policy.v5.pdf"), re.MULTILINE)) == 7


def test_the_second_page_begins_inside_the_list_of_what_is_not_covered():
    first, second = prose_of((DOCUMENTS / "warranty-policy.v5.pdf").read_bytes())
    body = body_of("warranty-policy.v5.pdf")
    items = re.findall(r"^- (.+)$", body.split("## What is not covered\n")[1].split("\n## ")[0], re.MULTILINE)
    assert second[0] == "•"
    left = [item for item in items if item in second]
    assert left and left == items[-len(left) :] and len(left) < len(items)
    assert first[-1] == items[-len(left) - 1]


WARRANTY = [
    ("Hand garden tools", "Spades, rakes, pruners, shears", "2 years", "None"),
    ("Garden furniture", "Chairs, tables, loungers, benches", "2 years", "Cushions and fabric covers 1 year"),
    ("Corded power tools", "Hedge trimmers such as the HT-550, corded mowers", "3 years", "Blades not covered"),
    ("Battery power tools", "The Volt 20 V range", "3 years", "Batteries and chargers 1 year"),
    ("Pressure washers", "PW-2200, PW-2400", "2 years", "Pump 3 years; nozzles and hoses 1 year"),
    ("Barbecues and grills", "The Ember GR-310", "2 years", "Stainless burners 5 years"),
    ("Sheds and greenhouses", "Wood and metal sheds, greenhouses", "5 years", "Glass and polycarbonate panels 1 year"),
    ("Watering", "Hoses, reels, sprinklers, timers", "1 year", "None"),
    ("Small kitchen appliances", "Kettles, toasters, blenders", "1 year", "None"),
    ("Lighting", "Indoor lamps, outdoor and solar lights", "1 year", "None"),
    ("Textiles", "Parasols, hammocks, outdoor rugs", "1 year", "None"),
    ("Pro range", "Anything marked Pro", "5 years", "Trade use covered"),
]


def test_the_warranty_table_has_its_twelve_rows_and_the_rule_below():
    assert table_of("warranty-policy.v5.pdf") == [["Category", "Examples", "Period", "Exceptions"], *map(list, WARRANTY)]
    after = body_of("warranty-policy.v5.pdf").split("Trade use covered |\n")[1].strip().split("\n")[0]
    assert "two categories" in after and "longer" in after


def test_the_warranty_table_is_ruled_and_some_cells_wrap():
    (content,) = [page for page in (DOCUMENTS / "warranty-policy.v5.pdf").read_bytes().split(b"endstream") if b"(Category) Tj" in page]
    drawn = set(re.findall(rb"n ([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S", content))
    across = {line for line in drawn if line[1] == line[3]}
    down = {line for line in drawn if line[0] == line[2]}
    assert len({line[1] for line in across}) >= len(WARRANTY) + 2
    assert len({line[0] for line in down}) == 5
    (first, _) = prose_of((DOCUMENTS / "warranty-policy.v5.pdf").read_bytes())
    wrapped = [cell for row in WARRANTY for cell in row if cell not in first]
    assert 2 <= len(wrapped) <= 6


def test_the_twin_guides_agree_in_structure_and_part_numbers():
    rows = table_of("product-care-pw2200.v2.pdf")
    assert ["Pump kit with seals", "PK-2200-07", "PW-2200 only"] in rows
    twin = (DOCUMENTS / "product-care-pw2400.v1.md").read_text(encoding="utf-8")
    assert re.findall(r"^## .+$", body_of("product-care-pw2200.v2.pdf"), re.MULTILINE) == re.findall(r"^## .+$", twin, re.MULTILINE)
    both = {row[1] for row in rows if "PW-2200" in row[2] and "PW-2400" in row[2]}
    of_twin = {line.split("|")[2].strip() for line in twin.split("\n") if line.startswith("|") and "PW-2200" in line and "PW-2400" in line}
    assert both == of_twin != set()


# --- the script -------------------------------------------------------------------------------------------------------

OPENING = "---\nhead: H\nnote: N\n---\n"


def write(folder, text, name="a.v1.md"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


REFUSED = [
    ("no opening", "# T\n", 1),
    ("an opening that never ends", "---\nhead: H\nnote: N\n# T\n", 1),
    ("an unknown key", "---\nhead: H\nfoot: N\n---\n# T\n", 2),
    ("a key without a value", "---\nhead: H\nnote:\n---\n# T\n", 2),
    ("no title", OPENING + "words\n", 5),
    ("words before the title", OPENING + "words\n\n# T\n", 5),
    ("two titles", OPENING + "# T\n\n# U\n", 5),
    ("a third level", OPENING + "# T\n\n## A\n\n### B\n", 9),
    ("a numbered list", OPENING + "# T\n\n1. a\n", 7),
    ("a list in a list", OPENING + "# T\n\n- a\n  - b\n", 8),
    ("two paragraphs in an item", OPENING + "# T\n\n- a\n\n  b\n", 9),
    ("a heading in an item", OPENING + "# T\n\n- ## a\n", 7),
    ("a quote", OPENING + "# T\n\n> a\n", 7),
    ("a fence", OPENING + "# T\n\n```\na\n```\n", 7),
    ("a rule", OPENING + "# T\n\n***\n", 7),
    ("a comment", OPENING + "# T\n\n<!-- a -->\n", 7),
    ("a link", OPENING + "# T\n\nsee [a](b)\n", 7),
    ("a code span", OPENING + "# T\n\nsee `a`\n", 7),
    ("an image", OPENING + "# T\n\n![a](b.png)\n", 7),
    ("a cell too many", OPENING + "# T\n\n| a | b |\n| --- | --- |\n| 1 | 2 | 3 |\n", 9),
    ("a definition that nothing shows", OPENING + "# T\n\n[a]: b\n", 7),
    ("an entity", OPENING + "# T\n\ncaf&eacute;\n", 7),
]


@pytest.mark.parametrize(("text", "line"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_cannot_be_set_is_refused_with_its_line(text, line, tmp_path, capsys):
    write(tmp_path / "sources", text)
    (tmp_path / "documents").mkdir()
    assert make_pdfs.main([], tmp_path / "sources", tmp_path / "documents") == 1
    assert capsys.readouterr().err.startswith(f"a.v1.md:{line}: ")
    assert not list((tmp_path / "documents").iterdir())


def test_what_can_be_set_is_set(tmp_path):
    text = OPENING + "# Tîtle (1)\n\nA *b* **c** & 3 < 5 \\| e_f\n\n## Œuvre\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 \\| 2 |  |\n"
    (page,) = prose_of(make_pdfs.make_pdf(write(tmp_path, text)))
    assert " ".join(" ".join(page).split()) == "Tîtle (1) A b c & 3 < 5 | e_f Œuvre • one • two a b 1 | 2"


def test_a_long_table_repeats_its_head_on_the_next_page(tmp_path):
    rows = "".join(f"| row {number} | value |\n" for number in range(60))
    pages = prose_of(make_pdfs.make_pdf(write(tmp_path, OPENING + f"# T\n\n| Name | Worth |\n| --- | --- |\n{rows}")))
    assert len(pages) > 1
    assert all("Name" in page and "Worth" in page for page in pages)
    assert sum(cell.startswith("row ") for page in pages for cell in page) == 60


def test_check_writes_nothing_and_writing_mends(tmp_path, capsys):
    sources, documents = tmp_path / "sources", tmp_path / "documents"
    documents.mkdir()
    write(sources, OPENING + "# T\n\nold\n")
    assert make_pdfs.main(["--check"], sources, documents) == 1
    assert not list(documents.iterdir())
    assert make_pdfs.main([], sources, documents) == 0
    assert make_pdfs.main(["--check"], sources, documents) == 0
    write(sources, OPENING + "# T\n\nnew\n")
    before = (documents / "a.v1.pdf").read_bytes()
    assert make_pdfs.main(["--check"], sources, documents) == 1
    assert (documents / "a.v1.pdf").read_bytes() == before
    assert "make_pdfs.py" in capsys.readouterr().err
    assert make_pdfs.main([], sources, documents) == 0
    assert prose_of((documents / "a.v1.pdf").read_bytes()) == [["T", "new"]]


# --- the HTML pages ---------------------------------------------------------------------------------------------------

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """A page's elements, checked for balance, with the visible text of <main> by section."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.comments, self.links, self.cells = [], [], [], [], []
        self.title, self.sections, self.outside = "", {}, ""
        self.section = None
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "h2":
            self.section = ""
        if tag == "a" and "main" in self.open:
            self.links.append(dict(attrs)["href"])
        if tag in ("td", "th", "li", "p"):
            self.put(" ")
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append((int(dict(attrs).get("rowspan", 1)), int(dict(attrs).get("colspan", 1))))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_comment(self, data):
        self.comments.append((data, "main" in self.open))

    def put(self, data):
        if "main" in self.open and self.section is not None and "h2" not in self.open:
            self.sections[self.section] = self.sections.get(self.section, "") + data

    def handle_data(self, data):
        if "h1" in self.open:
            self.title += data
        elif "h2" in self.open:
            self.section += data
        elif "main" not in self.open and "body" in self.open and not {"script", "style"} & set(self.open):
            self.outside += data
        self.put(data)

    def words(self, section):
        return self.sections[section].split()


def page(name):
    return Page((DOCUMENTS / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES_HTML)
def test_a_page_is_a_whole_page_with_one_title_and_its_surroundings(name):
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>\n")
    made = page(name)
    tags = [tag for tag, _ in made.seen]
    assert ("meta", {"charset": "utf-8"}) in made.seen
    assert made.title == INVENTORY[name]["title"]
    assert tags.count("h1") == tags.count("main") == 1
    assert {"header", "nav", "footer", "script", "style"} <= set(tags)
    assert any(inside for _, inside in made.comments)
    assert len(made.outside.split()) > 8


@pytest.mark.parametrize("name", PAGES_HTML)
def test_links_of_a_page_lead_to_documents(name):
    for link in page(name).links:
        assert link in INVENTORY, link


CHANGED = {"How to send something back", "Return shipping costs", "Gifts"}


def test_returns_policy_4_is_version_3_but_for_what_changed():
    text = (DOCUMENTS / "returns-policy.v3.md").read_text(encoding="utf-8")
    old = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    new = page("returns-policy.v4.html")
    assert list(new.sections) == list(old)
    assert list(old)[:2] == ["Who this policy is for", "Return window"]
    for section, words in old.items():
        plain = re.sub(r"^- |\*", "", words, flags=re.MULTILINE).split()
        same = sorted(plain) == sorted(new.words(section))
        assert same == (section not in CHANGED), section
    costs = " ".join(new.words("Return shipping costs"))
    assert "Rewards members get a free return label." in costs and "$8.95" in costs
    barred = " ".join(new.words("What cannot be returned"))
    assert "opened bags of soil, fertiliser and garden chemicals" in barred and "gift cards" in barred


def test_the_delivery_table_has_merged_cells_and_fills_its_grid():
    cells = page("delivery-rates-and-times.v2.html").cells
    assert any(down > 1 for row in cells for down, _ in row) and any(across > 1 for row in cells for _, across in row)
    taken = set()
    for line, row in enumerate(cells):
        column = 0
        for down, across in row:
            while (line, column) in taken:
                column += 1
            covered = {(line + y, column + x) for y in range(down) for x in range(across)}
            assert not covered & taken
            taken |= covered
    assert taken == {(line, column) for line in range(len(cells)) for column in range(4)}


# --- the French documents ---------------------------------------------------------------------------------------------


def test_four_french_documents_with_eighteen_sections():
    counts = [len(re.findall(r"^## ", (DOCUMENTS / name).read_text(encoding="utf-8"), re.MULTILINE)) for name in FRENCH]
    assert sorted(counts) == [4, 4, 5, 5]


@pytest.mark.parametrize("name", FRENCH)
def test_french_typography(name):
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    assert text.startswith(f"# {INVENTORY[name]['title']}\n")
    assert not re.search(r"[\"'“”]", text), "guillemets and ’"
    assert not re.search(r"[^\u00a0]:", text), "a no-break space before a colon"
    assert not re.search(r"[\s\u00a0][;?!]", text), "Quebec sets no space before ; ? !"
    assert not re.search(r"«[^\u00a0]|[^\u00a0]»", text), "no-break spaces inside guillemets"
    assert not re.search(r"\d [$%hk]", text), "a no-break space before a unit"
    assert not re.search(r"(?i)\b(coeur|oeuvre|soeur|oeil|voeu|boeuf)", text), "œ"


def test_only_one_document_speaks_of_an_extended_warranty():
    texts = {path.name: path.read_text(encoding="utf-8").lower() for path in DOCUMENTS.iterdir() if path.suffix in (".md", ".html")}
    texts |= {pdf: body_of(pdf).lower() for pdf in PDFS}
    pattern = re.compile(r"extended[\s-]+(warranty|warranties|guarantee|cover)|garanties?\s+prolongée|(warranty|protection)\s+plan")
    assert [name for name, text in sorted(texts.items()) if pattern.search(text)] == ["garantie-legale-quebec.v1.md"]
    assert "ne vend aucune garantie prolongée" in texts["garantie-legale-quebec.v1.md"].split("## garantie prolongée")[1]


@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.md")) + [DOCUMENTS / name for name in FRENCH + PAGES_HTML], ids=lambda p: p.name)
def test_text_files_are_plain(path):
    content = path.read_bytes()
    text = content.decode("utf-8")
    assert b"\r" not in content and b"\t" not in content and text.endswith("\n") and not text.endswith("\n\n")
    assert unicodedata.normalize("NFC", text) == text
    assert not re.search(r" +$", text, re.MULTILINE)
