"""`/backtests`: strategies replayed on existing labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Backtest, BacktestLink, BacktestRow


class Backtests(Lifecycle):
    _route = "/backtests"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        dataset: str,
        *,
        learner: Mapping[str, object],
        strategies: Sequence[str | Mapping[str, object]],
        name: str | None = None,
        version: int | str | None = None,
        seeds: int | None = None,
        rounds: int | None = None,
        count: int | None = None,
        start: int | None = None,
        target: float | None = None,
    ) -> BacktestLink:
        """Replay `strategies`, and random, on the labelled samples of a version, each from the same starts.

        `learner` is `{"kind": "probe", "model": "m@3"}` or `{"kind": "train", "architecture": NAME, "config": {}}`;
        `target` is an accuracy (for boxes a mAP) from 0 to 1: the result counts the labels needed to reach it.
        """
        body = {"dataset": dataset, "version": version, "name": name, "learner": learner,
                "strategies": list(strategies), "seeds": seeds, "rounds": rounds, "count": count, "start": start,
                "target": target}  # fmt: skip
        document: BacktestLink = self._transport.post("/backtests", body).json()
        return document

    def all(self) -> Iterator[BacktestRow]:
        """List the back-tests, the newest first."""
        return self._transport.pages("/backtests")

    def get(self, backtest: int | str) -> Backtest:
        """Return a back-test by id or name, with its curves and the tests on them so far."""
        document: Backtest = self._transport.get(f"/backtests/{segment(backtest)}")
        return document
