"""Lesson 11, long documents: the learner finds the headings above a text, expands children to parents, and packs blocks into children."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

QUESTION = "When must an estimate for a repair be given, and what may it cost?"

RULES = [
    (1, "Part 1 Lending"),
    (2, "Scope"),
    (0, "These rules hold for all members."),
    (2, "Time"),
    (3, "Extensions"),
    (0, "Ask before the book is due."),
    (1, "Part 2 Rooms"),
    (0, "Rooms close at nine."),
    (2, "Scope"),
    (0, "These rules hold for guests too."),
]
"""A library's rules as (level, words), level 0 for a text: a heading that comes twice, a level-3 heading before one of level 1."""

_JUMPS = [(1, "A"), (3, "B"), (0, "b"), (3, "C"), (0, "c"), (2, "D"), (0, "d"), (0, "e")]
_PATHS = '''
def heading_paths(blocks):
    """For each text, the headings above it, outermost first.

    blocks: (level, words) in order; level 0 is a text, 1 to 6 a heading.
    """
    above = []  # the headings that are open: (level, words), outermost first
    paths = []
    for level, words in blocks:
        if level == 0:
'''

HEADING_PATHS = FunctionExercise(
    "heading-paths",
    stub=_PATHS
    + '''            paths.append([heading for _, heading in above])
            continue
        ...  # which of the open headings does this one close?
        above.append((level, words))
    return paths


lesson.check("heading-paths", heading_paths)
''',
    solution=_PATHS
    + '''            paths.append([heading for _, heading in above])
            continue
        while above and above[-1][0] >= level:  # this one closes them
            above.pop()
        above.append((level, words))
    return paths


lesson.check("heading-paths", heading_paths)
''',
    cases=[
        (RULES,),
        (_JUMPS,),
        ([(0, "before any heading"), (2, "A"), (0, "a"), (1, "B"), (0, "b")],),
        ([(1, "A"), (2, "B"), (3, "C"), (0, "c"), (2, "D"), (0, "d"), (3, "E"), (0, "e")],),
        ([(1, "Fees"), (0, "one"), (1, "Fees"), (2, "Late"), (0, "two")],),
        ([],),
    ],
    mistakes=[
        mistake("nothing-closed", ("while above and above[-1][0] >= level:", "while False:")),
        mistake("same-level-open", ("[0] >= level", "[0] > level")),
        mistake("one-closed", ("while above and", "if above and")),
        mistake("same-level-only", ("[0] >= level", "[0] == level")),
        mistake("higher-closed", ("[0] >= level", "[0] <= level")),
        mistake("last-heading", ("[heading for _, heading in above]", "[heading for _, heading in above[-1:]]")),
        mistake("outermost", ("[heading for _, heading in above]", "[heading for _, heading in above[:1]]")),
        mistake("innermost-first", ("[heading for _, heading in above]", "[heading for _, heading in reversed(above)]")),
        mistake("levels-too", ("[heading for _, heading in above]", "list(above)")),
        mistake("text-too", ("[heading for _, heading in above]", "[heading for _, heading in above] + [words]")),
        mistake(
            "level-as-place",
            ("        while above and above[-1][0] >= level:  # this one closes them\n            above.pop()\n",
             "        del above[level - 1 :]\n"),
        ),
        mistake(
            "first-of-that-name",
            ("            paths.append([heading for _, heading in above])",
             "            path, limit = [], 7\n"
             "            place = blocks.index(above[-1]) if above else -1\n"
             "            for depth, heading in reversed(blocks[: place + 1]):\n"
             "                if 0 < depth < limit:\n"
             "                    path.insert(0, heading)\n"
             "                    limit = depth\n"
             "            paths.append(path)"),
        ),
        mistake(
            "one-list",
            source='''
def heading_paths(blocks):
    above, levels, paths = [], [], []
    for level, words in blocks:
        if level == 0:
            paths.append(above)
            continue
        while levels and levels[-1] >= level:
            levels.pop()
            above.pop()
        levels.append(level)
        above.append(words)
    return paths


lesson.check("heading-paths", heading_paths)
''',
        ),
    ],
)

FOUND = [("2b", 2), ("1a", 1), ("2a", 2), ("3a", 3), ("1c", 1), ("2c", 2)]
"""Six children with their parents, best first: three of 2, two of 1, one of 3. Parents are small numbers, which come out of a set in the
same order each time (sorted): that of letters is another in each session, and `list(set(…))` would be right in one of them."""

_EXPAND = '''
def expand(found):
    """The parents that the children bring, each once, in the order of its best child.

    found: (child, parent) pairs, best first.
    """
    parents = []
    for child, parent in found:
'''

EXPAND = FunctionExercise(
    "expand",
    stub=_EXPAND
    + '''        ...
    return parents


lesson.check("expand", expand)
''',
    solution=_EXPAND
    + '''        if parent not in parents:
            parents.append(parent)
    return parents


lesson.check("expand", expand)
''',
    cases=[
        (FOUND,),
        ([("3b", 3), ("1a", 1), ("2a", 2), ("2b", 2)],),
        ([("2a", 2), ("1a", 1), ("1b", 1), ("1c", 1), ("3a", 3)],),
        ([("1a", 1)],),
        ([],),
    ],
    mistakes=[
        mistake("each-time", ("        if parent not in parents:\n            parents", "        parents")),
        mistake("neighbours", ("if parent not in parents:", "if not parents or parents[-1] != parent:")),
        mistake("sorted", ("return parents", "return sorted(parents)")),
        mistake("last-child", ("        if parent not in parents:\n            parents.append(parent)",
                               "        if parent in parents:\n            parents.remove(parent)\n        parents.append(parent)")),
        mistake("most-children", ("return parents", "return sorted(parents, key=lambda one: -sum(p == one for _, p in found))")),
        mistake("children", ("if parent not in parents:\n            parents.append(parent)",
                             "if child not in parents:\n            parents.append(child)")),
        mistake("best-child-too", ("parents.append(parent)", "parents.append((child, parent))"),
                ("parent not in parents", "all(parent != p for _, p in parents)")),
        mistake("worst-first", ("return parents", "return parents[::-1]")),
        mistake("first-only", ("return parents", "return parents[:1]")),
        mistake("several-only", ("return parents", "return [one for one in parents if sum(p == one for _, p in found) > 1]")),
        mistake("a-set", ("return parents", "return set(parents)")),
    ],
)  # fmt: skip

BLOCKS = [(300, None), (400, 0.10), (500, 0.20), (850, 0.55), (300, 0.45), (1900, None), (120, None)]
"""Seven blocks of one article as (characters, how alike it is to the block before): block 5 is a table."""

_PACK = '''
def pack(blocks, threshold=0.40, minimum=800, maximum=1600):
    """The blocks of one parent as children: lists of numbers of blocks, from 0.

    blocks: (characters, alike) in order. alike: the similarity to the block
    before; None for the first block, for a table, and for the one after a table.
    """
    children = []
    for number, (characters, alike) in enumerate(blocks):
'''
_PACK_END = '''
        if joins:
            children[-1].append(number)
            size = size + characters
        else:
            children.append([number])
            size = characters
    return children


lesson.check("pack", pack)
'''
_JOINS = '''        if alike is None:
            joins = False
        else:  # `size`: the characters of the child so far
'''

PACK = FunctionExercise(
    "pack",
    stub=_PACK + _JOINS + '''            wanted = ...
            fits = ...
            joins = wanted and fits
''' + _PACK_END.lstrip("\n"),
    solution=_PACK + _JOINS + '''            wanted = alike >= threshold or size < minimum
            fits = size + characters <= maximum
            joins = wanted and fits
''' + _PACK_END.lstrip("\n"),
    cases=[
        (BLOCKS,),
        ([(500, None), (600, 0.40), (500, 0.90), (400, 0.40)],),
        ([(800, None), (300, 0.39), (500, 0.10), (200, 0.20)],),
        ([(900, None), (300, 0.40), (400, 0.41)],),
        ([(300, None), (1700, 0.90), (100, 0.90)],),
        ([(200, None), (1500, 0.90), (200, 0.05)],),
        ([(100, None), (900, None), (100, None), (200, 0.1)],),
        ([(450, None), (450, 0.3), (450, 0.3), (450, 0.8), (450, 0.1), (900, 0.9)],),
        ([(300, None), (850, 0.10), (200, 0.10)],),
        ([(300, None), (200, 0.55), (200, 0.45), (100, 0.60), (400, 0.40)], 0.50, 400, 700),
        ([],),
    ],
    mistakes=[
        mistake("minimum-alone", ("alike >= threshold or size < minimum", "size < minimum")),
        mistake("meaning-alone", ("alike >= threshold or size < minimum", "alike >= threshold")),
        mistake("both-needed", ("alike >= threshold or size < minimum", "alike >= threshold and size < minimum")),
        mistake("unlike-joined", ("alike >= threshold or", "alike < threshold or")),
        mistake("threshold-itself", ("alike >= threshold or", "alike > threshold or")),
        mistake("minimum-passed", ("size < minimum", "size <= minimum")),
        mistake("block-below", ("size < minimum", "characters < minimum")),
        mistake("as-printed", ("alike >= threshold or size < minimum", "alike >= 0.40 or size < 800"),
                ("size + characters <= maximum", "size + characters <= 1600")),
        mistake("too-late", ("size + characters <= maximum", "size <= maximum")),
        mistake("exact-left-out", ("size + characters <= maximum", "size + characters < maximum")),
        mistake("block-alone", ("size + characters <= maximum", "characters <= maximum")),
        mistake("no-maximum", ("size + characters <= maximum", "True")),
        mistake("minimum-first", ("size < minimum", "size + characters <= minimum")),
        mistake("either", ("joins = wanted and fits", "joins = wanted or fits")),
        mistake("all-that-fits", ("alike >= threshold or size < minimum", "True")),
    ],
)  # fmt: skip

EXERCISES = [HEADING_PATHS, EXPAND, PACK]
PREDICTIONS = [
    Prediction("five-children", 5, form=".0f", low=1, high=5),
    Prediction("windows", 0, form=".0f", low=-80, high=80),
    Prediction("whole-articles", 40, form=".0f", low=0, high=80),
]
