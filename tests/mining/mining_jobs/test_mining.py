"""Mining jobs over HTTP: composed batches that add up, examples, label errors, committees, what was refused."""

from typing import Any

import numpy as np
import pytest
from tests.mining.nearest_mean import CALIBRATION, registered, unit
from tests.working import work_on

from blobs.models import Blob
from catalog.models import Dataset, Revision
from catalog.versions.datasets import find_version
from jobs.models import Job
from mining_jobs.models import MiningJob
from mining_jobs.scores.files import table_of
from registry.models import Model
from scoring.table import packed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
BAD = ["pool-01.png", "pool-40.png", "pool-41.png"]
BODY = {"dataset": "digits", "model": "digits-cnn@1", "strategy": "margin", "count": 10, "control": 0.2}


@pytest.fixture
def pool(api, truth, alice):
    """The digits with a drive, a time, a camera and a price each; a model of two versions. What every class is."""
    model = Model.objects.get()
    registered(model, alice)
    registered(model, alice, seed=1)
    samples = [
        {
            "key": key,
            "meta": {
                "drive": f"d{number % 3}",
                "t": float(number),
                "camera": {"id": number % 2},
                "price": 1 + number % 4,
            },
        }
        for number, key in enumerate(sorted(truth))
    ]
    answer = api.post("/datasets/digits", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content
    night = {"name": "late", "filter": {"q": "5"}}
    assert api.post("/datasets/digits/slices", night, format="json").status_code == 201
    return truth


@pytest.fixture
def mine(mined):
    """Start a mining job, run it to its end; its document."""

    return lambda **changes: mined(BODY | changes)


def picks_of(api, document, limit=500):
    return api.get(f"/mining/jobs/{document['id']}/picks", {"limit": limit}).json()["results"]


def answer_all(api, queue, truth):
    """Answer every task of a queue rightly and commit it; the tasks."""
    tasks = []
    address = f"/labeling/queues/{queue}"
    while (handout := api.post(f"{address}/next", {"count": 10}, format="json")).status_code == 200:
        for task in handout.json()["tasks"]:
            tasks.append(task)
            said = {"value": {"class": truth[task["sample"]["key"]]}, "seconds": 1, "lease_token": task["lease_token"]}
            assert api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json").status_code == 200
    committed = api.post(f"{address}/commit", {}, format="json")
    assert committed.status_code == 201, committed.content
    return tasks


def meta_of(key):
    return Revision.objects.filter(sample__key=key).latest("since").meta


def test_a_composed_batch_keeps_its_rules_and_explains_itself(api, pool, mine):
    compose = {
        "quotas": [{"class": "3", "min": 3}, {"source": "1", "max_share": 0.5}, {"slice": "late", "max": 4}],
        "gap": {"seconds": 2.5, "group": "drive", "time": "t"},
        "distance": {"cosine": 0.001},
        "cost": {"meta": "price", "default": 1},
        "budget": 22,
        "source": "camera.id",
        "objectives": [
            {"name": "class_weight", "weights": {"3": 2.0}},
            {"name": "novelty", "strength": 0.5},
            {"name": "slice_weight", "weights": {"late": 0.5}},
        ],
    }
    document = mine(compose=compose, control=0)
    picks = picks_of(api, document)
    assert document["compose"] == compose
    assert document["calibration"] == CALIBRATION
    progress = document["progress"]
    assert (progress["shards_done"], progress["shards"], progress["quarantined"], progress["eta_seconds"]) == (
        1,
        1,
        0,
        0,
    )

    metas = [meta_of(pick["sample"]["key"]) for pick in picks]
    assert sum(meta["price"] for meta in metas) == document["stats"]["spent"] <= 22
    assert sum(meta["camera"]["id"] == 1 for meta in metas) <= 5
    assert sum("5" in pick["sample"]["key"] for pick in picks) <= 4
    for number, one in enumerate(metas):
        assert all(one["drive"] != other["drive"] or abs(one["t"] - other["t"]) >= 2.5 for other in metas[:number])
    threes = [pick for pick in picks if pick["prediction"]["class"] == "3"]
    assert len(threes) >= 3 or document["stats"]["unmet"][0]["quota"] == {"class": "3"}
    assert picks[0]["explanation"]["quota"] == {"class": "3", "min": 3, "place": 1}
    for pick in picks:
        why = pick["explanation"]
        assert [term["name"] for term in why["terms"]] == ["margin", "class_weight", "novelty", "slice_weight"]
        assert np.prod([term["contribution"] for term in why["terms"]]) == pytest.approx(why["product"])
        assert pick["score"] == pytest.approx(why["product"])
        assert why["neighbours"] == pick["neighbours"]
        assert len(pick["neighbours"]) == 3
        assert (pick["sample"]["width"], pick["sample"]["height"]) == (28, 28)
        assert why["displaced"] is None or why["displaced"]["key"] in pool

    one = api.get(f"/mining/jobs/{document['id']}/picks/2")
    assert one.json() == picks[1]
    assert api.get(f"/mining/jobs/{document['id']}/picks/999").json()["code"] == "pick_unknown"
    histogram = api.get(f"/mining/jobs/{document['id']}/histogram").json()
    assert (histogram["score"], histogram["live"]) == ("product", False)
    assert sum(histogram["counts"]) == document["stats"]["candidates"]
    assert histogram["cut"] == pytest.approx(min(pick["score"] for pick in picks))
    assert mine(compose=compose, control=0)["stats"]["scored"] == 0


def test_a_slice_means_what_it_meant_when_the_job_started(api, pool, run_job):
    body = BODY | {"compose": {"quotas": [{"slice": "late", "max": 0}]}, "control": 0}
    started = api.post("/mining/jobs", body, format="json").json()
    assert api.put("/datasets/digits/slices/late", {"filter": {"q": "nothing"}}, format="json").status_code == 200
    run_job(Job.objects.get(pk=started["job"]["id"]))
    assert not any("5" in pick["sample"]["key"] for pick in picks_of(api, started))


def test_more_like_these_are_the_nearest_to_them(api, pool, mine):
    like = {"keys": ["train-03.png", "pool-07.png"]}
    document = mine(strategy="targeted", like=like, unlike={"keys": ["train-01.png"]}, count=8, control=0)
    assert (document["like"], document["unlike"]) == (like | {"failures": None}, {"keys": ["train-01.png"]})
    picks = [pick["sample"]["key"] for pick in picks_of(api, document)]
    version = MiningJob.objects.get().version
    table = table_of(MiningJob.objects.get().model)

    def points(keys):
        md5 = dict(version.revisions.filter(sample__key__in=keys).values_list("sample__key", "blob__md5"))
        return unit(table.embedding_of(table.rows(packed(md5[key] for key in keys))))

    keys = [key for key in sorted(pool) if key.startswith("pool")]
    scores = (points(keys) @ points(like["keys"]).T).max(axis=1) - (points(keys) @ points(["train-01.png"]).T)[:, 0]
    best = [keys[row] for row in np.argsort(-scores)[:8]]
    assert set(picks) == set(best)
    assert picks[0] == best[0]
    nearest = [like["keys"][row] for row in (points(picks) @ points(like["keys"]).T).argmax(axis=1)]
    for pick, key in zip(picks_of(api, document), nearest, strict=True):
        assert f"to wanted sample {key}, " in pick["reason"]
        assert pick["reason"].endswith("to unwanted sample train-01.png")


def test_more_like_its_failures_looks_for_what_it_gets_wrong(api, pool, mine):
    document = mine(strategy="targeted", like={"failures": "test"}, count=5, control=0)
    assert document["like"] == {"keys": [], "failures": "test"}
    version, model = MiningJob.objects.get().version, MiningJob.objects.get().model
    table = table_of(model)
    rows = list(version.revisions.filter(split="test").order_by("pk").values_list("class_name", "blob__md5"))
    at = table.rows(packed(md5 for _, md5 in rows))
    wrong = [place for place, (name, _) in zip(at, rows, strict=True)
             if str(table.probabilities_of(np.array([place])).argmax()) != name]  # fmt: skip
    assert wrong
    failures = unit(table.embedding_of(np.array(wrong)))
    for pick in picks_of(api, document):
        md5 = pick["sample"]["url"].removeprefix("/blobs/")
        point = unit(table.embedding_of(table.rows(packed([md5]))))
        assert pick["score"] == pytest.approx((failures @ point[0]).max(), abs=1e-3)


def test_a_wrong_label_is_found_answered_and_committed(api, pool, mine):
    for key in ("train-02.png", "train-05.png", "train-11.png"):
        wrong = str((int(pool[key]) + 5) % 10)
        body = {"labels": [{"key": key, "label": {"class": wrong}}]}
        assert api.post("/datasets/digits", body, format="json").status_code == 201
    document = mine(strategy="label_errors", count=4, control=0)
    picks = picks_of(api, document)
    assert {"train-02.png", "train-05.png", "train-11.png"} <= {pick["sample"]["key"] for pick in picks}
    assert document["stats"]["pool"] == 20
    assert all(pick["sample"]["key"] != near["key"] for pick in picks for near in pick["neighbours"])
    queue = api.post(f"/mining/jobs/{document['id']}/queue", {"queue": "doubts"}, format="json")
    assert queue.status_code == 201, queue.content
    tasks = answer_all(api, "doubts", pool)
    assert all("labelled" in task["why"]["reason"] for task in tasks if task["suggestion"]), "others are blind"
    head = find_version(Dataset.objects.get(), "head")
    told = dict(head.revisions.filter(split="train").values_list("sample__key", "class_name"))
    assert told == {key: name for key, name in pool.items() if key.startswith("train")}


def test_committed_answers_estimate_accuracy_and_lift(api, pool, mine):
    document = mine(count=20, control=0.5)
    assert api.get(f"/mining/jobs/{document['id']}").json()["estimate"] is None
    queue = api.post(f"/mining/jobs/{document['id']}/queue", {"queue": "half"}, format="json").json()["queue"]
    answer_all(api, queue, pool)
    estimate = api.get(f"/mining/jobs/{document['id']}").json()["estimate"]
    wrong = {True: 0, False: 0}
    for pick in picks_of(api, document):
        wrong[pick["control"]] += pick["prediction"]["class"] != pool[pick["sample"]["key"]]
    assert wrong[False] > 0
    expected = wrong[False] / wrong[True] if wrong[True] else None
    assert estimate["lift"]["value"] == (None if expected is None else pytest.approx(expected))
    # The control arm stands for the 60 candidates; those of it that the strategy takes too are certain, as its own are.
    assert estimate["accuracy"]["certain"] is True
    assert estimate["accuracy"]["value"] is None
    assert estimate["accuracy"]["needed"] > 0, "few random answers name no figure"
    table = table_of(MiningJob.objects.get().model)
    rows = MiningJob.objects.get().version.revisions.filter(split="pool").values_list("sample__key", "blob__md5")
    said = {key: str(table.probabilities_of(table.rows(packed([md5]))).argmax()) for key, md5 in rows}
    accuracy = np.mean([name == pool[key] for key, name in said.items()])
    assert estimate["accuracy"]["low"] <= accuracy <= estimate["accuracy"]["high"]


@pytest.mark.parametrize("by", ["max_rank", "min_score"])
def test_a_cut_queues_the_best_picks_and_the_whole_control_arm(api, pool, mine, by):
    document = mine(count=20, control=0.2)
    picks = picks_of(api, document)
    address = f"/mining/jobs/{document['id']}"
    own = sorted((pick for pick in picks if not pick["control"]), key=lambda pick: pick["rank"])
    assert api.get(f"{address}/histogram").json()["picked"] == sorted((pick["score"] for pick in own), reverse=True)
    cut = {"max_rank": 6} if by == "max_rank" else {"min_score": own[5]["score"]}
    assert api.post(f"{address}/queue", {"queue": "best"} | cut, format="json").status_code == 201
    asked = {task["sample"]["key"] for task in answer_all(api, "best", pool)}
    assert asked == {pick["sample"]["key"] for pick in [*own[:6], *(pick for pick in picks if pick["control"])]}
    accuracy = api.get(address).json()["estimate"]["accuracy"]
    assert accuracy["answers"] == len(asked), "what was cut is not taken for an answer that is missing by chance"


def test_picks_of_two_jobs_never_share_a_queue(api, pool, mine):
    first, second = mine(count=4), mine(count=4, seed=1)
    assert api.post(f"/mining/jobs/{first['id']}/queue", {"queue": "same"}, format="json").status_code == 201
    refused = api.post(f"/mining/jobs/{second['id']}/queue", {"queue": "same"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    again = api.post(f"/mining/jobs/{first['id']}/queue", {"queue": "same"}, format="json")
    assert again.status_code == 201, "the same job always gives the same queue"
    for other in ({"queue": "other"}, {"answers_per_task": 3}, {"max_rank": 2}, {"mode": "verify"}):
        refused = api.post(f"/mining/jobs/{first['id']}/queue", {"queue": "same"} | other, format="json")
        assert (refused.status_code, refused.json()["code"]) == (409, "queue_exists"), other
        assert "'same'" in refused.json()["detail"]


def test_picks_of_a_task_without_objects_cannot_be_verified(api, pool, mine):
    refused = api.post(f"/mining/jobs/{mine(count=4)['id']}/queue", {"mode": "verify"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["mode"])


def test_a_bad_name_of_a_queue_is_refused_by_its_field(api, pool, mine):
    for name in ("Not A Name", "42"):
        refused = api.post(f"/mining/jobs/{mine(count=4)['id']}/queue", {"queue": name}, format="json")
        assert (refused.status_code, list(refused.json()["errors"])) == (400, ["queue"])


@pytest.mark.parametrize(
    ("strategy", "cut", "said"),
    [
        ("margin", {"min_score": 5.0}, "the highest score is"),
        ("random", {"min_score": 0.5}, "cut by max_rank instead"),
        ("margin", {"max_rank": 0}, "must be at least 1"),
    ],
)
def test_a_cut_that_leaves_nothing_is_refused_in_words(api, pool, mine, strategy, cut, said):
    document = mine(strategy=strategy, count=5)
    refused = api.post(f"/mining/jobs/{document['id']}/queue", cut, format="json")
    (field,) = cut
    assert refused.status_code == 400
    assert said in refused.json()["errors"][field][0]
    assert api.get(f"/mining/jobs/{document['id']}").json()["queue"] is None


def test_what_scores_needs_what_the_job_asked_for_and_what_picks_runs_anywhere(api, pool):
    started = api.post("/mining/jobs", BODY | {"needs": {"cores": 64}}, format="json").json()
    assert (started["needs"]["cores"], started["job"]["missing"]) == (
        64, "no worker has 64 cores: none listens to queue compute",
    )  # fmt: skip
    shards = api.get(f"/jobs/{started['job']['id']}/shards").json()["results"]
    assert {(shard["phase"], shard["needs"] is not None) for shard in shards} == {(0, True), (1, False)}
    assert not work_on(started["job"]["id"])
    refused = api.post("/mining/jobs", BODY | {"needs": {"cores": -1}}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["needs.cores"])


def test_a_cancelled_selection_leaves_no_pick(api, pool):
    started = api.post("/mining/jobs", BODY, format="json").json()
    assert work_on(started["job"]["id"])
    assert api.post(f"/jobs/{started['job']['id']}/cancel").status_code in {200, 202}
    work_on(started["job"]["id"])
    assert Job.objects.get(pk=started["job"]["id"]).state == "cancelled"
    assert picks_of(api, started) == []


def test_a_committee_of_versions_is_asked(api, pool, mine):
    document = mine(strategy="bald", committee={"versions": [2]}, count=6)
    assert document["committee"] == {"versions": [2]}
    assert document["stats"]["scored"] == 160
    assert len(picks_of(api, document)) == 6
    refused = api.post("/mining/jobs", BODY | {"committee": {"versions": [7]}}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["committee.versions"])


def test_the_histogram_is_live_while_scoring_goes_on(api, pool, run_job, settings):
    settings.SHARD_SAMPLES = 30
    started = api.post("/mining/jobs", BODY, format="json").json()
    address = f"/mining/jobs/{started['id']}"
    assert api.get(f"{address}/histogram").json()["code"] == "histogram_missing"
    assert work_on(started["job"]["id"])
    live = api.get(f"{address}/histogram").json()
    assert (live["live"], live["score"], live["cut"], sum(live["counts"])) == (True, "margin", None, 30)
    progress = api.get(address).json()["progress"]
    assert (progress["shards_done"], progress["shards"]) == (1, 3)
    assert progress["images_per_second"] > 0
    assert progress["eta_seconds"] > 0
    run_job(Job.objects.get(pk=started["job"]["id"]))
    assert api.get(f"{address}/histogram").json()["live"] is False


def test_what_cannot_be_scored_is_listed_with_the_samples_it_belongs_to(api, pool, mine, settings):
    settings.SHARD_SAMPLES = 30
    head = find_version(Dataset.objects.get(), "head")
    bad = dict(head.revisions.filter(sample__key__in=BAD).values_list("blob__md5", "sample__key"))
    Blob.objects.filter(md5__in=bad).update(sha256="0" * 64)  # the bytes are no longer those that were promised
    document = mine()
    assert document["progress"]["quarantined"] == 3
    page = api.get(f"/mining/jobs/{document['id']}/quarantine", {"limit": 2}).json()
    rest = api.get(page["next"]).json()
    found = [*page["results"], *rest["results"]]
    assert (len(page["results"]), len(rest["results"]), rest["next"]) == (2, 1, None)
    assert {row["md5"]: row["keys"] for row in found} == {md5: [key] for md5, key in bad.items()}
    assert all(row["code"] and row["detail"] for row in found)
    assert document["stats"]["pool"] == 57


def test_a_job_that_cannot_run_is_refused_by_field(api, pool, subtests):
    change: Any
    for change, field in [
        ({"compose": {"quotas": [{"class": "cow", "min": 1}]}}, "compose.quotas.0.class"),
        ({"compose": {"gap": {"seconds": 1, "group": "drive", "time": "clock"}}}, "compose.gap.time"),
        ({"compose": {"gap": {"seconds": 1, "group": "dri;ve", "time": "t"}}}, "compose.gap.group"),
        ({"compose": {"cost": {"meta": "euros"}}}, "compose.cost.meta"),
        ({"compose": {"quotas": [{"slice": "dawn", "min": 1}]}}, "compose.slice"),
        ({"compose": {"budget": -1}}, "compose.budget"),
        ({"compose": {"quotas": [{"class": "1", "min": 11}]}}, "compose.quotas.0.min"),
        ({"compose": {"distance": {"to": ["batch"], "cosine": True}}}, "compose.distance.cosine"),
        ({"compose": [1]}, "compose"),
        ({"strategy": {"name": "margin", "params": {"weights": {"cow": 2}}}}, "strategy.params.weights"),
        ({"strategy": {"name": "margin", "prams": {}}}, "strategy"),
        ({"strategy": "targeted"}, "like"),
        ({"strategy": "targeted", "like": {}}, "like"),
        ({"strategy": "targeted", "like": {"keys": ["none.png"]}}, "like.keys"),
        ({"strategy": "targeted", "like": {"failures": "val"}}, "like.failures"),
        ({"like": {"keys": ["pool-01.png"]}}, "like"),
        ({"unlike": {"keys": ["pool-01.png"]}}, "unlike"),
        ({"strategy": "bald"}, "committee"),
        ({"committee": {"versions": []}}, "committee.versions"),
        ({"strategy": "bald", "committee": {"versions": [2**63]}}, "committee.versions.0"),
        ({"strategy": {"name": "stratified", "params": {"by": "source"}}}, "compose.source"),
    ]:
        with subtests.test(change=change, field=field):
            answer = api.post("/mining/jobs", BODY | change, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (400, [field]), answer.json()
