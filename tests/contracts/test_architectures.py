"""The contract every registered architecture keeps; a new one is covered by being registered."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.tiny_encoders import image_encoder

from export.graph import to_onnx
from export.parity import prove_parity
from export.readiness import readiness
from export.runtime import METADATA, Session
from export.words.adopt_image import adopt_image
from export.words.encoder_spec import EncoderSpec
from tasktypes.detection.levels import levels_of
from training import (
    Checkpoint,
    Images,
    Recipe,
    architecture,
    build,
    facts,
    fit,
    load_checkpoint,
    names,
    register,
    save_checkpoint,
)
from training import architectures as registry
from training.architectures import Architecture
from training.checkpoint import CheckpointConfig
from training.encoders import encoder_spec
from training.extensions import SETTING
from worker_programs.config import ConfigError, document, parse

SMALLEST = {
    **{name: {"size": 16, "width": 8} for name in ("resnet18", "resnet34", "resnet50")},
    "vit_tiny": {"size": 16, "width": 32, "heads": 2, "depth": 2},
    "timm": {"size": 32},
    **{name: {"size": 128, "width": 16, "depth": 1} for name in ("centre_lite0", "fcos_lite0")},
}
"""Parameters that keep a test short where the defaults would not."""
FILES: dict[str, Path] = {}
"""Files of encoders, by SHA-256."""
RECIPE = Recipe(steps=12, batch_size=6, seed=4, learning_rate=0.01, precision="float32")
"""Few steps on few images tell little enough; the last bits of bfloat16 shall not decide them too."""
LONGER = {"boxes": 60, "encoder": 60}
"""Steps by the form of answers or the name, where a few bring nothing to be seen."""
LARGER = {"resnet34", "resnet50", "efficientnet_lite1", "efficientnet_lite2", "fcos_lite0"}
"""The same code as another of their family with other numbers, or another head on it: `make test-full` trains them and
proves their files."""
LEARNT = [pytest.param(one, marks=[pytest.mark.clock] * (one in LARGER)) for one in names()]
PROVED = [pytest.param(one, marks=[pytest.mark.clock] * (one in LARGER | {"centre_lite0"})) for one in names()]
"""A detector's file is proved by the contract of task types, which ships one."""
needs_timm = pytest.mark.skipif(find_spec("timm") is None, reason="timm is not installed: it is no dependency")


@pytest.fixture(params=names())
def name(request):
    return request.param


@pytest.fixture
def network(name):
    if name == "timm" and find_spec("timm") is None:
        pytest.skip("timm is not installed: it is no dependency")
    return built(name)


@pytest.fixture(scope="module", autouse=True)
def encoder(tmp_path_factory):
    """What the architecture `encoder` is built of."""
    path = tmp_path_factory.mktemp("encoder") / "colours.onnx"
    path.write_bytes(adopt_image(image_encoder(opset=20), EncoderSpec()))
    made = encoder_spec("colours", path)
    SMALLEST["encoder"] = made.params
    FILES.update(made.files)


def built(name):
    return build(name, SMALLEST.get(name, {}), classes=3, seed=1, files=FILES)


def images_for(network, count=12):
    channels, height, width = network.family.input_size
    labels = np.arange(count) % 3
    noise = np.random.default_rng(0).integers(0, 60, (count, height, width, channels))
    if network.family.form == "boxes":
        noise[:, height // 4 : height // 2, width // 2 :] += 90 * labels[:, None, None, None]
        rows = [[0.5, 0.25, 1, 0.5, label, 1, width, height] for label in labels]
        return Images(noise.astype(np.uint8), np.array(rows, np.float32)[:, None], network.family.tasks()[0])
    return Images((noise + 90 * labels[:, None, None, None]).astype(np.uint8), labels)


def recipe_for(network):
    family = network.family
    return replace(RECIPE, steps=LONGER.get(family.name, LONGER.get(family.form, RECIPE.steps)))


def test_it_gives_logits_and_the_embedding_it_declares(network):
    logits, embedding = network.eval()(torch.zeros(2, *network.family.input_size))
    assert logits.shape[:2] == ((2, 3 + 4) if network.family.form == "boxes" else (2, 3))
    if network.family.form == "boxes":
        assert levels_of(logits.shape)
    else:
        assert logits.ndim == 2
    assert embedding.shape == (2, network.family.embedding_dim)


def test_its_trunk_takes_a_gradient_unless_it_is_frozen(network):
    logits, _ = network.train()(torch.from_numpy(images_for(network, 4).pixels).permute(0, 3, 1, 2).float())
    logits.square().sum().backward()
    trunk = [parameter.grad for parameter in network.trunk.parameters()]
    assert all((grad is None) is network.family.frozen for grad in trunk)
    assert all(grad is not None and grad.isfinite().all() for grad in network.head.parameters() for grad in [grad.grad])


def test_a_checkpoint_brings_it_back(network, name, tmp_path):
    config = CheckpointConfig(
        architecture=name,
        params=document(network.family.params),
        classes=["a", "b", "c"],
        recipe={},
        threads=1,
        torch=torch.__version__,
    )
    save_checkpoint(Checkpoint(network, config), tmp_path)
    again = load_checkpoint(tmp_path).network
    pixels = torch.from_numpy(images_for(network, 2).pixels).permute(0, 3, 1, 2).float()
    with torch.inference_mode():
        for one, other in zip(network.eval()(pixels), again(pixels), strict=True):
            assert torch.equal(one, other)


@pytest.mark.parametrize("name", LEARNT)
def test_it_learns_and_one_seed_gives_the_same_weights_bit_for_bit(name, network):
    images, recipe = images_for(network), recipe_for(network)
    fitted = fit(network, images, recipe)
    again = built(name)
    fit(again, images, recipe)
    assert fitted.train_accuracy > 0.6
    for one, other in zip(network.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", PROVED)
def test_its_onnx_file_is_ready_for_tensorrt_and_equals_torch(network):
    task, input_size = network.family.tasks()[0], list(network.family.input_size)
    proto = to_onnx(network, task)
    facts = {"classes": ["a", "b", "c"], "input_size": input_size, "task": task}
    proto.metadata_props.add(key=METADATA, value=json.dumps(facts))
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


def test_its_settings_have_help_and_a_group_and_few_are_usual(name):
    shown = facts(name)
    settings = {**shown.params_schema["properties"], **shown.recipe_schema["properties"]}
    del settings["seed"]  # a run has its own
    assert [one for one, said in settings.items() if not (said.get("group") and said.get("description"))] == []
    assert 3 <= sum(not said["advanced"] for said in settings.values()) <= 5


def test_a_frozen_trunk_does_not_change_and_the_others_do(network):
    before = {key: value.clone() for key, value in network.trunk.state_dict().items()}
    fit(network, images_for(network), Recipe(steps=3, batch_size=6))
    changed = any(not torch.equal(before[key], value) for key, value in network.trunk.state_dict().items())
    assert changed is not network.family.frozen


def test_listing_architectures_does_not_import_torch():
    code = "import sys, training; [training.facts(n) for n in training.names()]; sys.exit('torch' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def test_a_name_taken_twice_is_refused():
    with pytest.raises(ValueError, match="'small_cnn' is registered twice"):
        register("small_cnn")(type("Another", (Architecture,), {}))


def test_an_unknown_name_or_parameter_is_named():
    with pytest.raises(
        ConfigError, match=r"unknown architecture 'vgg'; there are .*, efficientnet_lite0, .*, resnet18, .*small_cnn"
    ):
        architecture("vgg")
    with pytest.raises(ConfigError, match=r"params\.width: .*must be at least 4"):
        architecture("small_cnn", {"width": 1})
    with pytest.raises(ConfigError, match=r"params\.depth"):
        architecture("resnet18", {"depth": 3})
    with pytest.raises(ConfigError, match=r"params\.patch: 30 pixels do not divide into patches of 4"):
        architecture("vit_tiny", {"size": 30})


def test_a_pretrained_backbone_is_trained_as_a_whole_where_it_is_not_frozen():
    tuned, kept = (build("efficientnet_lite0", {"freeze": freeze}, classes=2) for freeze in (False, True))
    assert all(parameter.requires_grad for parameter in tuned.trunk.parameters())
    assert not any(parameter.requires_grad for parameter in kept.trunk.parameters())
    assert (tuned.train().trunk.training, kept.train().trunk.training) == (True, False)
    assert tuned.family.recipe.learning_rate < kept.family.recipe.learning_rate


def test_resnet18_keeps_the_names_of_its_weights():
    """Checkpoints and warm starts of before go on."""
    found = list(build("resnet18", SMALLEST["resnet18"], classes=2).trunk.state_dict())
    assert found[0] == "0.0.weight"
    assert {"1.0.first.0.weight", "2.0.shortcut.0.weight", "4.1.second.1.running_var"} <= set(found)


OWN = """
from training.architectures import register
from training.architectures.small_cnn import SmallCnn


@register("{name}")
class Own(SmallCnn):
    \"\"\"My own.\"\"\"
"""


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """Writes a file with an architecture and names it in the environment; the registry is as before afterwards."""
    monkeypatch.setattr(registry._registry, "classes", dict(registry._registry.classes))

    def write(text):
        path = tmp_path / "own.py"
        path.write_text(text)
        monkeypatch.setenv(SETTING, str(path))
        return path

    return write


def test_an_architecture_from_a_single_file_trains_like_the_others(own_file):
    own_file(OWN.format(name="own"))
    assert "own" in names()
    assert names() == names()
    network = build("own", {"width": 8, "size": 16}, classes=3)
    assert fit(network, images_for(network), Recipe(steps=2, batch_size=4)).steps == 2
    assert facts("own").summary == "My own."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OWN.format(name="resnet18"), "'resnet18' is registered twice"),
        (OWN.format(name="half") + "\nraise KeyError('x')", "KeyError"),
        ("def", "SyntaxError"),
        (
            OWN.format(name="half")
            .replace("register\n", "Architecture, register\n")
            .replace("(SmallCnn)", "(Architecture)"),
            "Own must define embedding_dim, input_size, normalisation, trunk",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_and_leaves_nothing(own_file, text, words):
    path = own_file(text)
    for _ in range(2):
        with pytest.raises(ConfigError, match=words) as caught:
            names()
        assert f"{SETTING}: {path}" in str(caught.value)
    assert "half" not in registry._registry.classes


def test_an_entry_point_of_an_installed_package_is_found(tmp_path):
    """A distribution on the path of another process: entry points are those of what is installed."""
    (tmp_path / "own_nets.py").write_text(OWN.format(name="packaged"))
    kept = tmp_path / "own_nets-1.0.dist-info"
    kept.mkdir()
    (kept / "METADATA").write_text("Metadata-Version: 2.1\nName: own-nets\nVersion: 1.0\n")
    (kept / "entry_points.txt").write_text("[motherlode.architectures]\nown = own_nets:Own\n")
    code = "import training; print(training.names())"
    environment = {"PYTHONPATH": ":".join([str(tmp_path), *sys.path])}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert "'packaged'" in shown.stdout


@pytest.mark.skipif(find_spec("timm") is not None, reason="timm is installed")
def test_without_timm_its_models_say_how_to_get_it():
    with pytest.raises(ConfigError, match="install timm"):
        build("timm", {}, classes=2)


@needs_timm
def test_a_model_that_timm_does_not_know_is_named():
    with pytest.raises(ConfigError, match="timm has no model 'resnet19'"):
        build("timm", {"model": "resnet19"}, classes=2)


def test_the_example_of_the_docs_trains(own_file):
    page = Path(__file__).resolve().parents[2] / "docs" / "howto" / "training-data-and-architectures.md"
    own_file(page.read_text().partition("```python\n")[2].partition("```")[0])
    network = build("my_net", {"size": 16}, classes=3)
    assert fit(network, images_for(network), Recipe(steps=2, batch_size=4)).steps == 2
