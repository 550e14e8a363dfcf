"""The default gates: classes without samples, models no better than a guess, and production that creeps downhill."""

import pytest

from blobs.services import keep_bytes
from core.errors import Conflict, Invalid
from registry.gates import check_gates, default_gates, judge
from registry.models import Artifact, Model
from registry.promotion import judge_promotion, promote, roll_back
from registry.training_data import FEW, training_warnings, version_warnings
from tasktypes.baseline import baseline
from tasktypes.classification.metrics import ClassificationMetrics
from tasktypes.classification.predictions import ClassPredictions

pytestmark = pytest.mark.django_db
METRICS = ClassificationMetrics()


def verdict(judged, gate):
    (found,) = [one for one in judged.verdicts if one.gate == gate]
    return found


def test_a_fall_by_small_steps_ends_a_point_below_the_best_of_the_same_test_split(model, evaluated, alice):
    """90.0, 89.4, 88.8: each within a point of the one before, the last not of the best."""
    for night, day, passes in ((360, 1440, True), (348, 1440, True), (336, 1440, False)):
        version = evaluated(night=night, day=day)
        found = verdict(judge_promotion(version, "production"), "accuracy")
        assert found.passed == passes, found.detail
        if passes:
            promote(version, "production", reason="next", by=alice)
    assert "0.8880 against 0.9000 of v1 over 2,000 samples (difference -0.0120, 95% interval -0.0" in found.detail
    assert "from the best version that the alias has pointed to must be at least -0.01" in found.detail
    assert found.interval[0] < -0.012 < found.interval[1]
    own = judge_promotion(version, "production", gates=[{"metric": "accuracy", "min_delta": -0.01}])
    assert verdict(own, "accuracy").passed, "a gate against the alias stays what it was"


def test_an_override_and_another_test_split_raise_no_bar(model, evaluated, version_with, alice):
    small = version_with(0.99)
    small.metrics |= {"samples": 12}
    small.save()
    promote(small, "production", reason="twelve easy samples", by=alice)
    unproved = evaluated(night=400, day=1600)
    unproved.report |= {"parity": unproved.report["parity"] | {"passed": False}}
    unproved.save()
    assert promote(unproved, "production", reason="by hand", by=alice, override=True).overridden
    usual = evaluated(night=300, day=1440)
    promote(usual, "production", reason="back to honest ones", by=alice, override=True)
    again = verdict(judge_promotion(evaluated(night=298, day=1440), "production"), "accuracy")
    assert again.passed, again.detail
    assert "against 0.8700 of v3" in again.detail


def test_after_a_roll_back_the_better_version_still_holds(model, evaluated, alice):
    promote(evaluated(night=340, day=1440), "production", reason="first", by=alice)
    promote(evaluated(night=380, day=1440), "production", reason="better", by=alice)
    roll_back(model, "production", reason="it flickers", by=alice)
    found = verdict(judge_promotion(evaluated(night=345, day=1440), "production"), "accuracy")
    assert (found.passed, found.base) == (False, 0.91)


@pytest.mark.parametrize(
    ("right_of_common", "right_of_rare", "passes"), [(90, 0, False), (90, 1, True), (80, 10, False), (85, 10, True)]
)
def test_a_model_must_be_right_more_often_than_the_commonest_answer(
    model, version_with, object_store, right_of_common, right_of_rare, passes
):
    import numpy as np

    label = np.array([0] * 90 + [1] * 10)
    said = np.where(np.r_[np.arange(90) < right_of_common, np.arange(10) < right_of_rare], label, 1 - label)
    made = ClassPredictions.of(np.eye(2, dtype=np.float32)[said], label)
    named = made.named([f"{at:03}" for at in range(100)], [f"{at:032x}" for at in range(100)], slices={})
    version = version_with(float((said == label).mean()))
    blob = keep_bytes(named.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)
    (found,) = judge(version, [{"check": "above_baseline"}], against=None)
    assert found.passed == passes
    assert "commonest answer is right on 90.0 %" in found.detail
    told = baseline(named)
    assert told is not None
    version.metrics |= {"baseline": {"model": told.model, "commonest": 0.9, "samples": 100, "interval": told.interval}}
    codes = [one.code for one in version_warnings(version)]
    assert codes == (["maybe_no_better_than_commonest"] if passes else ["no_better_than_commonest"])


def test_classes_without_and_with_few_samples_are_named():
    none, few = training_warnings({"square": 0, "disc": 2}, of="shapes v3")
    assert (none.code, few.code) == ("class_without_samples", "class_with_few_samples")
    assert "1 class has no labelled sample in split train of shapes v3" in none.detail
    assert "square" in none.detail
    assert f"fewer than {FEW} labelled samples" in few.detail
    assert "disc (2)" in few.detail
    assert training_warnings({}, of="shapes v3") == []


@pytest.mark.parametrize("gate", [{"metric": "accuracy", "min": 0.5}, {"metric": "latency_ms", "max_delta": 1}])
def test_against_goes_with_a_difference_of_figures_alone(gate):
    with pytest.raises(Invalid, match="against: goes with min_delta or max_delta"):
        check_gates([gate | {"against": "best"}], METRICS)


def test_a_version_without_a_class_in_train_is_refused_and_says_so_when_it_is_started(api, truth, run_job):
    from tests.mining.pipelines.turning import trained

    from jobs.models import Job

    squares = {"name": "shapes", "task": "classification", "classes": ["0", "1", "never"]}
    assert api.post("/datasets", squares, format="json").status_code == 201
    assert api.post("/models", squares, format="json").status_code == 201
    from tests.mining.conftest import digits

    pictures = [data for _, data in digits()[:18]]
    places = [("train", ["0", "1"][at % 2]) for at in range(12)] + [("test", "never")] * 6
    samples = [
        {"key": f"{at:02}.png", "data": data, "split": split, "label": {"class": name}}
        for at, (data, (split, name)) in enumerate(zip(pictures, places, strict=True))
    ]
    assert api.post("/datasets/shapes", {"samples": samples}, format="json").status_code == 201
    body = {"model": "shapes", "dataset": "shapes", "architecture": "small_cnn"}
    run = api.post("/runs", body, format="json").json()
    (warning,) = run["warnings"]
    assert warning["code"] == "class_without_samples"
    assert "never" in warning["detail"]
    version = trained(Job.objects.get(pk=run["job"]["id"]))
    shown = api.get(f"/models/shapes/versions/{version.number}").json()
    assert [one["code"] for one in shown["warnings"]] == ["class_without_samples"]
    (found,) = judge(version, [{"check": "classes_trained"}], against=None)
    assert not found.passed
    assert "never" in found.detail
    version.metrics.pop("few_samples")  # as versions of earlier releases are
    (found,) = judge(version, [{"check": "classes_trained"}], against=None)
    assert not found.passed
    with pytest.raises(Conflict, match="classes_trained: 1 class has no labelled sample"):
        promote(
            version,
            "production",
            reason="x",
            by=version.created_by,
            gates=default_gates(Model.objects.get(name="shapes"))[2:3],
        )
