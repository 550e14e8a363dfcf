"""`POST /runs/{id}/resume`: a run that failed or was cancelled goes on; the phase that is done is not done again."""

import pytest
from tests.models.registry.test_clone_run import CONFIG, RUN
from tests.working import work_on

from blobs import references
from catalog.models import Version
from core.errors import Conflict
from jobs import services as jobs
from jobs.models import Job, Shard
from registry.services import RunSpec, find_model, start_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(api, truth):
    return api.post("/runs", RUN, format="json").json()


def test_a_cancelled_run_trains_when_it_is_resumed(api, run):
    assert api.post(f"/runs/{run['id']}/cancel").json()["job"]["state"] == "cancelled"
    resumed = api.post(f"/runs/{run['id']}/resume")
    assert (resumed.status_code, resumed.json()["job"]["state"]) == (202, "queued")
    assert work_on(run["job"]["id"])
    assert Shard.objects.get(job=run["job"]["id"], phase=0).state == Shard.State.DONE


def test_a_run_whose_proof_failed_keeps_its_training(api, run):
    job = Job.objects.get(pk=run["job"]["id"])
    held = jobs.claim(job.pk, worker="me")
    assert held is not None
    jobs.complete(held, {"files": {"checkpoint.safetensors": {"md5": "0" * 32}}})
    proof = jobs.claim(job.pk, worker="me")
    assert proof is not None
    jobs.fail(proof, "the disk is full", code="disk_full", retry=False)
    kept = {md5 for name in references.registered() for md5 in references._registered[name]()}
    assert "0" * 32 in kept
    resumed = api.post(f"/runs/{run['id']}/resume").json()["job"]
    assert (resumed["state"], resumed["error"]) == ("queued", None)
    assert dict(job.shards.values_list("index", "state")) == {0: Shard.State.DONE, 1: Shard.State.TODO}


def test_a_run_that_waits_is_not_resumed(api, run):
    answer = api.post(f"/runs/{run['id']}/resume")
    assert (answer.status_code, answer.json()["code"]) == (409, "job_not_resumable")
    assert api.post("/runs/99/resume").json()["code"] == "run_unknown"


def test_a_run_without_a_version_is_among_what_may_contain_a_sample(api, run):
    key = next(iter(api.get("/datasets/digits/versions/head/samples").json()["results"]))["key"]

    def found():
        told = api.get(f"/datasets/digits/samples/{key}/lineage").json()["contained_in"]
        return [(row["id"], row["state"]) for row in told["runs"]]

    assert found() == [(run["id"], "queued")]
    api.post(f"/runs/{run['id']}/cancel")
    assert found() == [(run["id"], "cancelled")], "it may be resumed"


def test_a_run_of_an_archived_model_is_not_resumed(api, run):
    api.post(f"/runs/{run['id']}/cancel")
    assert api.post("/models/digits-cnn/archive").status_code == 200
    answer = api.post(f"/runs/{run['id']}/resume")
    assert (answer.status_code, answer.json()["code"]) == (409, "archived")
    assert api.post(f"/jobs/{run['job']['id']}/retry").status_code == 202  # as a job it is, and says why it can't go on
    assert work_on(run["job"]["id"])
    assert api.get(f"/runs/{run['id']}").json()["job"]["error"]["code"] == "archived"


@pytest.mark.parametrize("archived", ["/models/digits-cnn", "/datasets/digits"])
def test_no_run_starts_on_what_is_archived_after_it_was_looked_up(api, alice, truth, archived):
    model, version = find_model("digits-cnn"), Version.objects.select_related("dataset").latest("pk")
    assert api.post(f"{archived}/archive").status_code == 200
    with pytest.raises(Conflict, match="is archived"):
        start_run(model, version, RunSpec("small_cnn", CONFIG), author=alice)
    assert not Job.objects.filter(kind="train").exists()
