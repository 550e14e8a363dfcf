"""The surest objects of images: their regions, and the facts by which a strategy compares them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasktypes import task_type


class Surest(NamedTuple):
    """T objects of each of n images: `regions` (n, T, 4), x1, y1, x2, y2 as shares of width and height, NaN where there
    is none; `facts` (n, T, 2), class and score, 0 where there is none."""

    regions: NDArray[np.float32]
    facts: NDArray[np.float32]


def surest(task: str, answers: NDArray[Any], most: int, *, calibrated: NDArray[Any] | None = None) -> Surest:
    """Return the `most` surest objects of predictions (n, M, 6), surest first, with the scores of the `calibrated`
    ones. They are chosen by the predictions as the model gave them, so they are the same at every temperature."""
    mining = task_type(task).mining
    places = np.argsort(-mining.terms(answers)[..., 0], axis=1, kind="stable")[:, :most]

    def of(values: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(values, places, axis=1)

    there = of(mining.asked(answers) & mining.answered(answers)[:, None])
    regions = np.take_along_axis(mining.regions(answers), places[..., None], axis=1)
    scores = of(mining.terms(answers if calibrated is None else calibrated)[..., 0]) * there
    facts = np.stack([of(mining.term_classes(answers)), scores], axis=-1).astype(np.float32)
    return Surest(np.where(there[..., None], regions, np.nan).astype(np.float32), facts)
