"""A cross-encoder from a folder that the test builds: a tiny net that counts pieces which question and passage share."""

import json
import math
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from labkit.errors import BadArgument, LabError
from labkit.passages import Passage
from labkit.retrieval.reranking.cross_encoder import CrossEncoder
from labkit.retrieval.reranking.judging import rerank

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "kettle", "pump", "refund", "shed", "fits", "the"]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def net(weights=(1.0,), shifts=(-1.0,), inputs=INPUTS, shape=2):
    """outputs[label] = weights[label] × (pairs of equal pieces, one of each text, [SEP] apart) + shifts[label]"""
    values = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "pieces"]) for name in inputs]
    constants = [
        numpy_helper.from_array(np.array(number, dtype), name)
        for name, number, dtype in [
            ("one", 1, np.int64), ("three", 3, np.int64), ("across", [2], np.int64), ("down", [1], np.int64), ("all", [1, 2], np.int64),
            ("weights", [list(weights)], np.float32), ("shifts", [list(shifts)], np.float32),
        ]
    ]  # fmt: skip
    nodes = [
        helper.make_node("Unsqueeze", ["input_ids", "across"], ["rows"]),
        helper.make_node("Unsqueeze", ["input_ids", "down"], ["columns"]),
        helper.make_node("Equal", ["rows", "columns"], ["same"]),
        helper.make_node("Greater", ["rows", "three"], ["words"]),
        helper.make_node("Equal", ["token_type_ids", "one"], ["second"]),
        helper.make_node("Not", ["second"], ["first"]),
        helper.make_node("Unsqueeze", ["first", "across"], ["first_rows"]),
        helper.make_node("Unsqueeze", ["second", "down"], ["second_columns"]),
        helper.make_node("And", ["same", "words"], ["same_words"]),
        helper.make_node("And", ["first_rows", "second_columns"], ["between"]),
        helper.make_node("And", ["same_words", "between"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["counted"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["counted", "all"], ["sums"], keepdims=0),
        helper.make_node("Unsqueeze", ["sums", "down"], ["total"]),
        helper.make_node("Mul", ["total", "weights"], ["weighed"]),
        helper.make_node("Add", ["weighed", "shifts"], ["logits"]),
    ]
    names = ["batch", len(weights)]
    if shape == 3:
        nodes.append(helper.make_node("Unsqueeze", ["logits", "down"], ["states"]))
        names.insert(1, 1)
    result = helper.make_tensor_value_info("states" if shape == 3 else "logits", TensorProto.FLOAT, names)
    graph = helper.make_graph(nodes, "tiny", values, [result], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def folder_of(folder, *, config=None, under="onnx", longest=None, **options):
    (folder / under).mkdir(parents=True, exist_ok=True)
    onnx.save(net(**options), str(folder / under / "model.onnx"))
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config or {}))
    if longest:
        (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": longest}))
    return folder


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


TEXTS = ["the kettle", "the kettle and the pump", "a shed", "kettle kettle kettle"]


def test_one_output_is_a_sigmoid(tmp_path):
    model = CrossEncoder(folder_of(tmp_path / "tiny"))
    assert model.calibration == "sigmoid"
    scores = model.scores("Kettle, pump?", TEXTS)
    assert scores == pytest.approx([sigmoid(shared - 1) for shared in (1, 2, 0, 3)], abs=1e-6)
    assert scores.shape == (4,) and model.scores("kettle", []).shape == (0,)


@pytest.mark.parametrize(
    "activation",
    [
        {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
        {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"}},
    ],
)
def test_one_output_is_a_sigmoid_whatever_activation_the_config_names(tmp_path, activation):
    model = CrossEncoder(folder_of(tmp_path / "tiny", config=activation))
    assert model.scores("kettle", ["kettle"]) == pytest.approx([sigmoid(0)], abs=1e-6)


TWO = {"weights": (0.0, 2.0), "shifts": (1.0, 0.0)}
THREE = {"weights": (2.0, 0.0, -1.0), "shifts": (0.0, 1.0, 0.0)}
NLI = {"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}}

LABELS = [
    ("the second of two", TWO, {}, None, 1, "softmax"),
    ("two without a name", TWO, {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, None, 1, "softmax"),
    ("by its name", TWO, {"id2label": {"0": "RELEVANT", "1": "other"}}, None, 0, "softmax"),
    ("by the name that is asked for", TWO, {"id2label": {"0": "good", "1": "bad"}}, "good", 0, "softmax"),
    ("by number", TWO, {}, 0, 0, "softmax"),
    ("three", THREE, NLI, None, 0, "softmax"),
    ("three, another one", THREE, NLI, "neutral", 1, "softmax"),
    ("each for itself", TWO, {"problem_type": "multi_label_classification"}, None, 1, "sigmoid"),
]


@pytest.mark.parametrize("kind, options, config, label, chosen, calibration", LABELS, ids=[row[0] for row in LABELS])
def test_several_outputs(tmp_path, kind, options, config, label, chosen, calibration):
    model = CrossEncoder(folder_of(tmp_path / "tiny", config=config, **options), label=label)
    assert model.calibration == calibration
    for text, shared in zip(TEXTS, (1, 1, 0, 3), strict=True):
        outputs = [weight * shared + shift for weight, shift in zip(options["weights"], options["shifts"], strict=True)]
        expected = sigmoid(outputs[chosen])
        if calibration == "softmax":
            expected = math.exp(outputs[chosen]) / math.fsum(map(math.exp, outputs))
        assert model.scores("kettle", [text]) == pytest.approx([expected], abs=1e-6)


def test_large_numbers_stay_between_0_and_1(tmp_path):
    for name, options in (("one", {"weights": (5000.0,)}), ("two", {"weights": (-5000.0, 5000.0), "shifts": (1.0, 0.0)})):
        scores = CrossEncoder(folder_of(tmp_path / name, **options)).scores("kettle", TEXTS)
        assert ((scores >= 0) & (scores <= 1)).all() and scores[0] == 1 and scores[2] < 0.5


def test_it_reranks(tmp_path):
    def passage(name, text):
        return Passage(name, "d", "1", "public", "en", (), 0, len(text), text, "The kettle")

    found = [passage("a", "a shed"), passage("b", "the pump fits"), passage("c", "refund the pump, the pump"), passage("d", "x")]
    model = CrossEncoder(folder_of(tmp_path / "tiny", shifts=(-2.0,)))
    result = rerank("NOT pump* OR title:fits", found, model)
    assert [each.id for each in result] == ["b", "c"]  # sigmoid(0) each; the others share nothing and have 0.1192


NOTHING = ["", " \n", "...", "😀", "\0", "\ud800"]


@pytest.mark.parametrize("text", NOTHING)
def test_what_says_nothing_gets_0(tmp_path, text):
    model = CrossEncoder(folder_of(tmp_path / "tiny"))
    assert model.scores("kettle", [text, "kettle"])[0] == 0 and model.scores(text, ["kettle"]) == [0]


def test_what_is_too_long_is_cut_the_longer_one_first(tmp_path):
    folder = folder_of(tmp_path / "tiny", longest=10)  # 3 marks, 7 pieces
    model = CrossEncoder(folder)
    assert model.scores("kettle pump", ["shed " * 4 + "kettle"]) == pytest.approx([sigmoid(0)], abs=1e-6)
    assert model.scores("kettle pump", ["shed " * 5 + "kettle"]) == pytest.approx([sigmoid(-1)], abs=1e-6)
    assert model.scores("shed " * 500 + "kettle", ["pump kettle"])[0] == pytest.approx(sigmoid(-1), abs=1e-6)
    assert CrossEncoder(folder, longest=512).scores("pump", ["shed " * 400 + "pump"]) == pytest.approx([sigmoid(0)], abs=1e-6)
    page = " ".join(["kettle"] * 5_000)
    assert CrossEncoder(folder_of(tmp_path / "whole")).scores(page, [page])[0] == 1


def test_a_score_depends_on_its_text_alone(tmp_path):
    model = CrossEncoder(folder_of(tmp_path / "tiny"))
    assert model.scores("the kettle", TEXTS).tolist() == [model.scores("the kettle", [text])[0] for text in TEXTS]


def test_the_name_says_which_model(tmp_path):
    one, same = folder_of(tmp_path / "a" / "tiny"), folder_of(tmp_path / "b" / "tiny", under=".")
    other = folder_of(tmp_path / "c" / "tiny", shifts=(0.0,))
    assert CrossEncoder(one).name == CrossEncoder(same).name != CrossEncoder(other).name
    assert CrossEncoder(one).name.startswith("tiny (")


def gone(name):
    return lambda folder: (folder / name).unlink()


def holds(name, text):
    return lambda folder: (folder / name).write_bytes(text)


FAULTS = [
    ("no net", {}, gone("onnx/model.onnx"), "holds no onnx/model.onnx"),
    ("no tokenizer", {}, gone("tokenizer.json"), "holds no tokenizer.json"),
    ("no config", {}, gone("config.json"), "holds no config.json"),
    ("a config that is no JSON", {}, holds("config.json", b"{"), "cannot be read as JSON"),
    ("a config that is a list", {}, holds("config.json", b"[]"), "curly brackets"),
    ("a net that is text", {}, holds("onnx/model.onnx", b"hello"), "cannot be loaded"),
    ("an empty net", {}, holds("onnx/model.onnx", b""), "model.onnx"),
    ("a tokenizer that is text", {}, holds("tokenizer.json", b"{}"), "is no tokenizer"),
    ("an embedding model", {"shape": 3}, None, "is it an embedding model"),
    ("a net that asks for more", {"inputs": (*INPUTS, "pixels")}, None, "takes input_ids"),
    ("three labels without a meaning", THREE, None, "which of LABEL_0, LABEL_1, LABEL_2"),
    ("numbers that are none", {"shifts": (math.nan,)}, None, "no usable number"),
]


@pytest.mark.parametrize("kind, options, damage, said", FAULTS, ids=[row[0] for row in FAULTS])
def test_a_folder_with_a_fault_is_told(tmp_path, kind, options, damage, said):
    folder = folder_of(tmp_path / "tiny", **options)
    if damage:
        damage(folder)
    with pytest.raises(LabError, match=said):
        CrossEncoder(folder)


def test_no_folder_and_an_empty_one(tmp_path):
    with pytest.raises(LabError, match="there is no such folder"):
        CrossEncoder(tmp_path / "none")
    with pytest.raises(LabError, match="holds no onnx"):
        CrossEncoder(tmp_path)


@pytest.mark.parametrize("wrong", [{"label": "good"}, {"label": 1}, {"label": -1}, {"label": True}, {"longest": 3}, {"longest": "x"}])
def test_settings_make_sense(tmp_path, wrong):
    with pytest.raises(BadArgument):
        CrossEncoder(folder_of(tmp_path / "tiny"), **wrong)


def test_without_the_packages_it_says_which_extra_brings_them(tmp_path):
    folder_of(tmp_path / "tiny")
    code = (
        "import sys; sys.modules['tokenizers'] = None; sys.modules['onnxruntime'] = None\n"
        "from labkit.retrieval.reranking.cross_encoder import CrossEncoder\n"
        "from labkit.errors import LabError\n"
        "try: CrossEncoder('tiny')\n"
        "except LabError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "labkit[onnx]" in done.stdout, done.stderr
