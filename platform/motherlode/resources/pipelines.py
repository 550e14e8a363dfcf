"""`/pipelines`: the loop, round by round."""

from collections.abc import Iterator, Mapping

from motherlode.documents import Curve, Pipeline, Round
from motherlode.transport import Transport


class Pipelines:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Pipeline]:
        """All of them."""
        return self._transport.pages("/pipelines")

    def get(self, pipeline: str) -> Pipeline:
        """One, by id or name."""
        document: Pipeline = self._transport.get(f"/pipelines/{pipeline}")
        return document

    def create(
        self,
        name: str,
        *,
        dataset: str,
        model: str,
        architecture: str,
        strategy: str | Mapping[str, object],
        count: int,
        config: Mapping[str, object] | None = None,
        control: float | None = None,
        seed: int | None = None,
    ) -> Pipeline:
        """Bind a dataset, a model and a strategy; each round asks for `count` labels."""
        body = {"name": name, "dataset": dataset, "model": model, "architecture": architecture,
                "config": dict(config or {}), "strategy": strategy, "count": count, "control": control,
                "seed": seed}  # fmt: skip
        document: Pipeline = self._transport.post("/pipelines", body).json()
        return document

    def start_round(self, pipeline: str) -> None:
        """Begin the next round: it scores, picks, waits for the answers, then commits, trains, gates and promotes."""
        self._transport.post(f"/pipelines/{pipeline}/rounds")

    def rounds(self, pipeline: str) -> list[Round]:
        """All rounds so far, the first first."""
        return sorted(self._transport.pages(f"/pipelines/{pipeline}/rounds"), key=lambda one: int(one["number"]))

    def retry(self, pipeline: str) -> None:
        """Take up the round that failed at the step where it failed."""
        self._transport.post(f"/pipelines/{pipeline}/retry")

    def pause(self, pipeline: str) -> None:
        """Let no further step begin."""
        self._transport.post(f"/pipelines/{pipeline}/pause")

    def resume(self, pipeline: str) -> None:
        """Go on after a pause."""
        self._transport.post(f"/pipelines/{pipeline}/resume")

    def curve(self, pipeline: str) -> Curve:
        """Accuracy by number of labels."""
        document: Curve = self._transport.get(f"/pipelines/{pipeline}/curve")
        return document
