"""Several files as one: the mean of their probabilities, under the same contract as any file."""

import numpy as np
import pytest
from tests.linear_model import linear_model

from export.ensemble import join_onnx
from export.float16 import to_half
from export.readiness import readiness
from export.runtime import ModelError, Session, load_proto, read_facts

PIXELS = np.random.default_rng(1).integers(0, 256, (5, 4, 4, 1), dtype=np.uint8)


def member(seed: int, **changes) -> bytes:
    return bytes(linear_model(seed=seed, **changes).SerializeToString())


def test_the_mean_of_the_members_in_one_file():
    members = [member(seed) for seed in range(3)]
    joined = join_onnx(members)
    assert readiness(joined).ready, readiness(joined)
    alone = [Session(data).run(PIXELS) for data in members]
    found = Session(joined).run(PIXELS)
    mean = np.mean([one.probabilities for one in alone], axis=0)
    np.testing.assert_allclose(found.probabilities, mean, atol=1e-6)
    np.testing.assert_allclose(found.logits, np.log(mean), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found.embedding, np.concatenate([one.embedding for one in alone], axis=1))
    np.testing.assert_allclose(Session(joined).run(PIXELS[2:3]).probabilities, mean[2:3], atol=1e-6)
    assert read_facts(load_proto(joined)).classes == ["a", "b", "c"]
    assert join_onnx(members) == joined, "the same members, the same bytes"


def test_in_float16_it_says_the_same_and_no_probability_is_too_small():
    pixels = np.random.default_rng(2).integers(0, 256, (20, 16, 16, 1), dtype=np.uint8)
    joined = join_onnx([member(seed, size=(1, 16, 16)) for seed in range(3)])
    whole, half = Session(joined).run(pixels), Session(to_half(joined)).run(pixels)
    assert whole.logits.min() < np.log(6e-8), "what float16 has no number for"
    np.testing.assert_allclose(half.logits, whole.logits, atol=0.1)
    np.testing.assert_array_equal(half.logits.argmax(1), whole.logits.argmax(1))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"classes": ["a", "b"]}, "member 2 has classes ['a', 'b'], the first ['a', 'b', 'c']"),
        ({"size": (1, 8, 8)}, "member 2 has input_size (1, 8, 8)"),
    ],
)
def test_what_looks_at_images_otherwise_is_refused(other, words):
    with pytest.raises(ModelError) as refused:
        join_onnx([member(0), member(1, **other)])
    assert refused.value.code == "ensemble_unlike"
    assert words in str(refused.value)


def test_one_is_no_ensemble():
    with pytest.raises(ModelError, match="two members"):
        join_onnx([member(0)])
