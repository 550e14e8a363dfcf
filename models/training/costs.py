"""What a training costs in seconds of a reference machine. A forecast scales it by what its own machine has measured.

The seconds of a network (`Architecture.seconds`) are measured on one core of a server processor; those below, of what
is around it, are rough estimates. Imports no torch.
"""

from dataclasses import dataclass
from typing import Any

from training.architectures import Architecture, architecture
from training.auto import (
    FEWEST,
    PER_LABEL,
    TRUNKS_ON,
    Auto,
    comparison_seconds,
    longest_comparison,
    own_network,
    rival_recipe,
)
from training.config import Recipe, merged_recipe
from training.scores import evaluation_interval

START_SECONDS = 4.0
"""To start the program, load torch, write manifests and keep the files."""
READ_SECONDS = 0.002
"""To fetch and decode one image."""
PROOF_SECONDS = 12.0
"""To export the network, prove it and start its evaluation."""
PROVED_SECONDS = 0.001
"""To evaluate one image besides its way through the network."""
GUESSED = (1e-6, 3e-6, 1e-7)
"""Seconds of a number of an image, as `Architecture.seconds`, where an architecture declares none: only for comparing
trainings of that architecture with each other."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a training does. `fresh`: how many images of `samples` and `validation` a frozen trunk has not seen yet, so
    that their features must be computed."""

    samples: int
    validation: int
    test: int
    steps: int
    batch: int
    evaluations: int
    fresh: int


@dataclass(frozen=True, slots=True)
class Parts:
    """Seconds of the parts of a run: until the first step, the steps with their evaluations, and the proof."""

    start: float
    steps: float
    proof: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.start + self.steps + self.proof

    def times(self, ratio: "Parts") -> "Parts":
        """Each part times that of `ratio`."""
        return Parts(self.start * ratio.start, self.steps * ratio.steps, self.proof * ratio.proof)


def work_of(recipe: Recipe, *, samples: int, validation: int, test: int, steps: int | None = None) -> Work:
    """The work of a recipe on so many labelled images; of `steps` where it stopped early. Raises ConfigError for a
    recipe of too many steps."""
    taken = recipe.total_steps(samples) if steps is None else steps
    every = evaluation_interval(recipe, samples=samples, held_out=validation) if validation else 0
    return Work(
        samples=samples,
        validation=validation,
        test=test,
        steps=taken,
        batch=min(recipe.batch_size, samples),
        evaluations=taken // every if every else 0,
        fresh=samples + validation,
    )


def parts(family: Architecture, work: Work) -> Parts:
    """The seconds that the reference machine needs for the work."""
    forward, step = _seconds(family)
    answer = step / 3 if family.frozen else forward
    start = START_SECONDS + (work.samples + work.validation) * READ_SECONDS
    return Parts(
        start + (work.fresh * forward if family.frozen else 0.0),
        work.steps * work.batch * step + (work.evaluations + 1) * work.validation * answer,
        PROOF_SECONDS + (work.test or work.validation) * (forward + PROVED_SECONDS),
    )


def auto_parts(
    asked: Auto, work: Work, *, changes: dict[str, Any], task: str, pool: int, side: float | None, on_gpu: bool
) -> Parts:
    """The most that `auto` takes on the reference machine: the features of all images, the comparisons that it makes,
    and the training of the candidate that takes longest. `pool`: images without a label; `side`: the images' longer."""
    forwards = [_seconds(architecture(name))[0] for name in asked.params.trunks]
    compared = min(TRUNKS_ON, work.fresh)
    features = compared * sum(forwards) + (work.fresh - compared) * max(forwards)
    candidates = _candidates(asked, work, changes=changes, task=task, pool=pool, side=side, on_gpu=on_gpu)
    trainings = [parts(of, _taught(work, of, changes, task=task, pseudo=pseudo)).steps for of, pseudo, _ in candidates]
    comparing = sum(seconds for _, _, seconds in candidates)
    start = START_SECONDS + (work.samples + work.validation + pool) * READ_SECONDS
    proof = PROOF_SECONDS + (work.test or work.validation) * (max(forwards) + PROVED_SECONDS)
    return Parts(start + features + comparing + max(trainings, default=0.0), 0.0, proof)


def _candidates(
    asked: Auto, work: Work, *, changes: dict[str, Any], task: str, pool: int, side: float | None, on_gpu: bool
) -> list[tuple[Architecture, bool, float]]:
    """What `auto` trains step by step to compare it, whether with pseudo-labels, and the seconds of its comparison. Of
    several trunks, fine-tuning the one that takes longest."""
    params, labels = asked.params, work.samples
    if labels < FEWEST:
        return []
    tuned = [name for name in params.trunks if hasattr(architecture(name).params, "freeze")]
    trunks = [architecture(name, {"freeze": False}) for name in tuned if params.fine_tune == "compare"]
    own = own_network(side, gray=False) if side and params.scratch == "compare" else None
    networks = [architecture(*own)] if own and labels >= params.scratch_from else []

    def seconds(of: Architecture, *, pseudo: bool) -> float:
        recipe = rival_recipe(of, changes, task=task)
        return comparison_seconds(of, recipe, labels=labels, folds=params.folds, pseudo=pseudo, on_gpu=on_gpu)

    most = longest_comparison(params, labels)
    fine = [(of, False, took) for of in trunks if (took := seconds(of, pseudo=False)) <= most]
    found = [max(fine, key=lambda one: one[2])] if fine else []
    with_pool = [False, True] if pool >= FEWEST else [False]
    return found + [
        (of, pseudo, took) for of in networks for pseudo in with_pool if (took := seconds(of, pseudo=pseudo)) <= most
    ]


def _taught(work: Work, of: Architecture, changes: dict[str, Any], *, task: str, pseudo: bool) -> Work:
    """The work of training a candidate on all images."""
    recipe, samples = merged_recipe(of.recipe, changes, task=task), work.samples * (1 + PER_LABEL * pseudo)
    return work_of(recipe, samples=samples, validation=work.validation, test=work.test)


def is_known(of: Architecture | Auto) -> bool:
    """Whether the learner declares what it costs."""
    if isinstance(of, Auto):
        return all(architecture(name).seconds is not None for name in of.params.trunks)
    return of.seconds is not None


def _seconds(family: Architecture) -> tuple[float, float]:
    """Seconds of an image forward through the trunk, and in a step: of all, or of the head of a frozen trunk."""
    usual = architecture(family.name, {"freeze": family.frozen} if hasattr(family.params, "freeze") else {})
    numbers = usual.input_size[0] * usual.input_size[1] * usual.input_size[2]
    forward, step, head = family.seconds or (number * numbers for number in GUESSED)
    scale = family.work / usual.work
    return forward * scale, (head if family.frozen else step) * scale
