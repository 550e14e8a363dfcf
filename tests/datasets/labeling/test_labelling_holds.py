"""Three people and a reviewer at the real API, any order of events: no task has two live leases, no answer is lost or
counted twice, and the queue's counters are those of its tasks."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import items_of, run_out
from tests.laws import examples
from tests.threads import at_once

from accounts.models import Role, Token, User
from accounts.services import create_user
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from labeling.models import Answer, Queue, Task
from labeling.services import create_queue

pytestmark = pytest.mark.both

PEOPLE = st.sampled_from(["ann", "ben", "cleo"])
PLACES = st.integers(0, 3)
CLASSES = ["cat", "dog"]
NAMES = st.sampled_from(CLASSES)
SIZE = 4


def client_of(user: User) -> APIClient:
    """A client that speaks for a user."""
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {Token.objects.issue(user, 'test')[1]}")
    return made


def make_queue(owner: User, size: int, answers_per_task: int) -> Queue:
    """A queue over images without bytes."""
    dataset = create_dataset("d", task="classification", classes=CLASSES, description="", author=owner)
    blobs = [Blob(md5=f"{at:032x}", sha256=f"{at:064x}", size=1, key=f"k{at}", width=1, height=1) for at in range(size)]
    Blob.objects.bulk_create(blobs)
    commit(dataset, ChangeSet([SampleChange(blob.key, blob=blob) for blob in blobs]), author=owner)
    return create_queue(dataset, "q", items=items_of(dataset), answers_per_task=answers_per_task, created_by=owner)


class Labelling(RuleBasedStateMachine):
    """What a person believes to hold (`tokens`) may be out of date: the platform copes. `live` is who holds what."""

    answers_per_task = 1

    def __init__(self) -> None:
        super().__init__()
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.tokens: dict[tuple[str, int], int] = {}
        self.live: dict[int, str] = {}
        self.said: set[tuple[int, str, str | None]] = set()

    @initialize()
    def begin(self) -> None:
        owner = create_user("olga", role=Role.OWNER)[0]
        people = {name: create_user(name, role=Role.ANNOTATOR)[0] for name in ("ann", "ben", "cleo")}
        self.api = {name: client_of(user) for name, user in {"olga": owner, **people}.items()}
        self.queue = make_queue(owner, SIZE, self.answers_per_task)
        self.ids = list(self.queue.tasks.order_by("position").values_list("pk", flat=True))

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.outer.__exit__(None, None, None)

    def post(self, person: str, path: str, **body: Any) -> Any:
        return self.api[person].post(f"/labeling/{path}", body, format="json")

    @rule(person=PEOPLE, count=st.integers(1, SIZE))
    def take(self, person: str, count: int) -> None:
        told = self.post(person, "queues/q/next", count=count)
        assert told.status_code in {200, 204}
        for task in told.json()["tasks"] if told.status_code == 200 else []:
            assert self.live.get(task["id"], person) == person, "two live leases"
            mine = Answer.objects.verdicts().filter(task=task["id"], author__username=person)
            assert (task["answered"], mine.exists()) == (None, False)
            self.live[task["id"]] = person
            self.tokens[person, task["id"]] = task["lease_token"]

    @rule(person=PEOPLE, place=PLACES)
    def renew(self, person: str, place: int) -> None:
        task = self.ids[place]
        told = self.post(person, f"tasks/{task}/renew", lease_token=self.tokens.get((person, task)))
        if self.live.get(task) == person:
            assert told.status_code == 200
        elif task in self.live:
            assert told.status_code == 409
        if told.status_code == 200:
            self.live[task] = person

    @rule(place=PLACES)
    def expire(self, place: int) -> None:
        task = self.ids[place]
        if task in self.live:
            run_out(task)
            del self.live[task]

    @rule(person=PEOPLE, place=PLACES, name=NAMES, behind=st.integers(0, 1))
    def submit(self, person: str, place: int, name: str, behind: int) -> None:
        task = self.ids[place]
        token = self.tokens.get((person, task), 0) - behind
        body = {"value": {"class": name}, "seconds": 1, "lease_token": token}
        self._heard(person, task, name, self.post(person, f"tasks/{task}/answer", **body).status_code == 200, behind)

    @rule(person=PEOPLE, place=PLACES)
    def skip(self, person: str, place: int) -> None:
        task = self.ids[place]
        token = self.tokens.get((person, task), 0)
        saved = self.post(person, f"tasks/{task}/skip", reason="unclear", lease_token=token).status_code == 200
        self._heard(person, task, None, saved, 0)

    @rule(person=PEOPLE, places=st.lists(PLACES, min_size=1, max_size=5), name=st.none() | NAMES)
    def send_many(self, person: str, places: list[int], name: str | None) -> None:
        value = None if name is None else {"class": name}
        answers = [
            {
                "task": self.ids[at],
                "value": value,
                "seconds": 1,
                "lease_token": self.tokens.get((person, self.ids[at]), 0),
            }
            for at in places
        ]
        told = self.post(person, "queues/q/answers", answers=answers)
        assert told.status_code == 200
        for one in told.json()["results"]:
            assert one["status"] in {"saved", "lease_lost"}
            self._heard(person, one["task"], name, one["status"] == "saved", 0)

    def _heard(self, person: str, task: int, name: str | None, saved: object, behind: int) -> None:
        """Who held the task was heard; whoever did not can have been heard only before."""
        if self.live.get(task) == person and not behind:
            assert saved
        if self.live.get(task) == person and saved and not behind:
            del self.live[task]
        self.said.add((task, person, name))

    @rule(person=PEOPLE, place=PLACES)
    def undo(self, person: str, place: int) -> None:
        task = self.ids[place]
        told = self.post(person, f"tasks/{task}/undo")
        if self.live.get(task) not in {None, person}:
            assert told.status_code == 409
        if told.status_code == 200:
            self.live[task] = person
            self.tokens[person, task] = told.json()["lease_token"]

    @rule(person=PEOPLE, place=PLACES)
    def flag(self, person: str, place: int) -> None:
        assert self.post(person, f"tasks/{self.ids[place]}/flag", note="odd").status_code == 200

    @rule(places=st.none() | st.lists(PLACES, min_size=1, max_size=2))
    def requeue(self, places: list[int] | None) -> None:
        body = {"skipped": True} if places is None else {"tasks": [self.ids[at] for at in places]}
        told = self.post("olga", "queues/q/requeue", **body)
        assert told.status_code in {200, 400}

    @invariant()
    def no_answer_is_lost_or_doubled(self) -> None:
        rows = list(Answer.objects.values_list("task", "author__username", "value", "opinion", "withdrawn"))
        assert {(task, who, value and value["class"]) for task, who, value, *_ in rows} == self.said
        verdicts = Counter((task, who) for task, who, _, opinion, withdrawn in rows if not opinion and not withdrawn)
        assert set(verdicts.values()) <= {1}

    @invariant()
    def live_leases_are_those_that_were_given(self) -> None:
        if hasattr(self, "queue"):
            assert dict(Task.objects.live().values_list("pk", "holder__username")) == self.live

    @invariant()
    def counters_are_those_of_the_tasks(self) -> None:
        if not hasattr(self, "queue"):
            return
        shown = self.api["olga"].get("/labeling/queues/q").json()
        states = Counter(self.queue.tasks.values_list("state", flat=True))
        held = len(self.live)
        assert shown["counts"] == {
            "total": SIZE, "leased": held, "done": states["done"], "skipped": states["skipped"],
            "todo": SIZE - held - states["done"] - states["skipped"],
        }  # fmt: skip
        still = shown["counts"]["todo"] + held + shown["reviews_open"]
        assert shown["state"] == ("open" if still else "complete")


class TwoAnswers(Labelling):
    """The same with two answers a task: people who disagree open reviews."""

    answers_per_task = 2


@pytest.mark.django_db
@pytest.mark.production
@pytest.mark.parametrize("machine", [Labelling, TwoAnswers])
def test_labelling_holds_whatever_people_do(machine: type[Labelling]) -> None:
    few = settings(
        max_examples=examples(10), stateful_step_count=20, suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )  # fmt: skip
    assert connection.in_atomic_block
    run_state_machine_as_test(machine, settings=few)


@pytest.mark.django_db(transaction=True)
def test_eight_people_at_once_answer_every_task_once() -> None:
    owner = create_user("olga", role=Role.OWNER)[0]
    queue = make_queue(owner, 48, 1)
    clients = [client_of(create_user(f"p{at}", role=Role.ANNOTATOR)[0]) for at in range(8)]

    def work(at: int) -> list[int]:
        """Half of them answer one by one, half a page at a time."""
        api, done = clients[at], []
        while (
            told := api.post("/labeling/queues/q/next", {"count": 1 + 2 * (at % 2)}, format="json")
        ).status_code == 200:
            tasks = told.json()["tasks"]
            said = [{"value": {"class": "cat"}, "seconds": 1, "lease_token": task["lease_token"]} for task in tasks]
            if at % 2:
                page = [one | {"task": task["id"]} for one, task in zip(said, tasks, strict=True)]
                results = api.post("/labeling/queues/q/answers", {"answers": page}, format="json").json()["results"]
                assert {one["status"] for one in results} == {"saved"}
            else:
                assert api.post(f"/labeling/tasks/{tasks[0]['id']}/answer", said[0], format="json").status_code == 200
            done += [task["id"] for task in tasks]
        return done

    done = [pk for tasks in at_once(8, work) for pk in tasks]
    assert Counter(done) == Counter(queue.tasks.values_list("pk", flat=True))
    assert Answer.objects.count() == Answer.objects.verdicts().count() == 48
    queue.refresh_from_db()
    assert (queue.state, queue.done) == ("complete", 48)
