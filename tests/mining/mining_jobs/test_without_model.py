"""The first labels: a dataset without a label and a platform without a model, mined by the backbone's embeddings."""

import numpy as np
import pytest
from tests.mining.backbones import put_backbone, remember_backbone
from tests.mining.conftest import CLASSES, digits

from acquisition import Pool, strategy
from mining_jobs.models import Backbone, MiningJob, ScoreFile
from mining_jobs.scores.files import table_alone
from scoring.table import packed

pytestmark = pytest.mark.django_db(transaction=True)
BODY = {"dataset": "bare", "strategy": "typiclust", "count": 8, "control": 0.25}
SAMPLES = 40


@pytest.fixture
def bare(api, object_store):
    """A dataset without a label; its samples' classes by key."""
    assert (
        api.post("/datasets", {"name": "bare", "task": "classification", "classes": CLASSES}, format="json").status_code
        == 201
    )
    rows = digits()[:SAMPLES]
    samples = [{"key": f"{place:02}.png", "data": data, "split": "pool"} for place, (_, data) in enumerate(rows)]
    assert api.post("/datasets/bare", {"samples": samples}, format="json").json()["rejected"] == []
    put_backbone()
    return {f"{place:02}.png": name for place, (name, _) in enumerate(rows)}


@pytest.fixture
def mine(mined):
    """Run a mining job to its end; its document."""

    def start(**changes):
        document = mined(BODY | changes)
        remember_backbone()
        return document

    return start


def keys_of(api, document):
    return [pick["sample"]["key"] for pick in picks_of(api, document)]


def picks_of(api, document):
    return api.get(f"/mining/jobs/{document['id']}/picks").json()["results"]


def test_the_first_labels_are_mined_queued_and_committed(api, bare, mine):
    document = mine()
    assert (document["model"], document["calibration"], document["estimate"]) == (None, None, None)
    assert (document["stats"]["scored"], document["stats"]["reused"], document["stats"]["candidates"]) == (40, 0, 40)
    picks = picks_of(api, document)
    assert [pick["control"] for pick in picks] == [False] * 6 + [True] * 2
    assert all(pick["prediction"] is None for pick in picks)
    assert all("typical" in pick["reason"] or "cluster" in pick["reason"] for pick in picks if not pick["control"])
    assert api.get(f"/mining/jobs/{document['id']}/histogram").json()["code"] == "histogram_missing"

    again = mine()
    assert keys_of(api, again) == [pick["sample"]["key"] for pick in picks]
    assert (again["stats"]["scored"], again["stats"]["reused"]) == (0, 40)
    assert Backbone.objects.count() == 1

    queued = api.post(f"/mining/jobs/{document['id']}/queue", {"queue": "first"}, format="json")
    assert queued.status_code in {200, 201}, queued.content
    tasks = api.post("/labeling/queues/first/next", {"count": 10}, format="json").json()["tasks"]
    assert [task["sample"]["key"] for task in tasks] == [pick["sample"]["key"] for pick in picks]
    for task in tasks:
        said = {"value": {"class": bare[task["sample"]["key"]]}, "seconds": 1, "lease_token": task["lease_token"]}
        assert api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json").status_code == 200
    assert api.post("/labeling/queues/first/commit", {}, format="json").json()["labelled"] == 8
    assert api.get(f"/mining/jobs/{document['id']}").json()["estimate"] is None

    # What is labelled now is what the next picks are compared with.
    later = mine(strategy="k_center", control=0)
    assert not set(keys_of(api, later)) & set(keys_of(api, document))


def test_its_picks_are_those_of_the_stored_embeddings(api, bare, mine):
    document = mine(strategy="k_center", control=0)
    job = MiningJob.objects.get(pk=document["id"])
    rows = job.version.revisions.order_by("sample_id").values_list("sample_id", "blob__md5", "sample__key")
    ids, md5, keys = zip(*rows, strict=True)
    table = table_alone(Backbone.objects.get())
    embeddings = table.embedding_of(table.rows(packed(md5))).astype(np.float32)
    chosen = strategy("k_center").select(Pool(ids=np.array(ids), embeddings=embeddings), 8, np.random.default_rng(0))
    assert keys_of(api, document) == [keys[choice.row] for choice in chosen]


@pytest.mark.parametrize("name", ["k_center", "probcover", "max_herding", "random", "targeted"])
def test_strategies_that_compare_images_alone_need_no_model(api, bare, mine, name):
    like = {"like": {"keys": ["03.png"]}} if name == "targeted" else {}
    document = mine(strategy=name, compose={"distance": {"cosine": 0.0001}}, **like)
    assert document["stats"]["picked"] == 8
    assert ScoreFile.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"strategy": "margin"}, "strategy 'margin' needs a model's probabilities"),
        ({"strategy": "badge"}, "needs a model's probabilities"),
        ({"strategy": "label_errors"}, "needs a model's labels"),
        ({"compose": {"objectives": [{"name": "uncertainty"}]}}, "the composition needs a model's probabilities"),
        ({"compose": {"quotas": [{"class": "3", "min": 1}]}}, "the composition needs a model's probabilities"),
        ({"committee": {"flips": True}}, "a committee compares models"),
        ({"strategy": "targeted", "like": {"keys": ["03.png"], "failures": "val"}}, "failures of a split"),
    ],
)
def test_what_only_a_model_can_answer_is_refused(api, bare, change, word):
    answer = api.post("/mining/jobs", BODY | change, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["model"])
    assert word in answer.json()["errors"]["model"][0]
    assert not MiningJob.objects.exists()


def test_boxes_are_mined_without_a_model_and_drawn_anew(api, object_store, mine):
    """There is no object of a model to ask about, so a queue that verifies is refused."""
    assert (
        api.post("/datasets", {"name": "bare", "task": "detection", "classes": ["digit"]}, format="json").status_code
        == 201
    )
    samples = [
        {"key": f"{place:02}.png", "data": data, "split": "pool"} for place, (_, data) in enumerate(digits()[:12])
    ]
    assert api.post("/datasets/bare", {"samples": samples}, format="json").json()["rejected"] == []
    put_backbone()
    document = mine(count=4)
    address = f"/mining/jobs/{document['id']}/queue"
    refused = api.post(address, {"queue": "first", "mode": "verify"}, format="json")
    assert refused.status_code == 400, refused.content
    assert list(refused.json()["errors"]) == ["mode"]
    assert api.post(address, {"queue": "first"}, format="json").status_code == 201
    (task, *_) = api.post("/labeling/queues/first/next", {"count": 1}, format="json").json()["tasks"]
    assert task["suggestion"] is None


def test_outlines_and_archived_datasets_are_refused(api, object_store):
    body = {"name": "bare", "task": "segmentation", "classes": ["cat"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    samples = [{"key": "a.png", "data": digits()[0][1], "split": "pool"}]
    assert api.post("/datasets/bare", {"samples": samples}, format="json").status_code == 201
    answer = api.post("/mining/jobs", BODY, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["dataset"])
    assert api.post("/datasets/bare/archive").status_code == 200
    assert api.post("/mining/jobs", BODY, format="json").json()["code"] == "archived"
    assert not MiningJob.objects.exists()
