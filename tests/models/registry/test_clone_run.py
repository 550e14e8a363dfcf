"""`POST /runs/{id}/clone`: the same again gives the same weights; what is changed is checked like a new run."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.working import work_on

from blobs.models import Blob
from catalog.erasure.rows import start_erasure
from catalog.models import Version
from jobs.errors import ShardFailed
from registry.configs import merged_config
from registry.inputs import inputs_of, write_split
from registry.models import Artifact, ModelVersion, Run
from registry.services import create_model
from registry.train_phase import fetched_parent

pytestmark = pytest.mark.django_db(transaction=True)
CONFIG = {"params": {"width": 8}, "recipe": {"steps": 4, "batch_size": 8},
          "export": {"precisions": [], "tensorrt": "never"}}  # fmt: skip
RUN = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn", "seed": 3, "config": CONFIG}


@pytest.fixture
def first(api, truth):
    """A queued run on the dataset's first version, while its head has gone on."""
    answer = api.post("/runs", RUN, format="json")
    assert answer.status_code == 202, answer.content
    more = {"labels": [{"key": "pool-00.png", "label": {"class": "0"}}]}
    assert api.post("/datasets/digits", more, format="json").status_code == 201
    return answer.json()


def trained(run):
    """What its first phase made: the checkpoint's digest and the lock."""
    made = Run.objects.get(pk=run["id"]).job.shards.get(phase=0).result or {}
    return made["files"]["checkpoint.safetensors"]["sha256"], made["lock"]


@pytest.mark.clock
@pytest.mark.timeout(240)
def test_an_unchanged_clone_has_the_same_weights_and_one_of_another_seed_has_not(api, first, run_job):
    assert run_job(Run.objects.get(pk=first["id"]).job).state == "succeeded"
    same = api.post(f"/runs/{first['id']}/clone", format="json").json()
    other = api.post(f"/runs/{first['id']}/clone", {"seed": 4}, format="json").json()
    assert all(work_on(run["job"]["id"]) for run in (same, other))
    (weights, lock), (again, lock_again), (different, _) = map(trained, (first, same, other))
    assert (weights, lock) == (again, lock_again)
    read = Run.objects.get(pk=first["id"]).inputs
    assert lock["data"] == {name: read[0][name] for name in ("train", "validation")}
    told = api.get(f"/runs/{same['id']}").json()
    assert told["inputs_changed"]["same"] is True
    assert (told["read"], told["lost"]) == (lock["data"], {"train": 0, "validation": 0})
    assert weights != different
    version = api.get("/models/digits-cnn/versions/1").json()
    assert weights in [file["sha256"] for file in version["artifacts"] if file["path"] == "checkpoint.safetensors"]
    assert (version["lineage"]["run"], version["lineage"]["dataset_version"]) == (first["id"], 1)


def test_a_run_says_what_its_training_needs_and_a_clone_needs_as_much_unless_told(api, truth):
    needs = {"gpus": 1, "gpu_memory_bytes": 16 << 30, "memory_bytes": 0, "cores": 0, "architecture": None}
    made = api.post("/runs", RUN | {"needs": {"gpu_memory_bytes": 16 << 30}}, format="json")
    assert made.status_code == 202, made.content
    run = made.json()
    assert run["needs"] == needs
    assert run["job"]["missing"] == "no worker has a GPU of 16 GiB: none listens to queue gpu"
    shards = api.get(f"/jobs/{run['job']['id']}/shards").json()["results"]
    assert [shard["needs"] for shard in shards] == [needs, None]  # the proof runs anywhere
    assert not work_on(run["job"]["id"])
    clone = f"/runs/{run['id']}/clone"
    assert api.post(clone, {}, format="json").json()["needs"] == needs
    assert api.post(clone, {"needs": {"cores": 2}}, format="json").json()["needs"]["gpus"] == 0
    assert api.post(clone, {"needs": None}, format="json").json()["needs"] is None


def test_a_clone_says_what_was_erased_since_before_it_starts_and_in_its_record(api, first, alice):
    """The run has read its inputs, as its training does at its start; then one of its samples is erased."""
    run = Run.objects.select_related("version__dataset").get(pk=first["id"])
    with TemporaryDirectory() as folder:
        read = [write_split(run.version, Path(folder, split), split=split) for split in ("train", "val")]
    Run.objects.filter(pk=run.pk).update(inputs=[inputs_of(run.version, *read)])
    key = run.version.revisions.filter(split="train").exclude(label=None).values_list("sample__key", flat=True)[0]
    whole = api.post(f"/runs/{run.pk}/clone", {}, format="json").json()
    none = {"gone": 0, "changed": 0, "added": 0}
    assert whole["inputs_changed"] == {"run": run.pk, "train": none, "validation": none, "same": None}
    erasing = start_erasure(run.dataset, [key], reason="asked to", confirm="digits", by=alice)
    assert work_on(erasing.pk)
    told = api.get(f"/runs/{run.pk}").json()
    assert told["lost"] == {"train": 1, "validation": 0}
    clone = api.post(f"/runs/{run.pk}/clone", {}, format="json").json()
    assert clone["inputs_changed"]["train"] == none | {"gone": 1}
    later = api.post(f"/runs/{run.pk}/clone", {"version": "head"}, format="json").json()
    assert later["inputs_changed"]["train"] == {"gone": 1, "changed": 0, "added": 1}
    assert (later["version"], clone["version"]) == (2, 1)


def test_a_run_from_before_inputs_were_recorded_says_so(api, first):
    Version.objects.filter(number=1).update(erased=2)
    assert api.get(f"/runs/{first['id']}").json()["lost"] is None
    assert api.post(f"/runs/{first['id']}/clone", {}, format="json").json()["inputs_changed"] is None


def test_needs_that_are_none_are_refused_by_their_field(api, truth, subtests):
    for needs, field in [
        ({"gpus": 65}, "needs.gpus"),
        ({"gpus": 0, "gpu_memory_bytes": 1}, "needs.gpus"),
        ({"gpus": True}, "needs.gpus"),
        ({"memory_bytes": -1}, "needs.memory_bytes"),
        ({"memory_bytes": "64G"}, "needs.memory_bytes"),
        ({"cores": 1.5}, "needs.cores"),
        ({"architecture": "sparc"}, "needs.architecture"),
        ({"gpu": 1}, "needs.gpu"),
        (["gpus"], "needs"),
    ]:
        with subtests.test(needs=needs, field=field):
            refused = api.post("/runs", RUN | {"needs": needs}, format="json")
            assert refused.status_code == 400, refused.content
            assert any(name.startswith(field) for name in refused.json()["errors"]), refused.json()
            assert not Run.objects.exists()


def test_an_unchanged_clone_is_given_what_the_run_was_given(api, first):
    made = api.post(f"/runs/{first['id']}/clone", {}, format="json")
    assert made.status_code == 202, made.content
    clone = made.json()
    for name in ("model", "dataset", "version", "architecture", "config", "parent", "seed"):
        assert clone[name] == first[name], name
    assert (clone["cloned_from"], clone["job"]["state"]) == (first["id"], "queued")
    assert clone["job"]["id"] != first["job"]["id"]


def test_what_the_body_names_is_changed_and_nothing_else(api, first, subtests):
    seen: Any
    for change, seen in [
        ({"config": {"recipe": {"steps": 9}}}, {"config": CONFIG | {"recipe": {"steps": 9, "batch_size": 8}}}),
        ({"config": {"params": {"width": None}}}, {"config": CONFIG | {"params": {}}}),
        ({"version": "head"}, {"version": 2}),
        ({"dataset": "digits"}, {"version": 1}),
        ({"seed": 0}, {"seed": 0}),
        ({"parent": ""}, {"parent": None}),
        ({"architecture": "resnet18"}, {"architecture": "resnet18", "config": CONFIG | {"params": {}}}),
    ]:
        with subtests.test(change=change, seen=seen):
            answer = api.post(f"/runs/{first['id']}/clone", change, format="json")
            assert answer.status_code == 202, answer.content
            expected = {name: first[name] for name in ("model", "version", "architecture", "config", "seed")} | seen
            assert {name: answer.json()[name] for name in expected} == expected


def test_a_bad_change_names_the_field_and_starts_nothing(api, first, subtests):
    for change, status, field in [
        ({"config": {"recipe": {"steps": -1}}}, 400, "config.recipe.steps"),
        ({"config": {"recipe": 3}}, 400, "config.recipe"),
        ({"config": {"export": {"precisions": ["int2"]}}}, 400, "config.export.precisions.0"),
        ({"config": {"optimizer": {}}}, 400, "config"),
        ({"architecture": "perceptron"}, 400, "architecture"),
        ({"seed": -1}, 400, "seed"),
        ({"parent": "digits-cnn"}, 400, "parent"),
        ({"version": "v9"}, 404, None),
        ({"model": "none"}, 404, None),
    ]:
        with subtests.test(change=change, status=status, field=field):
            answer = api.post(f"/runs/{first['id']}/clone", change, format="json")
            assert answer.status_code == status, answer.content
            assert field is None or field in answer.json()["errors"]
            assert Run.objects.count() == 1


def test_a_model_whose_weights_a_run_starts_from_is_not_put_away(api, alice, truth, tmp_path):
    classes = sorted(set(truth.values()))
    begun = create_model("begun", task="classification", classes=classes, description="", author=alice)
    parent = ModelVersion.objects.create(model=begun, number=1, architecture="small_cnn", digest="1" * 64, metrics={},
                                         report={}, created_by=alice)  # fmt: skip
    body = RUN | {"parent": "begun@1"}
    refused = api.post("/runs", body, format="json")
    assert refused.status_code == 400, refused.content
    assert refused.json()["errors"]["parent"] == [
        "begun v1 has no weights to start from, as no training made it: name another version, or null"
    ]
    Artifact.objects.create(version=parent, path="checkpoint.safetensors", blob=Blob.objects.all()[0])
    run = api.post("/runs", body, format="json").json()
    kept = api.post("/models/begun/archive")
    assert (kept.status_code, kept.json()["code"]) == (409, "in_use")
    assert list(kept.json()["busy"]) == ["runs that start from its weights"]
    assert api.post(f"/jobs/{run['job']['id']}/cancel").status_code == 202
    assert api.post("/models/begun/archive").status_code == 200
    gone = api.delete("/models/begun?confirm=begun").json()
    assert work_on(gone["job"]["id"])  # its first step; the files go later
    again = api.post(f"/runs/{run['id']}/clone", {}, format="json")
    assert again.status_code == 400, again.content
    assert "as its model is deleted" in again.json()["errors"]["parent"][0]
    assert api.post(f"/runs/{run['id']}/clone", {"parent": None}, format="json").status_code == 202
    while work_on(gone["job"]["id"]):
        pass
    with pytest.raises(
        ShardFailed, match="which this run starts from, are deleted: clone the run with another `parent`"
    ):
        fetched_parent(Run.objects.get(pk=run["id"]), tmp_path)


def test_a_run_that_is_not_there_cannot_be_cloned(api):
    assert api.post("/runs/9/clone", {}, format="json").json()["code"] == "run_unknown"


def test_a_change_does_not_touch_the_config_it_is_merged_into():
    config = {"recipe": {"steps": 4}}
    assert merged_config(config, {"recipe": {"steps": 5}}) == {"recipe": {"steps": 5}}
    assert config == {"recipe": {"steps": 4}}
