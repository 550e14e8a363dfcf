"""BADGE: diverse gradient embeddings (Ash et al., ICLR 2020), by k-means++ draws."""

import numpy as np

from acquisition.kernels.gradients import Gradients
from acquisition.kernels.seeding import seeded
from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched


@register("badge")
class Badge(Strategy):
    """Samples with large gradients at the last layer that point in different directions.

    It has no parameters: the embeddings are never written out, and memory is 32 bytes a sample beside the pool.
    """

    needs = ("probabilities", "embeddings")

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Draw by k-means++ over (p - onehot(argmax p)) outer h: the longest first, then at random in proportion to
        D^2."""
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        space = Gradients(pool.probabilities, pool.embeddings)
        rows, distances = seeded(space, count, rng, watch=watch)
        lengths = np.sqrt(space.squares[rows])
        return [
            Choice(
                int(row),
                float(distance),
                _reason(length, distance),
                {"gradient": float(length), "distance": float(distance)},
            )
            for row, length, distance in zip(rows, lengths, distances, strict=True)
        ]


def _reason(length: float, distance: float) -> str:
    return f"its gradient is {length:.3g} long and {distance:.3g} from the nearest one picked before"
