"""Small PDFs for the tests: by reportlab, by fpdf2, and by hand, byte for byte, where a file must be broken."""

from __future__ import annotations

import io
import zlib

from fpdf import FPDF
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
    b"\nstream\n0\nendstream"
)


def drawn(*pages, size=A4, **canvas) -> bytes:
    """A reportlab PDF: each page is a function that gets the canvas."""
    out = io.BytesIO()
    paper = Canvas(out, pagesize=size, invariant=1, **canvas)
    for page in pages:
        page(paper)
        paper.showPage()
    paper.save()
    return out.getvalue()


def write(paper: Canvas, x: float, y: float, text: str, size: float = 10, font: str = "Helvetica") -> None:
    """A line of text; `y` from the top of the page."""
    paper.setFont(font, size)
    paper.drawString(x, paper._pagesize[1] - y, text)


def lines(*texts, x=60, top=80, step=13, size=10, font="Helvetica"):
    """A page with these lines, one below the other."""

    def page(paper):
        for number, text in enumerate(texts):
            write(paper, x, top + number * step, text, size, font)

    return page


def typed(build, **options) -> bytes:
    """An fpdf2 PDF: `build` gets the FPDF, with a first page and a font."""
    paper = FPDF(**options)
    paper.set_auto_page_break(True, margin=20)
    paper.add_page()
    paper.set_font("Helvetica", size=11)
    build(paper)
    return bytes(paper.output())


def by_hand(
    streams, *, resources="<< /Font << /F1 4 0 R >> >>", font=None, page="", extra=(), root="", compress=False, trailer=""
) -> bytes:
    """A PDF from its parts: the content stream of each page (bytes), with a sound cross-reference table.

    Object 1 is the catalog, 2 the page tree, 4 the font; pages and streams follow from 10 on; `extra` holds (number, bytes) of
    other objects.
    """
    font = font or b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    objects = {1: f"<< /Type /Catalog /Pages 2 0 R {root} >>".encode(), 4: font}
    kids = []
    for place, stream in enumerate(streams):
        number = 10 + 2 * place
        kids.append(f"{number} 0 R")
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {resources} /Contents {number + 1} 0 R {page} >>".encode()
        )
        data = zlib.compress(stream) if compress else stream
        flate = b"/Filter /FlateDecode " if compress else b""
        objects[number + 1] = b"<< %s/Length %d >>\nstream\n%s\nendstream" % (flate, len(data), data)
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    objects.update(extra)
    return put_together(objects, trailer=trailer)


def put_together(objects: dict[int, bytes], trailer: str = "") -> bytes:
    """Objects by number, with header, cross-reference table and trailer."""
    data = b"%PDF-1.7\n"
    places = {}
    for number in sorted(objects):
        places[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    start = len(data)
    size = max(objects) + 1
    data += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        data += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 00000 f \n"
    return data + b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer.encode(), start)


def text_stream(*texts, x=60, top=720, step=14, size=11) -> bytes:
    """A content stream that shows these lines."""
    shown = b"".join(
        b"BT /F1 %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n" % (size, x, top - place * step, text.encode("cp1252"))
        for place, text in enumerate(texts)
    )
    return shown
