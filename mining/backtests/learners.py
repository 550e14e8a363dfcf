"""Learners of back-tests: checks that one can learn a dataset, and the settings that decide its curves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from backtest.config import check_features
from backtests.models import Backtest
from catalog.models import Version
from core.errors import Invalid
from registry.models import ModelVersion
from registry.services import RunSpec, check_classes, check_spec, require_architecture
from scoring.config import SCORER
from training.architectures import Architecture, architecture
from training.config import ENCODER
from worker_programs.config import ConfigError, document


@dataclass(frozen=True, slots=True)
class Learner:
    """A learner: a probe on the embeddings of `model`, or, without one, an architecture trained with a config of
    `params` and `recipe`."""

    model: ModelVersion | None = None
    architecture: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The learner as it is stored and shown."""
        if self.model is not None:
            return {"kind": "probe", "model": f"{self.model.model.name}@{self.model.number}"}
        return {"kind": "train", "architecture": self.architecture, "config": dict(self.config)}


def check_learner(learner: Learner, version: Version) -> None:
    """Raise Invalid (dataset, learner) where the learner can't learn the labels of this version."""
    task = version.dataset.task_type
    task.require("back-tests", field="dataset")
    if learner.model is not None:
        if not task.mining.one_distribution:
            raise Invalid.field(
                "learner.kind",
                f"a probe learns the one class of an image, which {task.name} has not: use the kind `train` with an "
                "architecture that learns it",
            )
        check_classes(learner.model.model, version.dataset)
        return
    require_architecture(learner.architecture, field="learner.architecture")
    if learner.architecture == ENCODER:
        words = "a replay is given no encoder: name another architecture, or `probe` a model that was trained on one"
        raise Invalid.field("learner.architecture", words)
    if unknown := set(learner.config) - {"params", "recipe"}:
        raise Invalid.field("learner.config", f"unknown {sorted(unknown)}: it takes `params` and `recipe`")
    try:
        recipe = check_spec(RunSpec(learner.architecture, learner.config), task=task.name)
    except Invalid as fault:
        named = {f"learner.{name}": texts for name, texts in fault.errors.items()}
        raise Invalid(fault.detail, errors=named) from fault
    if recipe.patience is not None:
        raise Invalid.field(
            "learner.config.recipe.patience", "a replay has no validation split to wait for: leave patience out"
        )


def frozen_family(learner: Mapping[str, Any]) -> Architecture | None:
    """Return the architecture of a stored learner where only its head is trained; else None."""
    if learner["kind"] != "train":
        return None
    family = architecture(learner["architecture"], learner["config"].get("params", {}))
    return family if family.frozen else None


def most_disk() -> int:
    """Most bytes of features: a quarter of what a program may write is left for everything else."""
    return int(settings.PROGRAM_OUTPUT) * 3 // 4


def check_room(learner: Learner, images: int) -> None:
    """Raise Invalid (learner.config.params) where the features of `images` images are larger than a replay may
    write."""
    family = frozen_family(learner.document)
    if family is None or not family.width_is_declared:  # else the program says so once it has built the network
        return
    try:
        check_features(images, family.features_dim, most_disk(), setting="MOTHERLODE_PROGRAM_OUTPUT")
    except ConfigError as fault:
        raise Invalid(str(fault), errors=fault.errors) from fault


def decided(backtest: Backtest) -> dict[str, Any]:
    """Return the learner with all settings that its curves depend on."""
    if backtest.model_version is not None:
        return {"kind": "probe", "model": backtest.model_version.digest, "scorer": SCORER}
    name, config = backtest.learner["architecture"], backtest.learner["config"]
    family = architecture(name, config.get("params", {}))
    recipe = check_spec(RunSpec(name, config), task=backtest.dataset.task)
    kind = {"kind": "train"} | ({"trunk": "frozen"} if family.frozen else {})
    return kind | {"architecture": name, "params": document(family.params), "recipe": document(recipe)}
