"""Hard pages of good files: thousands of small pieces cost seconds, whatever their pattern, and a busy machine loses no page."""

from __future__ import annotations

import random
import threading
import time

import pytest
from pdf_making import by_hand, drawn, write

from labkit.parsing import pdf_file
from labkit.parsing.pdf import read_pdf
from labkit.parsing.pdf_limits import TooLong, within

SECONDS = 8.0  # of the processor: generous. What looks at each piece from each other one takes minutes here


def shown(pieces) -> bytes:
    """A content stream of (text, x, y from the top, size)."""
    return b"".join(b"BT /F1 %.2f Tf 1 0 0 1 %.2f %.2f Tm (%s) Tj ET\n" % (size, x, 800 - y, text.encode()) for text, x, y, size in pieces)


def spaced_dots():
    """A contents page: spaced dots lead to a page's number, and a wide gap stands in most lines."""
    for row in range(60):
        y, begun = 60 + 11.5 * row, 90 + 3 * (row % 11)
        yield f"{row + 1}.", 50, y, 9
        yield "Chapter", 60, y, 9
        for place in range(80):
            yield ".", begun + 5.2 * place, y, 9
        yield str(row), 550, y, 9


def one_line():
    return ((".", 50 + 0.1 * place, 100, 8) for place in range(5000))


def one_word():
    return (("i", 50 + 0.1 * place, 100, 1) for place in range(5000))


def cells_in_step():
    return (("12", 30 + 11 * (place % 50), 60 + 7 * (place // 50), 5) for place in range(2500))


def cells_out_of_step():
    luck = random.Random(1)
    return (("abc", 30 + 54 * (place % 10) + luck.uniform(0, 20), 40 + 5 * (place // 10), 4) for place in range(1400))


def a_map():
    luck = random.Random(2)
    return ((luck.choice(["Rue", "12", "Parc"]), luck.uniform(20, 560), luck.uniform(20, 780), luck.choice([4, 5, 7])) for _ in range(3000))


def raised_marks():
    for place in range(2500):
        yield "word", 20 + 0.2 * place, 100, 8
        yield "1", 24 + 0.2 * place, 97, 5


def small_print_under_a_title():
    yield "Title", 20, 80, 14
    for place in range(5000):
        yield "x", 20 + 0.22 * (place // 2), 90 + 6 * (place % 2), 5


def boxes():
    return b"".join(b"%d %d 22 30 re S\n" % (20 + 24 * (place % 23), 20 + 32 * (place // 23)) for place in range(520))


def two_cells_each():
    places = [(31 + 24 * (place % 23), 20 + 32 * (place // 23)) for place in range(520)]
    return boxes() + b"".join(b"%d %d m %d %d l S\n" % (x, y, x, y + 30) for x, y in places)


def dashes():
    places = [(20 + 6 * (place % 90), 40 + 10 * (place // 90)) for place in range(6000)]
    return b"".join(b"%d %d m %d %d l S\n" % (x, y, x + 6, y) for x, y in places)


def bullets():
    return b"".join(b"%d %d 3 3 re f\n" % (24 + 11 * (place % 50), 737 - 7 * (place // 50)) for place in range(2000))


@pytest.mark.parametrize(
    ("pieces", "drawing"),
    [
        (spaced_dots, None), (one_line, None), (one_word, None), (cells_in_step, None), (cells_out_of_step, None), (a_map, None),
        (raised_marks, None), (small_print_under_a_title, None), (cells_in_step, two_cells_each), (cells_in_step, dashes),
        (cells_in_step, bullets),
    ],
)  # fmt: skip
def test_a_page_of_thousands_of_pieces_is_read_in_seconds(tmp_path, pieces, drawing):
    file = tmp_path / "hard.pdf"
    file.write_bytes(by_hand([shown(pieces()) + (drawing() if drawing else b""), shown([("The page after it.", 50, 100, 10)])]))
    begun = time.process_time()
    parsed = read_pdf(file)
    assert time.process_time() - begun < SECONDS
    assert parsed.problems == []
    assert parsed.text.endswith("The page after it.")
    if pieces not in (one_line, one_word, a_map, raised_marks, small_print_under_a_title):  # pieces that lie over each other
        letters = sum(len(text) for text, *_ in pieces())
        assert letters <= sum(not char.isspace() for char in parsed.text)


def test_contents_with_spaced_dots_are_lines(tmp_path):
    file = tmp_path / "contents.pdf"
    names = ["Scope", "Words used here", "Returns and refunds", "Warranty"]

    def page(paper):
        for number, name in enumerate(names):
            write(paper, 60, 100 + 14 * number, f"{number + 1}. {name} {' .' * (90 - len(name))} {number + 3}")

    file.write_bytes(drawn(page))
    texts = [block.text for block in read_pdf(file).blocks]
    assert [text.replace(" .", "").split(maxsplit=1)[1].rsplit(maxsplit=1)[0] for text in texts] == names


# --- limits of time ---------------------------------------------------------------------------------------------------------------------


def test_a_busy_machine_loses_no_page():
    """Other work on the same processor makes a page slow by the clock on the wall, not by its own."""
    done = threading.Event()

    def others():
        while not done.is_set():
            sum(range(1000))

    crowd = [threading.Thread(target=others, daemon=True) for _ in range(2)]
    for thread in crowd:
        thread.start()
    try:

        def work():
            begun = time.thread_time()
            while time.thread_time() - begun < 0.2:
                pass
            return "read"

        begun = time.monotonic()
        assert within(0.3, work) == "read"
        assert time.monotonic() - begun > 0.3
    finally:
        done.set()
        for thread in crowd:
            thread.join()


def test_work_that_waits_a_little_is_waited_for_and_work_without_end_is_stopped():
    assert within(0.2, lambda: time.sleep(0.4) or "read") == "read"

    def endless():
        while True:
            pass

    begun = time.process_time()
    with pytest.raises(TooLong):
        within(0.2, endless)
    assert time.process_time() - begun < 2


def test_work_that_waits_for_ever_is_stopped_by_the_clock_on_the_wall():
    begun = time.monotonic()
    with pytest.raises(TooLong):
        within(0.02, lambda: [time.sleep(0.05) for _ in range(10_000)])
    assert 0.4 < time.monotonic() - begun < 30


def test_where_a_thread_has_no_clock_of_its_own_the_process_is_asked(monkeypatch):
    monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    assert within(0.5, lambda: "read") == "read"
    with pytest.raises(TooLong):
        within(0.2, lambda: [None for _ in iter(int, 1)])


def test_a_page_s_limit_is_the_one_that_it_is_told(monkeypatch, tmp_path):
    """The page takes long on the wall, its reader does not."""
    real = pdf_file.page_content

    def waiting(*arguments):
        time.sleep(0.6)
        return real(*arguments)

    monkeypatch.setattr(pdf_file, "page_content", waiting)
    monkeypatch.setattr(pdf_file, "PAGE_SECONDS", 0.4)
    file = tmp_path / "slow.pdf"
    file.write_bytes(by_hand([shown([("A sound page.", 50, 100, 10)])]))
    parsed = read_pdf(file)
    assert (parsed.text, parsed.problems) == ("A sound page.", [])
