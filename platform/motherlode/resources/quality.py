"""`/labeling` for those who lead annotators: agreement, reviews, gold, people's figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Agreement, Gold, PersonFigures, Review


class Quality:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def agreement(self, queue: str | int) -> Agreement:
        """Return how far people agree with each other and with the model; for reviewers and up."""
        document: Agreement = self._transport.get(f"/labeling/queues/{segment(queue)}/agreement")
        return document

    def reviews(
        self,
        *,
        queue: str | int | None = None,
        state: str | None = None,
        reason: str | None = None,
        project: str | None = None,
    ) -> Iterator[Review]:
        """List reviews, the oldest first; `state` is open, done or mine."""
        return self._transport.pages("/labeling/reviews", queue=queue, state=state, reason=reason, project=project)

    def review(self, review_id: int) -> Review:
        """Return a review by its id."""
        document: Review = self._transport.get(f"/labeling/reviews/{review_id}")
        return document

    def decide(
        self, review_id: int, value: Mapping[str, object], *, reason: str = "", answer: int | None = None
    ) -> Review:
        """Decide which label the task of a review gets. Raises `already_decided` (409) when another reviewer was
        first."""
        body = {"value": value, "reason": reason, "answer": answer}
        document: Review = self._transport.post(f"/labeling/reviews/{review_id}/decide", body).json()
        return document

    def reopen(self, review_id: int) -> Review:
        """Undo the decision of a review."""
        document: Review = self._transport.post(f"/labeling/reviews/{review_id}/reopen").json()
        return document

    def mix_in(self, queue: str | int, samples: Sequence[str]) -> Gold:
        """Mix labelled samples among a queue's tasks, to measure people's accuracy."""
        document: Gold = self._transport.post(
            f"/labeling/queues/{segment(queue)}/gold", {"samples": list(samples)}
        ).json()
        return document

    def people(
        self, *, queue: str | int | None = None, days: int | None = None, project: str | None = None
    ) -> Iterator[PersonFigures]:
        """List how much, how fast and how accurately people label; an annotator gets only their own row."""
        return self._transport.pages("/labeling/people", queue=queue, days=days, project=project)

    def me(self, *, queue: str | int | None = None, days: int | None = None) -> PersonFigures:
        """Return the caller's own row of `people`."""
        document: PersonFigures = self._transport.get("/labeling/people/me", queue=queue, days=days)
        return document
