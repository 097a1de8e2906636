"""PDFs that are broken, locked, scanned or empty: one clear sentence within seconds, the good pages read, nothing left out in silence."""

from __future__ import annotations

import io
import logging
import random
import time
import zlib

import pypdf
import pytest
from pdf_making import IMAGE, by_hand, drawn, lines, put_together, text_stream
from reportlab.lib.pdfencrypt import StandardEncryption

from labkit.errors import DocumentError
from labkit.parsing import pdf_file
from labkit.parsing.pdf import read_pdf

GOOD = by_hand([text_stream(f"Page {place} of a good document, all in order.") for place in (1, 2, 3)])


@pytest.fixture
def read(tmp_path, capfd, caplog):
    def read(data: bytes, seconds: float = 5.0):
        file = tmp_path / "broken.pdf"
        file.write_bytes(data)
        begun = time.monotonic()
        try:
            return read_pdf(file, name="broken.pdf")
        finally:
            assert time.monotonic() - begun < seconds
            assert capfd.readouterr() == ("", "")
            assert not [record for record in caplog.records if record.name.startswith("pypdf")]

    return read


def cyclic_tree() -> bytes:
    return put_together({
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Pages /Kids [2 0 R] /Parent 2 0 R /Count 1 >>",
    })  # fmt: skip


def deep_tree(depth=5000) -> bytes:
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>"}
    for number in range(2, depth):
        objects[number] = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (number + 1)
    objects[depth] = b"<< /Type /Page /MediaBox [0 0 600 800] >>"
    return put_together(objects)


def damaged(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data and len(old) == len(new)
    return data.replace(old, new)


ERRORS = {
    "zero bytes": (b"", "empty"),
    "white space": (b" \n ", "empty"),
    "a text": (b"Dear customer, this is no PDF at all.", "is not a PDF"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(2000), "is not a PDF"),
    "a page of HTML": (b"<!doctype html><p>404 Not found" + b" " * 5000, "is not a PDF"),
    "a header alone": (b"%PDF-1.7\n", "ends too early"),
    "cut in the middle": (GOOD[: len(GOOD) // 2], "ends too early"),
    "cut near the end": (GOOD[:-60], "ends too early"),
    "a tree that refers to itself": (cyclic_tree(), "cannot be opened"),
    "a tree without end": (deep_tree(), "cannot be opened"),
    "no catalog": (put_together({1: b"<< /Type /Nothing >>"}), "cannot be opened"),
    "no pages": (put_together({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"}), "no pages"),
    "pages that are none": (put_together({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"42"}), "cannot be opened"),
    "a page count beyond belief": (
        put_together({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [" + b"3 0 R " * 150_000 + b"] /Count 150000 >>",
                      3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"}), "cannot be opened"),
    "a reference to itself": (put_together({1: b"1 0 R"}), "cannot be opened"),
    "numbers beyond belief": (GOOD.replace(b"/Size 16", b"/Size 999999999999").replace(b"0 16\n", b"0 99999999\n"), "cannot be opened"),
    "noise with the right ends": (b"%PDF-1.7\n" + bytes(range(256)) * 40 + b"\nstartxref\n12\n%%EOF", "cannot be opened"),
    "a password": (drawn(lines("Secret"), encrypt=StandardEncryption("user", "owner", strength=128)), "needs a password"),
}  # fmt: skip


@pytest.mark.parametrize("data, said", ERRORS.values(), ids=ERRORS)
def test_one_clear_error(read, data, said):
    with pytest.raises(DocumentError) as caught:
        read(data, 12)
    message = str(caught.value)
    assert message.startswith("broken.pdf: ") and said in message
    assert " — " in message and "\n" not in message and len(message) < 500


@pytest.mark.parametrize("strength", [40, 128])
def test_an_empty_password_opens(read, strength):
    parsed = read(drawn(lines("Not so secret after all"), encrypt=StandardEncryption("", "owner", strength=strength)))
    assert parsed.text == "Not so secret after all" and parsed.problems == []


def test_a_cipher_that_needs_another_package(read):
    """pypdf undoes AES with a package that labkit does not ask for: said once for the file, with what to do."""
    writer = pypdf.PdfWriter(io.BytesIO(GOOD))
    writer.encrypt("", "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    filters = b"/V 4\n/CF << /StdCF << /CFM /AESV2 /AuthEvent /DocOpen /Length 16 >> >> /StmF /StdCF /StrF /StdCF"
    data = out.getvalue().replace(b"/V 2", filters).replace(b"/R 3", b"/R 4")
    with pytest.raises(DocumentError, match="install the package cryptography"):
        read(data)


def test_a_missing_file_and_a_folder(tmp_path):
    for path in (tmp_path / "nothing.pdf", tmp_path):
        with pytest.raises(DocumentError):
            read_pdf(path)


# --- pages that cannot be read ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize(
    "stream",
    [bytes(400), b"\0", random.Random(7).randbytes(600), b"nothing that a page could hold\n" * 9, b"\x93\xfa\x96{" * 40],
    ids=["zeros", "one zero", "noise", "words", "other bytes"],
)
def test_a_page_whose_content_is_none_is_named(read, stream, compress):
    parsed = read(by_hand([text_stream("This is the first page."), stream, text_stream("This is the third page.")], compress=compress))
    assert [problem.page for problem in parsed.problems] == [2] and parsed.problems[0].todo
    assert [block.page for block in parsed.blocks] == [1, 3]


@pytest.mark.parametrize("stream", [b"", b" \n", b"q Q\n", b"% a remark\n", b"BX xyz EX q Q"], ids=repr)
def test_a_page_that_is_empty_is_no_fault(read, stream):
    parsed = read(by_hand([text_stream("This is the first page."), stream]))
    assert not parsed.problems and len(parsed.pages) == 2


def test_bad_pages_are_named_and_the_others_go_on(read):
    data = by_hand([text_stream(f"This is the text of page {place}, and of no other.") for place in range(1, 6)], compress=True)
    reader = pypdf.PdfReader(io.BytesIO(data))
    second = reader.pages[1].get_contents()
    assert second is not None
    raw = zlib.compress(text_stream("This is the text of page 2, and of no other."))
    data = damaged(data, raw, raw[:10] + bytes(len(raw) - 10))
    # the fourth page has a box that makes no sense
    fourth = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]"
    parts = data.split(fourth)
    data = (
        fourth.join(parts[:4])
        + b"<< /Type /Page /Parent 2 0 R /MediaBox (a broken b)"[: len(fourth)].ljust(len(fourth))
        + fourth.join(parts[4:])
    )
    parsed = read(data)
    assert [problem.page for problem in parsed.problems] == [2, 4]
    assert all(problem.what and problem.todo for problem in parsed.problems)
    assert [block.page for block in parsed.blocks] == [1, 3, 5]
    assert [page.number for page in parsed.pages] == [1, 2, 3, 4, 5]
    assert str(parsed.problems[0]).startswith("page 2: ")


def test_a_page_that_ends_too_early(read):
    good = zlib.compress(text_stream(*(f"Line {place} of the page" for place in range(50))))
    data = by_hand([b"-"])
    cut = good[: len(good) // 2]
    data = put_together({
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(cut), cut),
    })  # fmt: skip
    parsed = read(data)
    assert [problem.page for problem in parsed.problems] == [1]
    assert "missing" in parsed.problems[0].what


def test_an_operator_that_makes_no_sense_is_said(read):
    parsed = read(by_hand([b"BT /F1 11 Tf (x) Td ET " + text_stream("The rest can be read.")]))
    assert parsed.text == "The rest can be read."
    assert [problem.page for problem in parsed.problems] == [1]


def test_a_form_that_draws_itself_ends(read):
    form = b"BT /F1 11 Tf 1 0 0 1 60 700 Tm (Once and for all) Tj ET /Fm Do"
    head = b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Length %d "
    head += b"/Resources << /Font << /F1 4 0 R >> /XObject << /Fm 6 0 R >> >> >>\nstream\n"
    data = by_hand([b"/Fm Do"], resources="<< /XObject << /Fm 6 0 R >> >>", extra={6: head % len(form) + form + b"\nendstream"}.items())
    assert read(data).text == "Once and for all"


def test_a_page_without_end_is_given_up_and_named(read, monkeypatch):
    real = pdf_file.page_content

    def slow(page, fonts, hidden):
        if "Page 2" in page.get_contents().get_data().decode("latin-1"):
            while True:
                try:
                    len("pypdf at work")
                except Exception:  # pypdf has many of these
                    continue
        return real(page, fonts, hidden)

    monkeypatch.setattr(pdf_file, "page_content", slow)
    monkeypatch.setattr(pdf_file, "PAGE_SECONDS", 0.5)
    parsed = read(GOOD)
    assert [(problem.page, "longer than" in problem.what) for problem in parsed.problems] == [(2, True)]
    assert "Page 1" in parsed.text and "Page 3" in parsed.text


def test_pages_that_all_take_too_long_are_not_waited_for(read, monkeypatch):
    def slow(*_):
        while True:
            pass

    monkeypatch.setattr(pdf_file, "page_content", slow)
    monkeypatch.setattr(pdf_file, "PAGE_SECONDS", 0.2)
    parsed = read(by_hand([text_stream(f"Page {place}") for place in range(40)]))
    assert [problem.page for problem in parsed.problems] == list(range(1, 41))


def test_a_file_that_takes_too_long_to_open(read, monkeypatch):
    def endless(*_args, **_options):
        while True:
            pass

    monkeypatch.setattr(pdf_file, "PdfReader", endless)
    monkeypatch.setattr(pdf_file, "_OPEN_SECONDS", 0.3)
    with pytest.raises(DocumentError, match="reasonable time"):
        read(GOOD)


# --- pages without text -----------------------------------------------------------------------------------------------------------------

WITH_IMAGE = {"resources": "<< /Font << /F1 4 0 R >> /XObject << /Im 6 0 R >> >>", "extra": {6: IMAGE}.items()}
SCAN = b"q 600 0 0 800 0 0 cm /Im Do Q "


def test_a_scan_is_reported_and_has_no_blocks(read):
    parsed = read(by_hand([SCAN, SCAN, SCAN], **WITH_IMAGE))
    assert parsed.blocks == [] and parsed.text == ""
    assert [(problem.page, "scan" in problem.what, "OCR" in problem.todo) for problem in parsed.problems] == [(None, True, True)]
    assert len(parsed.pages) == 3


def test_a_scanned_page_among_others_is_named(read):
    parsed = read(by_hand([text_stream("A page of text, to be read."), SCAN], **WITH_IMAGE))
    assert [problem.page for problem in parsed.problems] == [2]
    assert parsed.text == "A page of text, to be read."


def test_a_scan_with_nothing_but_a_stamp_is_named(read):
    parsed = read(by_hand([SCAN + text_stream("Received 3 May")], **WITH_IMAGE))
    assert parsed.text == "Received 3 May"
    assert [problem.page for problem in parsed.problems] == [1]


def test_a_picture_beside_text_and_a_blank_page_are_no_problem(read):
    picture = b"q 100 0 0 100 60 60 cm /Im Do Q " + text_stream("A page of text with a picture on it.")
    assert read(by_hand([picture, b""], **WITH_IMAGE)).problems == []


def test_a_document_of_blank_pages_says_so(read):
    parsed = read(by_hand([b"", b""]))
    assert parsed.blocks == [] and [problem.page for problem in parsed.problems] == [None]


# --- fonts that say nothing -------------------------------------------------------------------------------------------------------------

MUTE = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Garamond /Encoding /Identity-H /DescendantFonts [<< /Type /Font "
    b"/Subtype /CIDFontType2 /BaseFont /ABCDEF+Garamond /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
)


def test_glyphs_that_stand_for_no_known_character_are_reported_not_indexed(read):
    parsed = read(by_hand([b"BT /F1 11 Tf 1 0 0 1 60 700 Tm <003A004400550055> Tj ET"], font=MUTE))
    assert parsed.text == ""
    assert [(problem.page, "font" in problem.what) for problem in parsed.problems] == [(1, True)]


def test_the_good_font_of_such_a_page_is_read(read):
    stream = text_stream("This can be read.") + b"BT /F2 11 Tf 1 0 0 1 60 600 Tm <003A004400550055> Tj ET"
    parsed = read(by_hand([stream], resources="<< /Font << /F1 4 0 R /F2 6 0 R >> >>", extra={6: MUTE}.items()))
    assert parsed.text == "This can be read."
    assert [problem.page for problem in parsed.problems] == [1]


def test_a_font_that_is_missing_or_broken(read):
    for font in (b"<< /Type /Font >>", b"(no font)", b"null"):
        parsed = read(by_hand([text_stream("Lost words")], font=font))
        assert parsed.text == "Lost words" or parsed.problems


def test_pypdf_is_as_loud_as_before(read):
    level = logging.getLogger("pypdf").level
    read(GOOD)
    assert logging.getLogger("pypdf").level == level
