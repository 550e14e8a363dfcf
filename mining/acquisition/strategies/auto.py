"""The default: cover the pool while there is no model, then cover what the model is unsure of."""

import numpy as np

from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, strategy, unwatched

COVERING, DOUBTFUL = "max_herding", "uherding"
NO_MODEL = f"{COVERING}: there is no model yet, so the batch covers the pool"
"""Why it is used, in words, as `WITH_MODEL` is."""
WITH_MODEL = f"{DOUBTFUL}: the batch covers what the model is unsure of, the more finely the more is labelled"


@register("auto")
class Auto(Strategy):
    """Covers the pool while there is no model, then covers what the model is unsure of.

    `uherding` reaches less far around each label the more labels there are, so it covers the pool at first and picks
    uncertain samples later. `python -m bench.mining.defaults` shows it beside the others from 2 labels a class on.
    """

    needs = ("embeddings",)

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Choose by the strategy that suits the pool."""
        name = COVERING if pool.probabilities is None else DOUBTFUL
        return strategy(name).select(pool, count, rng, watch=watch)
