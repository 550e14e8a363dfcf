"""Reviews: what goes to one, who decides, who was first, and what a taken back decision leaves."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient
from tests.datasets.labeling.quality.conftest import Cast, MakeWide, truth, wrong
from tests.threads import at_once

from accounts.models import Role, User
from accounts.services import create_user
from core.errors import Conflict
from labeling.leasing import next_tasks
from labeling.models import Queue, Review
from labeling.quality.answer_table import answers_of
from labeling.quality.consensus import consensus
from labeling.quality.figures import rounded
from labeling.quality.routing import is_drawn
from labeling.reviewing.reviews import decide

CAT = {"value": {"class": "cat"}}


def disputed(cast: Cast, make_wide: MakeWide, size: int = 1) -> tuple[Queue, list[dict[str, Any]]]:
    """A queue on whose tasks ann and ben disagree, and its reviews as rita sees them."""
    queue = make_wide(size=size, answers=2)
    cast("ann").label(queue, truth)
    cast("ben").label(queue, wrong)
    return queue, cast("rita").get("/labeling/reviews?state=open").json()["results"]


def reasons(cast: Cast) -> dict[str, str]:
    return {one["sample"]["key"]: one["reason"] for one in cast("rita").get("/labeling/reviews").json()["results"]}


def test_a_review_shows_the_answers_side_by_side(cast: Cast, make_wide: MakeWide) -> None:
    queue, (review,) = disputed(cast, make_wide)
    assert [(one["author"]["username"], one["value"]) for one in review["answers"]] == [
        ("ann", {"class": truth("p0")}), ("ben", {"class": wrong("p0")}),
    ]  # fmt: skip
    assert review["consensus"] == {"value": {"class": truth("p0")}, "confidence": 0.5, "tied": True}
    assert (review["reason"], review["state"], review["decision"]) == ("disagreement", "open", None)
    assert (review["url"], review["suggestion"]["class"], review["iou"]) == (
        f"/blobs/{review['sample']['digest']}", truth("p0"), [],
    )  # fmt: skip
    assert review["queue"] == queue.name


def test_a_page_of_several_queues_gives_each_task_the_consensus_of_its_own(cast: Cast, make_wide: MakeWide) -> None:
    """One queue has enough answers to learn who errs, one too few, one asks a single person; asked twice, for what is
    cached."""
    queues = [make_wide(name="large", answers=2), make_wide(name="small", size=3, answers=2)]
    queues.append(make_wide(name="single", size=3, review_share=1.0))
    for queue in queues:
        cast("ann").label(queue, truth)
    for queue in queues[:2]:
        cast("mal").label(queue, lambda key: truth(key) if int(key[1:]) % 3 else wrong(key))
    page = cast("rita").get("/labeling/reviews?limit=100").json()["results"]
    assert {review["queue"] for review in page} == {"large", "small", "single"}
    assert cast("rita").get("/labeling/reviews?limit=100").json()["results"] == page
    for queue in queues:
        expected = consensus(queue, answers_of(queue))
        assert (expected.model is not None) == (queue.name == "large")
        for review in (one for one in page if one["queue"] == queue.name):
            outcome, shown = expected.outcomes[review["task"]], review["consensus"]
            assert shown == {"value": outcome.value, "confidence": rounded(outcome.confidence), "tied": outcome.tied}


@pytest.mark.parametrize("wrong", ["state=", "state=closed", "reason=", "reason=boredom"])
def test_a_state_or_reason_that_is_none_is_refused(cast: Cast, wrong: str) -> None:
    told = cast("rita").get(f"/labeling/reviews?{wrong}")
    assert told.status_code == 400
    assert "must be one of" in told.json()["errors"][wrong.partition("=")[0]][0]


def test_people_of_one_mind_need_no_reviewer(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=3, answers=2)
    cast("ann").label(queue, truth)
    cast("ben").label(queue, truth)
    assert reasons(cast) == {}
    assert cast("ann").get("/labeling/queues/q").json()["state"] == "complete"


def test_a_share_of_sole_answers_is_drawn_by_lot(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(review_share=0.3)
    cast("ann").label(queue, truth)
    drawn = {task.sample.key for task in queue.tasks.select_related("sample") if is_drawn(task.pk, 0.3)}
    assert reasons(cast) == dict.fromkeys(drawn, "random")
    assert sum(is_drawn(number, 0.3) for number in range(10_000)) == pytest.approx(3000, abs=200)


def test_a_flag_goes_to_review_with_its_note_and_goes_with_it(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=2)
    first, second = (task.pk for task in queue.tasks.order_by("position"))
    ann = cast("ann")
    for task, note in ((first, "is it a cat?"), (second, "")):
        assert ann.post(f"/labeling/tasks/{task}/flag", {"note": note}).status_code in {200, 201}
    assert reasons(cast) == {}  # nobody has answered yet
    ann.label(queue, truth)
    assert reasons(cast) == {"p0": "flag", "p1": "flag"}
    assert cast("rita").get("/labeling/reviews").json()["results"][0]["note"] == "is it a cat?"
    assert ann.api.delete(f"/labeling/tasks/{second}/flag").status_code in {200, 204}
    assert reasons(cast) == {"p0": "flag"}
    assert ann.get("/labeling/queues/q").json()["state"] == "open"
    assert ann.api.delete(f"/labeling/tasks/{first}/flag").status_code in {200, 204}
    assert ann.get("/labeling/queues/q").json()["state"] == "complete"


def test_a_flag_taken_away_leaves_the_disagreement(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=1, answers=2)
    task = queue.tasks.get().pk
    cast("ann").post(f"/labeling/tasks/{task}/flag", {"note": "?"})
    cast("ann").label(queue, truth)
    cast("ben").label(queue, wrong)
    assert reasons(cast) == {"p0": "flag"}
    cast("ann").api.delete(f"/labeling/tasks/{task}/flag")
    assert reasons(cast) == {"p0": "disagreement"}


def test_answers_sent_many_at_once_go_to_review_alike(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=5, answers=2)
    for name, say in (("ann", truth), ("ben", wrong)):
        page = cast(name).post(f"/labeling/queues/{queue.pk}/next", {"count": 50}).json()["tasks"]
        said = [
            {"task": task["id"], "value": {"class": say(task["sample"]["key"])}, "seconds": 1,
             "shown_suggestion": False, "lease_token": task["lease_token"]}
            for task in page
        ]  # fmt: skip
        told = cast(name).post(f"/labeling/queues/{queue.pk}/answers", {"answers": said}).json()["results"]
        assert {one["status"] for one in told} == {"saved"}
    assert len(reasons(cast)) == 5


def test_gold_that_most_people_get_wrong_is_looked_at_and_the_correction_committed(
    api: APIClient, cast: Cast, make_wide: MakeWide
) -> None:
    queue = make_wide(size=2, answers=1, gold_share=0.4)
    cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": ["k100"]})
    cast("ann").label(queue, lambda key: wrong(key) if key == "k100" else truth(key))
    assert reasons(cast) == {"k100": "gold"}
    review = cast("rita").get("/labeling/reviews").json()["results"][0]
    cast("rita").post(f"/labeling/reviews/{review['id']}/decide", {"value": {"class": wrong("k100")}})
    told = api.post("/labeling/queues/q/commit", {}, format="json").json()
    assert told["labelled"] == 3
    assert api.get("/datasets/digits/samples/k100").json()["label"] == {"class": wrong("k100")}


def test_the_second_reviewer_hears_who_was_first(cast: Cast, make_wide: MakeWide) -> None:
    _, (review,) = disputed(cast, make_wide)
    decided = cast("rita").post(f"/labeling/reviews/{review['id']}/decide", CAT)
    assert (decided.status_code, decided.json()["decided_by"]["username"]) == (200, "rita")
    assert cast("rita").post(f"/labeling/reviews/{review['id']}/decide", CAT).status_code == 200  # a lost reply
    late = cast("rob").post(f"/labeling/reviews/{review['id']}/decide", CAT)
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert "rita" in late.json()["detail"]
    assert [one["id"] for one in cast("rita").get("/labeling/reviews?state=mine").json()["results"]] == [review["id"]]
    assert cast("rob").get("/labeling/reviews?state=mine").json()["results"] == []


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_of_reviewers_at_the_same_moment_one_decides(cast: Cast, make_wide: MakeWide) -> None:
    disputed(cast, make_wide)
    review = Review.objects.get()
    people = [create_user(f"reviewer-{at}", role=Role.OWNER)[0] for at in range(4)]
    names = ["cat", "dog", "3", "cat"]

    def one(at: int) -> str:
        try:
            return decide(Review.objects.get(), people[at], value={"class": names[at]}).state
        except Conflict as error:
            return error.code

    assert sorted(at_once(4, one)) == ["already_decided"] * 3 + ["done"]
    review.refresh_from_db()
    assert review.decided_by is not None
    assert review.decision == {"class": names[people.index(review.decided_by)]}


def test_a_reopened_review_keeps_what_was_decided(cast: Cast, make_wide: MakeWide) -> None:
    _, (review,) = disputed(cast, make_wide)
    path = f"/labeling/reviews/{review['id']}"
    assert cast("rob").post(f"{path}/reopen").json()["code"] == "not_decided"
    chosen = review["answers"][1]
    cast("rita").post(f"{path}/decide", {"value": chosen["value"], "answer": chosen["id"], "reason": "a tail"})
    assert cast("ann").get("/labeling/queues/q").json()["state"] == "complete"
    again = cast("rob").post(f"{path}/reopen").json()
    assert (again["state"], again["decision"], again["answer"]) == ("open", None, None)
    (past,) = again["history"]
    assert (past["value"], past["by"], past["reason"]) == (chosen["value"], "rita", "a tail")
    assert cast("ann").get("/labeling/queues/q").json()["state"] == "open"
    assert cast("rob").post(f"{path}/decide", CAT).json()["decided_by"]["username"] == "rob"


def test_nobody_decides_on_their_own_sole_answer(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=1, review_share=1.0)
    cast("rita").label(queue, truth)
    review = cast("rob").get("/labeling/reviews").json()["results"][0]
    open_to = {name: cast(name).get("/labeling/queues/q").json()["mine"]["reviews"] for name in ("rita", "rob", "ann")}
    assert open_to == {"rita": 0, "rob": 1, "ann": 0}
    refused = cast("rita").post(f"/labeling/reviews/{review['id']}/decide", CAT)
    assert (refused.status_code, refused.json()["code"]) == (403, "own_answer")
    assert cast("rob").post(f"/labeling/reviews/{review['id']}/decide", CAT).status_code == 200


def test_whoever_is_alone_is_asked_for_no_review_of_their_own_answers(
    api: APIClient, alice: User, make_wide: MakeWide
) -> None:
    queue = make_wide(size=2, review_share=1.0)
    tasks = next_tasks(queue, alice, count=2)
    for task in tasks:
        body = {"value": {"class": truth(task.sample.key)}, "seconds": 1, "lease_token": task.token}
        assert api.post(f"/labeling/tasks/{task.pk}/answer", body, format="json").status_code == 200
    assert api.get("/labeling/reviews").json()["results"] == []
    assert api.get("/labeling/queues/q").json()["state"] == "complete"


def test_whoever_is_alone_decides_what_they_flagged_themselves(
    api: APIClient, alice: User, make_wide: MakeWide
) -> None:
    queue = make_wide(size=1)
    (task,) = next_tasks(queue, alice, count=1)
    body = {"value": {"class": truth(task.sample.key)}, "seconds": 1, "lease_token": task.token}
    assert api.post(f"/labeling/tasks/{task.pk}/flag", {"note": "a cat?"}, format="json").status_code in {200, 201}
    shown = api.get("/labeling/queues/q").json()
    assert (shown["reviews_open"], shown["mine"]["reviews"]) == (1, 0), "nobody decides what is still being answered"
    assert api.post(f"/labeling/tasks/{task.pk}/answer", body, format="json").status_code == 200
    (review,) = api.get("/labeling/reviews").json()["results"]
    path = f"/labeling/reviews/{review['id']}/decide"
    rita = create_user("rita", role="reviewer")[0]
    assert api.post(path, CAT, format="json").json()["code"] == "own_answer"
    assert api.get("/labeling/queues/q").json()["mine"]["reviews"] == 0
    rita.is_active = False
    rita.save()
    assert api.get("/labeling/queues/q").json()["mine"]["reviews"] == 1
    assert api.post(path, CAT, format="json").json()["decided_by"]["username"] == alice.username
    assert api.get("/labeling/queues/q").json()["state"] == "complete"


def test_a_decision_must_be_a_label_of_the_dataset(cast: Cast, make_wide: MakeWide) -> None:
    _, (review,) = disputed(cast, make_wide)
    path = f"/labeling/reviews/{review['id']}/decide"
    assert cast("rita").post(path, {"value": {"class": "cow"}}).json()["errors"].keys() == {"value"}
    assert cast("rita").post(path, {**CAT, "answer": 999}).json()["errors"].keys() == {"answer"}
    assert cast("rita").get("/labeling/reviews?state=shut").json()["errors"].keys() == {"state"}
    for address in ("/labeling/reviews?queue=", "/labeling/comments?queue=", "/labeling/people?queue="):
        told = cast("rita").get(address)
        assert (told.status_code, told.json()["code"]) == (404, "queue_unknown"), address
    assert cast("rita").get("/labeling/reviews/999").json()["code"] == "review_unknown"


@pytest.mark.both
def test_an_undone_answer_takes_its_open_review_along_but_no_decided_one(cast: Cast, make_wide: MakeWide) -> None:
    queue, (review,) = disputed(cast, make_wide)
    undo = f"/labeling/tasks/{review['task']}/undo"
    assert cast("ben").post(undo).status_code == 200
    assert not Review.objects.exists()
    cast("ben").label(queue, wrong)
    (anew,) = cast("rita").get("/labeling/reviews").json()["results"]
    cast("rita").post(f"/labeling/reviews/{anew['id']}/decide", CAT)
    assert cast("ben").post(undo).json()["code"] == "task_reviewed"


def test_who_corrects_an_answer_takes_its_open_review_along_but_no_decided_one(cast: Cast, make_wide: MakeWide) -> None:
    _, (review,) = disputed(cast, make_wide)
    path = f"/labeling/tasks/{review['task']}/answer"
    agrees, differs = ({"value": {"class": say("p0")}, "seconds": 1} for say in (truth, wrong))
    assert cast("ben").post(path, agrees).status_code == 200
    assert not Review.objects.exists()
    assert cast("ann").get("/labeling/queues/q").json()["state"] == "complete"
    assert cast("ben").post(path, differs).status_code == 200
    (anew,) = cast("rita").get("/labeling/reviews").json()["results"]
    cast("rita").post(f"/labeling/reviews/{anew['id']}/decide", CAT)
    assert cast("ben").post(path, agrees).json()["code"] == "lease_lost"


def test_two_against_one_is_no_tie(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=1, answers=3)
    for name, say in (("ann", truth), ("ben", wrong), ("mal", truth)):
        cast(name).label(queue, say)
    (review,) = cast("rita").get("/labeling/reviews").json()["results"]
    assert review["consensus"] == {"value": {"class": truth("p0")}, "confidence": 0.6667, "tied": False}


@pytest.mark.both
def test_a_queue_tells_how_many_labels_a_commit_would_write(api: APIClient, cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=4, gold_share=0.2)
    cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": ["k100"]})
    ann = cast("ann")
    tasks = ann.post(f"/labeling/queues/{queue.pk}/next", {"count": 50}).json()["tasks"]
    names = dict(queue.tasks.values_list("pk", "sample__key"))  # of gold queues annotators see no keys
    keys = {names[task["id"]]: task["id"] for task in tasks}
    for key, task in keys.items():
        verb, body = ("skip", {}) if key == "p0" else ("answer", {"value": {"class": truth(key)}, "seconds": 1})
        assert ann.post(f"/labeling/tasks/{task}/{verb}", body).status_code == 200
    told = ann.get("/labeling/queues/q").json()
    assert (told["counts"]["done"], told["labels"]) == (4, 3)  # gold is known
    for key in ("p0", "p1"):
        ann.post(f"/labeling/tasks/{keys[key]}/flag")
    assert ann.get("/labeling/queues/q").json()["labels"] == 2
    for review in cast("rita").get("/labeling/reviews").json()["results"]:
        cast("rita").post(f"/labeling/reviews/{review['id']}/decide", CAT)
    assert ann.get("/labeling/queues/q").json()["labels"] == 4
    assert api.post("/labeling/queues/q/commit", {}, format="json").json()["labelled"] == 4


def test_after_the_commit_nothing_is_decided_anew(api: APIClient, cast: Cast, make_wide: MakeWide) -> None:
    _, (review,) = disputed(cast, make_wide)
    path = f"/labeling/reviews/{review['id']}"
    cast("rita").post(f"{path}/decide", CAT)
    assert api.post("/labeling/queues/q/commit", {}, format="json").status_code == 201
    for verb in ("decide", "reopen"):
        assert cast("rob").post(f"{path}/{verb}", CAT).json()["code"] == "queue_committed"


@pytest.mark.both
def test_a_page_of_reviews_costs_as_many_queries_as_one(
    cast: Cast, make_wide: MakeWide, django_assert_max_num_queries: object
) -> None:
    _, found = disputed(cast, make_wide, size=20)
    assert len(found) == 20
    with django_assert_max_num_queries(12):  # type: ignore[operator]  # pytest-django exports no type
        page = cast("rita").get("/labeling/reviews?limit=15").json()
    assert len(page["results"]) == 15
    assert len(cast("rita").get(page["next"]).json()["results"]) == 5


@pytest.mark.parametrize("path", ["reviews", "reviews/1", "people", "people/me", "queues/q/agreement"])
def test_charlie_without_a_token_reads_nothing(client: Client, db: None, path: str) -> None:
    assert client.get(f"/labeling/{path}").status_code == 401


@pytest.mark.parametrize("path", ["reviews/1/decide", "reviews/1/reopen", "queues/q/gold"])
def test_charlie_without_a_token_changes_nothing(client: Client, db: None, path: str) -> None:
    assert client.post(f"/labeling/{path}", {}, content_type="application/json").status_code == 401


def test_a_skip_among_answers_is_shown_and_counts_for_nothing(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=1, answers=2)
    cast("ann").label(queue, truth)
    task = next_tasks(queue, cast("ben").user, count=1)[0]
    told = cast("ben").post(f"/labeling/tasks/{task.pk}/skip", {"reason": "unclear"})
    assert told.status_code == 200
    assert cast("ben").get("/labeling/people/me").json()["skipped"] == 1
    assert cast("rita").get(f"/labeling/queues/{queue.pk}/agreement").json()["pairs"] == []
