"""Features of a frozen trunk: computed once per blob, and not a bit different out of the cache."""

import numpy as np
import pytest
import torch
from tests.models.training.test_streaming import Counting

from blobs.cache import BlobCache
from training import architecture, build
from training.data import Features, open_source
from training.features import load_features, trunk_digest
from worker_programs.readers import Folder

PARAMS = {"width": 8}
CLASSES = ["dark", "middle", "light"]


@pytest.fixture
def network():
    """A small trunk that stands still: what is frozen does not matter to how its features are kept."""
    return build("small_cnn", PARAMS, classes=3).train()


@pytest.fixture
def samples(labelled_images):
    return labelled_images(40)


@pytest.fixture
def reader(tmp_path, samples):
    return Counting(Folder(tmp_path / "blobs"))


@pytest.fixture
def cache(tmp_path):
    return BlobCache(tmp_path / "cache", 1 << 20)


def test_a_second_run_reads_decodes_and_computes_nothing(network, samples, reader, cache, monkeypatch):
    first = load_features(samples, reader, network, cache=cache)
    assert len(reader.read) == 40
    reader.read.clear()
    monkeypatch.setattr(network, "features", None)
    again = load_features(samples, reader, network, cache=cache)
    assert reader.read == []
    assert first.tobytes() == again.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_cached_partly_cached_and_computed_features_are_the_same_bits(network, samples, reader, cache, threads):
    plain = load_features(samples, reader, network, threads=threads)
    load_features(samples[5:17], reader, network, threads=threads, cache=cache)
    reader.read.clear()
    partly = load_features(samples, reader, network, threads=threads, cache=cache)
    assert len(reader.read) == 28
    turned = load_features(samples[::-1], reader, network, threads=threads)
    assert plain.tobytes() == partly.tobytes() == turned[::-1].tobytes()


def test_a_real_backbone_gives_the_same_bits_from_the_cache(samples, reader, cache):
    network = build("efficientnet_lite0", {}, classes=3)
    plain = load_features(samples[:3], reader, network)
    load_features(samples[1:2], reader, network, cache=cache)
    assert load_features(samples[:3], reader, network, cache=cache).tobytes() == plain.tobytes()
    assert plain.shape == (3, 1280)


def test_other_weights_preprocessing_or_threads_are_other_features(network):
    digest = trunk_digest(network, threads=1)
    assert digest == trunk_digest(build("small_cnn", PARAMS, classes=5, seed=0), threads=1)  # the head is not in it
    assert digest != trunk_digest(network, threads=2)
    assert digest != trunk_digest(build("small_cnn", {**PARAMS, "channels": 3}, classes=3), threads=1)
    with torch.no_grad():
        next(network.trunk.parameters()).mul_(1.0001)
    assert digest != trunk_digest(network, threads=1)


def test_a_damaged_entry_is_computed_again(network, samples, reader, cache):
    first = load_features(samples, reader, network, cache=cache)
    entry = next(path for path in cache.directory.rglob("*") if path.is_file() and path.name != "total")
    entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    reader.read.clear()
    assert load_features(samples, reader, network, cache=cache).tobytes() == first.tobytes()
    assert len(reader.read) == 1


def test_the_cache_stays_within_its_bound_and_the_features_right(network, samples, reader, tmp_path):
    small = BlobCache(tmp_path / "small", 2000)
    plain = load_features(samples, reader, network)
    assert load_features(samples, reader, network, cache=small).tobytes() == plain.tobytes()
    assert small.total_bytes() <= 2000


def test_equal_bytes_are_computed_once_and_the_network_is_left_as_it_was(network, samples, reader):
    found = load_features([*samples, *samples], reader, network)
    assert len(reader.read) == 40
    assert np.array_equal(found[:40], found[40:])
    assert network.training


def test_a_frozen_trunk_is_trained_on_features_out_of_the_cache_of_the_environment(
    samples, reader, tmp_path, monkeypatch
):
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "cache"))
    family, network = architecture("efficientnet_lite0"), build("efficientnet_lite0", {}, classes=3)
    for expected in (2, 0):
        source = open_source(samples[:2], reader, classes=CLASSES, family=family, network=network)
        assert isinstance(source, Features)
        assert len(reader.read) == expected
        reader.read.clear()
