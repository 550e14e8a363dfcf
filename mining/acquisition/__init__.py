"""Which samples to label next: strategies, a composer over them, explanations. Imports no Django and no torch.

>>> import numpy as np
>>> from acquisition import Pool, compose
>>> pool = Pool(ids=np.array([7, 8, 9]), probabilities=np.array([[.9, .1], [.5, .5], [.6, .4]]), classes=["a", "b"])
>>> [(pick.id, pick.reason) for pick in compose(pool, "margin", count=2, seed=0)]
[(8, 'a at 0.50 or b at 0.50'), (9, 'a at 0.60 or b at 0.40')]
"""

from acquisition.batch import Batch, Pick
from acquisition.composer import candidates_of, compose
from acquisition.composition import Composition, composition
from acquisition.neighbours import nearest
from acquisition.pool import Pool, PoolError
from acquisition.registry import (
    DEFAULT,
    WITHOUT_MODEL,
    Choice,
    RowStrategy,
    ScoreStrategy,
    Strategy,
    Watch,
    facts,
    faults,
    names,
    register,
    strategy,
    unwatched,
)

__all__ = [
    "DEFAULT",
    "WITHOUT_MODEL",
    "Batch",
    "Choice",
    "Composition",
    "Pick",
    "Pool",
    "PoolError",
    "RowStrategy",
    "ScoreStrategy",
    "Strategy",
    "Watch",
    "candidates_of",
    "compose",
    "composition",
    "facts",
    "faults",
    "names",
    "nearest",
    "register",
    "strategy",
    "unwatched",
]
