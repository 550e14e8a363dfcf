"""The contract every registered architecture keeps; a new one is covered by being registered."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from export.graph import to_onnx
from export.parity import prove_parity
from export.readiness import readiness
from export.runtime import METADATA, Session
from programs.config import ConfigError, document, parse
from training import Images, Recipe, architecture, build, facts, fit, names, register
from training.architectures import Architecture

SMALLEST = {"resnet18": {"size": 32, "width": 8}}
"""Parameters that keep a test short where the defaults would not."""


@pytest.fixture(params=names())
def name(request):
    return request.param


@pytest.fixture
def network(name):
    return build(name, SMALLEST.get(name, {}), classes=3, seed=1)


def images_for(network, count=12):
    channels, height, width = network.family.input_size
    labels = np.arange(count) % 3
    noise = np.random.default_rng(0).integers(0, 60, (count, height, width, channels))
    return Images((noise + 90 * labels[:, None, None, None]).astype(np.uint8), labels)


def test_it_gives_logits_and_the_embedding_it_declares(network):
    logits, embedding = network.eval()(torch.zeros(2, *network.family.input_size))
    assert logits.shape == (2, 3)
    assert embedding.shape == (2, network.family.embedding_dim)


def test_it_learns_and_one_seed_gives_the_same_weights_bit_for_bit(name, network):
    images, recipe = images_for(network), Recipe(steps=12, batch_size=6, seed=4, learning_rate=0.01)
    fitted = fit(network, images, recipe)
    again = build(name, SMALLEST.get(name, {}), classes=3, seed=1)
    fit(again, images, recipe)
    assert fitted.train_accuracy > 0.6
    for one, other in zip(network.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(one, other)


def test_its_onnx_file_is_ready_for_tensorrt_and_equals_torch(network):
    proto = to_onnx(network)
    input_size = list(network.family.input_size)
    proto.metadata_props.add(key=METADATA, value=f'{{"classes": ["a", "b", "c"], "input_size": {input_size}}}')
    data = proto.SerializeToString()
    found = readiness(data)
    assert [problem for check in found.checks for problem in check.problems] == []
    assert found.opset == 20
    proof = prove_parity(network, Session(data), images_for(network, 9).pixels, opt=8)
    assert proof.passed, proof


def test_its_facts_need_no_torch_and_its_defaults_fit_their_schema(name):
    shown = facts(name)
    assert len(shown.mean) == len(shown.std) == shown.input_size[0]
    assert set(shown.recipe) == set(shown.recipe_schema["properties"])
    made = architecture(name)
    assert parse(made.Params, document(made.params)) == made.params


def test_a_frozen_trunk_does_not_change_and_the_others_do(name, network):
    before = {key: value.clone() for key, value in network.trunk.state_dict().items()}
    fit(network, images_for(network), Recipe(steps=3, batch_size=6))
    changed = any(not torch.equal(before[key], value) for key, value in network.trunk.state_dict().items())
    assert changed is not architecture(name).frozen


def test_listing_architectures_does_not_import_torch():
    code = "import sys, training; [training.facts(n) for n in training.names()]; sys.exit('torch' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def test_a_name_taken_twice_is_refused():
    with pytest.raises(ValueError, match="'small_cnn' is registered twice"):
        register("small_cnn")(type("Another", (Architecture,), {}))


def test_an_unknown_name_or_parameter_is_named():
    with pytest.raises(
        ConfigError, match="unknown architecture 'vgg'; there are efficientnet_lite0, resnet18, small_cnn"
    ):
        architecture("vgg")
    with pytest.raises(ConfigError, match=r"params\.width: .*greater than or equal to 4"):
        architecture("small_cnn", {"width": 1})
    with pytest.raises(ConfigError, match=r"params\.depth"):
        architecture("resnet18", {"depth": 3})
