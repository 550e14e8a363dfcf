"""Gates: absolute and relative, by class and slice, with intervals; what can't be computed fails and says why."""

import pytest

from blobs.services import keep_bytes, store
from core.errors import Invalid
from registry.gates import CHECKS, check_gates, judge
from registry.models import Artifact
from tasktypes import task_type

pytestmark = pytest.mark.django_db
METRICS = task_type("classification").metrics
DEFAULT_GATES = [{"check": "parity"}, {"check": "tensorrt_ready"}, {"metric": "accuracy", "min_delta": -0.01}]
NO_WORSE_SLICE = {"metric": "accuracy", "slice": "*", "min_delta": -0.01, "confidence": 0.95}


def verdict(version, gate, against=None):
    (found,) = judge(version, check_gates([gate], METRICS), against=against)
    return found


def test_a_better_mean_with_a_worse_slice_is_refused_over_http_and_explained_until_the_slice_is_mended(
    api, model, evaluated
):
    model.gates = [*DEFAULT_GATES, NO_WORSE_SLICE]
    model.save()

    def promote(version):
        body = {"alias": "production", "version": str(version.number), "reason": "better on average"}
        return api.post("/models/digits-cnn/aliases", body, format="json")

    first = promote(evaluated(night=360, day=1440))
    assert first.status_code == 200, first.content
    worse = evaluated(night=320, day=1590)
    assert worse.metrics["accuracy"] > 0.9
    refused = promote(worse)
    assert (refused.status_code, refused.json()["code"]) == (409, "gates_failed")
    told = {gate["gate"]: gate for gate in refused.json()["gates"]}
    assert {name: gate["passed"] for name, gate in told.items()} == {
        "parity": True,
        "tensorrt_ready": True,
        "accuracy": True,
        "accuracy of slice *": False,
    }
    slices = told["accuracy of slice *"]
    words = "night: 0.8000 against 0.9000 of v1 over 400 samples (difference -0.1000, 95% interval -0.1"
    assert slices["detail"].startswith(words)
    assert "the difference must be at least -0.01 with 95% confidence" in slices["detail"]
    assert "day:" not in slices["detail"]
    assert (slices["value"], slices["base"]) == (0.8, 0.9)
    assert slices["interval"][0] < -0.1 < slices["interval"][1] < -0.01
    assert [(row["name"], row["samples"]) for row in slices["failing"]] == [("night", 400)]
    assert words in refused.json()["detail"]
    assert api.get("/models/digits-cnn/versions/production").json()["version"] == 1

    mended = promote(evaluated(night=364, day=1590))
    assert mended.status_code == 200, mended.content
    assert api.get("/models/digits-cnn/versions/production").json()["version"] == 3
    history = api.get("/models/digits-cnn/versions/3").json()["promotions"]
    assert [(row["previous"], row["by"], row["reason"]) for row in history] == [(1, "alice", "better on average")]
    assert all(gate["passed"] for gate in history[0]["gates"])


def test_with_confidence_a_small_loss_within_the_noise_is_refused_and_without_it_passes(evaluated):
    """0.75 points lost of 400 samples: the figure is within a point, its interval is not."""
    base, new = evaluated(night=363, day=1440), evaluated(night=360, day=1440)
    gate = {"metric": "accuracy", "slice": "night", "min_delta": -0.01}
    assert verdict(new, gate, base).passed
    assert not verdict(new, gate | {"confidence": 0.95}, base).passed
    assert verdict(new, gate | {"confidence": 0.95, "min_delta": -0.03}, base).passed


@pytest.mark.parametrize(
    ("gate", "passed"),
    [
        ({"metric": "accuracy", "min": 0.9}, True),
        ({"metric": "accuracy", "min": 0.901}, False),
        ({"metric": "accuracy", "min": 0.9, "confidence": 0.95}, False),
        ({"metric": "accuracy", "min": 0.88, "confidence": 0.95}, True),
        ({"metric": "accuracy", "slice": "*", "min": 0.9}, True),
        ({"metric": "macro_f1", "slice": "day", "min": 0.91}, False),
        ({"metric": "recall", "class": "0", "min": 0.9}, True),
        ({"metric": "precision", "class": "*", "min": 0.95}, False),
        ({"metric": "f1", "class": "*", "min": 0.87, "confidence": 0.9}, True),
        ({"metric": "loss", "max": 0.4}, True),
        ({"metric": "loss", "max": 0.3}, False),
        ({"metric": "loss", "max": 0.4, "confidence": 0.99}, True),
        ({"metric": "ece", "max": 0.02}, True),
        ({"metric": "latency_ms", "max": 3}, True),
        ({"metric": "latency_ms", "max": 2.9}, False),
        ({"metric": "size_bytes", "max": 1000}, True),
        ({"metric": "agreement", "min": 1}, True),
        ({"check": "parity"}, True),
    ],
)
def test_a_bound_is_kept_or_not(evaluated, gate, passed):
    found = verdict(evaluated(night=360, day=1440), gate)
    assert found.passed == passed, found.detail
    assert "computed" not in found.detail


def test_a_loss_of_exactly_what_is_allowed_passes(evaluated):
    """0.89 - 0.9 is a little less than -0.01 to a computer."""
    base, new = evaluated(night=360, day=1440), evaluated(night=356, day=1424)
    assert verdict(new, {"metric": "accuracy", "min_delta": -0.01}, base).passed
    assert not verdict(new, {"metric": "accuracy", "min_delta": -0.009}, base).passed
    assert verdict(new, {"metric": "size_bytes", "max_delta": 1000}, base).passed


def test_with_nothing_in_production_relative_gates_pass_and_say_so(evaluated):
    for gate in (
        NO_WORSE_SLICE,
        {"metric": "loss", "max_delta": 0},
        {"metric": "accuracy", "min_delta": 0, "confidence": 0.9},
    ):
        found = verdict(evaluated(night=1, day=1), gate)
        assert found.passed
        assert "points to nothing yet" in found.detail


@pytest.mark.parametrize(
    ("gate", "why"),
    [
        ({"metric": "top5", "min": 0.1}, "has no top5"),
        ({"metric": "top5", "min": 0.1, "confidence": 0.95}, "has no top5: there are 2 classes"),
        ({"metric": "accuracy", "slice": "fog", "min": 0.1}, "was not evaluated on slice 'fog'"),
        ({"metric": "accuracy", "slice": "day", "min": 0.1}, "not computed for digits-cnn v1: the model that it names"),
        (
            {"metric": "accuracy", "slice": "*", "min": 0.1, "confidence": 0.5},
            "day: not computed for digits-cnn v1: the",
        ),
        ({"metric": "recall", "class": "7", "min": 0.1}, "was not evaluated on class '7'"),
        ({"metric": "recall", "class": "7", "min": 0.1, "confidence": 0.9}, "knows no class '7'"),
        ({"metric": "accuracy", "min": 0.1, "artifact": "model.int8.onnx"}, "v1 has no model.int8.onnx"),
        ({"check": "parity", "artifact": "model.fp16.onnx"}, "v1 has no model.fp16.onnx"),
        ({"check": "engine_builds"}, "the engine is not verified"),
    ],
)
def test_a_gate_that_cannot_be_computed_fails_and_says_why(evaluated, gate, why):
    found = verdict(evaluated(night=360, day=1440, without=("day",)), gate)
    assert not found.passed
    assert why in found.detail


def test_predictions_that_are_absent_unreadable_or_gone_fail_the_gate(evaluated, version_with):
    base, new = evaluated(night=360, day=1440), evaluated(night=380, day=1500)
    artifact = Artifact.objects.get(version=base)
    artifact.blob = keep_bytes(b"no predictions", media_type="application/octet-stream")
    artifact.save()
    assert "predictions.npz of digits-cnn v1 can't be read: not a file of" in verdict(new, NO_WORSE_SLICE, base).detail
    store().remove_object(artifact.blob.key)
    store().forget([artifact.blob.md5, artifact.blob.sha256])
    gone = verdict(new, NO_WORSE_SLICE, base)
    assert not gone.passed
    assert "can't be read: " in gone.detail
    assert "not a file of" not in gone.detail
    artifact.delete()
    absent = verdict(new, NO_WORSE_SLICE, base)
    assert "night: digits-cnn v1 has no predictions.npz: the gate can't be computed" in absent.detail
    assert [row["fault"] for row in absent.failing] == ["digits-cnn v1 has no predictions.npz"] * 2
    old = version_with(0.9)
    assert "was not evaluated by slice" in verdict(old, NO_WORSE_SLICE, base).detail


def test_a_slice_the_base_was_never_evaluated_on_is_compared_on_the_common_samples(evaluated):
    base, new = evaluated(night=360, day=1440, without=("night",)), evaluated(night=390, day=1500)
    assert verdict(new, NO_WORSE_SLICE, base).passed
    stored = verdict(new, {"metric": "accuracy", "slice": "night", "min_delta": 0}, base)
    assert "not computed for digits-cnn v1" in stored.detail


def test_a_variant_is_judged_by_its_own_figures(evaluated):
    new = evaluated(night=360, day=1440, variant="int8")
    int8 = {"artifact": "model.int8.onnx"}
    assert verdict(new, {"metric": "agreement", "min": 0.99} | int8).passed
    assert not verdict(new, {"metric": "agreement", "min": 0.999} | int8).passed
    assert verdict(new, {"metric": "accuracy", "min": 0.88, "confidence": 0.95} | int8).passed
    assert verdict(new, {"check": "tensorrt_ready"} | int8).gate == "tensorrt_ready (model.int8.onnx)"
    assert "has no predictions.npz" in verdict(new, {"metric": "accuracy", "min": 0.1, "confidence": 0.9}).detail


def test_an_engine_is_built_only_where_a_builder_said_so(version_with):
    version = version_with(0.9)
    gate = {"check": "engine_builds"}
    assert "lacks engine_builds: the gate can't be computed" in verdict(version, gate).detail
    for told, passed, words in (
        ("not verified", False, "the engine is not verified"),
        ({"status": "refused", "reason": "no kernel"}, False, "the engine is refused: no kernel"),
        ({"status": "verified", "engines": [{"architecture": "SM80", "built": True}]}, True, "built for SM80"),
    ):
        version.report = version.report | {"tensorrt": told}
        found = verdict(version, gate)
        assert (found.passed, found.detail) == (passed, words)


@pytest.mark.parametrize(
    ("gate", "field"),
    [
        ("accuracy", "gates.1"),
        ({}, "gates.1"),
        ({"check": "luck"}, "gates.1.check"),
        ({"check": "parity", "metric": "accuracy"}, "gates.1"),
        ({"check": "parity", "min": 1}, "gates.1.min"),
        ({"metric": "charm", "min": 1}, "gates.1.metric"),
        ({"metric": ["accuracy"], "min": 1}, "gates.1.metric"),
        ({"metric": "accuracy"}, "gates.1"),
        ({"metric": "accuracy", "min": 1, "max": 2}, "gates.1"),
        ({"metric": "accuracy", "min": "high"}, "gates.1.min"),
        ({"metric": "accuracy", "min": True}, "gates.1.min"),
        ({"metric": "accuracy", "min": float("nan")}, "gates.1.min"),
        ({"metric": "accuracy", "min": 2}, "gates.1.min"),
        ({"metric": "accuracy", "min": 95}, "gates.1.min"),
        ({"metric": "accuracy", "max": -0.1}, "gates.1.max"),
        ({"metric": "accuracy", "min_delta": 1.5}, "gates.1.min_delta"),
        ({"metric": "recall", "class": "0", "min": 80}, "gates.1.min"),
        ({"metric": "agreement", "min": 1.01}, "gates.1.min"),
        ({"metric": "latency_ms", "max": -1}, "gates.1.max"),
        ({"metric": "loss", "max": -0.5}, "gates.1.max"),
        ({"metric": "accuracy", "min": 1, "slices": "*"}, "gates.1.slices"),
        ({"metric": "accuracy", "min": 1, "slice": 3}, "gates.1.slice"),
        ({"metric": "accuracy", "min": 1, "class": "0"}, "gates.1.class"),
        ({"metric": "recall", "min": 1}, "gates.1.class"),
        ({"metric": "recall", "min": 1, "class": "0", "slice": "night"}, "gates.1.slice"),
        ({"metric": "accuracy", "min": 1, "confidence": 95}, "gates.1.confidence"),
        ({"metric": "size_bytes", "max": 1, "confidence": 0.95}, "gates.1.confidence"),
        ({"metric": "size_bytes", "max": 1, "slice": "*"}, "gates.1.slice"),
        ({"metric": "accuracy", "min": 1, "artifact": "model.plan"}, "gates.1.artifact"),
    ],
)
def test_a_gate_that_cannot_be_read_names_its_field(gate, field):
    with pytest.raises(Invalid) as fault:
        check_gates([{"check": "parity"}, gate], METRICS)
    assert list(fault.value.errors) == [field]


@pytest.mark.parametrize(
    "gate",
    [{"metric": "loss", "max": 7}, {"metric": "loss", "max_delta": -3}, {"metric": "size_bytes", "max": 5_000_000},
     {"metric": "latency_ms", "max_delta": 20}, {"metric": "accuracy", "min": 1}, {"metric": "ece", "max_delta": 1}],
)  # fmt: skip
def test_a_bound_that_its_figure_can_reach_is_taken(gate):
    assert check_gates([gate], METRICS) == [gate]


def test_a_bound_that_no_figure_reaches_is_told_with_its_range():
    with pytest.raises(Invalid, match=r"must be from 0 to 1, since accuracy never lies elsewhere: 95 % is 0\.95"):
        check_gates([{"metric": "accuracy", "min": 95}], METRICS)


def test_a_stored_bound_that_no_figure_reaches_is_still_judged(version_with):
    (found,) = judge(version_with(0.9), [{"metric": "accuracy", "min": 2}], against=None)
    assert not found.passed
    assert "at least 2" in found.detail


def test_a_stored_gate_that_can_no_longer_be_read_fails(version_with):
    (found,) = judge(version_with(0.9), [{"metric": "charm", "min": 0}], against=None)
    assert not found.passed
    assert "the gate can't be read: gates.0.metric: must be one of accuracy" in found.detail


def test_the_gates_that_pipelines_stored_so_far_are_read_as_they_are():
    known = [*DEFAULT_GATES, {"metric": "accuracy", "min": 0.9}, {"metric": "ece", "min_delta": -1}]
    assert check_gates(known, METRICS) == known
    assert {"parity", "tensorrt_ready", "engine_builds", "classes_trained", "above_baseline"} == set(CHECKS)
