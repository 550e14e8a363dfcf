"""Which strategy a round picks by: the pipeline's own, or the one that a back-test found best."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rounds.backtests import choose
from rounds.models import Pipeline
from rounds.pipelines import BEST_OF


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy that can be run; `why` is empty where nobody had to choose."""

    strategy: str
    params: Mapping[str, Any]
    why: str = ""

    def document(self) -> dict[str, Any]:
        """As it is kept with the round."""
        return asdict(self)


def chosen_strategy(pipeline: Pipeline) -> Choice:
    """What the next batch is picked by. Raises what the back-tests raise when they can't tell."""
    if pipeline.strategy != BEST_OF:
        return Choice(pipeline.strategy, pipeline.params)
    name, params, why = choose(pipeline)
    return Choice(name, params, why)
