"""Two people, three tasks, any order of events: at most one lease a task, no answer lost, done tasks have answers."""

from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.datasets.labeling.conftest import items_of, run_out

from accounts.models import User
from accounts.services import create_user
from blobs.models import Blob
from catalog.changes import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.services import commit, create_dataset
from core.errors import Conflict
from labeling.models import Answer, Queue, Task
from labeling.services import (
    answer,
    commit_queue,
    counts,
    create_queue,
    next_tasks,
    renew,
    skip,
    undo,
)

PEOPLE = st.sampled_from(["alice", "bob"])
PLACES = st.integers(0, 2)
CLASSES = ["cat", "dog"]


class Labelling(RuleBasedStateMachine):
    """What each person believes to hold (`tokens`) may be out of date: the rules must cope."""

    answers_per_task = 1

    def __init__(self) -> None:
        super().__init__()
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.tokens: dict[tuple[str, int], int] = {}
        self.said: list[tuple[int, int, str]] = []
        self.highest: dict[int, int] = {}

    @initialize()
    def begin(self) -> None:
        self.people = {name: create_user(name, role=User.Role.ANNOTATOR)[0] for name in ("alice", "bob")}
        self.queue = self._queue()
        self.ids = list(self.queue.tasks.order_by("position").values_list("pk", flat=True))

    def _queue(self) -> Queue:
        owner = self.people["alice"]
        dataset: Dataset = create_dataset("d", task="classification", classes=CLASSES, description="", author=owner)
        blobs = [
            Blob(md5=f"{at:032x}", sha256=f"{at:064x}", size=1, key=f"k{at}", width=1, height=1) for at in range(3)
        ]
        Blob.objects.bulk_create(blobs)
        commit(dataset, ChangeSet([SampleChange(blob.key, blob=blob) for blob in blobs]), author=owner)
        items = items_of(dataset)
        return create_queue(dataset, "q", items=items, answers_per_task=self.answers_per_task, created_by=owner)

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.outer.__exit__(None, None, None)

    def _task(self, place: int) -> Task:
        return Task.objects.select_related("queue__dataset").get(pk=self.ids[place])

    @rule(person=PEOPLE, count=st.integers(1, 3))
    def take(self, person: str, count: int) -> None:
        live = set(Task.objects.live().exclude(holder=self.people[person]).values_list("pk", flat=True))
        spoken = set(Answer.objects.verdicts().filter(author=self.people[person]).values_list("task", flat=True))
        for task in next_tasks(self.queue, self.people[person], count=count):
            assert task.pk not in live
            assert task.pk not in spoken
            self.tokens[person, self.ids.index(task.pk)] = task.token

    @rule(person=PEOPLE, place=PLACES)
    def renew_lease(self, person: str, place: int) -> None:
        task, token = self._task(place), self.tokens.get((person, place))
        holds = (task.state, task.holder) == ("leased", self.people[person]) and token in {None, task.token}
        try:
            renew(task, self.people[person], lease_token=token)
            assert holds
        except Conflict:
            assert not holds

    @rule(place=PLACES)
    def expire(self, place: int) -> None:
        if self._task(place).state == Task.State.LEASED:
            run_out(self.ids[place])

    @rule(person=PEOPLE, place=PLACES, name=st.sampled_from(CLASSES), behind=st.integers(0, 1))
    def submit(self, person: str, place: int, name: str, behind: int) -> None:
        self._speak(person, place, {"class": name}, behind=behind)

    @rule(person=PEOPLE, place=PLACES)
    def skip_it(self, person: str, place: int) -> None:
        self._speak(person, place, None)

    @rule(person=PEOPLE, name=st.sampled_from(CLASSES))
    def work_through(self, person: str, name: str) -> None:
        """Take all there is and answer it, or a queue would seldom come to its end."""
        self.take(person, 3)
        for place, pk in enumerate(self.ids):
            if Task.objects.live().filter(pk=pk, holder=self.people[person]).exists():
                self._speak(person, place, {"class": name})

    def _speak(self, person: str, place: int, value: dict[str, Any] | None, *, behind: int = 0) -> None:
        """Answer or skip with the newest token this person knows, or with one from `behind` leases before."""
        user, token = self.people[person], self.tokens.get((person, place), 0) - behind
        task = self._task(place)
        fresh = (task.state, task.holder, task.token) == ("leased", user, token)
        before = set(Answer.objects.values_list("pk", flat=True))
        code = ""
        try:
            if value is None:
                said = skip(task, user, lease_token=token)
            else:
                said = answer(task, user, value=value, seconds=1, shown_suggestion=False, lease_token=token)
            assert (said.answer.author_id, said.answer.value) == (user.pk, value)
            assert fresh == (said.answer.pk not in before)
        except Conflict as lost:
            code = lost.code
        assert code in ({""} if fresh else {"", "lease_lost"})
        self.said.append((task.pk, user.pk, str(value)))

    @rule(person=PEOPLE, place=PLACES)
    def take_back(self, person: str, place: int) -> None:
        user = self.people[person]
        mine = Answer.objects.verdicts().filter(task=self.ids[place], author=user)
        had = mine.exists()
        try:
            task = undo(self._task(place), user)
        except Conflict as refused:
            code = refused.code
        else:
            code = "undone"
            self.tokens[person, place] = task.token
            assert (task.state, task.holder, mine.exists()) == ("leased", user, False)
        assert code in {"undone", "task_leased", "" if had else "nothing_to_undo"}

    @invariant()
    def no_answer_is_lost(self) -> None:
        kept = {(row.task_id, row.author_id, str(row.value)) for row in Answer.objects.all()}
        assert kept >= set(self.said)

    @invariant()
    def tokens_never_fall_and_leases_have_one_holder(self) -> None:
        for task in Task.objects.all():
            assert task.token >= self.highest.get(task.pk, 0)
            self.highest[task.pk] = task.token
            assert (task.state == "leased") == (task.holder_id is not None) == (task.lease_until is not None)

    @invariant()
    def finished_tasks_have_their_answers(self) -> None:
        if not hasattr(self, "queue"):
            return
        for task in self.queue.tasks.all():
            verdicts = list(task.answers.verdicts())
            assert len({row.author_id for row in verdicts}) == len(verdicts)
            labels = sum(row.value is not None for row in verdicts)
            assert (task.state == "done") == (labels >= self.answers_per_task)
            assert (task.state in {"done", "skipped"}) == (len(verdicts) >= self.answers_per_task)

    @invariant()
    def the_queue_is_complete_when_no_task_is_open(self) -> None:
        if not hasattr(self, "queue"):
            return
        tally = counts(self.queue)
        self.queue.refresh_from_db()
        assert tally["total"] == tally["todo"] + tally["leased"] + tally["done"] + tally["skipped"] == 3
        assert (self.queue.state == "complete") == (tally["todo"] + tally["leased"] == 0)
        if self.queue.state == "complete":
            self._commits_every_done_task(tally["done"])

    def _commits_every_done_task(self, done: int) -> None:
        with transaction.atomic():
            result = commit_queue(Queue.objects.get(pk=self.queue.pk), message="", author=self.people["alice"])
            assert (result.labelled, result.rejected) == (done, [])
            transaction.set_rollback(True)


class TwoAnswers(Labelling):
    """The same with two answers a task."""

    answers_per_task = 2


@pytest.mark.django_db
@pytest.mark.parametrize("machine", [Labelling, TwoAnswers])
def test_leases_hold_whatever_two_people_do(machine: type[Labelling]) -> None:
    few = settings(
        max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )  # fmt: skip
    assert connection.in_atomic_block
    run_state_machine_as_test(machine, settings=few)
