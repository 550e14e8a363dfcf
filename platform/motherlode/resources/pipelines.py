"""`/pipelines`: the loop, round by round."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from motherlode.resources.jobs import POLL_SECONDS
from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Curve, Forecast, Pipeline, Round, Webhook


ENDED = ("done", "failed", "cancelled", "stopped")


class Pipelines(Lifecycle):
    _route = "/pipelines"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Pipeline]:
        """All of them."""
        return self._transport.pages("/pipelines")

    def get(self, pipeline: str) -> Pipeline:
        """One, by id or name."""
        document: Pipeline = self._transport.get(f"/pipelines/{segment(pipeline)}")
        return document

    def create(
        self,
        name: str,
        *,
        dataset: str,
        count: int,
        model: str | None = None,
        architecture: str | None = None,
        strategy: str | Mapping[str, object] | None = None,
        config: Mapping[str, object] | None = None,
        control: float | None = None,
        seed: int | None = None,
        **terms: object,
    ) -> Pipeline:
        """Bind a dataset, a model and a strategy; each round asks for `count` labels.

        Without `model` a new one of the same name is made, without `architecture` the one that suits the images is
        taken, without `strategy` margin.
        `terms` are the others of POST /pipelines: schedule, trigger, budget, stop, compose, committee, gates,
        warm_start, answers_per_task, needs.
        """
        chosen = {"model": model, "architecture": architecture, "strategy": strategy}
        body = {"name": name, "dataset": dataset, "config": dict(config or {}), "count": count, "control": control,
                "seed": seed} | terms  # fmt: skip
        body |= {field: value for field, value in chosen.items() if value is not None}
        document: Pipeline = self._transport.post("/pipelines", body).json()
        return document

    def start_round(self, pipeline: str) -> None:
        """Begin the next round: it scores, picks, waits for the answers, then commits, trains, gates and promotes."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/rounds")

    def rounds(self, pipeline: str) -> list[Round]:
        """All rounds so far, the first first."""
        return sorted(
            self._transport.pages(f"/pipelines/{segment(pipeline)}/rounds"), key=lambda one: int(one["number"])
        )

    def watch(self, pipeline: str, *, poll: float = POLL_SECONDS) -> Iterator[Round]:
        """The newest round now, and every `poll` seconds until it has ended or goes on only when somebody acts: labels,
        reviews, releases a hold, or resumes the pipeline. Nothing where there is no round yet."""
        while rounds := self.rounds(pipeline):
            yield rounds[-1]
            if rounds[-1]["state"] in ENDED or waits_for(rounds[-1]) or self.get(pipeline)["state"] == "paused":
                return
            time.sleep(poll)

    def change(self, pipeline: str, **terms: object) -> Pipeline:
        """Change what is named, with None to take it away: schedule, trigger, budget, stop, strategy, count, .."""
        document: Pipeline = self._transport.patch(f"/pipelines/{segment(pipeline)}", terms)
        return document

    def retry(self, pipeline: str, *, step: str | None = None) -> None:
        """Take up the round that failed or was cancelled at the step where it ended, or at an earlier one."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/retry", {"from": step})

    def cancel(self, pipeline: str) -> None:
        """Stop the open round; what is labelled and committed stays."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/rounds/cancel")

    def webhook(self, pipeline: str) -> Webhook:
        """A new secret for the address whose call begins a round; it is told this once."""
        document: Webhook = self._transport.post(f"/pipelines/{segment(pipeline)}/webhook").json()
        return document

    def pause(self, pipeline: str) -> None:
        """Let no further step begin."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/pause")

    def resume(self, pipeline: str) -> None:
        """Go on after a pause."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/resume")

    def curve(self, pipeline: str) -> Curve:
        """Accuracy by number of labels."""
        document: Curve = self._transport.get(f"/pipelines/{segment(pipeline)}/curve")
        return document

    def forecast(self, pipeline: str, *, target: float) -> Forecast:
        """How many labels an accuracy of `target` needs, by four fits of the curve."""
        document: Forecast = self._transport.get("/forecast", pipeline=pipeline, target=target)
        return document


def waits_for(round_: Round) -> str | None:
    """What a round that is labelled needs from people, in words; None where it goes on by itself."""
    counts, commit, queue = round_["queue_counts"], round_["auto_commit"], round_["queue"]
    if round_["state"] != "labelling" or counts is None or commit is None or commit["seconds_left"] is not None:
        return None
    if commit["held"] is not None:
        return f"{commit['held_by']} holds its commit: lode queue release {queue}"
    if waiting := counts["todo"] + counts["leased"]:
        return f"{waiting} of {counts['total']} samples wait for labels in queue {queue}"
    return f"reviews are open in queue {queue}: lode label reviews {queue}"
