"""`/labeling`: take tasks, answer them, commit the answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from motherlode.documents import Commit, Label, LabelTask, Lease, Queue, Receipt
from motherlode.transport import Transport

NO_CONTENT = 204


@dataclass(frozen=True, slots=True)
class Handout:
    """Tasks leased to us. When there are none, `leased` says how many others hold, `next_frees` in how many seconds."""

    tasks: list[LabelTask]
    leased: int = 0
    next_frees: float = 0.0


class Queues:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Queue]:
        """All of them."""
        return self._transport.pages("/labeling/queues")

    def get(self, queue: str | int) -> Queue:
        """One, by id or name."""
        document: Queue = self._transport.get(f"/labeling/queues/{queue}")
        return document

    def next(self, queue: str | int, *, count: int = 1) -> Handout:
        """Up to `count` tasks; those we hold already come first."""
        response = self._transport.post(f"/labeling/queues/{queue}/next", {"count": count})
        if response.status_code == NO_CONTENT:
            headers = response.headers
            return Handout([], int(headers.get("X-Queue-Leased", 0)), float(headers.get("X-Queue-Next-Frees", 0)))
        return Handout(response.json()["tasks"])

    def answer(
        self, task: LabelTask, value: Label, *, seconds: float, shown_suggestion: bool, key: str | None = None
    ) -> Receipt:
        """Answer a task. Raises `lease_lost` (409) when it went to somebody else: the answer is kept as an opinion."""
        body = {
            "value": value,
            "seconds": seconds,
            "shown_suggestion": shown_suggestion,
            "lease_token": task["lease_token"],
        }
        document: Receipt = self._transport.post(f"/labeling/tasks/{task['id']}/answer", body, key=key).json()
        return document

    def skip(self, task: LabelTask, *, reason: str = "") -> Receipt:
        """Leave a task without an answer."""
        body = {"reason": reason, "lease_token": task["lease_token"]}
        document: Receipt = self._transport.post(f"/labeling/tasks/{task['id']}/skip", body).json()
        return document

    def undo(self, task_id: int) -> LabelTask:
        """Take back our last answer to a task and hold it again."""
        document: LabelTask = self._transport.post(f"/labeling/tasks/{task_id}/undo").json()
        return document

    def renew(self, task_id: int) -> Lease:
        """Hold a task for longer."""
        document: Lease = self._transport.post(f"/labeling/tasks/{task_id}/renew").json()
        return document

    def commit(self, queue: str | int, *, message: str = "", partial: bool = False) -> Commit:
        """Commit the answers as a new dataset version; `partial` allows it while tasks are still open."""
        body = {"message": message, "partial": partial}
        document: Commit = self._transport.post(f"/labeling/queues/{queue}/commit", body).json()
        return document
