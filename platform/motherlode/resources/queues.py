"""`/labeling`: take tasks, answer them, commit the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import (
        AddedSamples,
        AnswerResult,
        Comment,
        Commit,
        LabelingTask,
        Lease,
        ListedComment,
        MadeQueue,
        OneAnswerRequest,
        Queue,
        QueueStatistics,
        Receipt,
        VerificationRequest,
        WaitingQueue,
    )


NO_CONTENT = 204


@dataclass(frozen=True, slots=True)
class Handout:
    """Tasks leased to the caller. When there are none, `leased` is how many others hold, `next_frees` the seconds until
    one may become free."""

    tasks: list[LabelingTask]
    leased: int = 0
    next_frees: float = 0.0


class Queues(Lifecycle):
    _route = "/labeling/queues"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Queue]:
        """List all queues."""
        return self._transport.pages("/labeling/queues")

    def get(self, queue: str | int) -> Queue:
        """Return a queue by id or name."""
        document: Queue = self._transport.get(f"/labeling/queues/{segment(queue)}")
        return document

    def create(
        self,
        name: str,
        dataset: str,
        *,
        samples: Sequence[str] | None = None,
        filter: str | Mapping[str, Any] | None = None,  # noqa: A002 - the field's name
        kind: str | None = None,
        mode: str | None = None,
        answers_per_task: int = 1,
        **terms: Any,
    ) -> MadeQueue:
        """Create a queue over samples of the dataset's head: those with these keys, those that pass the filter
        (`{"slice": NAME}` or conditions), or all that are unlabelled; of the latter two at most `limit`, drawn at
        random by `seed`. `terms`: `blind_share`, `gold_share`, `review_share`, `accept_threshold`, `skip_reasons`,
        `priority`, `due`, `assignees`."""
        body: dict[str, Any] = {"name": name, "dataset": dataset, "samples": samples, "filter": filter, "kind": kind}
        body |= {"mode": mode, "answers_per_task": answers_per_task, **terms}
        document: MadeQueue = self._transport.post("/labeling/queues", body).json()
        return document

    def add(self, queue: str | int, filter: str | Mapping[str, Any]) -> AddedSamples:  # noqa: A002 - the field's name
        """Append the samples of the head that pass the filter to a queue. Raises `queue_committed` and `queue_of_round`
        (409)."""
        document: AddedSamples = self._transport.post(
            f"/labeling/queues/{segment(queue)}/samples", {"filter": filter}
        ).json()
        return document

    def change(self, queue: str | int, **terms: Any) -> Queue:
        """Change `kind`, `mode`, the shares, `accept_threshold`, `skip_reasons`, `priority` (low, normal, high), `due`
        (ISO 8601; None: no due date) or `assignees` (names; empty: everybody who may label); fields left out stay."""
        document: Queue = self._transport.patch(f"/labeling/queues/{segment(queue)}", terms)
        return document

    def statistics(self, queue: str | int) -> QueueStatistics:
        """Return what people did with suggested objects, and the seconds per verified and drawn object; for reviewers
        and up."""
        document: QueueStatistics = self._transport.get(f"/labeling/queues/{segment(queue)}/statistics")
        return document

    def waiting(self, *, project: str | None = None) -> list[WaitingQueue]:
        """List the work waiting in each queue that is not committed, the most urgent first; for reviewers and up."""
        found: list[WaitingQueue] = self._transport.get("/labeling/waiting", project=project)["results"]
        return found

    def requeue(self, queue: str | int, *, tasks: Sequence[int] | None = None) -> int:
        """Reopen skipped tasks: these, or all. Returns how many were reopened. For reviewers and up."""
        body = {"tasks": tasks, "skipped": True if tasks is None else None}
        back: int = self._transport.post(f"/labeling/queues/{segment(queue)}/requeue", body).json()["requeued"]
        return back

    def export(self, queue: str | int, *, state: str | None = None) -> Iterator[bytes]:
        """Yield every task with its answers as JSON lines (`ExportedTask` in the API's schema), piece by piece;
        `state`: only todo, leased, done or skipped tasks, several separated by commas."""
        path = f"/labeling/queues/{segment(queue)}/answers"
        return self._transport.stream(path, params={"state": state} if state else None)

    def next(self, queue: str | int, *, count: int = 1, cluster: str | None = None) -> Handout:
        """Lease up to `count` tasks; those the caller already holds come first. `cluster`: only those suggested to be
        this class."""
        response = self._transport.post(f"/labeling/queues/{segment(queue)}/next", {"count": count, "cluster": cluster})
        if response.status_code == NO_CONTENT:
            headers = response.headers
            return Handout([], int(headers.get("X-Queue-Leased", 0)), float(headers.get("X-Queue-Next-Frees", 0)))
        return Handout(response.json()["tasks"])

    def answer(
        self,
        task: LabelingTask,
        value: Mapping[str, object],
        *,
        seconds: float,
        shown_suggestion: bool,
        verification: VerificationRequest | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Answer a task; `verification` tells how, in a queue whose mode is verify. Raises `lease_lost` (409) when the
        task went to somebody else: the answer is kept as an opinion."""
        body = {
            "value": value,
            "seconds": seconds,
            "shown_suggestion": shown_suggestion,
            "verification": verification,
            "lease_token": task["lease_token"],
        }
        document: Receipt = self._transport.post(f"/labeling/tasks/{task['id']}/answer", body, key=key).json()
        return document

    def answer_many(
        self, queue: str | int, answers: Sequence[OneAnswerRequest], *, key: str | None = None
    ) -> list[AnswerResult]:
        """Up to 200 answers and skips in one transaction; each has its own result."""
        response = self._transport.post(
            f"/labeling/queues/{segment(queue)}/answers", {"answers": list(answers)}, key=key
        )
        results: list[AnswerResult] = response.json()["results"]
        return results

    def skip(self, task: LabelingTask, *, reason: str = "") -> Receipt:
        """Leave a task without an answer."""
        body = {"reason": reason, "lease_token": task["lease_token"]}
        document: Receipt = self._transport.post(f"/labeling/tasks/{task['id']}/skip", body).json()
        return document

    def undo(self, task_id: int) -> LabelingTask:
        """Undo the caller's last answer to a task and lease the task again."""
        document: LabelingTask = self._transport.post(f"/labeling/tasks/{task_id}/undo").json()
        return document

    def renew(self, task_id: int) -> Lease:
        """Extend the lease of a task."""
        document: Lease = self._transport.post(f"/labeling/tasks/{task_id}/renew").json()
        return document

    def comments(
        self,
        *,
        queue: str | int | None = None,
        open: bool | None = None,  # noqa: A002 - the parameter's name
        mentions: str | None = None,
    ) -> Iterator[ListedComment]:
        """List comments on tasks, the newest first; `open`: those not resolved; `mentions`: only `me` is allowed."""
        told = None if open is None else str(open).lower()
        return self._transport.pages("/labeling/comments", queue=queue, open=told, mentions=mentions)

    def comment(self, task_id: int, text: str, *, place: tuple[float, float] | None = None) -> Comment:
        """Comment on a task; `place` is on its upright image, as fractions of width and height. `@name` mentions a
        person."""
        body = {"text": text} | ({} if place is None else {"x": place[0], "y": place[1]})
        document: Comment = self._transport.post(f"/labeling/tasks/{task_id}/comments", body).json()
        return document

    def resolve_comment(self, comment_id: int, *, resolved: bool = True) -> Comment:
        """Mark a comment as resolved, or as open again."""
        document: Comment = self._transport.patch(f"/labeling/comments/{comment_id}", {"resolved": resolved})
        return document

    def delete_comment(self, comment_id: int) -> None:
        """Delete your own comment; engineers and owners delete any."""
        self._transport.delete(f"/labeling/comments/{comment_id}")

    def hold(self, queue: str | int) -> Queue:
        """Stop pipelines from committing the queue until the hold is released."""
        document: Queue = self._transport.post(f"/labeling/queues/{segment(queue)}/hold").json()
        return document

    def release(self, queue: str | int) -> Queue:
        """Release a hold; the time to the commit starts again."""
        self._transport.delete(f"/labeling/queues/{segment(queue)}/hold")
        return self.get(queue)

    def commit(self, queue: str | int, *, message: str = "", partial: bool = False) -> Commit:
        """Commit the answers as a new dataset version; `partial` allows it while tasks are still open."""
        body = {"message": message, "partial": partial}
        document: Commit = self._transport.post(f"/labeling/queues/{segment(queue)}/commit", body).json()
        return document
