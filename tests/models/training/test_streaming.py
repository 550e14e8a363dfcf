"""Samples that do not fit in memory: one order under a seed, from any step on, and no poison image unnamed."""

import threading
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest
from tests.s3_server import bucket_name, remove_bucket

from blobs.packs import PackWriter
from blobs.store import BlobStore
from blobs.stored import Stored
from training import DataError, Recipe, TrainingConfig, architecture, build, train
from training.data import Images, load_images, open_source
from training.streaming import Streamed
from worker_programs.config import ConfigError, parse
from worker_programs.events import Silent
from worker_programs.manifest import Ref, Sample
from worker_programs.readers import Folder

CLASSES = ["a", "b"]
SIZE = (1, 8, 8)
RECIPE = Recipe(batch_size=7, steps=14, shift=1)


class Counting:
    """A reader that remembers what was asked of the one behind it."""

    def __init__(self, reader):
        self._reader, self.read = reader, []

    def get_many(self, refs, *, on_fault=None):
        return self._kept(self._reader.get_many(refs, on_fault=on_fault))

    def shuffled(self, refs, *, seed, skip=0):
        return self._kept(self._reader.shuffled(refs, seed=seed, skip=skip))

    def _kept(self, found):
        for ref, data in found:
            self.read.append(ref.md5)
            yield ref, data


def image(number):
    pixels = np.full((8, 8), number, np.uint8)
    pixels[:2] = 255 - number
    return cv2.imencode(".png", pixels)[1].tobytes()


@pytest.fixture
def samples(tmp_path):
    folder = Folder(tmp_path / "blobs")
    return [
        Sample.of(f"{number}.png", folder.put(image(number)), label={"class": CLASSES[number % 2]})
        for number in range(33)
    ]


@pytest.fixture
def reader(tmp_path):
    return Counting(Folder(tmp_path / "blobs"))


def streamed(samples, reader, threads=1):
    return Streamed(samples, reader, np.array([CLASSES.index(s.label["class"]) for s in samples]), SIZE, threads)


def equal(ones, others):
    return len(ones) == len(others) and all(
        np.array_equal(one.labels, other.labels) and np.array_equal(one.pixels, other.pixels)
        for one, other in zip(ones, others, strict=True)
    )


def shown(batches):
    """The numbers that the images show, whatever way they were moved."""
    return [int(pixels[-1, 0, 0]) for batch in batches for pixels in batch.pixels]


def test_an_epoch_is_the_same_whatever_the_number_of_workers_and_another_under_another_seed(samples, reader):
    batches = [list(streamed(samples, reader, threads).batches(RECIPE)) for threads in (1, 2, 5)]
    assert equal(batches[0], batches[1])
    assert equal(batches[0], batches[2])
    assert not equal(batches[0], list(streamed(samples, reader).batches(replace(RECIPE, seed=1))))


def test_each_sample_is_seen_once_an_epoch_with_its_own_label(samples, reader):
    batches = list(streamed(samples, reader).batches(replace(RECIPE, shift=0)))
    seen = shown(batches)
    assert sorted(seen[:33]) == sorted(seen[33:66]) == list(range(33))
    assert seen[:33] != seen[33:66]
    assert [number % 2 for number in seen] == [int(label) for batch in batches for label in batch.labels]


@pytest.mark.parametrize("start", [0, 3, 4, 5, 13, 14])
def test_from_any_step_on_it_is_the_rest_of_the_whole_and_reads_nothing_in_front(samples, reader, start):
    source = streamed(samples, reader)
    whole = list(source.batches(RECIPE))
    reader.read.clear()
    assert equal(list(source.batches(RECIPE, start=start)), whole[start:])
    before = 7 * start % 33  # of the epoch that `start` falls into
    epochs = -(-98 // 33) - 7 * start // 33
    assert len(reader.read) <= 33 * epochs - before


def test_samples_of_equal_bytes_are_each_seen(samples, reader):
    twice = [*samples, samples[4]._replace(key="again.png", label={"class": "b"})]
    source = streamed(twice, reader)
    batches = list(source.batches(replace(RECIPE, shift=0)))
    labels = np.concatenate([batch.labels for batch in batches])[:34]
    assert sorted(labels[[at for at, number in enumerate(shown(batches)[:34]) if number == 4]]) == [0, 1]
    for start in (2, 6):
        again = list(source.batches(replace(RECIPE, shift=0), start=start))
        assert equal(again, batches[start:])


def test_a_poison_image_is_an_error_that_names_its_sample(samples, tmp_path):
    folder = Folder(tmp_path / "blobs")
    poison = Sample.of("poison.png", folder.put(b"text"), label={"class": "a"})
    before = threading.active_count()
    with pytest.raises(DataError, match=r"'poison.png': not_an_image"):
        list(streamed([*samples, poison], folder, 2).batches(RECIPE))
    assert threading.active_count() == before


def test_who_stops_early_leaves_no_thread(samples, reader):
    before = threading.active_count()
    batches = streamed(samples, reader, 3).batches(replace(RECIPE, steps=1000))
    next(batches)
    batches.close()
    assert threading.active_count() == before


def test_the_budget_decides_between_memory_and_stream(samples, reader):
    family, network = architecture("small_cnn", {"size": 8}), build("small_cnn", {"size": 8}, classes=2)
    opened = partial(open_source, samples, reader, classes=CLASSES, family=family, network=network, threads=2)
    assert isinstance(opened(memory=33 * 64), Images)
    source = opened(memory=33 * 64 - 1)
    assert isinstance(source, Streamed)
    assert len(source.labels) == 33
    with pytest.raises(ConfigError, match="raise memory"):
        opened(memory=0, recipe=Recipe(balance="sampling"))


def test_threads_decode_into_the_same_rows(samples, reader):
    one, many = (load_images(samples, reader, classes=CLASSES, input_size=SIZE, threads=t) for t in (1, 4))
    assert np.array_equal(one.pixels, many.pixels)
    assert [int(pixels[-1, 0, 0]) for pixels in one.pixels] == list(range(33))


def test_packs_of_the_store_are_streamed_and_resumed(s3_server):
    config = replace(s3_server, bucket=bucket_name())
    store = BlobStore(config)
    store.ensure_bucket()
    try:
        with PackWriter(store, target_bytes=700) as writer:
            for number in range(33):
                writer.add(image(number))
            refs = [Ref(ref.md5, ref.sha256, ref.size, ref.key, ref.offset) for ref in writer.close()]
        packed = [
            Sample.of(f"{number}.png", ref, label={"class": CLASSES[number % 2]}) for number, ref in enumerate(refs)
        ]
        source = streamed(packed, Stored(store), 2)
        whole = list(source.batches(RECIPE))
        assert sorted(shown(list(source.batches(replace(RECIPE, shift=0))))[:33]) == list(range(33))
        assert equal(list(source.batches(RECIPE, start=4)), whole[4:])
    finally:
        remove_bucket(config)


def test_a_training_that_streams_learns_repeats_and_goes_on_where_it_was_killed(training_config, tmp_path):
    def weights(**changes):
        out = tmp_path / f"out-{len(list(tmp_path.iterdir()))}"
        config = {**training_config, "memory": 0, "out_dir": str(out), **changes}
        assert train(parse(TrainingConfig, config))["validation"]["accuracy"] == 1.0
        return (out / "checkpoint.safetensors").read_bytes(), out

    training_config["recipe"] |= {"recover_every": 20}
    whole, _ = weights()
    assert weights()[0] == whole
    assert weights(memory=1 << 20)[0] != whole  # another order

    killed = tmp_path / "killed"
    config = {**training_config, "memory": 0, "out_dir": str(killed)}

    class Killer(Silent):
        def checkpoint(self, path, *, kind, step, values):
            if kind == "recovery" and step >= 40:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(parse(TrainingConfig, config), listener=Killer())
    resumed, _ = weights(resume=str(killed / "recovery"))
    assert resumed == whole
