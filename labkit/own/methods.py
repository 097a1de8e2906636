"""The methods that a report compares: each chunker with each search (lesson 15)."""

from __future__ import annotations

from dataclasses import dataclass

from labkit.own.settings import ChunkerSetting, SearchSetting, Settings


@dataclass(frozen=True)
class Method:
    """One chunker with one search. `name` is the chunker's, and the search's behind it where there are several. `place` and
    `chunker_place` count from 1."""

    name: str
    chunker: ChunkerSetting
    search: SearchSetting
    place: int
    chunker_place: int


def methods_of(settings: Settings) -> list[Method]:
    """Every method of these settings, the one that the others are compared with first."""
    several = len(settings.searches) > 1
    pairs = [(number, chunker, search) for number, chunker in enumerate(settings.chunkers, start=1) for search in settings.searches]
    return [
        Method(f"{chunker.name} + {search.name}" if several else chunker.name, chunker, search, place, number)
        for place, (number, chunker, search) in enumerate(pairs, start=1)
    ]
