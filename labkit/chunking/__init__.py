"""Cutting documents: windows of words, chunks that follow the structure, and what a cutting did (lesson 07)."""

from labkit.chunking.chunk import Chunk
from labkit.chunking.readings import Readings, begins_inside, readings, times_held
from labkit.chunking.structure import by_structure
from labkit.chunking.windows import LongWindow, Mixture, fixed, mixture, one_long_text, overlapping

__all__ = [
    "Chunk",
    "LongWindow",
    "Mixture",
    "Readings",
    "begins_inside",
    "by_structure",
    "fixed",
    "mixture",
    "one_long_text",
    "overlapping",
    "readings",
    "times_held",
]
