"""The default: cover the pool while labels are few, then what is uncertain and diverse."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, strategy, unwatched
from tasktypes import task_type
from worker_programs.config import STRICT
from worker_programs.wording import plural

COVERING, DOUBTFUL, DIVERSE = "max_herding", "uherding", "badge"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AutoParams:
    """Until when labels are few."""

    few: Annotated[int, Field(ge=1, le=10_000)] = 50
    """Labels per class below which labels are few."""


@register("auto")
class Auto(Strategy):
    """Chooses by the labels at hand: covers the pool while they are few, then picks what is uncertain and diverse."""

    needs = ("embeddings",)
    Params = AutoParams
    params: AutoParams

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Choose by the strategy that suits the pool. Each reason says which one and why."""
        labels = 0 if pool.labelled is None else len(pool.labelled)
        name, why = self.suited(labels, len(pool.classes), task=pool.task, model=pool.probabilities is not None)
        choices = strategy(name).select(pool, count, rng, watch=watch)
        return [
            Choice(choice.row, choice.score, f"{name}, as {why}: {choice.reason}", choice.terms) for choice in choices
        ]

    def suited(self, labels: int, classes: int, *, task: str, model: bool) -> tuple[str, str]:
        """Return the name of the strategy that suits so many labels of so many classes, and why in words."""
        few, figures = self.params.few, f"{labels:,} labels of {plural(classes, 'class', 'classes')}"
        if not model:
            return COVERING, "there is no model yet"
        if not strategy(DIVERSE).fits(task_type(task).mining):
            return DOUBTFUL, f"an answer to {task} is not one class"
        if labels < few * classes:
            return DOUBTFUL, f"{figures} are fewer than {few} a class"
        return DIVERSE, f"{figures} are {few} a class or more"
