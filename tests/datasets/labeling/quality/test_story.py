"""Three people label forty images through the API, one of them badly; reviewers decide; the version tells it all."""

from rest_framework.test import APIClient
from tests.datasets.labeling.quality.conftest import Cast, MakeWide, truth, wrong

from accounts.models import User
from catalog.models import Dataset, Label
from catalog.versions.datasets import find_version
from labeling.models import Queue


def mals(key: str) -> str:
    """Mal is wrong about two images in three."""
    return truth(key) if int(key[1:]) % 3 == 0 else wrong(key)


def decided_by_ritas_eye(cast: Cast, queue: Queue) -> int:
    """Rita decides every open review by what the image shows."""
    rita, count = cast("rita"), 0
    url = f"/labeling/reviews?queue={queue.name}&state=open"
    while found := rita.get(url).json()["results"]:
        for review in found:
            right = {"class": truth(review["sample"]["key"])}
            told = rita.post(f"/labeling/reviews/{review['id']}/decide", {"value": right, "reason": "looked at it"})
            assert (told.status_code, told.json()["decision"]) == (200, right), told.content
            count += 1
    return count


def test_the_whole_story(api: APIClient, cast: Cast, make_wide: MakeWide, wide: Dataset, alice: User) -> None:
    queue = make_wide(answers=3, gold_share=0.1, review_share=0.2)
    keys = [f"k{100 + at}" for at in range(10)]
    mixed = cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": keys})
    assert (mixed.status_code, mixed.json()["added"], mixed.json()["tasks"]) == (201, 5, 45)
    assert {item["code"] for item in mixed.json()["rejected"]} == {"share_reached"}
    for name, say in (("ann", truth), ("ben", truth), ("mal", mals)):
        assert cast(name).label(queue, say, seconds=4.0 if name == "mal" else 2.0) == 45
    shown = api.get(f"/labeling/queues/{queue.pk}").json()
    assert shown["counts"]["done"] == 45
    disputed = sum(truth(f"p{at}") != mals(f"p{at}") for at in range(40))
    assert shown["reviews_open"] >= disputed  # and some drawn by lot
    assert shown["state"] == "open"
    refused = api.post(f"/labeling/queues/{queue.pk}/commit", {}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "queue_incomplete")

    told = cast("rita").get(f"/labeling/queues/{queue.pk}/agreement").json()
    ids = {name: cast(name).user.pk for name in ("ann", "ben", "mal")}
    kappas = {frozenset((pair["a"], pair["b"])): pair["kappa"] for pair in told["pairs"]}
    assert kappas[frozenset((ids["ann"], ids["ben"]))] == 1.0
    assert kappas[frozenset((ids["ann"], ids["mal"]))] < 0.3
    assert told["consensus"]["method"] == "dawid_skene"
    skill = {one["username"]: one["accuracy"] for one in told["consensus"]["people"]}
    assert skill["ann"] > 0.95
    assert skill["mal"] < 0.6

    assert decided_by_ritas_eye(cast, queue) == shown["reviews_open"]
    assert api.get(f"/labeling/queues/{queue.pk}").json()["state"] == "complete"
    committed = api.post(f"/labeling/queues/{queue.pk}/commit", {}, format="json")
    assert (committed.status_code, committed.json()["labelled"]) == (201, 40)
    head = find_version(Dataset.objects.get(pk=wide.pk), "head")
    labels = {row.sample.key: row.label for row in head.revisions.select_related("sample", "label__author")}
    assert all(label and label.value == {"class": truth(key)} for key, label in labels.items())
    assert Label.objects.filter(sample__key__startswith="k").count() == 10  # gold is not labelled again

    summary = api.get(f"/datasets/{wide.name}/versions/{head.number}").json()["labelling"]
    assert (summary["reviewed"], summary["method"], summary["overruled"]) == (shown["reviews_open"], "dawid_skene", 0)
    assert summary["gold"] == {"tasks": 5, "answers": 15, "correct": summary["gold"]["correct"]}
    people = {row["username"]: row for row in summary["people"]}
    assert (people["ann"]["answers"], people["ann"]["accuracy"], people["ann"]["median_seconds"]) == (45, 1.0, 2.0)
    assert people["mal"]["accuracy"] < 1
    assert people["mal"]["median_seconds"] == 4.0
    facts = api.get(f"/datasets/{wide.name}/samples/p1").json()["label_facts"]
    assert facts | {"confidence": 1} == {"review_state": "decided", "answers": 3, "agreement": 0.6667, "confidence": 1}
    by_rita = labels["p1"]
    assert by_rita is not None
    assert by_rita.author is not None
    assert (by_rita.author.username, by_rita.seconds) == ("rita", 8.0)
    lineage = api.get(f"/datasets/{wide.name}/samples/p1/lineage").json()
    assert lineage["labels"][0]["facts"]["review_state"] == "decided"


def test_figures_show_people_as_they_are(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(answers=2, gold_share=0.2)
    cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": [f"k{100 + at}" for at in range(10)]})
    cast("ann").label(queue, truth, seconds=1.5)
    cast("mal").label(queue, wrong, seconds=3.0)
    rows = {row["user"]["username"]: row for row in cast("rita").get("/labeling/people?queue=q").json()["results"]}
    assert (rows["ann"]["gold"], rows["mal"]["gold"]) == ({"answers": 10, "correct": 10}, {"answers": 10, "correct": 0})
    assert (rows["ann"]["accuracy"], rows["mal"]["accuracy"]) == (1.0, 0.0)
    assert rows["ann"]["interval"] == [0.7225, 1.0]  # Wilson's, 10 of 10
    assert rows["ann"]["agreement"] == 0.0
    assert (rows["ann"]["labels_per_hour"], rows["mal"]["median_seconds"]) == (2400.0, 3.0)
    mine = cast("mal").get("/labeling/people/me?queue=q").json()
    assert mine == rows["mal"]
    assert cast("mal").get("/labeling/people").json()["results"] == [mine]
    assert cast("mal").get("/labeling/people?project=default").json()["results"] == [mine]


def test_figures_and_reviews_of_one_project_leave_out_the_others(
    cast: Cast, make_wide: MakeWide, api: APIClient
) -> None:
    queue = make_wide(size=3, answers=2)
    cast("ann").label(queue, truth)
    cast("mal").label(queue, wrong)
    assert api.post("/projects", {"name": "elsewhere"}, format="json").status_code == 201

    def told(project: str) -> tuple[int, int]:
        pages = (api.get(f"/labeling/{kind}?project={project}").json()["results"] for kind in ("people", "reviews"))
        return tuple(len(page) for page in pages)  # type: ignore[return-value]  # two of them

    assert told("default") == (2, 3)
    assert told("elsewhere") == (0, 0)
    for kind in ("people", "reviews"):
        assert cast("rita").get(f"/labeling/{kind}?project=elsewhere").json()["code"] == "project_unknown"


def test_an_annotator_sees_nobody_elses_answers_or_rows(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=3, answers=2, gold_share=0.3)
    cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": ["k100"]})
    cast("ann").label(queue, truth)
    page = cast("ben").post(f"/labeling/queues/{queue.pk}/next", {"count": 50}).json()["tasks"]
    assert len(page) == 4
    for task in page:
        assert set(task) == {
            "id", "sample", "url", "suggestion", "why", "cluster", "comments", "comments_resolved", "comments_hidden",
            "position", "flag", "answered",
            "lease_until", "lease_token",
        }  # fmt: skip
        assert task["answered"] is None
    assert sorted(task["position"] for task in page) == list(range(page[0]["position"], page[0]["position"] + 4))
    cast("ben").label(queue, wrong)
    review = cast("rita").get("/labeling/reviews").json()["results"][0]
    for path in (f"/labeling/queues/{queue.pk}/agreement", "/labeling/reviews", f"/labeling/reviews/{review['id']}"):
        refused = cast("ben").get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "reviewers_only")
    for path in (f"queues/{queue.pk}/gold", f"reviews/{review['id']}/decide", f"reviews/{review['id']}/reopen"):
        assert cast("ben").post(f"/labeling/{path}", {}).status_code == 403
    told = cast("ben").get(f"/labeling/queues/{queue.pk}/tasks?author=me").content
    assert b"ann" not in told
    rows = cast("ben").get("/labeling/people").json()["results"]
    assert [row["user"]["username"] for row in rows] == ["ben"]


def test_whoever_saw_the_suggestion_is_compared_with_whoever_did_not(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(suggest=wrong, blind_share=0.5)
    hidden = {task.sample.key for task in queue.tasks.filter(blind=True).select_related("sample")}
    cast("ann").label(queue, lambda key: truth(key) if key in hidden else wrong(key))  # believes what she is shown
    told = cast("rita").get(f"/labeling/queues/{queue.pk}/agreement").json()["blind"]
    assert told["hidden"] == {"answers": len(hidden), "agree_with_model": 0}
    assert told["shown"] == {"answers": 40 - len(hidden), "agree_with_model": 40 - len(hidden)}
    assert told["difference"] == 1.0
    assert 0.5 < told["interval"][0] < told["interval"][1] == 1.0
