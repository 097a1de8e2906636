"""A question that asks two things, as two questions: by rule, in English, without a model (lesson 14).

Not query expansion: the words stay the same, and are only parted. The rules:

1. Sentences that ask nothing are the situation. Each part keeps it, in front: 'he' and 'it' in a part mean somebody in there.
2. Each sentence that ends in a question mark is a part; where nobody typed one, each that begins as a question does.
3. In a sentence that asks, ', and', ' and', ', but' or ';' parts it where another question begins right after. A question begins with a
   question word (a preposition may stand before it, up to five words after it) and its verb: 'by when must I', 'what share of it can'; or
   with a verb and who does it: 'does he', 'can I', and after a comma 'is the', 'may my'. What stands in the sentence before its first
   question ('If he refuses, …') belongs to each of its parts. Before a question word that is not 'who' or 'which' a comma alone is enough.
4. A part has at least three words; a shorter one ('and how much?') stays with the one before it, the first with the next. A text of
   more than eight parts is no question but a page, and is left whole.

'or' never parts: 'is it four days or is it ten?' asks one thing. Nor do 'what I bought and what he sold' or 'the trader who sold it and who
must mend it', in which nothing is asked. When in doubt, nothing is parted; and a question that needs several places of a document for one
answer is not seen here at all, since it asks but one thing. Other languages are left whole.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

from labkit.chunking.sentences import sentence_starts
from labkit.errors import BadArgument

FEWEST = 3  # words of a part
MOST = 8  # parts

_AFTER_A_MARK = "!)]"  # a closing quotation mark after it: somebody else asked
_CLOSING = "?？!.…"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_JOINT = re.compile(r"(?:(?P<comma>[,;])|(?<![\s,;]))\s+(?:and|but)(?:\s+also|\s+then)?\s+|(?P<bare>[,;])\s+", re.IGNORECASE)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREPOSITIONS = _set("about after at before by during for from in of on since till to under until up with within")
_HAVE, _DO, _BE = _set("have has had"), _set("do does did"), _set("is are was were")
_MODAL = _set("can could may might must shall should will would cannot can't won't mustn't shouldn't couldn't")
_VERBS = _HAVE | _DO | _BE | _MODAL | {"am"}
_SUBJECTS = {  # which pronouns a verb goes with, in a question
    **dict.fromkeys(_MODAL, _set("i you he she it we they there anyone someone anybody somebody nobody everyone")),
    **dict.fromkeys(("do", "have", "are", "were"), _set("i you we they")),
    **dict.fromkeys(("does", "is", "was"), _set("he she it anyone someone anybody somebody")),
    "did": _set("i you he she it we they anyone someone"),
    "has": _set("he she"),  # 'has it mended' asks nothing
    "had": _set("i you he she we they"),
    "am": _set("i"),
}
_PRONOUNS = _set("i you he she it we they")
_DETERMINERS = _set("the a an my your his her its our their this that these those any each every such")
_ALONE = _set("when where why who whom")  # their verb follows at once
_NAMING = _set("what which whose")
_ASKING = _ALONE | _NAMING | {"how"}
_SHORT = {"s": "is", "re": "are", "ll": "will", "d": "would"}
_MOST_BETWEEN = 5


def sub_queries(text: str) -> list[str]:
    """The questions that a text asks, in order, each with the situation; [text] itself, unchanged, where it asks one thing. Lesson 14.

    Raises BadArgument where `text` is no string.

    >>> sub_queries("My loan is due. When may the bank write to me, and what does the letter cost?")
    ['My loan is due. When may the bank write to me?', 'My loan is due. What does the letter cost?']
    """
    if not isinstance(text, str):
        raise BadArgument(f"a text is needed, not {text!r}")
    situation, asked = _told_and_asked(text)
    parts = [part for sentence in asked for part in _parts(sentence)]
    if len(parts) > 1 and len(_WORD.findall(parts[0])) < FEWEST:  # 'Who pays?' at the beginning, where nothing stands before
        parts[:2] = [f"{parts[0]}? {parts[1]}"]
    if not 2 <= len(parts) <= MOST:
        return [text]
    return [" ".join([*situation, f"{part}?"]) for part in parts]


def _told_and_asked(text: str) -> tuple[list[str], list[str]]:
    """The sentences that ask nothing, and those that ask (one too short to be a part stays with the one before)."""
    sentences = [text[start:end].strip() for start, end in pairwise([*sentence_starts(text), len(text)])]
    marked = [_without(sentence, _AFTER_A_MARK).endswith(("?", "？")) for sentence in sentences]
    if not any(marked):  # typed without question marks
        marked = [_opening(sentence, 0, comma=True) for sentence in sentences]
    situation: list[str] = []
    asked: list[str] = []
    for sentence, asks in zip(sentences, marked, strict=True):
        if not asks:
            situation.append(sentence)
        elif asked and len(_WORD.findall(sentence)) < FEWEST:
            asked[-1] += f" {sentence}"
        else:
            asked.append(sentence)
    return situation, asked


def _parts(sentence: str) -> list[str]:
    """The questions in a sentence that asks, its mark taken off."""
    sentence = _without(sentence, _CLOSING)
    first = _first_opening(sentence)
    if first is None:
        return [sentence]
    condition = sentence[:first]
    borders = [(first, first)]  # where what came before ends, and where a question begins
    for joint in _JOINT.finditer(sentence, first):
        if _parts_here(sentence, joint) and _is_long_enough(sentence, borders[-1][1], joint.start()):
            borders.append((joint.start(), joint.end()))
    if len(borders) > 1 and not _is_long_enough(sentence, borders[-1][1], len(sentence)):
        borders.pop()
    ends = [*(end for end, _ in borders[1:]), len(sentence)]
    return [_capital(condition + sentence[begin:end].strip()) for (_, begin), end in zip(borders, ends, strict=True)]


def _is_long_enough(sentence: str, start: int, end: int) -> bool:
    return len(list(islice(_WORD.finditer(sentence, start, end), FEWEST))) == FEWEST


def _without(sentence: str, marks: str) -> str:
    """The sentence without these marks, and blanks, at its end."""
    end = len(sentence)
    while end and (sentence[end - 1] in marks or sentence[end - 1].isspace()):
        end -= 1
    return sentence[:end]


def _parts_here(sentence: str, joint: re.Match) -> bool:
    if joint["bare"] == ",":  # 'what is it, where is it kept, and …', but not 'what, in short, must he pay'
        return _opening(sentence, joint.end(), comma=False) and _WORD.search(sentence, joint.end())[0].lower() not in _VERBS
    return _opening(sentence, joint.end(), comma=joint["comma"] is not None or joint["bare"] == ";")


def _capital(part: str) -> str:
    return part[:1].upper() + part[1:]


def _first_opening(sentence: str) -> int | None:
    """Where the first question of a sentence begins: at its beginning, or after one of its commas."""
    for place in (0, *(comma.end() for comma in re.finditer(r"[,:;–—]\s+", sentence))):
        if _opening(sentence, place, comma=True):
            return place
    return None


def _opening(text: str, place: int, comma: bool) -> bool:
    """Whether a question begins here. `comma`: whether one stands before it, which makes a question out of 'is the'."""
    said = (word.lower().replace("’", "'") for word in _WORD.findall(text[place : place + 200])[: _MOST_BETWEEN + 5])
    following = [each for word in said for each in _in_full(word)]
    if not following:
        return False
    if following[0] in _VERBS:
        return _begins_with_verb(following, comma)
    while following and following[0] in _PREPOSITIONS:
        following = following[1:]
    return _begins_with_question_word(following, comma)


def _in_full(word: str) -> tuple[str, ...]:
    """'what's' as 'what is', 'doesn't' as 'does'; other words as they are."""
    base, _, end = word.rpartition("'")
    if end in _SHORT and base in _ASKING:
        return base, _SHORT[end]
    return (word[:-3],) if end == "t" and word[:-3] in _VERBS else (word,)


def _begins_with_verb(following: list[str], comma: bool) -> bool:
    verb, subject = following[0], following[1] if len(following) > 1 else ""
    if subject in _SUBJECTS.get(verb, ()) or (subject == "there" and verb in _BE):
        return True
    return comma and subject in _DETERMINERS


def _begins_with_question_word(following: list[str], comma: bool) -> bool:
    if len(following) < 2:
        return False
    word, rest = following[0], following[1:]
    if rest[:2] == ["is", "more"]:  # 'and what is more, …'
        return False
    if word in ("who", "which") and rest[0] in _VERBS:
        return comma
    if word in _ALONE:
        return rest[0] in _VERBS
    if word not in _NAMING and word != "how":
        return False
    between = next((count for count, each in enumerate(rest) if each in _VERBS), None)
    if between is None or between > _MOST_BETWEEN or any(each in _PRONOUNS for each in rest[:between]):
        return False
    return between == 0 or rest[0] not in _DETERMINERS
