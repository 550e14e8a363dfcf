"""The grid in the order of how unlike the others a sample is, as the newest map measured it."""

import pytest
from tests.datasets.conftest import data, png

from jobs.models import Job
from maps.models import EmbeddingMap, MapPoints
from maps.points import packed, unpacked

pytestmark = [pytest.mark.django_db(transaction=True)]
SAMPLES = "/datasets/digits/versions/{}/samples?limit=500&order={}"


def listed(api, version, order):
    answer = api.get(SAMPLES.format(version, order))
    assert answer.status_code == 200, answer.content
    return [row["key"] for row in answer.json()["results"]]


def mapped(api, run_job, **body):
    answer = api.post("/datasets/digits/maps", {"method": "pca", "features": "pixels"} | body, format="json")
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    return api.get(f"/datasets/digits/maps/{answer.json()['id']}").json()


def test_without_a_map_the_order_is_refused_and_says_what_to_do(api, truth):
    answer = api.get(SAMPLES.format(1, "-uniqueness"))
    words = "is measured by a map, and digits has none: make one, with or without a model"
    assert (answer.status_code, answer.json()["errors"]) == (400, {"order": [words]})


def test_copies_are_at_one_end_and_an_oddity_is_at_the_other_and_new_samples_are_last(api, truth, run_job):
    (first,) = api.get("/datasets/digits/versions/1/samples?limit=1").json()["results"]
    image = b"".join(api.get(f"/blobs/{first['digest']}").streaming_content)
    copies = [{"key": f"copy-{number}.png", "data": data(image)} for number in range(3)]
    odd = {"key": "odd.png", "data": data(png(5, (32, 32)))}
    assert api.post("/datasets/digits", {"samples": [*copies, odd]}, format="json").status_code == 201
    made = mapped(api, run_job)
    assert made["facts"]["compared"] == made["count"] == 114
    order = listed(api, 2, "uniqueness")
    assert set(order[:4]) == {first["key"], "copy-0.png", "copy-1.png", "copy-2.png"}
    assert order[-1] == "odd.png"
    down = listed(api, 2, "-uniqueness")
    assert down[0] == "odd.png"
    assert set(down[-4:]) == set(order[:4])
    assert len(order) == 114

    api.post("/datasets/digits", {"samples": [{"key": "new.png", "data": data(png(6))}]}, format="json")
    assert [listed(api, 3, order)[-1] for order in ("uniqueness", "-uniqueness")] == ["new.png"] * 2
    pool = set(listed(api, 3, "key&split=pool"))
    assert listed(api, 3, "uniqueness&split=pool") == [*(key for key in order if key in pool), "new.png"]
    mapped(api, run_job)
    assert listed(api, 3, "-uniqueness")[-1] != "new.png", "the newest map has it"


def test_a_map_from_before_it_was_measured_is_made_anew(api, truth, run_job):
    made = mapped(api, run_job)
    facts, points = EmbeddingMap.objects.get().facts, MapPoints.objects.get()
    columns = unpacked(points.data, points.count, facts["columns"])
    del columns["uniqueness"], facts["told"]["compared"]
    MapPoints.objects.update(data=packed(columns))
    EmbeddingMap.objects.update(facts=facts | {"columns": list(columns)})
    assert api.get(f"/datasets/digits/maps/{made['id']}").json()["facts"]["compared"] is None
    assert api.get(SAMPLES.format(1, "uniqueness")).status_code == 400
    again = mapped(api, run_job)
    assert again["id"] != made["id"]
    assert len(listed(api, 1, "uniqueness")) == again["count"]
