"""Queues and tasks as the API shows them. A list costs a fixed number of queries, however long it is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Now, TruncDay

from accounts.models import User
from catalog.models import Dataset, Revision
from catalog.schemas import reading as schemas
from core.errors import NotFound
from core.prepared import prepared
from labeling.assigning import is_for, names_of
from labeling.batches import LOST, REFUSED, AnswerOutcome
from labeling.blinding import blinded_sample
from labeling.commenting import Counted, count_comments
from labeling.grace import auto_commits
from labeling.leasing import held_from
from labeling.models import Answer, Flag, Queue, Task
from labeling.quality.committing import labels_of
from labeling.quality.routing import decidable, open_reviews
from labeling.reviewing.flags import can_review
from labeling.services import AnswerReceipt, counts_of

RATE_WINDOW = timedelta(minutes=10)
STATUS = {LOST: 409, REFUSED: 400}
TERMS = ("kind", "mode", "answers_per_task", "blind_share", "gold_share", "review_share", "accept_threshold",
         "skip_reasons", "priority", "due")  # fmt: skip
FACTS = ("sample", "meta", "blob__md5", "blob__width", "blob__height")
NO_COMMENTS = Counted()
FEWEST_LABELS = 5
SHORTEST = timedelta(minutes=1)
"""A rate is shown from FEWEST_LABELS labels on, computed over at least SHORTEST."""


def task_documents(tasks: Sequence[Task], queue: Queue, user: User) -> list[dict[str, Any]]:
    """Return leased tasks (`leasing.shown_tasks`) with what this user needs to label them. Samples have their newest
    facts in the dataset."""
    facts = _facts(queue.dataset, [task.sample_id for task in tasks])
    counted = count_comments([task.pk for task in tasks if vars(task)["commented"]], queue, user)
    documents = [
        _task_document(task, facts[task.sample_id], note=vars(task)["own_flag"], said=None)
        | _comment_counts(counted.get(task.pk, NO_COMMENTS))
        | lease_document(task)
        for task in tasks
    ]
    return documents if can_review(user, queue) else [_blinded(document, queue) for document in documents]


def _comment_counts(counted: Counted) -> dict[str, int]:
    return {"comments": counted.open, "comments_resolved": counted.resolved, "comments_hidden": counted.hidden}


def listed_documents(tasks: Sequence[Task], queue: Queue, user: User) -> list[dict[str, Any]]:
    """Return listed tasks with this user's own answers, flags and skips; reviewers and up get everybody's flags and
    skips."""
    ids = [task.pk for task in tasks]
    facts, flags, said = _facts(queue.dataset, [task.sample_id for task in tasks]), _flags(ids), _said(ids)
    found, all_told = [], can_review(user, queue)
    for task in tasks:
        own_flag = [flag for flag in flags[task.pk] if flag.author_id == user.pk]
        own_said = [words for words in said[task.pk] if words.author_id == user.pk]
        seen_flags, seen_said = (flags[task.pk], said[task.pk]) if all_told else (own_flag, own_said)
        note = own_flag[0].note if own_flag else None
        document = _task_document(task, facts[task.sample_id], note=note, said=own_said)
        document["state"] = task.state
        document["flags"] = [_remark(flag) | {"note": flag.note} for flag in seen_flags]
        document["skips"] = [_remark(words) | {"reason": words.reason} for words in seen_said if words.value is None]
        found.append(document if all_told else _blinded(document, queue))
    return found


def sample_documents(tasks: Iterable[tuple[Task, Dataset]]) -> dict[int, dict[str, Any]]:
    """Map each task's id to its sample as the API shows it, in one query for all datasets."""
    wanted = list(tasks)
    facts = _facts_in([(dataset, task.sample_id) for task, dataset in wanted])
    return {task.pk: _sample_document(task, facts[dataset.pk, task.sample_id]) for task, dataset in wanted}


def lease_document(task: Task) -> dict[str, Any]:
    """Return a task's lease: its end and its token."""
    return {"lease_until": task.lease_until, "lease_token": task.token}


def receipt_document(receipt: AnswerReceipt) -> dict[str, Any]:
    """Return the receipt of an answer or a skip as the API shows it."""
    answer = {"id": receipt.answer.pk, "value": receipt.answer.value, "opinion": receipt.answer.opinion}
    return {
        "task": receipt.task.pk,
        "state": receipt.task.state,
        "answer": answer,
        "queue": {"counts": receipt.counts, "state": receipt.queue_state},
    }


def queue_documents(queues: Sequence[Queue], user: User) -> list[dict[str, Any]]:
    """Return queues with their counts and this user's work in them."""
    ids = [queue.pk for queue in queues]
    counts, mine, flagged, reviews = counts_of(ids), _mine(ids, user), _flagged(ids), open_reviews(ids)
    labels, commits, assignees = labels_of(queues), auto_commits(queues), names_of(queues)
    told = schemas.documents({queue.dataset for queue in queues})
    return [
        {
            "id": queue.pk,
            "name": queue.name,
            "dataset": queue.dataset.name,
            "dataset_id": queue.dataset_id,
            "task": queue.dataset.task,
            "classes": queue.dataset.classes,
            "state": queue.state,
            "counts": counts[queue.pk],
            "rate_per_hour": mine[queue.pk]["rate_per_hour"],
            "mine": mine[queue.pk],
            "flagged": flagged.get(queue.pk, 0),
            "reviews_open": reviews.get(queue.pk, 0),
            "labels": labels[queue.pk],
            "assignees": assignees[queue.pk],
            "for_me": is_for(queue, user),
            "auto_commit": commits[queue.pk],
            "schema": told[queue.dataset_id],
            "archived": queue.archived,
            "created": queue.created,
            "committed_version": queue.committed_version.number if queue.committed_version else None,
        }
        | {name: getattr(queue, name) for name in TERMS}
        for queue in queues
    ]


def outcome_document(outcome: AnswerOutcome) -> dict[str, Any]:
    """Return the outcome of one answer of a batch as the API shows it."""
    document: dict[str, Any] = {"task": outcome.task, "status": outcome.status}
    if outcome.receipt is not None:
        document["receipt"] = receipt_document(outcome.receipt)
    if (error := outcome.problem) is not None:
        status = STATUS[outcome.status] if not isinstance(error, NotFound) else 404
        document["problem"] = {"status": status, "code": error.code, "detail": error.detail, "errors": error.errors}
    return document


def _task_document(
    task: Task, facts: dict[str, Any], *, note: str | None, said: Sequence[Answer] | None
) -> dict[str, Any]:
    """Return a task as the API shows it; `note` is the note of the calling user's flag, `said` are their answers."""
    digest = facts["blob__md5"]
    return {
        "id": task.pk,
        "sample": _sample_document(task, facts),
        "url": f"/blobs/{digest}",
        "suggestion": task.shown_suggestion,
        "why": task.shown_why,
        "cluster": task.cluster or None,
        "position": task.position,
        "flag": None if note is None else {"note": note},
        "answered": {"value": said[-1].value} if said else None,
    }


def _blinded(document: dict[str, Any], queue: Queue) -> dict[str, Any]:
    """Return a task as annotators see it: without the labels of neighbouring samples, any of which may be gold in some
    queue; in a queue with gold also without the reason where no suggestion is shown, because gold has neither."""
    why = document["why"]
    if queue.gold_share and document["suggestion"] is None:
        why = None
    document["sample"] = blinded_sample(document["sample"], queue, document["id"])
    document["why"] = why | {"neighbours": []} if why is not None else None
    return document


def _sample_document(task: Task, facts: dict[str, Any]) -> dict[str, Any]:
    digest = facts["blob__md5"]
    return {
        "id": task.sample_id,
        "key": task.sample.key,
        "digest": digest,
        "width": facts["blob__width"],
        "height": facts["blob__height"],
        "thumb": f"/thumbs/{digest}",
        "meta": facts["meta"],
    }


def _remark(row: Flag | Answer) -> dict[str, Any]:
    return {"author": row.author.username, "created": row.created}


def _flags(tasks: Sequence[int]) -> defaultdict[int, list[Flag]]:
    found: defaultdict[int, list[Flag]] = defaultdict(list)
    for flag in Flag.objects.filter(task__in=tasks).select_related("author").order_by("pk"):
        found[flag.task_id].append(flag)
    return found


def _said(tasks: Sequence[int]) -> defaultdict[int, list[Answer]]:
    """Return the answers and skips of each task that count."""
    found: defaultdict[int, list[Answer]] = defaultdict(list)
    for said in Answer.objects.verdicts().filter(task__in=tasks).select_related("author").order_by("pk"):
        found[said.task_id].append(said)
    return found


def _facts(dataset: Dataset, samples: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the newest facts about each sample; a sample that has left the head keeps its last ones."""
    alone = len(samples) == 1 and not dataset.ancestry
    rows: Iterable[dict[str, Any]] = (
        _fact(dataset=dataset.pk, sample=samples[0]) if alone
        else Revision.objects.ever(dataset).filter(sample__in=samples).values(*FACTS)
    )  # fmt: skip
    return {row["sample"]: row for row in rows}


def _facts_in(wanted: Sequence[tuple[Dataset, int]]) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the newest facts about samples of several datasets, by the ids of dataset and sample; a sample that has
    left the head keeps its last ones."""
    samples: dict[Dataset, list[int]] = defaultdict(list)
    for dataset, sample in wanted:
        samples[dataset].append(sample)
    chosen = Q(pk__in=[])
    for dataset, ids in samples.items():
        chosen |= Q(dataset=dataset.pk, sample__in=ids)
        for line, number in dataset.ancestry:
            chosen |= Q(dataset=line, since__lte=number, sample__in=ids)
    found: dict[tuple[int, int], dict[str, Any]] = {}
    rows = list(Revision.objects.filter(chosen).order_by("since").values("dataset", "since", *FACTS))
    for dataset in samples:
        for line, number in [*reversed(dataset.ancestry), (dataset.pk, None)]:
            told = [row for row in rows if row["dataset"] == line and (number is None or row["since"] <= number)]
            found |= {(dataset.pk, row["sample"]): row for row in told}
    return found


@prepared("dataset", "sample")
def _fact(dataset: int, sample: int) -> QuerySet[Revision, dict[str, Any]]:
    """Return the facts about one sample of a dataset that is not a fork, oldest first."""
    rows: QuerySet[Revision, dict[str, Any]] = (
        Revision.objects.committed().filter(dataset=dataset, sample=sample).values(*FACTS)
    )
    return rows.order_by("since")


def _mine(queues: Sequence[int], user: User) -> dict[int, dict[str, int]]:
    """Return this user's work in each queue: labels today, in total and per hour, answered tasks that wait for other
    people, tasks that other people hold now, and reviews this user can decide."""
    label = Q(value__isnull=False)
    lately = label & Q(created__gt=Now() - RATE_WINDOW)
    counted = {
        "today": Count("pk", filter=label & Q(created__gte=TruncDay(Now()))),
        "total": Count("pk", filter=label),
        "recent": Count("pk", filter=lately),
        "span": Now() - Min("created", filter=lately),
        "waiting": Count("pk", filter=Q(task__state__in=[Task.State.TODO, Task.State.LEASED])),
    }
    said = Answer.objects.verdicts().filter(author=user, task__queue__in=queues).order_by()
    held, reviews = held_from(queues, user), decidable(queues, user)
    found = {queue: {"today": 0, "total": 0, "rate_per_hour": 0, "waiting": 0} for queue in queues}
    for row in said.values("task__queue").annotate(**counted):
        queue, recent, span = row.pop("task__queue"), row.pop("recent"), row.pop("span")
        found[queue] = row | {"rate_per_hour": _pace(recent, span)}
    return {queue: row | {"held": held.get(queue, 0), "reviews": reviews.get(queue, 0)} for queue, row in found.items()}


def _pace(labels: int, span: timedelta | None) -> int:
    """Return the labels per hour over `span`, the time since the first of them."""
    if span is None or labels < FEWEST_LABELS:
        return 0
    return round(labels * timedelta(hours=1) / max(span, SHORTEST))


def _flagged(queues: Sequence[int]) -> dict[int, int]:
    rows = Flag.objects.filter(task__queue__in=queues).order_by().values_list("task__queue")
    return dict(rows.annotate(n=Count("task", distinct=True)))
