"""NVIDIA's parser and builder: what they say is believed, and what becomes of them harms nobody."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import onnx
import pytest

from export import EngineCache, EngineKey, Profile, Session, building, engine, prove_engine
from export.building import Limits
from export.nvidia_driver import present
from worker_programs.confinement import KEPT_VARIABLES

SMALL = Profile(min=1, opt=4, max=8)
GRAPH = """<ir_version: 10, opset_import: ["": 20]>
agraph (float[batch, 1, 4, 4] input) =>
  (float[batch, 16] logits, float[batch, 16] embedding, float[batch, 16] probabilities) {
  embedding = Flatten(input)
  logits = Relu(embedding)
  probabilities = Softmax(logits)
}"""


def model(graph: str = GRAPH) -> bytes:
    made = onnx.parser.parse_model(graph)
    facts = {"classes": [str(number) for number in range(16)], "input_size": [1, 4, 4]}
    onnx.helper.set_model_props(made, {"motherlode": json.dumps(facts)})
    return bytes(made.SerializeToString())


@pytest.fixture
def builder():
    return pytest.importorskip(engine.BUILDER, reason="NVIDIA's builder is not installed")


def test_engines_are_built_for_gpus_that_are_not_here(builder):
    found = prove_engine(model(), profile=SMALL)
    assert (found["status"], found["reason"], found["version"]) == ("verified", None, builder.__version__)
    assert [(made["architecture"], made["built"]) for made in found["engines"]] == [("SM80", True), ("SM89", True)]
    assert all(made["bytes"] > 1000 for made in found["engines"])


def test_what_the_parser_refuses_is_named(builder):
    crooked = """scale = Constant<value = float {0.5}>()
      zero = Constant<value = int8 {3}>()
      q = QuantizeLinear(embedding, scale, zero)
      logits = DequantizeLinear(q, scale, zero)"""
    found = prove_engine(model(GRAPH.replace("logits = Relu(embedding)", crooked)), profile=SMALL)
    assert (found["status"], found["engines"]) == ("refused", [])
    assert "QuantizeLinear" in found["reason"]


def test_a_builder_that_is_absent_verifies_nothing(monkeypatch):
    monkeypatch.setattr(building, "BUILDER", "tensorrt_of_nobody")
    found = prove_engine(model(), profile=SMALL)
    assert (found["status"], found["engines"]) == ("not verified", [])
    assert "is not installed" in found["reason"]


def test_a_builder_that_takes_too_long_or_too_much_verifies_nothing(builder):
    slow = prove_engine(model(), profile=SMALL, limits=Limits(seconds=0.05))
    assert (slow["status"], slow["reason"]) == (
        "not verified",
        "the builder was stopped: it took more than 0.05 seconds",
    )
    greedy = prove_engine(model(), profile=SMALL, limits=Limits(memory_bytes=2**22))
    assert (greedy["status"], "4 MiB of memory" in greedy["reason"]) == ("not verified", True)
    assert greedy["engines"] == []


def test_the_builder_is_given_nothing_secret(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setenv("MOTHERLODE_SECRET_KEY", "hush")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    seen = {}

    class Told(subprocess.Popen[bytes]):
        def __init__(self, command, *, env, **rest):
            seen.update(env)
            super().__init__([sys.executable, "-c", "raise SystemExit(1)"], env=env, **rest)

    monkeypatch.setattr(subprocess, "Popen", Told)
    assert prove_engine(model(), profile=SMALL)["status"] == "not verified"
    assert seen["CUDA_VISIBLE_DEVICES"] == "0"
    assert {*seen} <= {*KEPT_VARIABLES, "PYTHONPATH", *(name for name in seen if name.startswith("CUDA_"))}
    assert "hush" not in seen.values()


def test_an_engine_that_was_built_before_is_not_built_again(builder, tmp_path):
    first = prove_engine(model(), profile=SMALL, engines=tmp_path)
    again = prove_engine(model(), profile=SMALL, engines=tmp_path)
    assert [made["cached"] for made in first["engines"] + again["engines"]] == [False, False, True, True]
    other = prove_engine(model(), profile=replace(SMALL, max=16), engines=tmp_path)
    assert not any(made["cached"] for made in other["engines"])


def test_the_key_of_an_engine_is_all_that_it_depends_on(tmp_path):
    key = EngineKey(onnx_sha256="0" * 64, architecture="SM89", builder="tensorrt-11.4", precision="fp16", profile=SMALL)
    others = [
        replace(key, onnx_sha256="1" * 64),
        replace(key, architecture="SM80"),
        replace(key, builder="tensorrt-11.5"),
        replace(key, precision="int8"),
        replace(key, profile=Profile()),
        replace(key, platform="windows-amd64"),
    ]
    assert len({one.name for one in (key, *others)}) == len(others) + 1
    cache = EngineCache(tmp_path)
    assert cache.get(key) is None
    cache.put(key, b"plan")
    assert cache.get(key) == b"plan"
    assert all(cache.get(one) is None for one in others)


@pytest.mark.gpu
def test_on_a_gpu_the_engine_runs_and_answers_as_onnx_runtime_does(builder):
    if not present():
        pytest.skip("there is no NVIDIA GPU here: no engine was run")
    pixels = np.random.default_rng(0).integers(0, 256, (8, 4, 4, 1), dtype=np.uint8)
    found = prove_engine(model(), profile=SMALL, pixels=pixels)
    assert found["run"]["passed"], found
    assert found["run"]["samples"] == 8


def test_without_a_gpu_no_engine_is_said_to_have_run(builder):
    if present():
        pytest.skip("there is a GPU here")
    pixels = np.zeros((2, *Session(model()).facts.input_size[1:], 1), np.uint8)
    found = prove_engine(model(), profile=SMALL, pixels=pixels)
    assert (found["status"], found["run"]) == ("verified", None)
