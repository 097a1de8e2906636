"""BM25: how much one word of a question says about one text (lesson 03).

    score of a text = sum over the words of the question of   rarity × gain

`rarity` asks how few texts hold the word. `gain` asks how often this text holds it, with diminishing returns and a little help for
short texts. Both are SQLite FTS5's forms, so that what you compute by hand is what the index answers (lesson 04).

Sources: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3;
SQLite, "FTS5 Extension", section 5.1.1 (the bm25() function), and its source, fts5_aux.c.
"""

from __future__ import annotations

import math

from labkit.errors import BadArgument
from labkit.numeric import is_number
from labkit.textfiles import quoted

K1 = 1.2  # how soon a repeated word stops helping
B = 0.75  # how much of the length counts: 0 nothing, 1 all of it
FLOOR = 1e-6  # what SQLite puts in the place of a rarity that is not positive


def rarity(N: int, n: int, floor: float | None = FLOOR) -> float:  # noqa: N803 (the literature's letters)
    """How much it tells that a text holds a word: ln((N - n + 0.5) / (n + 0.5)).

    N: number of texts searched. n: how many of them hold the word, however often (its document frequency), 0 <= n <= N.
    A word in more than half of the texts would get a negative number, and a text would lose by holding it. SQLite puts
    `floor` in the place of every value that is not positive; `floor=None` gives the bare value.

    >>> round(rarity(8, 2), 4)
    0.9555

    Raises BadArgument. Lesson 03. Source: Robertson and Zaragoza 2009, eq. 3.3 (the Robertson/Spärck Jones weight without relevance
    information); the floor is SQLite's, fts5_aux.c.
    """
    _number(N=N, n=n)
    if N < 0 or n < 0:
        raise BadArgument(f"rarity(N={N}, n={n}): both count texts, so neither can be negative")
    if n > N:
        raise BadArgument(
            f"rarity(N={N}, n={n}): n of the N texts hold the word, so n cannot be larger — count texts, not occurrences"
        )
    if floor is not None:
        _number(floor=floor)
        if floor < 0:
            raise BadArgument(f"floor is {floor}; it takes the place of negative values, so give 0 or more (None: no floor)")
    value = math.log((N - n + 0.5) / (n + 0.5))
    return float(floor) if floor is not None and value <= 0 else value


def gain(f: int, length: int, average_length: float, k1: float = K1, b: float = B) -> float:
    """What f occurrences of a word are worth: f × (k1 + 1) / (f + k1 × (1 - b + b × length / average_length)).

    f: how often the text holds the word. length: words of this text. average_length: words of all texts searched ÷ their number.
    One occurrence in a text of average length gives 1; more give more, but never k1 + 1. f = 0 gives 0.

    >>> round(gain(2, 6, 7.25), 4)
    1.4451

    Raises BadArgument. Lesson 03. Source: Robertson and Zaragoza 2009, eq. 3.15 (times k1 + 1, as SQLite's fts5_aux.c has it).
    """
    _number(f=f, length=length, average_length=average_length, k1=k1, b=b)
    if f < 0 or length < 0:
        raise BadArgument(f"gain(f={f}, length={length}): both count words, so neither can be negative")
    if f > length:
        raise BadArgument(f"gain(f={f}, length={length}): a text of {length} words cannot hold a word {f} times")
    if average_length <= 0:
        raise BadArgument(f"average_length is {average_length}; texts without words have no average to compare with")
    if k1 < 0:
        raise BadArgument(f"k1 is {k1}; it must be 0 (repeats do not help) or more")
    if not 0 <= b <= 1:
        raise BadArgument(f"b is {b}; it is a share of the length, from 0 to 1")
    if f == 0:
        return 0.0
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / average_length))


def _number(**values: float) -> None:
    """Every value is a finite number. (True is a number to Python, hardly to anyone else.)"""
    for name, value in values.items():
        if not is_number(value):
            raise BadArgument(f"{name} must be a finite number, not {quoted(value)}")
