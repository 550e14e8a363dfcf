"""`/mining/jobs`: score a pool with a model and pick the most informative samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import (
        Histogram,
        Job,
        MiningJob,
        MiningJobDetail,
        Pick,
        Quarantined,
        QueueLink,
        StrategyList,
    )


class Mining:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        dataset: str,
        *,
        model: str | None = None,
        strategy: str | Mapping[str, object] = "auto",
        count: int,
        version: int | str | None = None,
        control: float | None = None,
        seed: int | None = None,
        filter: str | Mapping[str, object] | None = None,  # noqa: A002 - the field's name in the REST contract
        compose: Mapping[str, object] | None = None,
        committee: Mapping[str, object] | None = None,
        like: Mapping[str, object] | None = None,
        unlike: Mapping[str, object] | None = None,
        needs: Mapping[str, object] | None = None,
    ) -> MiningJob:
        """Mine `count` samples with `model` (`name@production`, `name@3`; None: by ImageNet features, for strategies
        that compare images alone); `control` is the share picked at random.

        `filter` says which part of the pool, as text or JSON; `compose`, `like` and `unlike` are as in
        docs/howto/composing-batches.md, `committee` as in docs/howto/scoring.md. `needs` are requirements on the
        scoring worker, as of a run.
        """
        body = {"dataset": dataset, "version": version, "model": model, "strategy": strategy, "count": count,
                "control": control, "seed": seed, "filter": filter, "compose": compose, "committee": committee,
                "like": like, "unlike": unlike, "needs": needs}  # fmt: skip
        document: MiningJob = self._transport.post("/mining/jobs", body).json()
        return document

    def strategies(self) -> StrategyList:
        """List the strategies with the schemas of their parameters, and the plug-ins that can't be loaded."""
        found: StrategyList = self._transport.get("/strategies")
        return found

    def all(self) -> Iterator[MiningJob]:
        """List mining jobs, the newest first."""
        return self._transport.pages("/mining/jobs")

    def get(self, mining_job: int) -> MiningJobDetail:
        """Return a mining job, with what its answers say of the model."""
        document: MiningJobDetail = self._transport.get(f"/mining/jobs/{mining_job}")
        return document

    def cancel(self, mining_job: int) -> Job:
        """Ask a mining job to stop; what is scored stays scored."""
        document: Job = self._transport.post(f"/jobs/{self.get(mining_job)['job']['id']}/cancel").json()
        return document

    def picks(self, mining_job: int) -> Iterator[Pick]:
        """List the picks of a mining job, the best first."""
        return self._transport.pages(f"/mining/jobs/{mining_job}/picks")

    def pick(self, mining_job: int, rank: int) -> Pick:
        """Return a pick by its rank, from 1, with the explanation why it was picked."""
        document: Pick = self._transport.get(f"/mining/jobs/{mining_job}/picks/{rank}")
        return document

    def histogram(self, mining_job: int) -> Histogram:
        """Return the histogram of the pool's scores, also while it is being scored."""
        document: Histogram = self._transport.get(f"/mining/jobs/{mining_job}/histogram")
        return document

    def quarantine(self, mining_job: int) -> Iterator[Quarantined]:
        """List the images that could not be scored, and why."""
        return self._transport.pages(f"/mining/jobs/{mining_job}/quarantine")

    def queue(
        self,
        mining_job: int,
        *,
        name: str | None = None,
        answers_per_task: int | None = None,
        max_rank: int | None = None,
        min_score: float | None = None,
        mode: str | None = None,
    ) -> QueueLink:
        """Put the picks into a labelling queue: all, or those up to a rank and with at least a score, and the control
        arm. `mode`: `label`, or `verify` to ask of each suggested object whether it is right."""
        body = {"queue": name, "answers_per_task": answers_per_task, "max_rank": max_rank, "min_score": min_score}
        body |= {"mode": mode}
        document: QueueLink = self._transport.post(f"/mining/jobs/{mining_job}/queue", body).json()
        return document
