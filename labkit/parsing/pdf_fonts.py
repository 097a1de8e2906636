"""Fonts of a PDF: from the bytes that a page shows to characters, their widths, and whether they are bold (lesson 06).

A PDF stores codes of glyphs, not text. A font says which character a code means, if it says so at all: a font without that table prints
well and reads as nonsense. Such glyphs come out as U+FFFD here, so that whoever counts them can say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font as PdfFont  # pypdf offers what a code means in no other place

UNKNOWN = "\N{REPLACEMENT CHARACTER}"

# Letters that printers tie together, and spaces of fixed width: what a reader reads, not how it was set.
_READ_AS = {
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "ﬓ": "մն", "ﬔ": "մե", "ﬕ": "մի", "ﬖ": "վն", "ﬗ": "մխ",
    "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\t": " ", "\n": " ", "\r": " ",
    "\u200b": "", "\ufeff": "", "\u2060": "",
}  # fmt: skip
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi(?!an)|extrabold|ultra(?!l)", re.IGNORECASE)
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_WINANSI_UNUSED = frozenset((0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D))
_FORCE_BOLD = 1 << 18
_SYMBOLIC = 1 << 2
_STANDARD_NAMES = ("symbol", "zapfdingbats", "wingdings", "webdings")


@dataclass(frozen=True, slots=True)
class Glyph:
    """One glyph: the text it stands for, its width in thousandths of the font's size, and whether it is the one-byte code 32."""

    text: str
    width: float
    word_space: bool


class Font:
    """A font as a page names it. `glyphs(data)` yields what the bytes of a string mean."""

    def __init__(self, resource: DictionaryObject):
        self._font = PdfFont.from_font_resource(resource)
        self._two_bytes = self._font.encoding == "utf-16-be"
        self._named_encoding = isinstance(self._font.encoding, str)
        self._mapped = bool(self._font.character_map)
        self._winansi = _base_encoding(resource) == "/WinAnsiEncoding"
        self._known: dict[int, Glyph] = {}
        # An identity encoding says which glyph, not which character: without a table back there is nothing to read.
        self._mute = not self._font.interpretable or (
            self._two_bytes and not self._mapped and str(resource.get("/Encoding", "")).startswith("/Identity")
        )
        descriptor = _descriptor(resource)
        self.bold = _is_bold(self._font.name, descriptor)
        self.space = self._font.space_width / 1000  # of the font's size
        self.scale = 1.0  # what a size of 1 is worth: only a Type 3 font brings its own
        self.unit = 0.001
        if self._font.sub_type == "Type3":
            self.unit, self.scale = _type3_scale(resource)
        # A symbolic subset without either table may hold any character under any code.
        self.doubtful = (
            not self._mapped
            and "/Encoding" not in resource
            and bool(_number(descriptor.get("/Flags"), 0)) and bool(int(_number(descriptor.get("/Flags"), 0)) & _SYMBOLIC)
            and _SUBSET.match(self._font.name) is not None
            and self._font.sub_type == "TrueType"
            and not any(name in self._font.name.lower() for name in _STANDARD_NAMES)
        )  # fmt: skip

    def glyphs(self, data: bytes) -> Iterator[Glyph]:
        """What each code of a shown string means, in order."""
        known = self._known
        if self._two_bytes:
            codes: Iterator[int] = (data[i] << 8 | data[i + 1] for i in range(0, len(data) - 1, 2))
        elif self._named_encoding:
            codes = map(ord, data.decode(self._font.encoding, "replace"))
        else:
            codes = iter(data)
        for code in codes:
            glyph = known.get(code)
            if glyph is None:
                glyph = known[code] = self._glyph(code)
            yield glyph

    def _glyph(self, code: int) -> Glyph:
        widths = self._font.character_widths
        raw = chr(code)
        width = float(widths.get(raw, widths.get("default", 500)))
        if self._named_encoding:
            text = self._font.character_map.get(raw, UNKNOWN if self._mute or (self._two_bytes and self._mapped) else raw)
            return Glyph(_readable(text), width, False)
        base = self._font.encoding.get(code, raw)
        text = UNKNOWN if self._mute else self._font.character_map.get(base, base)
        if self._winansi and code in _WINANSI_UNUSED and _is_noise(text):
            text = "•"  # what that encoding says of its unused codes
        if len(text) > 1 and text.startswith("/"):  # the name of a glyph that stands in no list
            text = UNKNOWN
        return Glyph(_readable(text), width, code == 32)


def _readable(text: str) -> str:
    """Ligatures apart, spaces plain, control characters (U+0000 among them) and lone surrogates as unknown."""
    return "".join(_READ_AS.get(char, UNKNOWN if _is_noise(char) else char) for char in text)


def _is_noise(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff"


def _number(value: object, other: float) -> float:
    value = value.get_object() if hasattr(value, "get_object") else value
    return float(value) if isinstance(value, int | float) else other


def _base_encoding(resource: DictionaryObject) -> str:
    encoding = resource.get("/Encoding")
    encoding = encoding.get_object() if encoding is not None else None
    return str(encoding.get("/BaseEncoding", "")) if isinstance(encoding, DictionaryObject) else str(encoding)


def _descriptor(resource: DictionaryObject) -> DictionaryObject:
    descendants = resource.get("/DescendantFonts")
    descendants = descendants.get_object() if descendants is not None else None
    owner = descendants[0].get_object() if descendants else resource
    descriptor = owner.get("/FontDescriptor") if isinstance(owner, DictionaryObject) else None
    descriptor = descriptor.get_object() if descriptor is not None else None
    return descriptor if isinstance(descriptor, DictionaryObject) else DictionaryObject()


def _is_bold(name: str, descriptor: DictionaryObject) -> bool:
    if _BOLD_NAME.search(_SUBSET.sub("", name)) or _BOLD_NAME.search(str(descriptor.get("/FontName", ""))[1:]):
        return True
    flags = int(_number(descriptor.get("/Flags"), 0))
    return bool(flags & _FORCE_BOLD) or _number(descriptor.get("/FontWeight"), 400) >= 600 or _number(descriptor.get("/StemV"), 0) >= 125


def _type3_scale(resource: DictionaryObject) -> tuple[float, float]:
    """Of a Type 3 font: what a unit of width is worth, and what a size of 1 is worth, both in text space."""
    try:
        matrix = [float(part) for part in resource["/FontMatrix"]]
        box = [float(part) for part in resource["/FontBBox"]]
    except (KeyError, TypeError, ValueError):
        return 0.001, 1.0
    height = abs(box[3] - box[1]) * abs(matrix[3])
    return abs(matrix[0]) or 0.001, height if 0.1 <= height <= 10 else 1.0
