"""Cutting documents: windows of words, chunks that follow the structure, and what a cutting did (lesson 07)."""

from labkit.chunking.chunk import Chunk, Cut, body_words, make_chunks
from labkit.chunking.readings import Readings, begins_inside, readings, times_held
from labkit.chunking.records import chunk_lines, chunks_of_lines
from labkit.chunking.sentences import sentence_starts
from labkit.chunking.structure import by_structure
from labkit.chunking.windows import LongWindow, Mixture, fixed, mixture, one_long_text, overlapping

__all__ = [
    "Chunk",
    "Cut",
    "LongWindow",
    "Mixture",
    "Readings",
    "begins_inside",
    "body_words",
    "by_structure",
    "chunk_lines",
    "chunks_of_lines",
    "fixed",
    "make_chunks",
    "mixture",
    "one_long_text",
    "overlapping",
    "readings",
    "sentence_starts",
    "times_held",
]
