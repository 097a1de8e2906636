"""More words for a question: from the first results (RM3) and from a thesaurus; and questions asked a part at a time."""

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument, LabError
from labkit.passages import Passage
from labkit.retrieval.keyword import KeywordIndex, words
from labkit.retrieval.passage_search import KeywordSearch
from labkit.retrieval.query_expansion import ExpandedSearch, Expansion, FeedbackSearch, SubQuerySearch, expansion_of, feedback
from labkit.retrieval.thesaurus import Entry, Thesaurus, ThesaurusError, load_thesaurus

TEXTS = {
    "a": "kettle refund money money receipt",
    "b": "kettle refund money voucher",
    "c": "shed delivery parcel",
    "d": "shed delivery",
    "e": "lamp delivery",
    "f": "lamp garden",
}


def index_of(texts, **options):
    index = KeywordIndex(**options)
    index.add(texts.items())
    return index


def passages(texts):
    return [Passage(name, "d", "1", "public", "en", (), 0, len(text), text, "") for name, text in texts.items()]


# --- feedback --------------------------------------------------------------------------------------------------------------------------


def test_feedback_by_hand():
    index = index_of(TEXTS)
    a, b = (next(hit.score for hit in index.search("kettle") if hit.id == name) for name in "ab")
    expansion = feedback("kettle", index, documents=2, terms=2, common=1)
    # of a's five words two are money, of b's four one; kettle and refund stand once in each
    money = (2 / 5 * a + 1 / 4 * b) / (a + b)
    kettle = (1 / 5 * a + 1 / 4 * b) / (a + b)
    assert expansion.weights == pytest.approx(
        {"kettle": 0.5 + 0.5 * kettle / (money + kettle), "money": 0.5 * money / (money + kettle)}, abs=1e-6
    )
    assert expansion.added == ["money"] and math.fsum(expansion.weights.values()) == pytest.approx(1, abs=1e-5)


def second_way(question, texts, documents, many, original, common):
    """RM3 once more, from the formula: loops and counts alone."""
    index = index_of(texts)
    hits = index.search(question, documents)
    asked = words(question)
    holding = Counter(word for text in texts.values() for word in set(words(text)))
    model = Counter()
    for hit in hits:
        here = words(texts[hit.id])
        for word in here:
            model[word] += 1 / len(here) * hit.score / sum(each.score for each in hits)
    able = [word for word in model if word.isalpha() and len(word) > 1 and holding[word] <= common * len(texts)]
    best = sorted(able, key=lambda word: (-round(model[word], 9), word))[:many]
    weights = Counter({word: original * times / len(asked) for word, times in Counter(asked).items()})
    for word in best:
        weights[word] += (1 - original) * model[word] / sum(model[each] for each in best)
    return {word: weight for word, weight in weights.items() if weight > 5e-7}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["kettle", "shed", "lamp", "refund", "12", "x", "money"]), max_size=8), min_size=1, max_size=8),
    st.lists(st.sampled_from(["kettle", "shed", "lamp", "nowhere"]), min_size=1, max_size=4),
    st.integers(0, 5),
    st.integers(0, 5),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.sampled_from([0.25, 0.5, 1.0]),
)
def test_feedback_by_a_second_way(texts, question, documents, many, original, common):
    texts = {f"t{number}": " ".join(text) for number, text in enumerate(texts)}
    question = " ".join(question)
    expansion = feedback(question, index_of(texts), documents, many, original, common)
    assert dict(expansion.weights) == pytest.approx(second_way(question, texts, documents, many, original, common), abs=2e-6)
    assert list(expansion.weights) == sorted(expansion.weights, key=lambda word: (-expansion.weights[word], word))


CHOSEN = [
    ("words in more than a tenth are left out", {}, []),
    ("unless more may be common", {"common": 0.4}, ["money", "refund", "voucher", "receipt"]),
    ("as many as are asked for", {"common": 0.4, "terms": 1}, ["money"]),
    ("one result is believed", {"common": 0.4, "documents": 1}, ["money", "refund", "voucher"]),
    ("no result is believed", {"common": 1, "documents": 0}, []),
    ("no words", {"common": 1, "terms": 0}, []),
    ("the question keeps all weight", {"common": 1, "original": 1}, []),
    ("a reader's results alone", {"common": 1, "allowed": lambda id_: id_ == "b"}, ["money", "refund", "voucher"]),
]


@pytest.mark.parametrize("kind, given_, added", CHOSEN, ids=[row[0] for row in CHOSEN])
def test_which_words_are_added(kind, given_, added):
    assert feedback("kettle", index_of(TEXTS), **given_).added == added


def test_numbers_single_letters_and_stop_words_are_not_added():
    texts = {"a": "kettle 30 x the refund PW-2200", "b": "shed"}
    assert feedback("kettle", index_of(texts, stop_words=["the"]), common=1).added == ["pw", "refund"]


def test_in_a_stemmed_index_the_forms_of_a_word_are_one():
    texts = {"a": "kettle refunds refunds refund", "b": "kettles refunds", "c": "shed"}
    expansion = feedback("kettle", index_of(texts, stem=True), common=1)
    assert expansion.added == ["refunds"]
    assert feedback("kettle", index_of(texts), common=1).added == ["refunds", "refund"]


PLAIN = ["nothing here", "", " ", "😀", '"', "NOT", "title:", "*", "\0", "\ud800"]


@pytest.mark.parametrize("question", PLAIN)
def test_a_question_that_finds_nothing_stays_as_it_is(question):
    expansion = feedback(question, index_of(TEXTS))
    assert expansion.added == [] and expansion.text == question and expansion.sentence == question


@pytest.mark.parametrize(
    "wrong",
    [{"documents": -1}, {"documents": 1.5}, {"terms": "x"}, {"original": 2}, {"original": True}, {"common": -0.1}, {"common": "all"}],
)
def test_settings_make_sense(wrong):
    with pytest.raises(BadArgument):
        feedback("kettle", index_of(TEXTS), **wrong)
    with pytest.raises(BadArgument):
        FeedbackSearch(KeywordSearch(passages(TEXTS)), **wrong)


def test_no_question_is_an_error():
    with pytest.raises(BadArgument):
        feedback(None, index_of(TEXTS))


@pytest.mark.parametrize("index", [None, "index.db", TEXTS])
def test_feedback_needs_an_index_of_words(index):
    with pytest.raises(BadArgument, match="a KeywordIndex is needed"):
        feedback("kettle", index)


def test_feedback_finds_what_shares_no_word_with_the_question():
    texts = TEXTS | {"g": "money transfer"}
    plain = KeywordSearch(passages(texts))
    searched = FeedbackSearch(plain, common=0.5)
    assert sorted(each.id for each in plain("receipt voucher kettle", 10)) == ["a", "b"]
    assert "g" in [each.id for each in searched("receipt voucher kettle", 10)]
    assert searched.access == "staff" and searched.passages == plain.passages
    with pytest.raises(BadArgument, match="needs a KeywordSearch"):
        FeedbackSearch(lambda text, k: [])


def test_a_staff_text_lends_no_words_to_a_public_reader():
    found = passages({"a": "kettle refund", "b": "shed", "c": "lamp"})
    secret = Passage("s", "d", "1", "staff", "en", (), 0, 13, "kettle margin", "")
    public = FeedbackSearch(KeywordSearch([*found, secret], access="public"), common=1)
    assert public.expand("kettle").added == ["refund"]
    assert FeedbackSearch(KeywordSearch([*found, secret]), common=1).expand("kettle").added == ["margin", "refund"]


# --- the expanded question as a text ---------------------------------------------------------------------------------------------------


def test_each_word_stands_as_often_as_it_weighs():
    expansion = expansion_of("Kettle broken?", {"kettle": 0.4, "broken": 0.4, "repair": 0.2})
    assert Counter(expansion.text.split()) == {"kettle": 40, "broken": 40, "repair": 20}
    assert expansion.added == ["repair"] and expansion.sentence == "Kettle broken? repair"


weights = st.dictionaries(st.sampled_from(["kettle", "shed", "lamp", "refund"]), st.sampled_from([0.01, 0.5, 2.5, 10.0]), min_size=1)


def test_a_question_without_new_words_may_still_weigh_its_own_anew():
    texts = {"a": "kettle kettle lamp", "b": "shed"}
    expansion = feedback("kettle lamp", index_of(texts), common=1)
    assert expansion.added == [] and expansion.weights["kettle"] > expansion.weights["lamp"]
    counts = Counter(expansion.text.split())
    assert counts["kettle"] > counts["lamp"] and expansion.sentence == "kettle lamp"


@settings(deadline=None)
@given(weights)
def test_the_text_keeps_every_word_and_the_order_of_weights(these):
    expansion = expansion_of("Kettle? Shed!", these)
    if set(these) <= {"kettle", "shed"} and len(set(these.values())) == 1:
        assert expansion.text == "Kettle? Shed!"
        return
    counts = Counter(expansion.text.split())
    assert set(counts) == set(these)
    numbers = [counts[word] for word in expansion.weights]
    assert numbers == sorted(numbers, reverse=True) and min(numbers) >= 1


def test_a_page_as_a_question():
    page = " ".join(f"word{number}" for number in range(2_000)) + " kettle"
    expansion = feedback(page, index_of(TEXTS), common=1)
    assert "money" in expansion.added and len(expansion.text.split()) < 10_000


def test_an_expanded_search_by_words_and_by_meaning():
    asked = []

    def search(text, k):
        asked.append(text)
        return []

    expand = lambda question: Expansion(question, {"kettle": 1.0, "pot": 0.5})  # noqa: E731
    ExpandedSearch(search, expand)("kettle", 3)
    ExpandedSearch(search, expand, meaning=True)("kettle", 3)
    assert Counter(asked[0].split()) == {"kettle": 67, "pot": 33} and asked[1] == "kettle pot"
    with pytest.raises(BadArgument, match="expand must be"):
        ExpandedSearch(search, "kettle")


# --- a part at a time ------------------------------------------------------------------------------------------------------------------


def test_parts_are_searched_with_the_whole_and_fused():
    asked = []

    def search(text, k):
        asked.append((text, k))
        return {"What is it?": letters("ab"), "Who must pay?": letters("cb")}.get(text, letters("db"))[:k]

    def letters(names):
        return [Passage(name, "d", "1", "public", "en", (), 0, 1, "x", "") for name in names]

    assert [each.id for each in SubQuerySearch(search)("What is it, and who must pay?", 3)] == ["b", "a", "c"]
    assert asked == [("What is it, and who must pay?", 50), ("What is it?", 50), ("Who must pay?", 50)]
    asked.clear()
    assert [each.id for each in SubQuerySearch(search)("What is it?", 1)] == ["a"]
    assert SubQuerySearch(search)("What is it, and who must pay?", 0) == []
    assert asked[0] == ("What is it?", 1)


def test_no_more_come_than_were_asked_for():
    """A search of your own may bring more than k; what is built on it does not."""
    everything = passages(TEXTS)

    def search(text, k):
        return everything

    for over in (ExpandedSearch(search, lambda question: Expansion(question, {})), SubQuerySearch(search)):
        for text in ("What is it?", "What is it, and who must pay?"):
            assert [each.id for each in over(text, 2)] == ["a", "b"]
            assert over(text, 0) == []


# --- thesaurus -------------------------------------------------------------------------------------------------------------------------

SMALL = [Entry("money back", ("refund",)), Entry("shop", ("trader",)), Entry("broken", ("legal guarantee", "conformity"))]

FOUND = [
    ("a phrase", "Do I get my money back?", ["refund"]),
    ("its words apart are no phrase", "Money, and then back", []),
    ("in another order", "back the money", []),
    ("endings and capitals", "SHOPS", ["trader"]),
    ("a term of two words, and two terms", "it is broken", ["conformity", "guarantee", "legal"]),
    ("a word that is there already", "the shop's trader", []),
    ("there in another form", "the shop, traders", []),
    ("no part of a word", "workshop", []),
    ("two entries", "the shop owes my money back", ["refund", "trader"]),
    ("nothing", "", []),
    ("syntax", 'shop* OR "money back" NOT title:x', ["refund", "trader"]),
]


@pytest.mark.parametrize("kind, question, added", FOUND, ids=[row[0] for row in FOUND])
def test_a_thesaurus_adds_terms(kind, question, added):
    expansion = Thesaurus(SMALL).expand(question)
    assert sorted(expansion.added) == added
    assert all(expansion.weights[word] == 0.5 for word in added)
    assert {word: times for word, times in expansion.weights.items() if word not in added} == Counter(words(question))


def test_another_language_is_compared_word_by_word():
    entries = [Entry("marchand", ("commerçant",)), Entry("numéro de série", ("identification",))]
    thesaurus = Thesaurus(entries, "fr")
    assert thesaurus.expand("le MARCHAND").added == ["commercant"] and thesaurus.expand("les marchands").added == []
    assert thesaurus.expand("le numero de serie").added == ["identification"]


def test_entries_are_found_in_the_order_of_the_question():
    assert [entry.everyday for entry in Thesaurus(SMALL).found("broken, so my money back from the shop, broken")] == [
        "broken", "money back", "shop"
    ]  # fmt: skip


@pytest.mark.parametrize("weight", [0, -1, True, "x", math.inf, math.nan])
def test_a_weight_is_above_0(weight):
    with pytest.raises(BadArgument, match="weight is"):
        Thesaurus(SMALL, weight=weight)


def test_a_question_is_a_text():
    with pytest.raises(BadArgument, match="must be a text"):
        Thesaurus(SMALL).expand(None)


def written(folder, text, encoding="utf-8"):
    file = folder / "thesaurus.toml"
    file.write_bytes(text.encode(encoding))
    return file


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_thesaurus_is_read(tmp_path, end, mark):
    lines = [mark + 'language = "en"', "[everyday]", '"money back" = ["refund"] # a remark', "shop = [", '  "trader",', "]", ""]
    thesaurus = load_thesaurus(written(tmp_path, end.join(lines)), weight=2)
    assert thesaurus.entries == [Entry("money back", ("refund",)), Entry("shop", ("trader",))]
    assert len(thesaurus) == 2 and thesaurus.language == "en" and thesaurus.weight == 2


FAULTS = [
    ("no TOML", "[everyday]\nmoney back = 1\n", ["toml:2: is not TOML"]),
    ("a key twice", '[everyday]\nshop = ["a"]\nshop = ["b"]\n', ["toml:3: is not TOML"]),
    ("nothing", "", ["toml: has no entries"]),
    ("no entries", "[everyday]\n", ["has no entries"]),
    ("a list for a table", "everyday = []\n", ["has no entries"]),
    ("another table", '[everyday]\nshop = ["x"]\n[everyday2]\ny = 1\n', ["has 'everyday2'"]),
    ("a misspelt key", 'langage = "en"\n[everyday]\nshop = ["x"]\n', ["toml:1: has 'langage'", "did you mean 'language'"]),
    ("a language that is none", 'language = 5\n[everyday]\nshop = ["x"]\n', ["toml:1: language is no text"]),
    ("a text for a list", '[everyday]\nshop = "trader"\n', ["toml:2: the terms of 'shop'"]),
    ("an empty list", "[everyday]\nshop = []\n", ["toml:2: the terms of 'shop'"]),
    ("an empty term", '[everyday]\nshop = ["..."]\n', ["toml:2: the terms of 'shop'"]),
    ("a number for a term", "[everyday]\nshop = [5]\n", ["toml:2: the terms of 'shop'"]),
    ("a key without words", '[everyday]\n"?" = ["x"]\n', ["toml:2: '?' holds no word"]),
    ("two keys that say the same", '[everyday]\nshop = ["x"]\n\n"Shops" = ["y"]\n', ["toml:4: 'Shops' says the same as 'shop'"]),
    ("a key of two tables", "shop = 1\n[everyday]\nshop = 5\n", ["toml:1: has 'shop'", "toml:3: the terms of 'shop'"]),
    ("a misspelt table", '[everday]\nshop = ["trader"]\n', ["toml:1: has 'everday'", "did you mean 'everyday'"]),
    ("a dotted key", '[everyday]\na.b = ["x"]\n', ["toml:2: the terms of 'a'"]),
    ("a table for a list", '[everyday]\n[everyday.shop]\nx = 1\n', ["toml:2: the terms of 'shop'"]),
    ("in one line", 'everyday = {shop = ["trader"], "" = ["x"]}\n', ["toml:1: '' holds no word"]),
    ("an escape in a key", '[everyday]\n"caf\\u00e9" = 5\n', ["toml:2: the terms of 'café'"]),
    ("what looks like a key in a text", "[everyday]\na = '''\n\"\\\\q\" = 1\n'''\nb = 5\n",
     ["toml:2: the terms of 'a'", "toml:5: the terms of 'b'"]),
    ("all at once", '[everyday]\nshop = []\n"?" = ["x"]\nlamp = 1\n', ["toml:2:", "toml:3:", "toml:4:"]),
]


@pytest.mark.parametrize("kind, text, said", FAULTS, ids=[row[0] for row in FAULTS])
def test_a_thesaurus_with_faults_is_told(tmp_path, kind, text, said):
    with pytest.raises(ThesaurusError) as told:
        load_thesaurus(written(tmp_path, text))
    assert all(each in str(told.value) for each in said), str(told.value)
    assert isinstance(told.value, LabError)


def test_a_file_that_is_no_text_or_not_there(tmp_path):
    with pytest.raises(ThesaurusError, match="toml:2: is no text in UTF-8"):
        load_thesaurus(written(tmp_path, '[everyday]\n"réparé" = ["x"]\n', "latin-1"))
    with pytest.raises(ThesaurusError, match="cannot be read"):
        load_thesaurus(tmp_path / "none.toml")
    with pytest.raises(ThesaurusError, match="cannot be read"):
        load_thesaurus(tmp_path)


def test_the_course_thesaurus_speaks_the_language_of_its_code():
    """Each of its terms stands in the Code, and what people say is mostly not what the Code says."""
    folder = Path(__file__).resolve().parent.parent / "corpus/northmark"
    thesaurus = load_thesaurus(folder / "thesaurus.toml")
    index = KeywordIndex(stem=True)
    index.add([("code", (folder / "documents/consumer-code.md").read_text("utf-8"))])
    unknown = [word for entry in thesaurus.entries for term in entry.terms for word in words(term) if not index.postings(word)]
    assert unknown == []
    assert 20 <= len(thesaurus) <= 100
