"""What nothing will be trained on is never picked, queued by the way, counted as new or replayed; and people are told
how much that is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.nearest_mean import registered

from backtests.samples import labelled, left_out
from catalog.models import Dataset, NearDuplicate, Sample, Split
from catalog.splits.barring import barred, barring
from catalog.versions.datasets import find_version
from jobs.models import Job
from labeling.models import Queue
from mining_jobs.models import Pick
from mining_jobs.picks.candidates import barred_of, pool_of, to_score
from pipelines.rounds.triggers import _samples
from registry.models import Model

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
BODY = {"dataset": "digits", "model": "digits-cnn@1", "count": 20, "control": 0.2}


def head():
    return find_version(Dataset.objects.get(), "head")


def bar(keys, *, allowed=False, found_by="pixels"):
    """These samples are near-duplicates of a test sample."""
    dataset = Dataset.objects.get()
    of = Sample.objects.get(key="test-00.png")
    facts = {"dataset": dataset, "of": of, "distance": 1, "found_by": found_by, "allowed": allowed, "since": 1}
    samples = Sample.objects.filter(key__in=keys)
    NearDuplicate.objects.bulk_create(NearDuplicate(sample=sample, confirmed=True, **facts) for sample in samples)


POOL = [f"pool-{place:02}.png" for place in range(60)]


@pytest.fixture
def model(truth, alice):
    registered(Model.objects.get(), alice)


@pytest.mark.parametrize("strategy", ["random", "margin", "typiclust"])
def test_picks_and_barred_samples_are_disjoint(api, model, run_job, strategy):
    bar(POOL[::2])
    answer = api.post("/mining/jobs", BODY | {"strategy": strategy}, format="json")
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    picked = set(Pick.objects.values_list("sample__key", flat=True))
    assert len(picked) == 20
    assert picked.isdisjoint(POOL[::2])
    stats = api.get(f"/mining/jobs/{answer.json()['id']}").json()["stats"]
    assert (stats["barred"], stats["pool"]) == (30, 30)


def test_a_pool_of_nothing_else_is_empty_and_says_why(api, model):
    bar(POOL)
    answer = api.post("/mining/jobs", BODY | {"strategy": "random"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "pool_empty")
    assert "60 near-duplicates of test samples" in answer.json()["errors"]["version"][0]


def test_a_queue_leaves_them_out_unless_they_are_named(api, model):
    bar(POOL[:7])
    made = api.post("/labeling/queues", {"name": "all", "dataset": "digits"}, format="json").json()
    assert (made["counts"]["total"], made["near_duplicates"]) == (53, {"left_out": 7, "included": 0})
    named = {"name": "named", "dataset": "digits", "samples": POOL[5:10]}
    made = api.post("/labeling/queues", named, format="json").json()
    assert (made["counts"]["total"], made["near_duplicates"]) == (5, {"left_out": 0, "included": 2})
    bar(POOL[7:], found_by="digits-cnn@1")
    none = api.post("/labeling/queues", {"name": "none", "dataset": "digits"}, format="json")
    assert none.status_code == 400
    assert "60 near-duplicates" in none.json()["errors"]["filter"][0]
    assert Queue.objects.count() == 2


def test_a_back_test_and_a_trigger_leave_them_out(api, model):
    given = [{"key": key, "label": {"class": "1"}, "split": "pool"} for key in POOL[:4]]
    assert api.post("/datasets/digits", {"samples": given}, format="json").json()["updated"] == 4
    everything, candidates = _samples(head()), labelled(head()).count()
    bar(POOL[:6])
    assert (_samples(head()), labelled(head()).count()) == (everything - 6, candidates - 4)
    assert left_out(head()).count() == 4
    body = {"dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn"}
    run = api.post("/runs", body, format="json")
    assert run.status_code == 202, run.content
    assert api.get(f"/runs/{run.json()['id']}").json()["left_out"] == 4


@settings(max_examples=examples(30))
@given(
    by_pixels=st.sets(st.sampled_from(POOL)),
    by_model=st.sets(st.sampled_from(POOL)),
    allowed=st.sets(st.sampled_from(POOL)),
    chosen=st.sampled_from([None, {"q": "1"}, {"split": ["pool", "train"]}, {"labelled": False}]),
)
def test_whatever_is_known_pool_and_barred_part_the_unlabelled(truth, by_pixels, by_model, allowed, chosen):
    NearDuplicate.objects.all().delete()
    bar(by_pixels - allowed)
    bar(by_pixels & allowed, allowed=True)
    bar(by_model, found_by="digits-cnn@1")
    version = head()
    pool = set(pool_of(version, chosen).values_list("sample__key", flat=True))
    out = set(barred_of(version, chosen).values_list("sample__key", flat=True))
    assert pool.isdisjoint((by_pixels - allowed) | by_model)
    assert out == {key for key in (by_pixels - allowed) | by_model if chosen != {"q": "1"} or "1" in key}
    everything = set(POOL) if chosen != {"q": "1"} else {key for key in POOL if "1" in key}
    assert pool | out == everything
    scored = set(to_score(version, chosen).filter(split=Split.POOL).values_list("sample__key", flat=True))
    assert scored.isdisjoint(out)
    assert barred(version).count() == len((by_pixels - allowed) | by_model)


def test_a_fork_that_allows_and_an_origin_that_does_not(api, truth):
    bar(POOL[:3])
    assert api.post("/datasets/digits/forks", {"name": "forked"}, format="json").status_code == 201
    allow = {"decision": "allow", "keys": POOL[:2]}
    assert api.post("/datasets/forked/near-duplicates", allow, format="json").json()["near_duplicates"] == 2
    forked = find_version(Dataset.objects.get(name="forked"), "head")
    assert [row.sample.key for row in barring(forked).select_related("sample")] == [POOL[2]]
    origin = find_version(Dataset.objects.get(name="digits"), "head")
    assert barring(origin).count() == 3
