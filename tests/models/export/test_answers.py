"""Each blob is read, decoded and computed once, whoever asks; what a frozen trunk made of it is kept for later."""

import numpy as np
import pytest

from blobs.cache import BlobCache
from export.answers import Answers, Halves, Pictures, open_answers
from export.graph import to_onnx
from export.proto import set_facts
from export.runtime import Session
from training import build
from worker_programs.events import Silent


class Counting:
    """A reader that counts the blobs it was asked for."""

    def __init__(self, reader):
        self.reader, self.asked = reader, 0

    def get_many(self, refs, *, on_fault=None):
        self.asked += len(refs)
        return self.reader.get_many(refs, on_fault=on_fault)


@pytest.fixture(scope="module")
def data():
    network = build("small_cnn", {"width": 4}, classes=3)
    proto = to_onnx(network)
    set_facts(proto, {"classes": ["dark", "middle", "light"], "input_size": network.family.input_size, "run": 1})
    return proto.SerializeToString(deterministic=True)


@pytest.fixture
def reader(blob_folder):
    return Counting(blob_folder)


@pytest.fixture
def pictures(reader):
    return Pictures(reader, input_size=(1, 28, 28), threads=2)


def test_what_two_files_are_asked_about_is_read_once(data, pictures, reader, labelled_images):
    samples = labelled_images(70)
    first, second = (Answers(Session(data), pictures) for _ in range(2))
    whole = first.of(samples)
    again = second.of(samples[::-1])
    assert reader.asked == 70
    np.testing.assert_allclose(whole.logits, again.logits[::-1], atol=1e-5)
    np.testing.assert_allclose(whole.probabilities.sum(1), 1, atol=1e-5)


def test_what_was_asked_before_is_not_computed_again(data, pictures, labelled_images, monkeypatch):
    samples, model = labelled_images(9), Session(data)
    answers = Answers(model, pictures)
    before = answers.of(samples)
    monkeypatch.setattr(model, "run", None)  # whoever computes now, fails
    assert (answers.of([*samples[3:], samples[0]]).logits[-1] == before.logits[0]).all()


def test_images_beyond_the_limit_are_read_again(reader, labelled_images):
    samples, few = labelled_images(9), Pictures(reader, input_size=(1, 28, 28), limit=4 * 28 * 28)
    assert (few.load(samples) == few.load(samples)).all()
    assert reader.asked == 9 + 5


def test_a_trunk_is_asked_about_a_blob_once_for_all_its_heads(data, pictures, reader, labelled_images, tmp_path):
    samples, cache = labelled_images(9), BlobCache(tmp_path)
    first = Halves(data, cache).of(samples, pictures)
    fresh = Pictures(reader, input_size=(1, 28, 28))
    again = Halves(data.replace(b'"run":1', b'"run":2'), cache).of(samples[::-1], fresh)
    assert reader.asked == 9, "the second found all in the cache"
    assert (again.logits[::-1] == first.logits).all()
    np.testing.assert_allclose(first.logits, Session(data).run(pictures.load(samples)).logits, atol=1e-5)


def test_a_file_that_is_no_trunk_and_head_is_asked_whole(data, pictures, labelled_images, tmp_path, monkeypatch):
    samples, model = labelled_images(9), Session(data)
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path))
    halved = Halves.of
    monkeypatch.setattr(Halves, "of", lambda *asked: halved(*asked)._replace(logits=halved(*asked).logits + 1))
    answers = open_answers(data, model, pictures, samples, frozen=True, listener=Silent())
    np.testing.assert_allclose(answers.of(samples).logits, model.run(pictures.load(samples)).logits, atol=1e-5)
