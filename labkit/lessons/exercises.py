"""Exercises. One object holds all of one: its stub, its solution, how an answer is judged, and its typical mistakes.

The words that a learner reads about it (title, hints, what each mistake is told) stand in texts/<language>/NN.toml under its name.
A check ends in one of three outcomes: correct, not yet, not attempted. It never raises, whatever the learner hands it.
"""

from __future__ import annotations

import ast
import difflib
import dis
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from labkit.lessons import running
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET, Outcome
from labkit.lessons.comparing import (
    RECOGNISE,
    RIGHT,
    array_size,
    difference,
    has_nan,
    items_of,
    kind_words,
    plain,
    rounded_to,
    same,
    write,
)
from labkit.lessons.texts import engine, fill


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer. `key` names its message in the texts.

    Give one of: `swap`, pairs of (old, new) text made in the solution; `source`, a whole cell; `value`, the wrong value itself
    (for choices: only the entries that tell). `survives` is for TestsExercise: the names of the mutants that such tests do not notice.
    """

    key: str
    swap: tuple[tuple[str, str], ...] = ()
    source: str = ""
    value: object = ...
    survives: tuple[str, ...] | None = None

    def cell(self, solution: str) -> str:
        """The cell's source with this mistake in it; '' for a mistake that is a value."""
        if self.source:
            return self.source.strip("\n")
        if not self.swap:
            return ""
        text = solution
        for old, new in self.swap:
            if old not in text:
                raise ValueError(f"mistake {self.key}: the solution does not hold {old!r}")
            text = text.replace(old, new)
        return text


def mistake(key: str, *swap: tuple[str, str], source: str = "", value: object = ..., survives: Iterable[str] | None = None) -> Mistake:
    """A Mistake in one line: `mistake("base-10", ("math.log(", "math.log10("))`."""
    return Mistake(key, tuple(swap), source, value, None if survives is None else tuple(survives))


class _Recorder:
    """Stands for `lesson` while a solution or a mistake runs: keeps what is handed to check, and lets everything else be."""

    def __init__(self, answers: Mapping[str, Callable] | None = None):
        self.answers = dict(answers or {})
        self.checked: dict[str, object] = {}

    def check(self, name, answer=...):
        self.checked[name] = answer

    def answer(self, name):
        return self.answers[name]

    def predict(self, name, guess=...):
        pass

    def reveal(self, name, measured=...):
        pass


def run_cell(source: str, name: str, given: str = "") -> object:
    """What a cell hands to `lesson.check(name, …)` when it runs after `given`. Author's code: its exceptions go through."""
    lesson = _Recorder()
    space = {"lesson": lesson, "__name__": "__exercise__"}
    if given:
        exec(compile(given, f"<given {name}>", "exec"), space)
    exec(compile(source, f"<cell {name}>", "exec"), space)
    return lesson.checked[name]


class Exercise:
    """What all kinds share. `name` is the word that a learner types; its cell has the id 'exercise-<name>' and the tag 'exercise'.

    `stub` and `solution` are whole cells; both end with `lesson.check("<name>", …)`. A blank is written `...`. `given` is code that
    makes the names which the lesson's earlier cells have made before the learner reaches this one.
    """

    kind = "exercise"

    def __init__(self, name: str, stub: str, solution: str, mistakes: Iterable[Mistake] = (), *, given: str = "", form: str = ".4f"):
        self.name = name
        self.stub = stub.strip("\n")
        self.solution = solution.strip("\n")
        self.mistakes = tuple(mistakes)
        self.given = given
        self.form = form

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def evaluate(self, source: str) -> object:
        """What `source` hands to the check."""
        return run_cell(source, self.name, self.given)

    @cached_property
    def reference(self) -> object:
        """What the solution hands to the check."""
        return self.evaluate(self.solution)

    def said(self, texts: Mapping, key: str, **values) -> str:
        """The message of a typical mistake."""
        return fill(texts["mistakes"][key], **values)

    def check(self, answer: object, texts: Mapping, source: str | None = None) -> Outcome:
        """Judges `answer`. `texts` are this exercise's; `source` is the cell's, where it is known. Never raises for a wrong answer."""
        blanks = open_blanks(source)
        fresh = source is not None and blanks and len(blanks) >= len(open_blanks(self.stub))
        if answer is ... and (fresh or source is None or not blanks):
            return self.not_attempted()
        if answer is ...:
            return self.blank_left(blanks)
        return self.judge(answer, texts, blanks, fresh)

    def judge(self, answer: object, texts: Mapping, blanks: list[str], fresh: bool) -> Outcome:
        """The verdict on an answer that is not a blank itself. `blanks` are the cell's open ones; `fresh`: all of the stub's are open."""
        raise NotImplementedError

    def not_attempted(self) -> Outcome:
        """Nothing was tried yet: what to do first, without a word of blame."""
        return Outcome(NOT_ATTEMPTED, engine("answer.not_attempted", name=self.name))

    def blank_left(self, blanks: list[str]) -> Outcome:
        """Some blanks are filled: the line of the first that is not."""
        return Outcome(NOT_YET, engine("answer.blank_left", line=blanks[0]), "blank-left")

    def not_yet(self, key: str, text: str, value: object = None, code: str | None = None, general: bool = True) -> Outcome:
        """Tried, and not there: `text`, and for a `general` fault also where a hint is to be had."""
        hint = "\n" + engine("answer.try_hint", name=self.name) if general else ""
        return Outcome(NOT_YET, text + hint, key, None if value is None else write(value, self.form), code)


def open_blanks(source: str | None) -> list[str]:
    """The lines of a cell in which a blank (`...` as a value, a whole index, or the whole body of a function) stands. `x[..., 0]` and
    `Tuple[int, ...]` are none; nor is a source that is not Python (a magic command), which has no blanks that we could know."""
    if not source:
        return []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            inside.update(id(each) for each in ast.walk(node.slice))
    lines = source.split("\n")
    found = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value is ... and id(node) not in inside
    ]
    return [lines[number - 1].strip() for number in sorted(found)]


class FunctionExercise(Exercise):
    """The learner writes a function. It is called on the case shown (`cases[0]`) and on at least three others.

    `cases` are tuples of arguments. `tolerance` is how near a number must come to be right (a value rounded to 4 decimals is),
    `recognise` how near to a typical mistake's for that to be named. A mistake is recognised by what its function does: the learner's
    agrees with it on every case where it differs from the right one.
    """

    kind = "function"

    def __init__(self, name, stub, solution, mistakes=(), *, cases, tolerance: float = RIGHT, recognise: float = RECOGNISE, **more):
        super().__init__(name, stub, solution, mistakes, **more)
        self.cases = [case if isinstance(case, tuple) else (case,) for case in cases]
        self.tolerance, self.recognise = tolerance, recognise
        if len(self.cases) < 4:
            raise ValueError(f"{name}: the case shown and at least three others are needed")

    @cached_property
    def function_name(self) -> str:
        """The name of the function that the learner writes."""
        return getattr(self.reference, "__name__", self.name)

    @cached_property
    def expected(self) -> list[object]:
        """What the solution gives, case by case."""
        return [running.call(self.reference, case).value for case in self.cases]

    @cached_property
    def _wrong(self) -> list[tuple[Mistake, list[running.Call]]]:
        out = []
        for each in self.mistakes:
            source = each.cell(self.solution)
            function = self.evaluate(source) if source else (lambda *_, value=each.value: value)
            out.append((each, [running.call(function, case) for case in self.cases]))
        return out

    def call_text(self, case: tuple) -> str:
        """A case as a call: 'rarity(8, 2)'."""
        return f"{self.function_name}({', '.join(write(argument, self._argument_form) for argument in case)})"

    _argument_form = "g"

    def judge(self, answer, texts, blanks, fresh):
        """See Exercise.judge."""
        outcome = self._not_the_function(answer)
        if outcome:
            return outcome
        calls = self._calls(answer, _UNFINISHED if blanks else running.SECONDS)
        right = [self._right(call, wanted) for call, wanted in zip(calls, self.expected, strict=False)]
        if any(call.value is ... for call in calls) or (blanks and not all(right)):
            return self.not_attempted() if fresh or not blanks else self.blank_left(blanks)
        if all(call.value is None and not call.error and not call.endless for call in calls) and _is_empty(answer):
            return self.not_attempted()
        if all(right):
            changed = next((call.changed for call in calls if call.changed), "")
            if changed:
                return self.not_yet("changed-argument", engine("answer.changed_argument", function=self.function_name, type=changed))
            return self._correct(calls, texts)
        return self._typical(calls, texts) or self._general(calls)

    def _calls(self, answer, seconds: float) -> list[running.Call]:
        calls, end = [], time.monotonic() + seconds
        for case in self.cases:
            call = running.call(answer, case, seconds=max(end - time.monotonic(), 0.05))
            calls.append(call)
            if call.endless:
                break  # one endless call is enough to know; the others would only make the learner wait
        return calls

    def _right(self, call: running.Call, wanted: object) -> bool:
        return not call.error and not call.endless and same(call.value, wanted, self.tolerance)

    def _correct(self, calls, texts) -> Outcome:
        value = plain(calls[0].value)
        text = fill(texts["correct"], value=value, call=self.call_text(self.cases[0]), cases=len(self.cases), others=len(self.cases) - 1)
        return Outcome(CORRECT, text, None, write(value, self.form))

    def _not_the_function(self, answer) -> Outcome | None:
        name, function = self.name, self.function_name
        if not callable(answer) or isinstance(answer, type):
            if answer is None:
                return self.not_yet("not-a-function", engine("answer.not_a_function", name=name, function=function, value="None"))
            shown = kind_words(answer) if array_size(answer) is not None else write(answer, self.form)
            return self.not_yet("not-a-function", engine("answer.not_a_function", name=name, function=function, value=shown), answer)
        try:
            signature = inspect.signature(answer)
        except Exception:  # a built-in without one, or somebody's object that will not be asked
            return None
        for case in self.cases:
            try:
                signature.bind(*case)
            except TypeError as error:
                wanted = f"def {function}{inspect.signature(self.reference)}:"
                return self.not_yet(
                    "parameters",
                    engine("answer.parameters", function=function, call=self.call_text(case), reason=error, signature=wanted),
                )
        return None

    def _typical(self, calls: list[running.Call], texts: Mapping) -> Outcome | None:
        """The typical mistake that explains the calls: on every case where it differs from the right answer they agree with it. Of several,
        the one that agrees on more cases, then the nearest, then the first."""
        best = None
        for place, (each, wrong) in enumerate(self._wrong):
            telling = [i for i, call in enumerate(wrong) if not self._right(call, self.expected[i])]
            if not telling or len(calls) <= telling[-1]:
                continue
            if not all(self._agree(calls[i], wrong[i]) for i in telling):
                continue
            agreeing = sum(self._agree(calls[i], wrong[i]) for i in range(len(calls)))
            rank = (-agreeing, sum(self._distance(calls[i], wrong[i]) for i in telling), place)
            if best is None or rank < best[0]:
                best = (rank, each, telling[0])
        if best is None:
            return None
        _, each, shown = best
        call, called = calls[shown], self.call_text(self.cases[shown])
        text = self.said(
            texts,
            each.key,
            value=plain(call.value) if call.error is None else running.error_text(call.error),
            expected=self.expected[shown],
            call=called,
        )
        code = None if call.error else _row_by_row(call.value, self.expected[shown], self.form)
        if code and called not in text:  # of two tables nobody can tell what they were made of
            code = f"{called}\n{code}"
        return self.not_yet(each.key, text, None if call.error else call.value, code, general=False)

    def _agree(self, mine: running.Call, wrong: running.Call) -> bool:
        if mine.endless or wrong.endless:
            return mine.endless and wrong.endless
        if mine.error or wrong.error:
            return type(mine.error) is type(wrong.error) and running.error_text(mine.error) == running.error_text(wrong.error)
        return same(mine.value, wrong.value, self.recognise)

    @staticmethod
    def _distance(mine: running.Call, wrong: running.Call) -> float:
        a, b = plain(mine.value), plain(wrong.value)
        return abs(float(a) - float(b)) if isinstance(a, int | float) and isinstance(b, int | float) and not has_nan(a) else 0.0

    def _general(self, calls: list[running.Call]) -> Outcome:
        values = [call.value for call in calls if not call.error and not call.endless]
        if len(values) == len(self.cases):
            decimals = rounded_to(list(zip(values, self.expected, strict=True)))
            if decimals:
                shown = self.call_text(self.cases[0])
                text = engine("answer.rounded", call=shown, value=f"{plain(values[0]):.{decimals}f}", decimals=decimals)
                return self.not_yet("rounded", text, values[0])
            numeric = all(isinstance(plain(value), int | float | str | tuple) for value in values)
            if numeric and self._right(calls[0], self.expected[0]) and all(same(value, values[0], 0.0) for value in values):
                other = next(i for i, call in enumerate(calls) if not self._right(call, self.expected[i]))
                text = engine(
                    "answer.constant",
                    function=self.function_name,
                    value=write(values[0], self.form),
                    call=self.call_text(self.cases[other]),
                    expected=write(self.expected[other], self.form),
                )
                return self.not_yet("constant", text, values[0])
        first = next(i for i, call in enumerate(calls) if not self._right(call, self.expected[i]))
        return self._first_wrong(calls[first], self.call_text(self.cases[first]), self.expected[first])

    def _first_wrong(self, call: running.Call, shown: str, wanted: object) -> Outcome:
        if call.endless:
            return self.not_yet("endless", engine("answer.endless", call=shown, seconds=running.SECONDS))
        if isinstance(call.error, SystemExit):
            return self.not_yet("exits", engine("answer.exits", call=shown))
        if isinstance(call.error, RecursionError):
            return self.not_yet("recursion", engine("answer.recursion", call=shown))
        if call.error is not None:
            text = engine("answer.exception", call=shown, error=running.error_text(call.error))
            if call.line is not None and call.code:
                text += "\n" + engine("answer.exception_line", number=call.line, line=call.code)
            return self.not_yet("exception", text)
        if call.value is None and call.printed.strip():
            printed = " ".join(call.printed.split())[:60]
            return self.not_yet("printed", engine("answer.printed", call=shown, printed=printed))
        key, text = difference(call.value, wanted, shown, self.form)
        rows = _row_by_row(call.value, wanted, self.form)
        if rows and key in ("value", "order", "letters"):
            text = engine("answer.case_rows", call=shown)
        return self.not_yet(key, text, call.value if array_size(call.value) is None else None, rows)


_UNFINISHED = 1.0  # s for the cases of a cell with a blank in it: `while ...:` never ends, and the blank is what there is to say


def _row_by_row(got: object, wanted: object, form: str) -> str | None:
    """Two tables (lists of lists) below each other, a row a line; None for anything else, which reads well in a sentence."""
    if not (_is_table(got) and _is_table(wanted)):
        return None
    blocks = ((engine("answer.yours"), got), (engine("answer.expected"), wanted))
    return "\n".join(line for head, rows in blocks for line in (head, *(f"    {row}" for row in _rows(rows, form))))


def _rows(rows: list, form: str) -> list[str]:
    shown = [write(row, form) for row in rows[:_ROWS]]
    return shown if len(rows) <= _ROWS else [*shown, f"… {len(rows) - _ROWS} more"]


_ROWS = 8


def _is_table(value: object) -> bool:
    return type(value) is list and bool(value) and all(isinstance(row, list) for row in value)  # somebody's own kind may do anything


def _is_empty(function: Callable) -> bool:
    """The body holds nothing but a docstring, `...` or pass: code that only returns None."""
    code = getattr(function, "__code__", None)
    if code is None or not set(code.co_consts) <= {None, ..., function.__doc__}:
        return False
    return {step.opname for step in dis.get_instructions(code)} <= {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}


class ValueExercise(Exercise):
    """The learner hands over a value: a number, a text, a tuple, a list, a dictionary or a set.

    The right one is what the solution hands over. Typical wrong ones are values, or cells that make them.
    """

    kind = "value"

    def __init__(self, name, stub, solution, mistakes=(), *, tolerance: float = RIGHT, recognise: float = RECOGNISE, **more):
        super().__init__(name, stub, solution, mistakes, **more)
        self.tolerance, self.recognise = tolerance, recognise

    def wrong_value(self, each: Mistake) -> object:
        """The value that a typical mistake hands over."""
        source = each.cell(self.solution)
        return self.evaluate(source) if source else each.value

    @cached_property
    def _wrong(self) -> list[tuple[Mistake, object]]:
        return [(each, self.wrong_value(each)) for each in self.mistakes]

    def judge(self, answer, texts, blanks, fresh):
        """See Exercise.judge."""
        if _holds_blank(answer):
            return self.not_attempted() if fresh or not blanks else self.blank_left(blanks)
        if same(answer, self.reference, self.tolerance):
            value = plain(answer)
            return Outcome(CORRECT, fill(texts["correct"], value=value), None, write(value, self.form))
        near = [
            (FunctionExercise._distance(running.Call(answer), running.Call(wrong)), place)
            for place, (_, wrong) in enumerate(self._wrong)
            if same(answer, wrong, self.recognise)
        ]
        if near:
            each = self._wrong[min(near)[1]][0]
            return self.not_yet(each.key, self.said(texts, each.key, value=plain(answer), expected=self.reference), answer, general=False)
        return self._general(answer)

    def _general(self, answer) -> Outcome:
        if answer is None:
            return self.not_yet("nothing", engine("answer.nothing_value"))
        shown = engine("answer.your_cell")
        key, text = difference(answer, self.reference, shown, self.form)
        if key in _TELLING:  # their own words would give the answer away
            text = engine(f"answer.{_TELLING[key]}", value=write(answer, self.form), wanted=kind_words(self.reference))
        return self.not_yet(key, text, answer if array_size(answer) is None else None)


_TELLING = {
    "value": "wrong_value",
    "order": "wrong_value",
    "letters": "letters_value",
    "text-number": "kind_value",
    "number-text": "kind_value",
}


def _holds_blank(answer: object, depth: int = 0) -> bool:
    return answer is ... or (depth < 20 and any(_holds_blank(each, depth + 1) for each in items_of(answer)))


class ChoiceExercise(Exercise):
    """The learner chooses among words: one, or one for each of several items (a dictionary, item -> choice).

    `also` names further choices that are accepted: item -> choices (for a single choice the item is ''). A mistake's `value` is the
    choice, or a dictionary with the entries that tell; it is recognised where all of these stand in the answer.
    """

    kind = "choice"

    def __init__(self, name, stub, solution, mistakes=(), *, choices: Iterable[str], also: Mapping | None = None, **more):
        super().__init__(name, stub, solution, mistakes, **more)
        self.choices = tuple(choices)
        self.also = {item: tuple(words) for item, words in (also or {}).items()}

    @cached_property
    def right(self) -> dict:
        """Item -> right choice; a single choice has the item ''."""
        return dict(self.reference) if isinstance(self.reference, dict) else {"": self.reference}

    def wrong_value(self, each: Mistake) -> object:
        """A whole answer with this mistake in it."""
        source = each.cell(self.solution)
        value = self.evaluate(source) if source else each.value
        return self.right | value if isinstance(self.reference, dict) and isinstance(value, dict) else value

    def judge(self, answer, texts, blanks, fresh):
        """See Exercise.judge."""
        single = not isinstance(self.reference, dict)
        if not single and not isinstance(answer, dict):
            return self.not_yet("type", engine("answer.wrong_type", call=engine("answer.your_cell"), type=kind_words(answer),
                                               wanted=kind_words(self.reference)))  # fmt: skip
        given = {"": answer} if single else answer
        return self._blanks(given, blanks, fresh) or self._unknown(given) or self._judged(given, texts, answer)

    def _blanks(self, given: dict, blanks, fresh) -> Outcome | None:
        empty = [item for item in self.right if given.get(item) is ...]
        if not empty:
            return None
        if len(empty) == len(self.right):
            return self.not_attempted()
        text = engine("answer.choice_blank", keys=", ".join(map(str, empty)), choices=self._choices())
        return self.not_yet("blank-left", text)

    def _choices(self) -> str:
        return ", ".join(repr(choice) for choice in self.choices)

    def _unknown(self, given: dict) -> Outcome | None:
        for key, names in (
            ("keys_missing", [item for item in self.right if item not in given]),
            ("keys_extra", [item for item in given if item not in self.right]),
        ):
            if names:
                shown = engine("answer.your_cell")
                return self.not_yet(key.replace("_", "-"), engine(f"answer.{key}", call=shown, keys=", ".join(map(str, names[:5]))))
        for item in self.right:
            value = given[item]
            if not isinstance(value, str) or value not in self.choices:
                label, shown = item or engine("answer.the_answer"), write(value, self.form)
                words = [choice for choice in self.choices if not any(map(str.isdigit, choice))]  # another number is no slip of the pen
                close = difflib.get_close_matches(str(value).strip().lower(), words, 1, 0.6) if isinstance(value, str) else []
                if close:
                    text = engine("answer.unknown_choice_near", item=label, value=shown, near=repr(close[0]))
                else:
                    text = engine("answer.unknown_choice", item=label, value=shown, choices=self._choices())
                return self.not_yet("unknown-choice", text)
        return None

    def _judged(self, given: dict, texts: Mapping, answer: object) -> Outcome:
        wrong = [item for item in self.right if given[item] != self.right[item] and given[item] not in self.also.get(item, ())]
        good, number = len(self.right) - len(wrong), len(self.right)
        if not wrong:
            value = answer if number == 1 and "" in self.right else f"{good} of {number}"
            text = fill(texts["correct"], value=value, right=good, all=number)
            return Outcome(CORRECT, text, None, str(value))
        for each in self.mistakes:
            value = each.value if each.value is not ... else self.evaluate(each.cell(self.solution))
            telling = value if isinstance(value, dict) else {"": value}
            if all(given.get(item) == choice for item, choice in telling.items()):
                shown = next(iter(telling))
                text = self.said(texts, each.key, value=given[shown], item=shown, right=good, all=number)
                return Outcome(NOT_YET, text, each.key, f"{good} of {number}" if number > 1 else str(given[shown]))
        item = wrong[0]
        if number == 1:
            return self.not_yet("value", engine("answer.choice_wrong_one", value=repr(given[item])), given[item])
        text = engine("answer.choice_wrong", right=good, all=number, item=item, value=repr(given[item]))
        return Outcome(NOT_YET, text + "\n" + engine("answer.try_hint", name=self.name), "value", f"{good} of {number}")
