"""A pair of encoders that somebody brings: over HTTP, through the program that checks it, to a search by words."""

import json

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.collecting import collected
from tests.datasets.conftest import data
from tests.mining.similarity.test_similar import png
from tests.models.registry.shipped import endless
from tests.tiny_encoders import COLOURS, WIDTH, image_encoder, outside, text_encoder, tokenizer
from tests.working import working_on

from accounts.models import AuditEvent, Project
from accounts.services import create_user, first_project
from blobs.services import keep_bytes
from jobs import services as jobs
from jobs.models import Job
from mining_jobs.models import ScoreFile
from similarity import encoders, search, vectors
from similarity.documents import ABOUT_ENCODERS
from similarity.models import Encoder

pytestmark = pytest.mark.django_db(transaction=True)
AT = "/datasets/cars/versions/head"
PARTS = {"image": image_encoder(), "text": text_encoder(), "tokenizer": tokenizer().encode()}


@pytest.fixture(autouse=True)
def no_vectors_of_before():
    """Of each test its own: rows of different tests have the same ids."""
    vectors._galleries.clear()
    search._rows.cache_clear()


@pytest.fixture
def cars(api, object_store):
    """A picture of each colour, and one that is no picture."""
    body = {"name": "cars", "task": "classification", "classes": ["a", "b"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    samples = [{"key": f"{name}.png", "data": data(png(picture(colour))), "split": "pool"}
               for name, colour in COLOURS.items()]  # fmt: skip
    assert api.post("/datasets/cars", {"samples": samples}, format="json").status_code == 201


def picture(colour):
    pixels = np.empty((20, 24, 3), np.uint8)
    pixels[:] = np.where(np.array(colour) > 0, 220, 30)
    return pixels


@pytest.fixture
def working(object_store):
    """A worker beside the requests."""
    with working_on("adopt_encoder"):
        yield


def add(api, name="colours", status=201, metadata=None, **parts):
    files = {part: SimpleUploadedFile(part, sent) for part, sent in (PARTS | parts).items() if sent is not None}
    answer = api.post("/encoders", {"name": name, "metadata": json.dumps(metadata or {})} | files)
    if answer.status_code == 202 != status:  # a busy machine takes longer than a request waits
        jobs.wait(answer.json()["job"]["id"], seconds=120)
        answer, status = api.get(f"/encoders/{name}"), 200
    assert answer.status_code == status, answer.content
    return answer.json()


def like(api, text, status=200, **query):
    answer = api.get(f"{AT}/similar", {"text": text, "encoder": "colours"} | query)
    assert answer.status_code == status, answer.content
    return answer.json()


def keys(found):
    return [row["key"] for row in found["results"]]


def embedded(api, run_job):
    told = api.post(f"{AT}/embeddings", {"encoder": "colours"}, format="json")
    assert told.status_code == 202, told.content
    job = run_job(Job.objects.get(pk=told.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    return job


@pytest.mark.both
def test_an_encoder_is_added_searched_with_and_removed(api, cars, working, run_job):
    made = add(api, metadata={"notes": "made here, MIT"})
    assert (made["name"], made["project"], made["width"], made["notes"]) == (
        "colours",
        "default",
        WIDTH,
        "made here, MIT",
    )
    assert made["parameters"]["input_size"] == [3, 16, 16]
    assert made["parameters"]["text_length"] == 77
    assert made["uploaded"]["tokenizer"]["size"] == len(PARTS["tokenizer"])
    assert api.get("/encoders").json()["results"] == [made]
    assert api.get(f"/encoders/{made['id']}").json() == api.get("/encoders/colours").json() == made
    assert collected()["objects"] == 3, "the files as they came; those that run are kept"

    missing = like(api, "a red car", 409)
    assert (missing["code"], "`lode dataset embed cars --encoder colours`" in missing["detail"]) == (
        "embeddings_missing", True,
    )  # fmt: skip
    before = api.get(f"{AT}/embeddings", {"encoder": "colours"}).json()
    assert (before["encoder"], before["model"], before["by"], before["missing"]) == ("colours", None, "colours", 3)
    assert before["words"] == {"ready": True, "by": "colours", "about": ABOUT_ENCODERS}
    embedded(api, run_job)
    assert api.post(f"{AT}/embeddings", {"encoder": "colours"}, format="json").status_code == 200
    for colour in COLOURS:
        assert keys(like(api, f"a photo of a {colour} car"))[0] == f"{colour}.png"
    found = like(api, "a  red car", filter="key prefix red")
    assert keys(found) == ["red.png"]
    assert (found["by"], found["encoder"], found["model"]) == ("colours", "colours", None)
    read = {"text": "a red car", "tokens": 3, "read": 3, "about": ABOUT_ENCODERS, "unknown": None}
    assert found["words"] == read
    to_image = api.get(f"{AT}/similar", {"to": "blue.png", "encoder": "colours"}).json()
    assert (keys(to_image)[0], to_image["results"][0]["similarity"], to_image["by"]) == ("blue.png", 1.0, "colours")
    sent = SimpleUploadedFile("a.png", png(picture(COLOURS["green"])))
    assert keys(api.post(f"{AT}/similar?encoder=colours", {"file": sent}).json())[0] == "green.png"

    assert api.delete("/encoders/colours").json() == {"name": "colours", "embeddings": 3, "models": []}
    assert (api.get("/encoders/colours").status_code, ScoreFile.objects.count()) == (404, 0)
    assert like(api, "a red car", 404)["code"] == "encoder_unknown"
    told = [(one.action, one.name, one.who) for one in AuditEvent.objects.filter(kind="encoder").order_by("pk")]
    assert told == [("added", "colours", "alice"), ("deleted", "colours", "alice")]
    assert collected()["objects"] == 3, "both files and the scores"


@pytest.mark.parametrize(
    ("parts", "part", "words"),
    [({"image": outside(image_encoder())}, "image", "save it without external data"),
     ({"text": text_encoder(width=6)}, "text", "gives 6 numbers for a text, the image encoder 4 for an image"),
     ({"tokenizer": b"[1]"}, "tokenizer", "can't be read")],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused_by_its_name(api, working, parts, part, words):
    told = add(api, status=422, **parts)
    assert told["code"] == f"encoder_{part}"
    assert words in told["errors"][part][0]
    assert not Encoder.objects.exists()
    assert collected()["objects"] == 3


@pytest.mark.parametrize(
    ("told", "status", "field"),
    [({"metadata": {"colour": 1}}, 400, "metadata.colour"), ({"metadata": {"mean": "x"}}, 400, "metadata.mean"),
     ({"preprocessor": b'{"image_mean": "x"}'}, 400, "preprocessor"), ({"preprocessor": b"["}, 400, "preprocessor"),
     ({"preprocessor": b'{"size": {"width": 3}}'}, 400, "preprocessor"),
     ({"metadata": {"notes": 1}}, 400, "metadata.notes"), ({"metadata": {"std": [0]}}, 400, "metadata.std.0"),
     ({"text": None}, 400, "text"), ({"tokenizer": b""}, 400, "tokenizer"), ({"name": "12"}, 400, "name"),
     ({"image": bytes(300)}, 413, "image"), ({"tokenizer": bytes(101)}, 413, "tokenizer")],
)  # fmt: skip
def test_what_is_wrong_with_the_form_is_named_before_anything_is_kept(api, monkeypatch, told, status, field):
    monkeypatch.setattr("similarity.encoder_api.MOST_BYTES", 200)
    monkeypatch.setattr("similarity.encoder_api.TOKENIZER_BYTES", 100)
    small = {"image": b"x", "text": b"x", "tokenizer": b"x"}
    assert next(iter(add(api, status=status, **small | told)["errors"])) == field
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("config", "told"),
    [({"do_normalize": False, "crop_size": {"height": 256, "width": 256}, "size": {"shortest_edge": 300}},
      {"mean": [0.0] * 3, "std": [1.0] * 3, "input_size": [3, 256, 256]}),
     ({"size": {"shortest_edge": 224}, "do_rescale": False}, {"scale": "1", "input_size": [3, 224, 224]}),
     ({"size": 224, "image_mean": [0.4, 0.4, 0.4]}, {"mean": [0.4] * 3, "input_size": [3, 224, 224]}), ({}, {})],
)  # fmt: skip
def test_preprocessors_of_many_kinds_are_read_and_metadata_goes_before(config, told):
    nothing = encoders.read_metadata("")[0]
    assert encoders.read_metadata("{}", json.dumps(config))[0] == nothing | told
    typed = {"mean": [0.1] * 3}
    assert encoders.read_metadata(json.dumps(typed), json.dumps(config))[0] == nothing | told | typed


def registered(user, name="colours", project=None):
    """The row of one, whose files nobody runs."""
    image, text = (keep_bytes(one, media_type="application/octet-stream") for one in (b"images", b"texts"))
    values = {"project": project or first_project(), "width": 4, "created_by": user}
    return Encoder.objects.create(name=name, image=image, text=text, **values)


@pytest.mark.both
def test_while_a_job_computes_embeddings_it_stays_and_another_one_keeps_them(api, cars, alice):
    registered(alice)
    job = api.post(f"{AT}/embeddings", {"encoder": "colours"}, format="json").json()["job"]
    refused = api.delete("/encoders/colours")
    assert (refused.status_code, refused.json()["code"]) == (409, "encoder_busy")
    assert f"Job {job['id']} computes embeddings by 'colours'" in refused.json()["detail"]
    assert api.post(f"/jobs/{job['id']}/cancel").status_code == 202
    same = registered(alice, "the-same")
    of_it = {"blob": same.text, "job_id": job["id"], "model_digest": same.digest}
    ScoreFile.objects.create(scorer="3", rows=7, shard=0, **of_it)
    assert api.delete("/encoders/colours").json()["embeddings"] == 0
    assert api.delete("/encoders/the-same").json()["embeddings"] == 7
    assert api.get("/encoders").json()["results"] == []


def test_a_name_is_given_once_and_a_job_that_lost_the_race_says_so(api, alice, object_store, run_job, monkeypatch):
    monkeypatch.setattr("similarity.encoder_api.WAIT_SECONDS", 0.0)
    job = Job.objects.get(pk=add(api, status=202)["job"]["id"])
    assert job.params["files"].keys() == PARTS.keys()
    assert collected()["objects"] == 0, "what is still to be checked is kept"
    registered(alice)
    ended = run_job(job)
    assert (ended.state, ended.error["code"]) == ("failed", "name_taken")
    assert add(api, status=409)["code"] == "name_taken"


@pytest.mark.usefixtures("fresh_programs")
def test_a_file_that_takes_all_the_time_there_is_is_stopped(api, object_store, run_job, settings, monkeypatch):
    monkeypatch.setattr("similarity.encoder_api.WAIT_SECONDS", 0.0)
    settings.PROGRAM_SECONDS = 1
    job = Job.objects.get(pk=add(api, status=202, text=endless(text_encoder(), "text_embeds"))["job"]["id"])
    ended = run_job(job)
    assert (ended.state, ended.error["code"]) == ("failed", "program_time")
    assert "MOTHERLODE_PROGRAM_SECONDS" in ended.error["detail"]


def test_who_only_reads_adds_and_removes_none_and_one_of_another_project_is_not_there(api, cars, alice, api_of):
    elsewhere = Project.objects.create(name="elsewhere")
    registered(alice)
    far = registered(alice, "far", elsewhere)
    viewer = api_of(create_user("vera", role="viewer", project=first_project())[0])
    assert [one["name"] for one in viewer.get("/encoders").json()["results"]] == ["colours"]
    assert viewer.get(f"/encoders/{far.pk}").json()["code"] == "encoder_unknown"
    assert add(viewer, "mine", 403)["code"] == "engineers_only"
    assert viewer.delete("/encoders/colours").json()["code"] == "engineers_only"
    assert like(viewer, "a car", 404, encoder="far")["code"] == "encoder_unknown"
    assert like(viewer, "a car", 404, encoder="none")["code"] == "encoder_unknown"
    assert like(api, "a car", 400, encoder="far")["code"] == "projects_differ"
    assert list(like(api, "a car", 400, model="m@1")["errors"]) == ["model"]
    both = api.get(f"{AT}/embeddings", {"model": "m@1", "encoder": "colours"})
    assert (both.status_code, list(both.json()["errors"])) == (400, ["encoder"])
