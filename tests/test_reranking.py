"""The funnel (30 judged, at most 20 kept, least 0.30), late interaction, kernels that learn, and calibration."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_embedders import BagOfWords

from labkit.errors import BadArgument, LabError
from labkit.passages import Passage
from labkit.retrieval import bm25
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.reranking.calibration import Calibrated, calibrated, fitted
from labkit.retrieval.reranking.judging import RerankedSearch, judge, rerank
from labkit.retrieval.reranking.kernels import CENTRES, KNRM, PAIRS, WIDTHS, kernel_features
from labkit.retrieval.reranking.maxsim import MaxSim, rarity_in
from labkit.retrieval.reranking.token_vectors import PieceVectors, SentenceVectors, WordVectors
from labkit.retrieval.reranking.training import Example, tuning_examples


def passage(name, text="", access="public", context=""):
    return Passage(name, "code", "1", access, "en", (), 0, len(text), text, context)


def ten(count, prefix="p"):
    return [passage(f"{prefix}{number:03d}", f"text {number}") for number in range(count)]


class Table:
    """A scorer from a table: text -> score."""

    name = "table"

    def __init__(self, **scores):
        self.table, self.asked = scores, []

    def scores(self, query, texts):
        self.asked.append((query, list(texts)))
        return [self.table[text] for text in texts]


def letters(text):
    return [passage(letter, letter) for letter in text]


# --- the funnel ------------------------------------------------------------------------------------------------------------------------

FUNNEL = [
    ("the scorer's order", "abc", dict(a=0.4, b=0.9, c=0.5), {}, "bca"),
    ("below the least", "abc", dict(a=0.4, b=0.2999, c=0.5), {}, "ca"),
    ("exactly the least", "ab", dict(a=0.30, b=0.29), {}, "a"),
    ("the least to four decimals, as all scores", "ab", dict(a=0.29996, b=0.29994), {}, "a"),
    ("none is good enough", "ab", dict(a=0.1, b=0.2), {}, ""),
    ("equal scores by id", "cba", dict(a=0.5, b=0.5, c=0.5), {}, "abc"),
    ("equal to four decimals by id", "ba", dict(a=0.50001, b=0.50002), {}, "ab"),
    ("at most so many", "abc", dict(a=0.4, b=0.9, c=0.5), {"keep": 2}, "bc"),
    ("only the first are judged", "abc", dict(a=0.4, b=0.5), {"first": 2}, "ba"),
    ("none judged", "abc", {}, {"first": 0}, ""),
    ("none kept", "a", dict(a=1.0), {"keep": 0}, ""),
    ("everything kept", "ab", dict(a=0.0, b=1.0), {"least": 0}, "ba"),
    ("one twice", "aba", dict(a=0.4, b=0.5), {}, "ba"),
    ("one twice takes no place of the first", "aabc", dict(a=0.4, b=0.5), {"first": 2}, "ba"),
    ("no passages", "", {}, {}, ""),
]


@pytest.mark.parametrize("kind, found, scores, given_, expected", FUNNEL, ids=[row[0] for row in FUNNEL])
def test_the_funnel(kind, found, scores, given_, expected):
    assert "".join(each.id for each in rerank("q", letters(found), Table(**scores), **given_)) == expected


def test_of_thirty_at_most_twenty_with_a_score_of_030():
    many = ten(50)
    result = rerank("q", many, lambda query, texts: [float(text.split()[1]) / 50 for text in texts])
    assert [each.id for each in result] == [f"p{number:03d}" for number in range(29, 14, -1)]  # 15 / 50 = 0.30
    assert len(rerank("q", many, lambda query, texts: [0.9] * len(texts))) == 20


def test_what_is_judged_is_context_and_text():
    scorer = Table(**{"Code › Part\n\ntext": 1.0})
    rerank("the question", [passage("a", "text", context="Code › Part")], scorer)
    assert scorer.asked == [("the question", ["Code › Part\n\ntext"])]


def test_judged_passages_tell_both_ranks():
    judged = judge("q", letters("abc"), Table(a=0.123456, b=0.9, c=0.5))
    assert [(each.id, each.score, each.rank, each.before) for each in judged] == [("b", 0.9, 1, 2), ("c", 0.5, 2, 3), ("a", 0.1235, 3, 1)]


WRONG = [
    ("too many numbers", lambda: rerank("q", letters("a"), lambda q, t: [0.1, 0.2]), "one number a text"),
    ("a table of numbers", lambda: rerank("q", letters("a"), lambda q, t: [[0.1]]), "one number a text"),
    ("no numbers", lambda: rerank("q", letters("a"), lambda q, t: None), "a text"),
    ("words", lambda: rerank("q", letters("a"), lambda q, t: ["high"]), "one number a text"),
    ("more than a float holds", lambda: rerank("q", letters("a"), lambda q, t: [10**400]), "one number a text"),
    ("nan", lambda: rerank("q", letters("a"), lambda q, t: [math.nan]), "from 0 to 1"),
    ("not calibrated", lambda: rerank("q", letters("a"), lambda q, t: [7.5]), "calibrated"),
    ("below 0", lambda: rerank("q", letters("a"), lambda q, t: [-0.1]), "from 0 to 1"),
    ("no scorer", lambda: rerank("q", letters("a"), "scorer"), "no scorer"),
    ("ids for passages", lambda: rerank("q", ["a"], Table()), "not a passage"),
    ("a set of passages", lambda: rerank("q", set(letters("ab")), Table()), "a list of passages"),
    ("a text for passages", lambda: rerank("q", "abc", Table()), "a list of passages"),
    ("no question", lambda: rerank(None, [], Table()), "must be a text"),
    ("least above 1", lambda: rerank("q", [], Table(), least=1.5), "least is 1.5"),
    ("least no number", lambda: rerank("q", [], Table(), least=None), "least is None"),
    ("keep below 0", lambda: rerank("q", [], Table(), keep=-1), "keep is -1"),
    ("first no number", lambda: RerankedSearch(lambda text, k: [], Table(), first="30"), "first must be a whole number"),
    ("no search", lambda: RerankedSearch([], Table()), "a search is needed"),
]


@pytest.mark.parametrize("kind, call, said", WRONG, ids=[row[0] for row in WRONG])
def test_what_cannot_be_reranked_is_refused(kind, call, said):
    with pytest.raises(BadArgument, match=said):
        call()


def test_a_fault_inside_a_scorer_comes_through():
    class Broken:
        name = "broken"

        def scores(self, query, texts):
            raise TypeError("inside")

    for broken in (Broken(), Broken().scores):
        with pytest.raises(TypeError, match="inside"):
            rerank("q", letters("a"), broken)


@pytest.mark.parametrize("answer", [["high"], [[1], [1, 2]], (x for x in [0.5]), [1j]], ids=["words", "ragged", "a generator", "complex"])
def test_an_answer_that_is_no_numbers_is_told_of_a_scorer_with_a_name_too(answer):
    class Odd:
        name = "odd"

        def scores(self, query, texts):
            return answer

    with pytest.raises(BadArgument, match="scorer 'odd' does not give one number a text"):
        rerank("q", letters("a"), Odd())


def test_a_reranked_search():
    asked = []

    def search(text, k):
        asked.append((text, k))
        return letters("abcd")[:k]

    search.access = "public"
    reranked = RerankedSearch(search, Table(a=0.4, b=0.9, c=0.1, d=0.8), first=3)
    assert [each.id for each in reranked("NOT title:x", 5)] == ["b", "a"]
    assert [each.id for each in reranked("q", 1)] == ["b"] and reranked("q", 0) == []
    assert asked == [("NOT title:x", 3), ("q", 3), ("q", 3)] and reranked.access == "public"


unit_scores = st.lists(st.floats(0, 1), max_size=40)


@settings(deadline=None)
@given(unit_scores, st.integers(0, 35), st.integers(0, 25), st.floats(0, 1))
def test_what_is_kept_is_the_best_of_the_first(numbers, first, keep, least):
    found = ten(len(numbers))
    scores = {each.passage: number for each, number in zip(found, numbers, strict=True)}
    result = rerank("q", found, lambda query, texts: [scores[text] for text in texts], first, keep, least)
    rounded = {each.id: round(scores[each.passage], 4) for each in found[:first]}
    good = sorted((id_ for id_, score in rounded.items() if score >= round(least, 4)), key=lambda id_: (-rounded[id_], id_))
    assert [each.id for each in result] == good[:keep]


# --- late interaction ------------------------------------------------------------------------------------------------------------------


ROWS = {"kettle": (1, 0), "pot": (0.8, 0.6), "shed": (0, 1), "barn": (-0.6, 0.8), "hole": (-1, 0), "void": (0, 0)}


class Plane:
    """Words with rows in a plane, as given."""

    name, dimensions = "plane", 2

    def embed(self, texts):
        return np.array([ROWS[text] for text in texts], dtype=np.float32).reshape(-1, 2)

    def embed_query(self, text):
        return self.embed([text])[0]


PLANE = WordVectors(Plane())

BY_HAND = [
    ("the same word", "kettle", "kettle", 1.0),
    ("the nearest of several", "kettle", "shed pot", 0.8),
    ("the mean over the question's words", "kettle shed", "pot", (0.8 + 0.6) / 2),
    ("each word finds its own", "kettle shed", "shed kettle", 1.0),
    ("a word that stands twice counts twice", "kettle kettle shed", "kettle", 2 / 3),
    ("order and repeats of the passage do not matter", "kettle", "pot shed pot", 0.8),
    ("below 0 is 0", "kettle", "hole barn", 0.0),
    ("capitals", "KETTLE!", "Kettle.", 1.0),
    ("a question without words", "...", "kettle", 0.0),
    ("a passage without words", "kettle", "", 0.0),
    ("a row of zeros", "kettle", "void", 0.0),
]


@pytest.mark.parametrize("kind, question, text, expected", BY_HAND, ids=[row[0] for row in BY_HAND])
def test_maxsim_by_hand(kind, question, text, expected):
    assert MaxSim(PLANE).scores(question, [text]) == pytest.approx([expected], abs=1e-9)


def test_weights_after_rarity():
    index = KeywordIndex()
    index.add([("a", "kettle shed"), ("b", "kettle"), ("c", "kettle"), ("d", "pot")])
    weight = rarity_in(index)
    assert weight("shed") == bm25.rarity(4, 1) and weight("nowhere") == bm25.rarity(4, 0)
    scorer = MaxSim(PLANE, weight)
    heavy, light = weight("shed"), weight("kettle")
    expected = (heavy * 0.6 + light * 0.8) / (heavy + light)
    assert scorer.scores("kettle shed", ["pot"]) == pytest.approx([expected], abs=1e-9)
    assert MaxSim(PLANE, lambda word: 0).scores("kettle", ["kettle"]) == [0.0]


@pytest.mark.parametrize("weight", [-1, math.nan, "much", True])
def test_a_weight_is_a_number(weight):
    with pytest.raises(BadArgument, match="weight of 'kettle'"):
        MaxSim(PLANE, lambda word: weight).scores("kettle", ["kettle"])


def test_which_word_found_which():
    assert [(a, b, round(c, 4)) for a, b, c in MaxSim(PLANE).nearest("kettle shed", "pot barn")] == [
        ("kettle", "pot", 0.8), ("shed", "barn", 0.8)
    ]  # fmt: skip
    assert MaxSim(PLANE).nearest("kettle", "...") == [] and MaxSim(PLANE).nearest("?", "kettle") == []


some_words = st.lists(st.sampled_from(sorted(ROWS)), max_size=6)


@settings(deadline=None)
@given(some_words, st.lists(some_words, max_size=4))
def test_maxsim_by_a_second_way(question, texts):
    def near(a, b):
        return round(math.fsum(x * y for x, y in zip(ROWS[a], ROWS[b], strict=True)), 4)

    for words, score in zip(texts, MaxSim(PLANE).scores(" ".join(question), [" ".join(words) for words in texts]), strict=True):
        best = [max(near(word, other) for other in words) for word in question] if words else []
        assert score == pytest.approx(max(0.0, sum(best) / len(best)) if best else 0.0, abs=1e-4)


def test_a_word_is_embedded_once():
    embedder = BagOfWords()
    vectors = WordVectors(embedder)
    vectors.parts("a kettle and a pump")
    vectors.parts("The PUMP kettle")
    assert embedder.asked == [["a", "kettle", "and", "pump"], ["the"]]


def test_sentences_as_parts():
    vectors = SentenceVectors(BagOfWords())
    parts, rows = vectors.parts("It broke. Who pays?\n\n…\n\nArt. 5 says so.")
    assert parts == ["It broke.", "Who pays?", "…\n\nArt. 5 says so."] and rows.shape == (3, 64)
    assert vectors.parts("…")[1].shape == (0, 64) and vectors.parts("")[0] == []


def test_pieces_come_from_the_model_once():
    asked = []

    def pieces(text):
        asked.append(text)
        return text.split(), np.eye(3, dtype=np.float32)[: len(text.split())]

    model = SimpleNamespace(pieces=pieces, name="pieces-1")
    cached = SimpleNamespace(model=model, name="pieces-1")  # as a CachedEmbedder holds it
    vectors = PieceVectors(cached)
    assert MaxSim(vectors).scores("ket ##tle", ["ket pump", "x", "ket pump"]) == pytest.approx([1.0, 0.5, 1.0])
    assert asked == ["ket ##tle", "ket pump", "x"]
    with pytest.raises(BadArgument, match="pieces of a text"):
        PieceVectors(BagOfWords())


@pytest.mark.parametrize("make", [WordVectors, SentenceVectors, PieceVectors, MaxSim])
def test_what_is_no_model_is_refused(make):
    with pytest.raises(BadArgument):
        make("a model")


# --- what is learned from --------------------------------------------------------------------------------------------------------------


def question(name, text, tags=("tune",), relevant=("x",)):
    return SimpleNamespace(id=name, question=text, tags=tags, relevant=relevant)


def search_letters(text, k):
    return letters("abcd")[:k]


def is_first(one, passages):
    return [each.id == "a" for each in passages]


def test_an_example_is_what_a_search_brought():
    (example,) = tuning_examples([question("Q1", "which?")], search_letters, is_first, first=3)
    assert example == Example("Q1", "which?", ("a", "b", "c"), (True, False, False), ("tune",))


def test_questions_that_teach_nothing_are_left_out():
    rest = [question("Q1", "no answer", relevant=()), question("Q2", "none found")]
    assert tuning_examples(rest, search_letters, lambda one, passages: [False] * len(passages)) == []
    assert tuning_examples(rest, search_letters, lambda one, passages: [True] * len(passages)) == []


@pytest.mark.parametrize(
    "tags, said",
    [(("held-out",), "held-out questions"), (("tune", "held-out"), "held-out questions"), ((), "not tagged tune"), (("x",), "not tagged")],
)
def test_questions_of_the_other_half_are_an_error(tags, said):
    mixed = [question("Q1", "a"), question("Q2", "b", tags)]
    with pytest.raises(BadArgument, match=f"{said}.*Q2"):
        tuning_examples(mixed, search_letters, is_first)
    smuggled = [Example("Q1", "a", ("a", "b"), (True, False), ("tune",)), Example("Q2", "b", ("a", "b"), (True, False), tags)]
    with pytest.raises(BadArgument, match=f"{said}.*Q2"):
        KNRM.train(PLANE, smuggled)
    with pytest.raises(BadArgument, match=f"{said}.*Q2"):
        calibrated(MaxSim(PLANE), smuggled)


@pytest.mark.parametrize(
    "given_",
    [
        [],
        [Example("Q1", "a", ("kettle",), (True,), ("tune",))],
        [Example("Q1", "a", ("kettle",), (False,), ("tune",))],
        [question("Q1", "a")],
    ],
)
def test_nothing_to_learn_from(given_):
    with pytest.raises(BadArgument):
        KNRM.train(PLANE, given_)
    with pytest.raises(BadArgument):
        calibrated(MaxSim(PLANE), given_)


def test_one_judgement_a_text():
    with pytest.raises(BadArgument, match="2 texts and 1 judgements"):
        Example("Q1", "a", ("a", "b"), (True,), ("tune",))
    with pytest.raises(BadArgument, match="1 judgements came for 4"):
        tuning_examples([question("Q1", "a")], search_letters, lambda one, passages: [True])


# --- kernels ---------------------------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(-1, 1).map(lambda cosine: round(cosine, 4)), min_size=3, max_size=3), min_size=1, max_size=4))
def test_kernel_features_by_a_second_way(near):
    expected = []
    for centre, width in zip(CENTRES, WIDTHS, strict=True):
        counts = [math.fsum(math.exp(-((cosine - centre) ** 2) / (2 * width**2)) for cosine in row) for row in near]
        expected.append(math.fsum(math.log(max(count, 1e-10)) for count in counts) / len(counts))
    assert kernel_features(np.array(near)) == pytest.approx(expected, abs=1e-9)


def test_kernels_by_hand():
    assert len(CENTRES) == len(WIDTHS) == 11
    features = kernel_features(np.array([[1.0, 1.0, 0.9]]))
    assert features[0] == pytest.approx(math.log(2))  # two words are the same
    assert features[1] == pytest.approx(math.log(1 + 2 * math.exp(-0.5)))  # one stands at 0.9, two a width away
    assert kernel_features(np.zeros((0, 3))).tolist() == [math.log(1e-10)] * 11


def learnable(count=12):
    """Texts that share a word with the question are relevant, others near it are not."""
    words = sorted(ROWS)[:5]
    made = []
    for number in range(count):
        word, other, third = (words[(number + step) % len(words)] for step in range(3))
        texts = (f"{other} {third}", f"{word} {third}", f"{third} {other} {other}", third)
        made.append(Example(f"Q{number}", word, texts, tuple(word in text.split() for text in texts), ("tune",)))
    return made


def test_kernels_learn_what_is_relevant():
    model = KNRM.train(PLANE, learnable())
    for example in learnable():
        scores = model.scores(example.query, example.texts)
        assert (scores[np.array(example.relevant)] > 0.5).all() and (scores[~np.array(example.relevant)] < 0.5).all()
    assert model.trained_on == tuple(f"Q{number}" for number in range(12))
    assert model.scores("...", ["kettle"]) == [0.0] and model.scores("kettle", [""]) == [0.0]
    assert model.scores("kettle", []).shape == (0,)


def test_training_is_the_same_each_time_and_in_any_text_order():
    first, second = KNRM.train(PLANE, learnable()), KNRM.train(PLANE, learnable())
    assert (first.weights, first.shift) == (second.weights, second.shift)
    turned = [Example(e.question_id, e.query, e.texts[::-1], e.relevant[::-1], e.tags) for e in learnable()]
    assert KNRM.train(PLANE, turned).weights == pytest.approx(first.weights, abs=1e-4)


def test_the_weights_are_where_the_objective_is_least():
    """A second way: the stated objective, written out, is not lower anywhere near."""
    given_ = learnable(4)
    ridge = 0.5
    model = KNRM.train(PLANE, given_, ridge=ridge)
    features = [np.array([kernel_features(_near(e.query, text)) for text in e.texts]) for e in given_]
    together = np.concatenate(features)
    spread = together.std(axis=0)
    used = spread >= 0.05
    direction = np.array(model.weights) * np.where(used, spread, 0)  # weights of standardised features, up to one factor

    def objective(weights):
        total = 0.0
        for example, each in zip(given_, features, strict=True):
            standard = np.where(used, (each - together.mean(axis=0)) / np.where(used, spread, 1), 0)
            scores = standard @ weights
            relevant = np.array(example.relevant)
            pairs = [math.log1p(math.exp(-(good - bad))) for good in scores[relevant] for bad in scores[~relevant]]
            total += sum(pairs) / len(pairs)
        return total / len(given_) + ridge / 2 * float(weights @ weights)

    lengths = np.linspace(0.01, 3, 600) / np.linalg.norm(direction)
    best = min((direction * length for length in lengths), key=objective)
    draw = np.random.default_rng(1)
    for _ in range(200):
        step = draw.normal(size=11) * used
        assert objective(best) <= objective(best + 0.05 * step / np.linalg.norm(step)) + 1e-6


def _near(query, text):
    rows = [np.array([ROWS[word] for word in each.split()]) for each in (query, text)]
    return np.round(rows[0] @ rows[1].T, 4)


def test_more_pairs_than_count_are_drawn_by_the_seed():
    many = Example("Q1", "kettle", (*["kettle"] * 30, *["shed", "pot", "barn"] * 10), (*[True] * 30, *[False] * 30), ("tune",))
    assert PAIRS < 30 * 30
    models = [KNRM.train(PLANE, [many, *learnable(3)], seed=seed, pairs=20) for seed in (1, 1, 2)]
    assert models[0].weights == models[1].weights != models[2].weights


@pytest.mark.parametrize("settings_", [{"ridge": 0}, {"ridge": -1}, {"ridge": "x"}, {"pairs": 0}, {"pairs": True}, {"pairs": 1.5}])
def test_settings_of_training_make_sense(settings_):
    with pytest.raises(BadArgument):
        KNRM.train(PLANE, learnable(3), **settings_)


def test_saved_and_loaded(tmp_path):
    model = KNRM.train(PLANE, learnable())
    model.save(tmp_path / "a.json")
    KNRM.train(PLANE, learnable()).save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    again = KNRM.load(tmp_path / "a.json", PLANE)
    assert (again.weights, again.shift, again.trained_on, again.seed) == (model.weights, model.shift, model.trained_on, model.seed)
    texts = [text for example in learnable() for text in example.texts]
    assert (again.scores("kettle pot", texts) == model.scores("kettle pot", texts)).all()
    record = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert record["trained_on"] == list(model.trained_on) and "ln(1 + e" in record["objective"]


SPOILED = [
    ("no JSON", lambda record: "{", "cannot be read"),
    ("a list", lambda record: [], "no K-NRM"),
    ("another model", lambda record: record | {"model": "x"}, "no K-NRM"),
    ("a later format", lambda record: record | {"format": 2}, "no K-NRM"),
    ("other vectors", lambda record: record | {"vectors": "words by x"}, "not with"),
    ("other kernels", lambda record: record | {"centres": [1.0]}, "other kernels"),
    ("a weight too few", lambda record: record | {"weights": record["weights"][1:]}, "damaged"),
    ("a weight that is none", lambda record: record | {"weights": [None] * 11}, "damaged"),
    ("no shift", lambda record: {key: value for key, value in record.items() if key != "shift"}, "damaged"),
    ("no weights", lambda record: record | {"weights": "x"}, "damaged"),
]


@pytest.mark.parametrize("kind, spoil, said", SPOILED, ids=[row[0] for row in SPOILED])
def test_a_spoiled_model_is_not_loaded(tmp_path, kind, spoil, said):
    file = tmp_path / "model.json"
    KNRM.train(PLANE, learnable(3)).save(file)
    spoiled = spoil(json.loads(file.read_text("utf-8")))
    file.write_text(spoiled if isinstance(spoiled, str) else json.dumps(spoiled), "utf-8")
    with pytest.raises(LabError, match=said):
        KNRM.load(file, PLANE)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LabError, match=r"none\.json"):
        KNRM.load(tmp_path / "none.json", PLANE)
    with pytest.raises(LabError, match="cannot be written"):
        KNRM.train(PLANE, learnable(3)).save(tmp_path / "nowhere" / "model.json")


# --- calibration -----------------------------------------------------------------------------------------------------------------------


def test_calibration_keeps_the_order_and_puts_the_two_kinds_on_either_side():
    scores = np.array([0.61, 0.62, 0.63, 0.70, 0.71, 0.60, 0.59, 0.58])
    labels = np.array([False, False, False, True, True, False, False, False])
    slope, shift = fitted(scores, labels)
    probabilities = 1 / (1 + np.exp(-(slope * scores + shift)))
    assert (np.argsort(probabilities) == np.argsort(scores)).all()
    assert (probabilities[labels] > 0.5).all() and (probabilities[~labels] < 0.5).all()


def test_a_judge_that_is_always_wrong_is_silenced_not_turned_round():
    slope, shift = fitted(np.array([0.9, 0.8, 0.2, 0.1]), np.array([False, False, True, True]))
    assert slope == 0 and abs(shift) < 1e-3


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=20).filter(lambda rows: len({x for _, x in rows}) == 2))
def test_calibration_has_the_least_loss(rows):
    scores, labels = np.array([score for score, _ in rows]), np.array([label for _, label in rows])
    yes, no = labels.sum(), (~labels).sum()

    def loss(slope, shift):
        p = np.clip(1 / (1 + np.exp(-(slope * scores + shift))), 1e-12, 1 - 1e-12)
        good, bad = (yes + 1) / (yes + 2), 1 / (no + 2)
        return -(0.5 * np.mean((good * np.log(p) + (1 - good) * np.log(1 - p))[labels])
                 + 0.5 * np.mean((bad * np.log(p) + (1 - bad) * np.log(1 - p))[~labels]))  # fmt: skip

    slope, shift = fitted(scores, labels)
    for more, further in ((0, 0.05), (0, -0.05), (0.05, 0), (-min(0.05, slope), 0), (0.05, -0.05)):
        assert loss(slope, shift) <= loss(slope + more, shift + further) + 1e-5


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e6, 1e12])
def test_any_judges_numbers_are_laid_on_one_scale(size):
    """A slope of many decimals is none of 0: that would call all texts equal."""
    scores, labels = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False])
    slope, shift = fitted(size * scores, labels)
    at_1_slope, at_1_shift = fitted(scores, labels)
    assert slope * size == pytest.approx(at_1_slope, rel=1e-4) and shift == pytest.approx(at_1_shift, abs=1e-4)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e200, -1e308])
def test_what_is_no_number_or_too_large_a_one_is_not_calibrated(score):
    with pytest.raises(LabError, match=r"cannot be calibrated: they hold a number that is none, or one of 1e\+150 or more"):
        fitted(np.array([0.5, score]), np.array([True, False]))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_calibration_is_made_of_numbers(score):
    with pytest.raises(BadArgument, match="finite numbers are needed"):
        Calibrated(MaxSim(PLANE), 1.0, score)
    with pytest.raises(BadArgument, match="finite numbers are needed"):
        Calibrated(MaxSim(PLANE), score, 1.0)


@pytest.mark.parametrize("judging", [MaxSim, lambda vectors: KNRM(vectors, [0.1] * len(CENTRES), 0.0)])
def test_an_embedder_of_no_use_is_named(judging):
    embedder = SimpleNamespace(name="broken", dimensions=2, embed=lambda texts: np.full((len(texts), 2), math.nan))
    with pytest.raises(BadArgument, match="broken gave numbers that are not finite"):
        judging(WordVectors(embedder)).scores("kettle", ["hole"])


def test_a_calibrated_scorer_brings_a_bar_of_030():
    given_ = learnable()
    scorer = calibrated(MaxSim(PLANE), given_)
    assert scorer.slope > 0
    assert [each.id for each in rerank("kettle", [passage("a", "kettle"), passage("b", "hole")], scorer)] == ["a"]
    with pytest.raises(BadArgument, match="turn the order round"):
        Calibrated(MaxSim(PLANE), -1, 0)
