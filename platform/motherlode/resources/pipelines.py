"""`/pipelines`: the active-learning loop, round by round."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from motherlode.errors import MotherlodeError
from motherlode.resources.jobs import POLL_SECONDS
from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, segment
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import AgainstRandom, Curve, Forecast, Pipeline, Round, Webhook


ENDED = ("done", "failed", "cancelled", "stopped")


class Pipelines(Lifecycle):
    _route = "/pipelines"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Pipeline]:
        """List all pipelines."""
        return self._transport.pages("/pipelines")

    def get(self, pipeline: str) -> Pipeline:
        """Return a pipeline by id or name."""
        document: Pipeline = self._transport.get(f"/pipelines/{segment(pipeline)}")
        return document

    def create(
        self,
        name: str,
        *,
        dataset: str,
        count: int | None = None,
        model: str | None = None,
        architecture: str | None = None,
        strategy: str | Mapping[str, object] | None = None,
        config: Mapping[str, object] | None = None,
        control: float | None = None,
        seed: int | None = None,
        **terms: object,
    ) -> Pipeline:
        """Bind a dataset, a model and a strategy; each round asks for `count` labels, by default as many
        as suit the number of classes.

        `model` defaults to a new one of the same name, `architecture` to the one that suits the images, `strategy` to
        auto. `terms` are the other fields of POST /pipelines: schedule, trigger, budget, stop, compose, committee,
        gates, warm_start, answers_per_task, needs.
        """
        chosen = {"model": model, "architecture": architecture, "strategy": strategy, "count": count}
        body = {
            "name": name,
            "dataset": dataset,
            "config": dict(config or {}),
            "control": control,
            "seed": seed,
        } | terms
        body |= {field: value for field, value in chosen.items() if value is not None}
        document: Pipeline = self._transport.post("/pipelines", body).json()
        return document

    def start_round(self, pipeline: str) -> None:
        """Begin the next round: it scores, picks, waits for the answers, then commits, trains, gates and promotes."""
        self._transport.post(f"/pipelines/{segment(pipeline)}/rounds")

    def rounds(self, pipeline: str) -> list[Round]:
        """List all rounds so far, the oldest first."""
        return sorted(
            self._transport.pages(f"/pipelines/{segment(pipeline)}/rounds"), key=lambda one: int(one["number"])
        )

    def watch(self, pipeline: str, *, poll: float = POLL_SECONDS) -> Iterator[Round]:
        """Yield the newest round now, and every `poll` seconds until it has ended or needs somebody to act: label,
        review, release a hold, or resume the pipeline. Yields nothing if there is no round yet. An error that ends the
        polling carries a note that the round goes on."""
        seen = False
        try:
            while rounds := self.rounds(pipeline):
                yield rounds[-1]
                if rounds[-1]["state"] in ENDED or waits_for(rounds[-1]) or self.get(pipeline)["state"] == "paused":
                    return
                seen = True
                time.sleep(poll)
        except (MotherlodeError, KeyboardInterrupt) as error:
            if seen or isinstance(error, KeyboardInterrupt):
                error.add_note(f"The round goes on without this: `lode pipeline watch {pipeline}` follows it, "
                               f"`lode pipeline cancel {pipeline}` stops it.")  # fmt: skip
            raise

    def change(self, pipeline: str, **terms: object) -> Pipeline:
        """Change the named fields, None to clear one: schedule, trigger, budget, stop, strategy, count, .."""
        document: Pipeline = self._transport.patch(f"/pipelines/{segment(pipeline)}", terms)
        return document

    def retry(self, pipeline: str, *, step: str | None = None) -> Pipeline:
        """Retry the failed or cancelled round from the step where it ended, or from an earlier one."""
        document: Pipeline = self._transport.post(f"/pipelines/{segment(pipeline)}/retry", {"from": step}).json()
        return document

    def cancel(self, pipeline: str) -> Pipeline:
        """Stop the open round; what is labelled and committed stays."""
        document: Pipeline = self._transport.post(f"/pipelines/{segment(pipeline)}/rounds/cancel").json()
        return document

    def webhook(self, pipeline: str) -> Webhook:
        """Issue a new secret for the webhook that starts a round; it is shown only this once."""
        document: Webhook = self._transport.post(f"/pipelines/{segment(pipeline)}/webhook").json()
        return document

    def pause(self, pipeline: str) -> Pipeline:
        """Pause the pipeline: no further step begins."""
        document: Pipeline = self._transport.post(f"/pipelines/{segment(pipeline)}/pause").json()
        return document

    def resume(self, pipeline: str) -> Pipeline:
        """Resume a paused pipeline."""
        document: Pipeline = self._transport.post(f"/pipelines/{segment(pipeline)}/resume").json()
        return document

    def curve(self, pipeline: str) -> Curve:
        """Return the learning curve: accuracy by number of labels."""
        document: Curve = self._transport.get(f"/pipelines/{segment(pipeline)}/curve")
        return document

    def against_random(self, pipeline: str) -> AgainstRandom:
        """Compare the mined picks with those drawn at random, by how often the model was wrong on either."""
        document: AgainstRandom = self._transport.get(f"/pipelines/{segment(pipeline)}/against-random")
        return document

    def forecast(self, pipeline: str, *, target: float) -> Forecast:
        """Forecast how many labels an accuracy of `target` needs, by four fits of the curve."""
        document: Forecast = self._transport.get("/forecast", pipeline=pipeline, target=target)
        return document


def waits_for(round_: Round) -> str | None:
    """Describe what a round in labelling needs from people; None if it goes on by itself."""
    counts, commit, queue = round_["queue_counts"], round_["auto_commit"], round_["queue"]
    if round_["state"] != "labelling" or counts is None or commit is None or commit["seconds_left"] is not None:
        return None
    if commit["held"] is not None:
        return f"{commit['held_by']} holds its commit: lode queue release {queue}"
    if waiting := counts["todo"] + counts["leased"]:
        return f"queue {queue} waits for the labels of {waiting} of {plural(counts['total'], 'sample')}"
    return f"reviews are open in queue {queue}: lode label reviews {queue}"
