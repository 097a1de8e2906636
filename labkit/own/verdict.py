"""The verdict of a report in plain words, read off its numbers (lessons 10 and 15).

The first sentence is the answer. A difference is called one where its interval lies on one side of 0 and its p-value, after Holm's
correction for all comparisons of the report, is at most 0.05; anything less is no difference that so many questions could show. Where
scores tie, the rest says what else differs, what it would take to see more, and what no method could find.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from labkit.evaluation.attribution import STAGES
from labkit.evaluation.power import smallest_difference
from labkit.own.phrases import LEVEL, chance, ends, listed, metric_name, points, share
from labkit.textfiles import counted

ALPHA = 0.05
IN_CONTEXT = (
    "Evidence in context asks for one passage that holds the whole quote and says where it stands: its document and, for a row of a table, "
    "the names of the columns."
)
_PAIRS = 4  # findings that are told one by one; the table has all
_FEW = 4  # methods that are named one by one
_LOST = 0.1  # the share of the documents' words that is missed in the chunks; less may be titles and blanks


def verdict_of(report: dict) -> list[str]:
    """The sentences of the verdict, the answer first. `report` is what `make_report` returns; its own verdict plays no part."""
    return list(_Verdict(report).sentences())


def is_finding(row: dict) -> bool:
    """Whether a comparison of the report shows a difference: its interval lies on one side of 0, and luck is ruled out after Holm."""
    return on_one_side(row) and row["p_holm"] <= ALPHA


def on_one_side(row: dict) -> bool:
    """Whether the whole interval of a difference lies above 0, or below it."""
    return row["low"] is not None and row["high"] is not None and (row["low"] > 0 or row["high"] < 0)


def seen_among(report: dict) -> float | None:
    """The smallest difference (a share) that so many questions can show where this report's comparisons are made at once: every question
    that differs is won by the same side, and they are enough for Holm's first step. None where even all of them would not do."""
    least = smallest_difference(report["power"]["n"], 1 - ALPHA / max(1, len(report["comparisons"])))
    return None if math.isnan(least) else least


class _Gap:
    """One comparison, from the better side."""

    def __init__(self, row: dict):
        self.metric, self.budget, self.n = row["metric"], row["budget"], row["n"]
        self.p, self.finding, self.one_sided = row["p_holm"], is_finding(row), on_one_side(row)
        low, high = row["low"] or 0.0, row["high"] or 0.0
        if row["difference"] < 0:
            self.better, self.worse, self.size = row["b"], row["a"], -row["difference"]
            self.low, self.high, self.wins, self.losses = -high, -low, row["losses"], row["wins"]
        else:
            self.better, self.worse, self.size = row["a"], row["b"], row["difference"]
            self.low, self.high, self.wins, self.losses = low, high, row["wins"], row["losses"]

    def with_interval(self) -> str:
        """'12 points of hit (95 % interval 3 to 21)'."""
        unit = "point" if points(self.size) == "1" else "points"
        return f"{points(self.size)} {unit} of {metric_name(self.metric)} ({LEVEL} {ends(self.low, self.high)})"


def _explained(*parts: Iterable[str]) -> Iterator[str]:
    """The sentences of all parts, and behind the first part that speaks of evidence in context what that is."""
    told = False
    for part in parts:
        said = list(part)
        yield from said
        if not told and any(metric_name("evidence_in_context") in sentence for sentence in said):
            told = True
            yield IN_CONTEXT


class _Verdict:
    """Reads one report."""

    def __init__(self, report: dict):
        self.report = report
        self.methods = [each["name"] for each in report["methods"]]
        self.budgets = report["settings"]["budgets"]["value"]
        self.unit = report["settings"]["unit"]["value"].removesuffix("s")
        self.scored = report["power"]["n"]
        self.gaps = [_Gap(row) for row in report["comparisons"] if row["difference"] is not None]
        self.findings = [gap for gap in self.gaps if gap.finding]
        self.at_rank_1 = self._at_rank_1()

    def sentences(self) -> Iterator[str]:
        if not self.scored:
            yield from self._nothing_scored()
        else:
            yield from _explained(*self._answer(), self._since())
            yield from self._what_it_takes()
            yield from self._what_else_differs()
            yield from self._left_out()
            yield from self._used()
            yield from self._too_easy()
            yield from self._missed_by_all()
        yield from self._unread()

    def _answer(self) -> tuple[Iterable[str], ...]:
        """Which method is better, in parts of sentences."""
        if len(self.methods) < 2:
            return [f"One method was measured, {self.methods[0]}: there is nothing to compare it with."], self._levels()
        if self.findings:
            return self._found(), self._no_difference_in_the_other_measure()
        return [f"No difference that {self._questions()} could show."], self._levels(), self._widest(self.gaps)

    def _questions(self) -> str:
        return counted(self.scored, "question")

    def _at(self, budgets: Iterable[int]) -> str:
        budgets = list(budgets)
        return f"{listed((f'{each:,}' for each in budgets), most=6)} {self.unit}{'' if budgets == [1] else 's'}"

    # --- the answer -----------------------------------------------------------------------------------------------------------------

    def _nothing_scored(self) -> Iterator[str]:
        asked = self.report["questions"]["n"]
        language = self.report["settings"]["language"]["value"]
        if not asked and language != "all":
            yield f"Nothing was measured: there is no question in the language {language!r}, the one that labkit.toml asks for."
            return
        if not asked:
            yield "Nothing was measured: there is no question."
        else:
            yield f"Nothing was measured: of {counted(asked, 'question')}, none names a passage that answers it."
        yield "A question is scored where it says which document and section answer it, with a quote; labkit label helps to find them."

    def _found(self) -> Iterator[str]:
        """A sentence for each pair of methods and measure with a finding; the budgets in it are those at which it was found."""
        pairs: dict[tuple[str, str, str], list[_Gap]] = {}
        for gap in self.findings:
            pairs.setdefault((gap.metric, gap.better, gap.worse), []).append(gap)
        metrics = list(dict.fromkeys(gap.metric for gap in self.gaps))
        told = sorted(pairs.values(), key=lambda gaps: (metrics.index(gaps[0].metric), min(gap.p for gap in gaps)))
        ahead = {(better, worse) for _, better, worse in pairs}
        if any((worse, better) in ahead for better, worse in ahead):
            yield f"No method is best at everything that {self._questions()} can show: it depends on what you need."
        for gaps in told[:_PAIRS]:
            yield self._pair(gaps)
        if len(told) > _PAIRS:
            more = counted(len(told) - _PAIRS, "more pair")
            yield f"{more} of methods differ in a measure beyond chance; the table of comparisons has them."

    def _pair(self, gaps: list[_Gap]) -> str:
        gaps = sorted(gaps, key=lambda gap: gap.budget)
        chosen = gaps[(len(gaps) - 1) // 2]
        others = [gap for gap in gaps if gap is not chosen]
        said = f"{chosen.better} is better than {chosen.worse} at {self._at([chosen.budget])}: +{chosen.with_interval()}"
        if others:
            said += f"; so it is at {self._at(gap.budget for gap in others)} ({listed(f'+{points(gap.size)}' for gap in others)})"
        elif len(self.budgets) > 1:
            rest = [budget for budget in self.budgets if budget != chosen.budget]
            said += f"; at {self._at(rest)}, no difference that {self._questions()} could show"
        return f"{said}."

    def _no_difference_in_the_other_measure(self) -> Iterator[str]:
        measures = dict.fromkeys(gap.metric for gap in self.gaps)
        found = {gap.metric for gap in self.findings}
        for metric in measures:
            if metric not in found:
                yield f"In {metric_name(metric)}, no difference that {self._questions()} could show."
                yield from self._widest([gap for gap in self.gaps if gap.metric == metric])

    def _widest(self, gaps: list[_Gap]) -> Iterator[str]:
        """The gap that comes nearest to a finding, and why it is none."""
        widest = min(gaps, key=lambda gap: (gap.p, -gap.size), default=None)
        if widest is None or not any(gap.wins or gap.losses for gap in gaps):
            if gaps:
                yield "The methods agree on every question, at every budget."
            return
        if not widest.size:
            widest = max(gaps, key=lambda gap: gap.size)
        if not widest.size:
            yield "They win and lose equally many questions against each other."
            return
        said = (
            f"The widest gap: at {self._at([widest.budget])} {widest.better} is ahead of {widest.worse} by {widest.with_interval()}, "
            f"with {counted(widest.wins, 'question')} won and {widest.losses:,} lost"
        )
        if widest.one_sided:
            yield (
                f"{said}; among {counted(len(self.gaps), 'comparison')}, luck brings one as wide as this often enough "
                f"({chance(widest.p)} after Holm's correction), so take it as a hint and ask more questions."
            )
        else:
            yield f"{said}; luck can explain that, and the interval says how large a difference could still be hidden."

    def _levels(self) -> Iterator[str]:
        """hit at the middle budget, of each method or of the lowest and the highest."""
        budget = self.budgets[(len(self.budgets) - 1) // 2]
        rows = [row for row in self.report["scores"] if (row["budget"], row["metric"]) == (budget, "hit") and row["mean"] is not None]
        if not rows:
            return
        said = [f"{row['method']} {share(row['mean'], row['low'], row['high'])}" for row in rows]
        if len(rows) > _FEW:
            low, high = (choose(rows, key=lambda row: row["mean"]) for choose in (min, max))
            said = [f"from {low['mean']:.3f} ({low['method']}) to {high['mean']:.3f} ({high['method']})"]
        yield f"Questions with a passage that answers within {self._at([budget])} (hit, with its {LEVEL}): {', '.join(said)}."

    # --- since an earlier report ----------------------------------------------------------------------------------------------------

    def _since(self) -> Iterator[str]:
        since = self.report["against"]
        if not since:
            return
        name, rows = since["file"], since["rows"]
        if not rows:
            yield f"Nothing could be compared with {name}: {since['note']}"
            return
        lost = [row for row in rows if row["lost"]]
        gained = [row for row in rows if row["low"] is not None and row["low"] > 0]
        for what, found in (("Lost", lost), ("Better", gained)):
            if found:
                told = [self._changed(row) for row in sorted(found, key=lambda row: -abs(row["difference"]))[:2]]
                more = f"; and {counted(len(found) - 2, 'more score')}" if len(found) > 2 else ""
                yield f"{what} since {name}: {'; '.join(told)}{more}."
        if not lost and not gained:
            changed = any(row["wins"] or row["losses"] for row in rows)
            asked = counted(max(row["n"] for row in rows), "question")
            where = f" on the {asked} that both reports have" if since["note"] else ""
            yield f"Since {name}, no change that {asked} could show." if changed else f"Since {name}, no score has changed{where}."
        if since["note"]:
            yield since["note"]

    def _changed(self, row: dict) -> str:
        where = f"{row['method']}, {metric_name(row['metric'])} at {self._at([row['budget']])}"
        interval = f"{LEVEL} of the difference {ends(row['low'], row['high'])} points"
        return f"{where}: {row['before']:.3f} to {row['now']:.3f} ({interval})"

    # --- what it would take ---------------------------------------------------------------------------------------------------------

    def _what_it_takes(self) -> Iterator[str]:
        power = self.report["power"]
        if power["sees_points"] is None:
            yield f"{self._questions()} can show no difference at all, whatever comes out: it takes six at the least."
        elif len(self.gaps) != len(self.findings) or len(self.methods) < 2:
            said = f"{self._questions()} can show a difference of {points(power['sees_points'] / 100)} points at the least"
            family = seen_among(self.report)
            if len(self.gaps) > 1 and family is not None:
                said += f", and of {points(family)} where {counted(len(self.gaps), 'comparison')} are made at once, as here"
            elif len(self.gaps) > 1:
                said += f", and none where {counted(len(self.gaps), 'comparison')} are made at once, as here"
            yield f"{said}."
        wanted = [(size, power[f"for_{size}"]) for size in (10, 5) if power[f"for_{size}"] > self.scored]
        if wanted and len(self.gaps) != len(self.findings):
            (size, number), *more = wanted
            also = "".join(f", {size} points about {number:,}" for size, number in more)
            where = f"where two methods differ on {points(power['discordant'])} questions of 100"
            yield f"To see {size} points four times in five takes about {number:,} questions{also} ({where})."

    # --- what else differs ----------------------------------------------------------------------------------------------------------

    def _what_else_differs(self) -> Iterator[str]:
        cuts = cuts_of(self.report)
        if len(cuts) < 2 or (self.gaps and len(self.gaps) == len(self.findings)):
            return
        facts = [fact for fact in (self._tables(cuts), self._sections(cuts), self._stored(cuts)) if fact]
        if not facts:
            yield "Nor do they differ in tables cut, sections that a citation spans, or words stored."
            return
        yield f"Where scores tie, what else differs: {'; '.join(facts)}."
        whole = {name: row for name, row in cuts.items() if name not in self._losing(cuts)}  # little is stored where much is lost
        best = [name for name, row in whole.items() if all(row[key] == best for key, best in _least(cuts.values()).items())]
        if len(best) == 1 and not any(gap.worse == best[0] or gap.worse.startswith(f"{best[0]} + ") for gap in self.findings):
            yield f"In all of these {best[0]} is best or level."

    def _losing(self, cuts: dict[str, dict]) -> list[str]:
        """The chunkers whose chunks hold too few words to be the whole text."""
        return [name for name, row in cuts.items() if row["stored"] < (1 - _LOST) * self.report["collection"]["words"]]

    def _left_out(self) -> Iterator[str]:
        cuts, words = cuts_of(self.report), self.report["collection"]["words"]
        for name in self._losing(cuts):
            yield f"{name} leaves text out: its chunks hold {cuts[name]['stored']:,} words of {words:,}, and no search finds the rest."

    def _tables(self, cuts: dict[str, dict]) -> str:
        if len({row["tables_cut"] for row in cuts.values()}) < 2:
            return ""
        of = {row["tables"] for row in cuts.values()}
        if len(of) > 1:  # a chunker failed on a document with a table
            said = (f"{name} {row['tables_cut']:,} of {row['tables']:,}" for name, row in _some(cuts, "tables_cut"))
            return f"tables cut: {', '.join(said)}"
        said = (f"{name} {row['tables_cut']:,}" for name, row in _some(cuts, "tables_cut"))
        return f"tables cut, of {of.pop():,}: {', '.join(said)}"

    def _sections(self, cuts: dict[str, dict]) -> str:
        if len({f"{row['sections']:.1f}" for row in cuts.values()}) < 2:
            return ""
        said = (f"{name} {row['sections']:.1f}" for name, row in _some(cuts, "sections"))
        return f"sections that a citation spans, on average: {', '.join(said)}"

    def _stored(self, cuts: dict[str, dict]) -> str:
        if len({row["stored"] for row in cuts.values()}) < 2:
            return ""
        least = min(row["stored"] for row in cuts.values())

        def said(name: str, stored: int) -> str:
            more = round(100 * (stored / least - 1)) if least else 0
            return f"{name} {stored:,}{f' (+{more} %)' if more else ''}"

        return f"words stored: {', '.join(said(name, row['stored']) for name, row in _some(cuts, 'stored'))}"

    def _used(self) -> Iterator[str]:
        """Where a method hands over far less than the budget allows, its scores there say so."""
        stored = {each["name"]: each["words_stored"] for each in self.report["methods"]}
        for budget in self.budgets:
            means = {
                row["method"]: row["mean"]
                for row in self.report["scores"]
                if (row["budget"], row["metric"]) == (budget, "words_used") and row["mean"] is not None and stored[row["method"]] > budget
            }
            if len(means) > 1:
                least, most = (choose(means, key=means.get) for choose in (min, max))
                if means[least] < budget / 2 and means[most] >= 1.5 * means[least]:
                    yield (
                        f"At {self._at([budget])}, {least} hands over {means[least]:.0f} on average and {most} {means[most]:.0f}: "
                        f"{least} stops at the first chunk that does not fit, which costs it there."
                    )
                    return

    # --- the questions --------------------------------------------------------------------------------------------------------------

    def _at_rank_1(self) -> dict[str, int]:
        """Method -> how many scored questions it finds with its first result."""
        budget = self.budgets[0]
        rows = [row for row in self.report["per_question"] if row["budget"] == budget and row["hit"] is not None and row["first_rank"] == 1]
        return {name: Counter(row["method"] for row in rows)[name] for name in self.methods}

    def _too_easy(self) -> Iterator[str]:
        all_of = [name for name, number in self.at_rank_1.items() if number == self.scored]
        if all_of:
            by = "every method" if len(all_of) == len(self.methods) > 1 else listed(all_of)
            found = "The one scored question is" if self.scored == 1 else f"All {self.scored:,} scored questions are"
            yield f"{found} found at rank 1 by {by}: too easy to tell you anything; ask in other words than the documents'."

    def _missed_by_all(self) -> Iterator[str]:
        """Questions that no method finds at any budget, by the stage that lost them (the furthest that any method got them): what another
        chunker does not mend."""
        misses = self.report["misses"]
        each = len(self.methods) * len(self.budgets)
        times = Counter(row["id"] for row in misses)
        never = {name for name, number in times.items() if number == each}
        if not never:
            return
        order = {stage: place for place, stage in enumerate(STAGES, start=1)}  # of another labkit's stages nobody knows
        far = sorted((row for row in misses if row["id"] in never), key=lambda row: order.get(row["stage"], 0))
        stages = Counter({row["id"]: row["stage"] for row in far}.values())
        why = ", ".join(f"{number:,} {stage}" for stage, number in sorted(stages.items(), key=lambda pair: (-pair[1], pair[0])))
        by = "every method" if len(self.methods) > 1 else self.methods[0]
        at = "every budget" if len(self.budgets) > 1 else self._at(self.budgets)
        verb = "is" if len(never) == 1 else "are"
        yield f"{len(never):,} of {self._questions()} {verb} missed by {by} at {at} ({why}); these methods do not mend that, see Misses."

    def _unread(self) -> Iterator[str]:
        rows = self.report["collection"]["unreadable"]
        unsearched = {row["file"] for row in rows if not row["searched"] and not row.get("chunker")}
        uncut = {row["file"] for row in rows if row.get("chunker")}
        partly = {row["file"] for row in rows if row["searched"] and not row.get("chunker")}
        of = counted(self.report["collection"]["documents"], "document")
        if unsearched:
            verb = "is" if len(unsearched) == 1 else "are"
            yield f"{len(unsearched):,} of {of} could not be read and {verb} not searched; see Unreadable."
        if partly:
            verb = "has a part" if len(partly) == 1 else "have parts"
            yield f"{len(partly):,} of {of} {verb} that could not be read, and what stands there is not found; see Unreadable."
        if uncut:
            yield f"{len(uncut):,} of {of} could not be cut by every chunker, and scores differ by that too; see Unreadable."


# --- chunkers ---------------------------------------------------------------------------------------------------------------------------


def cuts_of(report: dict) -> dict[str, dict]:
    """What each chunker made of the documents, by the chunker's name: tables, tables_cut, sections (that a chunk spans, on average), stored
    (words), chunks. Searches play no part in it, so a chunker with several of them stands once."""
    searches = [f" + {each['name']}" for each in report["settings"]["searches"]["value"]]
    found: dict[str, dict] = {}
    for row in report["methods"]:
        name = next((row["name"].removesuffix(end) for end in searches if len(searches) > 1 and row["name"].endswith(end)), row["name"])
        found.setdefault(
            name,
            {
                "tables": row["tables"]["n"],
                "tables_cut": row["tables"]["n"] - row["tables"]["whole"],
                "sections": row["sections_per_chunk"] or 0.0,
                "stored": row["words_stored"],
                "chunks": row["chunks"],
            },
        )
    return found


def _least(rows: Iterable[dict]) -> dict[str, float]:
    rows = list(rows)
    return {key: min(row[key] for row in rows) for key in ("tables_cut", "sections", "stored")}


def _some(cuts: dict[str, dict], key: str) -> list[tuple[str, dict]]:
    """The chunkers, or of many those with the least and the most."""
    if len(cuts) <= _FEW:
        return list(cuts.items())
    ordered = sorted(cuts.items(), key=lambda pair: pair[1][key])
    return [ordered[0], ordered[-1]]
