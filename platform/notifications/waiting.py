"""What waits for somebody: images to label or review, answers to commit, comments that mention them, failed jobs and
rounds, models to decide about. Computed from the rows, so that what was done elsewhere waits no longer."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from accounts.models import User
from accounts.rights import Right, has_right, projects, visible
from jobs.models import Job
from labeling import commenting
from labeling.documents.queues import queue_documents
from labeling.models import Comment, Queue
from pipelines.models import Pipeline, Round
from worker_programs.wording import plural

RECENT = timedelta(days=14)
MOST_OF_A_KIND = 50
KINDS = ("label", "review", "commit", "mention", "job", "round", "promotion")
TITLE, DETAIL = 200, 300
IN_PROJECT = "pipeline__dataset__project"


@dataclass(frozen=True, slots=True)
class Notification:
    """`key` names the cause: the same cause is the same notification, however often it is computed. `path` is that of
    the web application; `at` is when it began to wait."""

    key: str
    kind: str
    title: str
    detail: str
    path: str
    project: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """Notifications, newest first; `left_out` counts the older queues, comments, jobs and rounds beyond the newest
    `MOST_OF_A_KIND` of each, which were not looked at."""

    notifications: list[Notification]
    left_out: int


def waiting_for(user: User) -> Waiting:
    """Return what waits for this person. Call it while acting as them: it shows what they may see."""
    rounds = visible(_last_rounds(), IN_PROJECT, right=Right.BUILD)
    mentions = commenting.listed_comments(user, Q(mentions=user, resolved_at=None), {}).order_by("-pk")
    kinds: tuple[tuple[QuerySet[Any], Callable[[list[Any]], Iterable[Notification]]], ...] = (
        (_open_queues(), partial(_of_queues, user=user)),
        (mentions.select_related("author", "task__queue__dataset__project"), partial(map, _mention)),
        (_failed_jobs_for(user), partial(map, _failed_job)),
        (rounds, _of_rounds),
    )
    found, left_out = list[Notification](), 0
    for rows, notifications_of in kinds:
        newest = list(rows[: MOST_OF_A_KIND + 1])
        left_out += rows.count() - MOST_OF_A_KIND if len(newest) > MOST_OF_A_KIND else 0
        found += notifications_of(newest[:MOST_OF_A_KIND])
    return Waiting(_newest_first(found), left_out)


def waiting_for_team(since: datetime) -> list[Notification]:
    """Return what has begun to wait for anybody at all since then, newest first: queues, failed jobs and rounds, models
    to decide about."""
    queues = [(queue, queue.total - queue.done - queue.skipped) for queue in _open_queues().filter(created__gte=since)]
    found = [_to_label(queue, left) for queue, left in queues if left > 0]
    found += map(_failed_job, _failed_jobs().filter(finished__gte=since))
    found += (notification for notification in _of_rounds(_last_rounds()) if notification.at >= since)
    return _newest_first(found)


def _newest_first(notifications: Iterable[Notification]) -> list[Notification]:
    return sorted(notifications, key=lambda notification: (notification.at, notification.key), reverse=True)


def _open_queues() -> QuerySet[Queue]:
    rows = Queue.objects.filter(archived=None, dataset__archived=None, state__in=["open", "complete"])
    rows = rows.select_related("dataset__project", "committed_version", "held_by")
    return visible(rows, "dataset__project", right=Right.SEE).order_by("-pk")


def _of_queues(rows: Sequence[Queue], *, user: User) -> Iterator[Notification]:
    for queue, document in zip(rows, queue_documents(rows, user=user), strict=True):
        mine, counts, project = document["mine"], document["counts"], queue.dataset.project_id
        left = counts["total"] - counts["done"] - counts["skipped"] - mine["waiting"] - mine["held"]
        is_theirs = document["for_me"] and has_right(user, Right.LABEL, project)
        if queue.state == Queue.State.OPEN and left > 0 and is_theirs:
            yield _to_label(queue, left)
        if mine["reviews"]:
            title = f"{plural(mine['reviews'], 'answer')} to review in {queue.name}"
            yield _of_queue("review", queue, title, f"/app/review/{queue.pk}")
        if queue.state == Queue.State.COMPLETE and document["labels"] and has_right(user, Right.REVIEW, project):
            title = f"{queue.name} is done: {plural(document['labels'], 'label')} to commit"
            yield _of_queue("commit", queue, title, f"/app/label/{queue.pk}")


def _to_label(queue: Queue, left: int) -> Notification:
    return _of_queue("label", queue, f"{plural(left, 'image')} to label in {queue.name}", f"/app/label/{queue.pk}")


def _of_queue(kind: str, queue: Queue, title: str, path: str) -> Notification:
    detail, project = f"Dataset {queue.dataset.name}", queue.dataset.project.name
    return Notification(f"{kind}:{queue.pk}", kind, title[:TITLE], detail, path, project, queue.created)


def _mention(comment: Comment) -> Notification:
    queue, title = comment.task.queue, f"{comment.author.username} mentioned you in {comment.task.queue.name}"
    return Notification(f"mention:{comment.pk}", "mention", title[:TITLE], comment.text[:DETAIL],
                        "/app/", queue.dataset.project.name, comment.created)  # fmt: skip


def _failed_jobs() -> QuerySet[Job]:
    """Those without a round, which says itself that it failed."""
    rows = Job.objects.filter(state=Job.State.FAILED, finished__gte=timezone.now() - RECENT, rounds=None)
    return rows.select_related("project").order_by("-pk")


def _failed_jobs_for(user: User) -> QuerySet[Job]:
    """Those that the person started; of the others, those of projects in which they build."""
    rows, building = visible(_failed_jobs(), "project", right=Right.READ), projects(Right.BUILD)
    return rows if building is None else rows.filter(Q(created_by=user) | Q(project__in=building))


def _failed_job(job: Job) -> Notification:
    error: Any = job.error or {}
    project = job.project.name if job.project else ""
    return Notification(f"job:{job.pk}", "job", f"Failed: {job.title}"[:TITLE], str(error.get("detail", ""))[:DETAIL],
                        f"/app/jobs/{job.pk}", project, job.finished or job.created)  # fmt: skip


def _last_rounds() -> QuerySet[Round]:
    newest = Round.objects.filter(pipeline=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    pipelines = Pipeline.objects.filter(archived=None, dataset__archived=None, paused=False).annotate(
        last=Subquery(newest)
    )
    rows = Round.objects.filter(pk__in=pipelines.values("last"))
    since = timezone.now() - RECENT
    rows = rows.filter(Q(finished__gte=since) | Q(finished=None))
    return rows.select_related(IN_PROJECT).order_by("-pk")


def _of_rounds(rounds: Iterable[Round]) -> Iterator[Notification]:
    for round_ in rounds:
        title = f"Round {round_.number} of {round_.pipeline.name}"
        if round_.state == Round.State.FAILED:
            yield _of_round("round", round_, "failed", f"{title} failed", round_.error)
        elif round_.waiting is not None:
            yield _of_round("round", round_, "budget", f"{title} waits for tomorrow's budget", "")
        elif round_.state == Round.State.DONE and round_.promotion and not round_.promotion["promoted"]:
            yield _of_round("promotion", round_, "decide", f"{title} was not promoted: decide", "A gate did not pass.")


def _of_round(kind: str, round_: Round, cause: str, title: str, detail: str) -> Notification:
    path, project = f"/app/pipelines/{round_.pipeline_id}", round_.pipeline.dataset.project.name
    at = round_.finished or round_.step_started
    return Notification(f"{kind}:{round_.pk}:{cause}", kind, title[:TITLE], detail[:DETAIL], path, project, at)
