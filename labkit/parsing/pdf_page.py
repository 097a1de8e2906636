"""What stands on one page of a PDF: words with their places, ruling lines, pictures (lesson 06).

A page is a small program: it sets a font, moves a pen, shows glyphs, draws paths. This module runs it and notes what becomes visible. It
understands nothing of reading order, lines or tables: that comes later, from the places alone.

All places are in points as a reader sees the page: x from its left edge, y from its top edge downwards, page rotation applied.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pypdf import PageObject
from pypdf.generic import ArrayObject, ContentStream, DictionaryObject, IndirectObject, NameObject, StreamObject

from labkit.parsing.pdf_fonts import UNKNOWN, Font

_DEEPEST_FORM = 20
_MANY_DOTS = 2000
_MANY_STROKES = 60_000  # a map or a drawing, where no table is worth looking for

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
_ONE: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


# Every operator that a page may hold. Source: ISO 32000-2, Annex A; INLINE IMAGE is pypdf's for BI … EI.
_OPERATORS = frozenset(
    b"b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n q Q re RG rg ri s S SC "
    b"sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \"".split()
) | {b"INLINE IMAGE"}


class Word(NamedTuple):
    """A piece of text without a space inside. `y` is its baseline; `turn` the angle it is written at, in quarter turns clockwise, and its
    places are those on the page turned back by it; `spaced` whether a space was shown just before it; `margin` whether the file itself
    marks it as no part of the text."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    turn: int = 0
    spaced: bool = False
    margin: bool = False


class Stroke(NamedTuple):
    """A straight line along an axis: x0 <= x1, y0 <= y1, one of the pairs equal."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass
class PageContent:
    """All that is visible on a page. `dots` holds the boxes of small round or square shapes, which some programs draw for bullets; `unread`
    counts glyphs that stand for no known character, `read` the others; `picture` is the share of the page that its largest picture covers;
    `drawn` counts painted paths; `damaged` says what of it could not be decoded."""

    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    dots: list[Stroke] = field(default_factory=list)
    read: int = 0
    unread: int = 0
    picture: float = 0.0
    drawn: int = 0
    damaged: str = ""


def page_content(page: PageObject, fonts: dict[object, Font], hidden: frozenset[object] = frozenset()) -> PageContent:
    """Runs a page. `fonts` keeps what is known of a document's fonts from page to page; `hidden` holds the layers that are switched off."""
    box = page.cropbox
    left, bottom, right, top = (float(value) for value in (box.left, box.bottom, box.right, box.top))
    left, right, bottom, top = min(left, right), max(left, right), min(bottom, top), max(bottom, top)
    width, height = right - left, top - bottom
    turn = (int(page.rotation) // 90) % 4
    upright: Matrix = {
        0: (1, 0, 0, -1, -left, top),
        1: (0, 1, 1, 0, -bottom, -left),
        2: (-1, 0, 0, 1, right, -bottom),
        3: (0, -1, -1, 0, top, right),
    }[turn]
    if turn % 2:
        width, height = height, width
    content = PageContent(width, height)
    contents = page.get("/Contents")
    contents = contents.get_object() if contents is not None else None
    if isinstance(contents, ArrayObject | StreamObject):
        content.damaged = _damage(contents)
        resources = page.get("/Resources")
        resources = resources.get_object() if resources is not None else None
        resources = resources if isinstance(resources, DictionaryObject) else DictionaryObject()
        _Painter(content, fonts, hidden, page.pdf).run(ContentStream(contents, page.pdf, "bytes"), resources, upright)
    # What lies outside the page is not visible. A little slack, for boxes that cut through a margin.
    slack = 2.0
    content.words = [
        word for word in content.words if word.x1 > -slack and word.x0 < width + slack and -slack < word.y < height + word.size
    ]
    return content


def turned(content: PageContent, turn: int) -> PageContent:
    """The page turned so that text written at `turn` quarter turns stands upright."""
    turn %= 4
    if not turn:
        return content
    width, height = content.width, content.height

    def point(x: float, y: float) -> tuple[float, float]:
        return {1: (y, width - x), 2: (width - x, height - y), 3: (height - y, x)}[turn]

    def box(stroke: Stroke) -> Stroke:
        (xa, ya), (xb, yb) = point(stroke.x0, stroke.y0), point(stroke.x1, stroke.y1)
        return Stroke(min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))

    strokes, dots = [box(stroke) for stroke in content.strokes], [box(dot) for dot in content.dots]
    words = [word._replace(turn=(word.turn - turn) % 4) for word in content.words]  # its places are in its own frame already
    size = (height, width) if turn % 2 else (width, height)
    return replace(content, width=size[0], height=size[1], words=words, strokes=strokes, dots=dots)


class _State(NamedTuple):
    """The graphics state that q and Q save and restore. The text's parameters belong to it, the text matrix does not."""

    matrix: Matrix = _ONE
    font: Font | None = None
    size: float = 0.0
    char_space: float = 0.0
    word_space: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0
    line_width: float = 1.0
    clip: Box | None = None  # what is painted outside of it is not seen


class _Painter:
    """Runs content streams and notes what they leave on the page."""

    def __init__(self, content: PageContent, fonts: dict[object, Font], hidden: frozenset[object], pdf: object):
        self.content = content
        self.fonts = fonts
        self.hidden = hidden
        self.pdf = pdf
        self.marks: list[str] = []  # marked content that is open: '', 'margin', 'off', 'actual'
        self.actual: str | None = None  # what the file says that the glyphs to come stand for
        self.open_forms: list[object] = []

    def run(self, stream: ContentStream, resources: DictionaryObject, matrix: Matrix, clip: Box | None = None) -> None:
        """Runs one stream, the page's own or a form's."""
        state = _State(matrix=matrix, clip=clip)
        clips = False  # the path that is painted next also clips what comes after it
        saved: list[_State] = []
        text = line = _ONE
        path: list[tuple[float, float, float, float]] = []
        boxes: list[tuple[float, float, float, float]] = []
        at = begun = (0.0, 0.0)
        bends: list[tuple[float, float]] = []
        marks_before = len(self.marks)
        strange = sum(operator not in _OPERATORS for _, operator in stream.operations)
        if 2 * strange > len(stream.operations):
            self.content.damaged = self.content.damaged or "its content makes no sense"
        for operands, operator in stream.operations:
            try:
                match operator:
                    case b"BT":
                        text = line = _ONE
                    case b"Tf":
                        state = state._replace(font=self._font(resources, operands[0]), size=float(operands[1]))
                    case b"Tj":
                        text = self._show(state, text, [operands[0]])
                    case b"TJ":
                        text = self._show(state, text, operands[0])
                    case b"'" | b'"':
                        if operator == b'"':
                            state = state._replace(word_space=float(operands[0]), char_space=float(operands[1]))
                        text = line = _times((1, 0, 0, 1, 0, -state.leading), line)
                        text = self._show(state, text, [operands[-1]])
                    case b"Td" | b"TD":
                        if operator == b"TD":
                            state = state._replace(leading=-float(operands[1]))
                        text = line = _times((1, 0, 0, 1, float(operands[0]), float(operands[1])), line)
                    case b"Tm":
                        text = line = _matrix(operands)
                    case b"T*":
                        text = line = _times((1, 0, 0, 1, 0, -state.leading), line)
                    case b"Tc":
                        state = state._replace(char_space=float(operands[0]))
                    case b"Tw":
                        state = state._replace(word_space=float(operands[0]))
                    case b"Tz":
                        state = state._replace(stretch=float(operands[0]) / 100)
                    case b"TL":
                        state = state._replace(leading=float(operands[0]))
                    case b"Ts":
                        state = state._replace(rise=float(operands[0]))
                    case b"Tr":
                        state = state._replace(mode=int(operands[0]))
                    case b"q":
                        saved.append(state)
                    case b"Q":
                        state = saved.pop() if saved else state
                    case b"cm":
                        state = state._replace(matrix=_times(_matrix(operands), state.matrix))
                    case b"w":
                        state = state._replace(line_width=float(operands[0]))
                    case b"gs":
                        state = self._graphics_state(state, resources, operands[0])
                    case b"m":
                        at = begun = (float(operands[0]), float(operands[1]))
                    case b"l":
                        to = (float(operands[0]), float(operands[1]))
                        path.append((*at, *to))
                        at = to
                    case b"c" | b"v" | b"y":
                        at = (float(operands[-2]), float(operands[-1]))
                        bends.append(at)
                    case b"h":
                        path.append((*at, *begun))
                        at = begun
                    case b"re":
                        x, y, w, h = map(float, operands[:4])
                        boxes.append((x, y, x + w, y + h))
                        at = begun = (x, y)
                    case b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*":
                        if operator in (b"s", b"b", b"b*"):
                            path.append((*at, *begun))
                        self._dots(state.matrix, path, boxes, bends)
                        self._paint(state, path, boxes, stroked=operator not in (b"f", b"F", b"f*"))
                        state, clips = _clipped(state, path + boxes, bends) if clips else state, False
                        path, boxes, bends = [], [], []
                    case b"n":
                        state, clips = _clipped(state, path + boxes, bends) if clips else state, False
                        path, boxes, bends = [], [], []
                    case b"W" | b"W*":
                        clips = True
                    case b"Do":
                        self._do(state, resources, operands[0])
                    case b"INLINE IMAGE":
                        self._picture(state.matrix)
                    case b"BMC" | b"BDC":
                        self._begin_mark(operands, resources)
                    case b"EMC":
                        if len(self.marks) > marks_before and self.marks.pop() == "actual":
                            self.actual = None
            except (IndexError, TypeError, ValueError, KeyError, AttributeError):
                # One operator that makes no sense. A viewer goes on too; what it would have shown is missing.
                self.content.damaged = self.content.damaged or "a part of its content makes no sense"
        del self.marks[marks_before:]

    # --- text -------------------------------------------------------------------------------------------------------------

    def _font(self, resources: DictionaryObject, name: object) -> Font | None:
        fonts = resources.get("/Font")
        fonts = fonts.get_object() if fonts is not None else None
        if not isinstance(fonts, DictionaryObject) or name not in fonts:
            return None
        raw = fonts.raw_get(name)
        resource = raw.get_object()
        key = raw.idnum if isinstance(raw, IndirectObject) else id(resource)
        if key not in self.fonts:
            try:
                self.fonts[key] = Font(resource)
            except Exception as error:  # whatever pypdf meets in a broken font
                self.content.damaged = f"font {name} cannot be read ({error})"
                return None
        return self.fonts[key]

    def _show(self, state: _State, text: Matrix, parts: list) -> Matrix:
        """Notes the words of a shown string, and returns the text matrix after it."""
        font = state.font
        size, stretch = state.size, state.stretch
        if font is None:
            self.content.unread += sum(len(part) for part in parts if isinstance(part, bytes))
            return text
        visible = "off" not in self.marks
        margin = "margin" in self.marks
        whole = _times(text, state.matrix)
        a, b, c, d, e, f = whole
        across = (c * c + d * d) ** 0.5
        turn = _turn(a, b)
        em = abs(size) * across * font.scale
        gap = min(max(font.space / 2, 0.1), 0.2) * abs(size)  # wider than kerning, narrower than a space
        bold = font.bold or state.mode == 2
        pen = begin = last = 0.0
        chars: list[str] = []
        spaced = False

        def flush() -> None:
            nonlocal chars, spaced
            if chars and visible:
                word = "".join(chars)
                unknown = word.count(UNKNOWN)
                # Text in a font that says nothing of its codes is kept only if it looks like text.
                if unknown * 2 > len(word) or (font.doubtful and sum(map(str.isalnum, word)) * 2 < len(word)):
                    self.content.unread += len(word)
                elif word and em > 0:
                    self.content.read += len(word)
                    xs, ys = a * begin + c * state.rise + e, b * begin + d * state.rise + f
                    xe, ye = a * last + c * state.rise + e, b * last + d * state.rise + f
                    frame = {0: (xs, xe, ys), 1: (ys, ye, self.content.width - xs),
                             2: (self.content.width - xs, self.content.width - xe, self.content.height - ys),
                             3: (self.content.height - ys, self.content.height - ye, xs)}[turn]  # fmt: skip
                    x0, x1 = min(frame[0], frame[1]), max(frame[0], frame[1])
                    if _is_clipped(state.clip, (xs + xe) / 2, (ys + ye) / 2, em):
                        chars, spaced = [], False
                        return
                    self.content.words.append(Word(word, x0, x1, frame[2], em, bold, turn, spaced, margin))
                spaced = False
            chars = []

        for part in parts:
            if isinstance(part, int | float):
                move = -float(part) / 1000 * size * stretch
                pen += move
                if (pen - last if size > 0 else last - pen) > gap * stretch and chars:
                    flush()
                continue
            if isinstance(part, str):
                part = part.encode("latin-1", "replace")
            for glyph in font.glyphs(part):
                shown = glyph.text
                if self.actual is not None:
                    shown, self.actual = self.actual, ""
                advance = (glyph.width * font.unit * size + state.char_space + (state.word_space if glyph.word_space else 0)) * stretch
                if shown.isspace():
                    flush()
                    spaced = True
                elif shown:
                    if not chars:
                        begin = pen
                    chars.append(shown)
                pen += advance
                if shown and not shown.isspace():
                    # Space between letters belongs to them: a word set wide is still a word.
                    last = pen
        flush()
        return (text[0], text[1], text[2], text[3], text[0] * pen + text[4], text[1] * pen + text[5])

    # --- paths and pictures -----------------------------------------------------------------------------------------------

    def _paint(self, state: _State, path: list, boxes: list, *, stroked: bool) -> None:
        self.content.drawn += len(path) + len(boxes)
        if "off" in self.marks or len(self.content.strokes) > _MANY_STROKES:
            return
        matrix = state.matrix
        for xa, ya, xb, yb in boxes:
            (x0, y0), (x1, y1) = _point(matrix, xa, ya), _point(matrix, xb, yb)
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            width, height = x1 - x0, y1 - y0
            if _is_thin(width, height):
                self._note_line(x0, y0, x1, y1)
            elif stroked:
                self.content.strokes += [Stroke(x0, y0, x1, y0), Stroke(x0, y1, x1, y1), Stroke(x0, y0, x0, y1), Stroke(x1, y0, x1, y1)]
        if stroked:
            for xa, ya, xb, yb in path:
                (x0, y0), (x1, y1) = _point(matrix, xa, ya), _point(matrix, xb, yb)
                x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
                if min(x1 - x0, y1 - y0) <= 0.5 and max(x1 - x0, y1 - y0) > 1:
                    self._note_line(x0, y0, x1, y1)
            return
        for piece in _subpaths(path):  # a filled shape that is as thin as a line
            points = [_point(matrix, x, y) for xa, ya, xb, yb in piece for x, y in ((xa, ya), (xb, yb))]
            x0, x1 = min(x for x, _ in points), max(x for x, _ in points)
            y0, y1 = min(y for _, y in points), max(y for _, y in points)
            if _is_thin(x1 - x0, y1 - y0):
                self._note_line(x0, y0, x1, y1)

    def _note_line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        if x1 - x0 > y1 - y0:
            self.content.strokes.append(Stroke(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2))
        else:
            self.content.strokes.append(Stroke((x0 + x1) / 2, y0, (x0 + x1) / 2, y1))

    def _dots(self, matrix: Matrix, path: list, boxes: list, bends: list) -> None:
        """Notes a shape that is as wide as it is high, and small."""
        if "off" in self.marks or len(self.content.dots) > _MANY_DOTS or not 4 <= 4 * len(boxes) + len(path) + len(bends) <= 40:
            return
        points = [(x, y) for xa, ya, xb, yb in path + boxes for x, y in ((xa, ya), (xb, yb))] + bends
        places = [_point(matrix, x, y) for x, y in points]
        x0, x1 = min(x for x, _ in places), max(x for x, _ in places)
        y0, y1 = min(y for _, y in places), max(y for _, y in places)
        if 0.5 <= x1 - x0 <= 15 and 0.75 <= (y1 - y0) / (x1 - x0) <= 1.33:
            self.content.dots.append(Stroke(x0, y0, x1, y1))

    def _picture(self, matrix: Matrix) -> None:
        area = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])
        page = self.content.width * self.content.height
        self.content.picture = max(self.content.picture, min(area / page, 1.0) if page else 0.0)

    def _do(self, state: _State, resources: DictionaryObject, name: object) -> None:
        objects = resources["/XObject"].get_object()
        raw = objects.raw_get(name)
        form = raw.get_object()
        if not isinstance(form, StreamObject) or (form.get("/OC") is not None and self._is_off(form.raw_get("/OC"))):
            return
        if form.get("/Subtype") == "/Image":
            self._picture(state.matrix)
            return
        key = raw.idnum if isinstance(raw, IndirectObject) else id(form)
        if form.get("/Subtype") != "/Form" or key in self.open_forms or len(self.open_forms) >= _DEEPEST_FORM:
            return
        matrix = _times(_matrix(form["/Matrix"]), state.matrix) if "/Matrix" in form else state.matrix
        own = form.get("/Resources")
        own = own.get_object() if own is not None else None
        self.content.damaged = self.content.damaged or _damage(form)
        self.open_forms.append(key)
        try:
            state = state._replace(matrix=matrix)
            if "/BBox" in form:
                x0, y0, x1, y1 = (float(value) for value in form["/BBox"])
                state = _clipped(state, [(x0, y0, x1, y1)], [(x0, y1), (x1, y0)])
            own = own if isinstance(own, DictionaryObject) else resources
            self.run(ContentStream(form, self.pdf, "bytes"), own, matrix, state.clip)
        finally:
            self.open_forms.pop()

    def _graphics_state(self, state: _State, resources: DictionaryObject, name: object) -> _State:
        extra = resources["/ExtGState"].get_object()[name].get_object()
        if "/Font" in extra:
            font, size = extra["/Font"][0], extra["/Font"][1]
            holder = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F"): font})})
            state = state._replace(font=self._font(holder, "/F"), size=float(size))
        return state

    # --- marked content ---------------------------------------------------------------------------------------------------

    def _begin_mark(self, operands: list, resources: DictionaryObject) -> None:
        tag, properties = operands[0], operands[1] if len(operands) > 1 else None
        raw = None
        if isinstance(properties, NameObject):
            named = resources.get("/Properties")
            named = named.get_object() if named is not None else None
            raw = named.raw_get(properties) if isinstance(named, DictionaryObject) and properties in named else None
            properties = raw.get_object() if raw is not None else None
        properties = properties if isinstance(properties, DictionaryObject) else DictionaryObject()
        if tag == "/OC":
            self.marks.append("off" if raw is not None and self._is_off(raw) else "")
        elif tag == "/Artifact":
            self.marks.append("margin" if properties.get("/Type") == "/Pagination" or "/Subtype" in properties else "")
        elif "/ActualText" in properties and self.actual is None:
            self.marks.append("actual")
            self.actual = _text_of(properties["/ActualText"])
        else:
            self.marks.append("")

    def _is_off(self, layer: object) -> bool:
        if isinstance(layer, IndirectObject):
            if layer.idnum in self.hidden:
                return True
            layer = layer.get_object()
        if isinstance(layer, DictionaryObject) and layer.get("/Type") == "/OCMD" and "/OCGs" in layer:
            members = layer.raw_get("/OCGs")
            members = (
                members.get_object() if not isinstance(members, IndirectObject) or isinstance(members.get_object(), list) else [members]
            )
            return bool(members) and all(isinstance(member, IndirectObject) and member.idnum in self.hidden for member in members)
        return False


_ASKEW = 0.18  # a slope of 10 degrees
_THIN = 3.0  # points: a filled box no wider than this, and much longer, is a line


def _clipped(state: _State, lines: list[tuple[float, float, float, float]], points: list[tuple[float, float]]) -> _State:
    """The state with its clip narrowed to the box around a path; a path that is none changes nothing."""
    corners = [point for xa, ya, xb, yb in lines for point in ((xa, ya), (xb, yb), (xa, yb), (xb, ya))] + points
    if not corners:
        return state
    places = [_point(state.matrix, x, y) for x, y in corners]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    left, top, right, bottom = state.clip or (min(xs), min(ys), max(xs), max(ys))
    return state._replace(clip=(max(left, min(xs)), max(top, min(ys)), min(right, max(xs)), min(bottom, max(ys))))


def _is_clipped(clip: Box | None, x: float, y: float, size: float) -> bool:
    """Whether a word is out of sight whose baseline's middle is at this place; one that is cut through is read."""
    if clip is None:
        return False
    left, top, right, bottom = clip
    return not (left - size <= x <= right + size and top - 0.2 * size <= y <= bottom + 0.7 * size)


def _subpaths(path: list[tuple[float, float, float, float]]) -> Iterator[list[tuple[float, float, float, float]]]:
    """The pieces of a path that hang together: a whole table's rules may be filled at once."""
    piece: list[tuple[float, float, float, float]] = []
    for line in path:
        if piece and piece[-1][2:] != line[:2]:
            yield piece
            piece = []
        piece.append(line)
    if piece:
        yield piece


def _is_thin(width: float, height: float) -> bool:
    return min(width, height) <= _THIN and max(width, height) > 4 * min(width, height)


def _text_of(value: object) -> str:
    if isinstance(value, bytes):
        if value.startswith(b"\xfe\xff"):
            return value[2:].decode("utf-16-be", "replace")
        return value.decode("latin-1")
    return str(value)


def _damage(contents: object) -> str:
    """'' where a page's streams can be decoded to their end. pypdf gives what it can get of a broken one and does not say so."""
    parts = contents if isinstance(contents, ArrayObject) else [contents]
    for part in parts:
        stream = part.get_object()
        if not isinstance(stream, StreamObject):
            continue
        raw = getattr(stream, "_data", b"")
        if raw and not raw.strip(b"\0"):
            return "its content is nothing but zeros"
        if not raw or stream.get("/Filter") not in ("/FlateDecode", ["/FlateDecode"]):
            continue
        unpack = zlib.decompressobj(-zlib.MAX_WBITS)  # without the checksum, which some writers leave out
        try:
            plain = unpack.decompress(raw.lstrip(b"\r\n")[2:], 75_000_000)
        except zlib.error:
            return "its content is damaged"
        if not unpack.eof and not unpack.unconsumed_tail:
            return "its content ends too early"
        if plain and not plain.strip(b"\0"):
            return "its content is nothing but zeros"
    return ""


def _matrix(values: list) -> Matrix:
    a, b, c, d, e, f = (float(value) for value in values[:6])
    return (a, b, c, d, e, f)


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2], m[0] * n[1] + m[1] * n[3], m[2] * n[0] + m[3] * n[2], m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4], m[4] * n[1] + m[5] * n[3] + n[5],
    )  # fmt: skip


def _point(m: Matrix, x: float, y: float) -> tuple[float, float]:
    return m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]


def _turn(a: float, b: float) -> int:
    """Quarter turns clockwise of a direction on a page whose y runs downwards. Text a little askew goes to the nearest; text that
    is slanted (a stamp across the page) stands in another direction than the page."""
    if abs(b) <= _ASKEW * abs(a):
        return 0 if a >= 0 else 2
    return 1 if b >= 0 else 3
