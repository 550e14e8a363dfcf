"""A pipeline over a dataset without a label: its first round mines without a model, its second with the one it made."""

import pytest
from tests.mining.backbones import put_backbone, remember_backbone
from tests.mining.conftest import CLASSES, digits
from tests.mining.nearest_mean import registered
from tests.mining.pipelines.turning import Turner, make, newest

from mining_jobs.models import MiningJob
from pipelines.models import Round
from pipelines.rounds import loop
from registry.models import Model, ModelVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SAMPLES = 24


@pytest.fixture
def turner(api, object_store, run_job) -> Turner:
    common = {"task": "classification", "classes": CLASSES}
    for kind, name in (("datasets", "bare"), ("models", "digits-cnn")):
        assert api.post(f"/{kind}", {"name": name} | common, format="json").status_code == 201
    rows = {f"{place:02}.png": row for place, row in enumerate(digits()[:SAMPLES])}
    samples = [{"key": key, "data": data, "split": "pool"} for key, (_, data) in rows.items()]
    assert api.post("/datasets/bare", {"samples": samples}, format="json").json()["rejected"] == []
    put_backbone()
    return Turner(api, {key: name for key, (name, _) in rows.items()}, run_job)


@pytest.mark.parametrize(("asked", "used"), [("margin", "auto"), ("auto", "auto"), ("k_center", "k_center")])
def test_the_first_round_mines_without_a_model_and_trains_the_first(api, turner, asked, used):
    committee = {"flips": True} if asked == "margin" else None
    make(api, dataset="bare", strategy=asked, count=6, committee=committee)
    turner.start()
    done = turner.until("done")
    assert (done["choice"]["strategy"], done["labels"], Round.objects.get().first_run) == (used, 6, None)
    assert done["choice"]["why"].startswith("max_herding: there is no model yet" if used == "auto" else "")
    remember_backbone()
    mined = MiningJob.objects.get()
    assert (mined.model_version, mined.committee, mined.picks.count()) == (None, None, 6)
    (version,) = ModelVersion.objects.all()
    assert version.metrics["training_samples"] == 6

    turner.start()
    loop.advance(Round.objects.latest("number").pk)
    again = MiningJob.objects.latest("pk")
    assert (newest(api)["state"], again.strategy, again.model_version) == ("scoring", asked, version)
    assert again.committee == committee


def test_a_model_that_learned_elsewhere_mines_the_first_labels(api, turner, alice):
    model = Model.objects.get()
    registered(model, alice)
    make(api, dataset="bare", strategy="margin", count=4)
    turner.start()
    loop.advance(Round.objects.get().pk)
    mined = MiningJob.objects.get()
    assert (mined.strategy, mined.model_version, newest(api)["state"]) == ("margin", model.versions.get(), "scoring")
    assert newest(api)["choice"]["why"] == ""


def test_answers_that_are_all_skipped_leave_nothing_to_train_on(api, turner):
    make(api, dataset="bare", count=3)
    turner.start()
    queue = turner.until("labelling")["queue_id"]
    for task in api.post(f"/labeling/queues/{queue}/next", {"count": 3}, format="json").json()["tasks"]:
        skipped = {"reason": "unclear", "seconds": 1, "lease_token": task["lease_token"]}
        assert api.post(f"/labeling/tasks/{task['id']}/skip", skipped, format="json").status_code == 200
    failed = turner.until("failed")
    assert (failed["failed_in"], failed["labels"]) == ("retraining", 0)
    assert "label some first" in failed["error"]
