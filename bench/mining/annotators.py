"""What labelling images of traffic signs costs annotators, and what they leave: simulated, for there is a truth.

Boxes are drawn, or those of the model are verified first. Seconds are other people's: 7.0 a drawn box (extreme
clicking, Papadopoulos et al., ICCV 2017; 25.5 the traditional way, Su et al., HCOMP 2012), 7.8 an image for whether all
objects have a box (Su et al.). The 3.5 of a yes or no to a box are assumed, half of drawing one: a queue's page says
what yours take.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.answers import CLASS, SCORE, overlaps
from tasktypes.detection.targets import CLASS as TRUE_CLASS
from tasktypes.detection.targets import KIND, OBJECT

SHOWN, KEPT = 0.3, 0.7
"""The least score of a box that is asked about, and the overlap with an object from which on people leave it alone."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """The price of an answer of each kind."""

    drawn: float
    asked: float
    image: float = 7.8


@dataclass(frozen=True, slots=True)
class Work:
    """What was done so far."""

    images: int = 0
    asked: int = 0
    """Boxes of the model that were said to be right or wrong."""
    kept: int = 0
    """Of these, right."""
    drawn: int = 0

    @property
    def boxes(self) -> int:
        """In the labels."""
        return self.kept + self.drawn

    def seconds(self, price: Seconds) -> float:
        """Of one annotator."""
        return self.images * price.image + self.asked * price.asked + self.drawn * price.drawn

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.images + other.images, self.asked + other.asked, self.kept + other.kept, self.drawn + other.drawn
        )


def drawn(targets: NDArray[np.float32]) -> Work:
    """Every object of targets (N, G, 8) by hand."""
    return Work(images=len(targets), drawn=int((targets[..., KIND] == OBJECT).sum()))


def verified(targets: NDArray[np.float32], answers: NDArray[np.float32]) -> tuple[NDArray[np.float32], Work]:
    """Labels of targets (N, G, 8) by way of a model's answers (N, M, 6), the surest first.

    A box of an object's class that overlaps it by 0.7 or more is left as the model has it, one an object; what then has
    no box is drawn.
    """
    made, asked, kept = targets.copy(), 0, 0
    for row, said in enumerate(answers):
        shown = said[said[:, SCORE] >= SHOWN]
        open_objects = targets[row, :, KIND] == OBJECT
        shared = overlaps(shown, targets[row]) * (shown[:, None, CLASS] == targets[row, None, :, TRUE_CLASS])
        for box, near in zip(shown, shared, strict=True):
            best = int(np.argmax(np.where(open_objects, near, -1)))
            if open_objects[best] and near[best] >= KEPT:
                open_objects[best] = False
                made[row, best, :4] = box[:4]
                kept += 1
        asked += len(shown)
    objects = int((targets[..., KIND] == OBJECT).sum())
    return made, Work(images=len(targets), asked=asked, kept=kept, drawn=objects - kept)
