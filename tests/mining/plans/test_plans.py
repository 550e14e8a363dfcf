"""`POST /plans`: what was measured here fills in, what is wrong is named, and nobody learns of other projects."""

import json

import pytest
from tests.mining.pipelines.turning import Turner, learned, make

from accounts.models import Project
from accounts.services import create_user
from planning import EXAMPLES
from registry.models import ModelVersion

pytestmark = pytest.mark.django_db(transaction=True)

FLEET = {"vehicles": 10, "terabytes_per_hour": 0.5, "hours_per_day": 4, "days": 100, "share_kept": 0.01}


def test_every_example_can_be_sent_as_it_is_and_by_its_name(api):
    listed = api.get("/plans/examples").json()["results"]
    assert [one["name"] for one in listed] == list(EXAMPLES)
    for one in listed:
        named = api.post("/plans", {"example": one["name"]}, format="json")
        typed = api.post("/plans", one["question"], format="json")
        assert (named.status_code, typed.status_code) == (200, 200), named.content
        days = [row["days"] for row in named.json()["trainings"]]
        assert days == [row["days"] for row in typed.json()["trainings"]]
        assert named.json()["notes"] == one["notes"]
        assert all(row["printed"] for row in named.json()["trainings"])
        assert not any(row["printed"] for row in typed.json()["trainings"])


def test_wrong_input_is_answered_with_the_field_and_the_fix(api):
    refused = api.post("/plans", {"fleet": {**FLEET, "share_kept": 5, "days": 0}}, format="json")
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {"fleet.share_kept", "fleet.days"}
    assert "such as 260" in refused.json()["errors"]["fleet.days"][0]
    half = api.post("/plans", {"fleet": {"vehicles": 5}}, format="json")
    assert (half.status_code, half.json()["code"]) == (400, "plan_invalid")
    assert "fleet.days" in half.json()["errors"]
    for text in ('{"fleet": {"vehicles": NaN}}', '{"target_days": 1e999}', '{"target_days": "7"}', '{"flet": 5}', "[]"):
        assert api.post("/plans", text, content_type="application/json").status_code == 400


def test_a_platform_without_work_says_what_it_needs(api):
    found = api.post("/plans", {"data": {"images": 1000}, "labeling": {"labels": 10}}, format="json").json()
    assert found["trainings"] == []
    needs = {need for one in found["missing"] for need in one["needs"]}
    assert {"training", "scoring.images_per_second", "labeling.labels_per_hour"} <= needs


@pytest.fixture
def measured(api, truth, run_job):
    """A round of a pipeline, worked through; its training says its pace."""
    learned()
    turner = Turner(api, truth, run_job)
    turner.figures = iter([{"accuracy": 0.6, "images_per_second": {"train": 250.0}}])
    make(api)
    turner.start()
    turner.until("done")


def test_measured_paces_are_the_defaults_and_say_of_how_many_rows(api, measured):
    found = api.post("/plans", {"data": {"images": 1000}, "labeling": {"labels": 10}}, format="json").json()
    (training,) = found["trainings"]
    assert (training["architecture"], training["pace"], training["source"]["kind"]) == ("small_cnn", 250.0, "measured")
    assert training["source"]["n"] == 1
    assert training["days"] == pytest.approx(1000 * 8 / 250 / 86_400)
    inputs = {one["name"]: one for one in found["inputs"]}
    labels = inputs["labeling.labels_per_hour"]
    assert (labels["source"]["kind"], labels["source"]["n"]) == ("measured", 10)
    assert inputs["data.image_bytes"]["source"]["n"] > 0
    assert json.dumps(found)


@pytest.mark.clock
def test_a_stranger_to_the_project_learns_nothing_of_its_paces(api_of, measured):
    assert ModelVersion.objects.exists()
    eve = create_user("eve", role="owner", project=Project.objects.create(name="elsewhere"))[0]
    found = api_of(eve).post("/plans", {"data": {"images": 1000}}, format="json")
    assert found.status_code == 200
    assert found.json()["trainings"] == []
    assert not [one for one in found.json()["inputs"] if one["source"]["kind"] == "measured"]
