"""How long a training will take on this platform.

A training is forecast as so much work of a reference machine (`training.costs`), times what this platform's own
trainings took beside theirs. Trainings of the same learner count first, then those of others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from accounts.rights import visible
from catalog.models import Split, Version
from catalog.versions import tallies
from jobs.fleet import by_queue
from jobs.models import Shard
from jobs.needs import NOTHING, Needs
from jobs.turns import queue_of
from registry.models import Run
from registry.recommending import longer_side
from training.architectures import Architecture
from training.auto import Auto, learner, learner_recipe, most_unlabelled
from training.config import Recipe
from training.costs import Parts, auto_parts, is_known, parts, work_of
from worker_programs.config import ConfigError, document
from worker_programs.wording import about, plural

NEWEST = 10
"""How many of the newest trainings count."""
LONG = 3600
"""Seconds from which the forecast of a training without a GPU names what makes it shorter."""
TRAIN, PROVE = 0, 1


@dataclass(frozen=True, slots=True)
class Forecast:
    """The seconds of a training with its proof; None where nothing is known. `words` say it in a sentence."""

    seconds: float | None
    runs: int
    source: str
    device: str
    words: str


@dataclass(frozen=True)
class Question:
    """What is to be trained, on what."""

    version: Version
    architecture: str
    config: Mapping[str, Any]
    needs: Needs = NOTHING

    @cached_property
    def learner(self) -> Architecture | Auto:
        """The architecture, or `auto`, with its parameters. Raises ConfigError."""
        return learner(self.architecture, dict(self.config.get("params", {})))

    @property
    def changes(self) -> dict[str, Any]:
        """What differs from the learner's own recipe."""
        return dict(self.config.get("recipe", {}))

    @cached_property
    def recipe(self) -> Recipe:
        """The whole recipe. Raises ConfigError."""
        return learner_recipe(self.learner, self.changes, task=self.version.dataset.task)

    @cached_property
    def device(self) -> str:
        """`cuda` where a worker will train on a GPU, else `cpu`."""
        asked = self.recipe.device
        rooms = by_queue()[queue_of("train", on_gpus=self.needs.gpus > 0)]
        is_there = self.needs.gpus > 0 or any(room.gpus for room in rooms)
        return "cuda" if asked == "cuda" or (asked == "auto" and is_there) else "cpu"


def forecast(question: Question) -> Forecast:
    """Forecast a training. Raises ConfigError for a config that can't be run."""
    asked, device, counts = question.learner, question.device, labelled(question.version)
    if not counts[Split.TRAIN]:
        return _unknown(device, "there is no labelled image to train on yet")
    rows = visible(Run.objects.filter(job__state="succeeded"), "model__project")
    own = _measured(rows.filter(architecture=question.architecture), device)
    seen = max((one.images for one in own if one.cached == _cached(question)), default=0)
    reference = _reference(question, counts, seen=seen)
    if own:
        seconds, source = reference.times(_ratio(own)).total, f"from {plural(len(own), 'earlier training')}"
        return Forecast(seconds, len(own), "measured", device, _words(question, seconds, source))
    if not is_known(asked):
        return _unknown(device, f"{question.architecture} has not been trained here before")
    others = [one for one in _measured(rows, device) if one.is_known]
    if others:
        seconds, source = reference.times(_ratio(others)).total, "an estimate from trainings of other architectures"
        return Forecast(seconds, len(others), "others", device, _words(question, seconds, source))
    if device == "cuda":
        return _unknown(device, "nothing has been trained on a GPU here before")
    words = _words(question, reference.total, "a rough estimate: nothing has been trained here yet")
    return Forecast(reference.total, 0, "reference", device, words)


def settings(question: Question) -> dict[str, dict[str, Any]]:
    """All `params` and the whole `recipe` of a training, with the steps that it takes. Raises ConfigError."""
    asked, recipe, samples = question.learner, asdict(question.recipe), labelled(question.version)[Split.TRAIN]
    if samples and not isinstance(asked, Auto):
        recipe["steps"] = question.recipe.total_steps(samples)
    return {"params": document(asked.params), "recipe": recipe}


def labelled(version: Version) -> dict[str, int]:
    """The labelled samples of a version by split."""
    counts = tallies.count(version, {"class_name": "", "labelled": True}, "split")
    return {split: counts.get((split,), 0) for split in Split.values}


def _words(question: Question, seconds: float, source: str) -> str:
    """The forecast in a sentence; one of hours without a GPU names what makes it shorter."""
    asked = question.learner
    is_auto = isinstance(asked, Auto)
    where = "on a GPU" if question.device == "cuda" else "on this machine"
    most = "; auto chooses what it trains while it runs" if is_auto else ""
    words = f"{about(seconds).capitalize()} {where} ({source}{most})."
    if question.device == "cuda" or seconds <= LONG:
        return words
    if is_auto:
        return f"{words} A smaller compare_minutes makes it shorter."
    smaller = " and a smaller size make" if hasattr(asked.params, "size") else " make"
    return f"{words} Fewer steps{smaller} it shorter."


def _unknown(device: str, why: str) -> Forecast:
    return Forecast(None, 0, "unknown", device, f"No forecast yet: {why}.")


@dataclass(frozen=True, slots=True)
class _Measured:
    """A training that ended: the seconds it took, and those of the reference machine for the same. `images` whose
    features it left in the cache of its machine, of the dataset and the network `cached`."""

    cached: tuple[object, ...]
    images: int
    is_known: bool
    took: Parts
    reference: Parts


def _cached(question: Question) -> tuple[object, ...]:
    asked = question.learner
    networks = tuple(asked.params.trunks) if isinstance(asked, Auto) else asked.input_size
    return (question.version.dataset_id, question.architecture, networks)


def _measured(rows: QuerySet[Run], device: str) -> list[_Measured]:
    """The newest trainings on the device, the oldest first."""
    runs = list(rows.select_related("version__dataset").order_by("-pk")[:NEWEST])[::-1]
    results = Shard.objects.filter(job__in=[run.job_id for run in runs]).values_list("job", "phase", "result")
    by_run = {(job, phase): result for job, phase, result in results if result}
    found = list[_Measured]()
    for run in runs:
        trained = by_run.get((run.job_id, TRAIN))
        if trained and trained["training"]["train"]["device"] == device:
            one = _compared(run, trained, by_run.get((run.job_id, PROVE)), found)
            found += [one] if one else []
    return found


def _compared(
    run: Run, trained: Mapping[str, Any], proved: Mapping[str, Any] | None, before: Sequence[_Measured]
) -> _Measured | None:
    """One training beside the reference; None for one of an architecture that is no longer there."""
    question, fit = Question(run.version, run.architecture, run.config), trained["training"]["train"]
    choice = trained["training"].get("choice")
    counts = labelled(run.version) | {Split.TRAIN: choice["labels"] if choice else fit["samples"]}
    try:
        asked, cached = question.learner, _cached(question)
        seen = max((one.images for one in before if one.cached == cached), default=0)
        reference = _reference(question, counts, seen=seen, steps=None if choice else fit["steps"])
    except ConfigError:
        return None
    steps = 0.0 if choice else fit["seconds"]
    proof = proved["metrics"]["seconds"]["prove"] if proved else reference.proof
    took = Parts(max(0.1, trained["seconds"] - steps), steps, proof)
    images = counts[Split.TRAIN] + counts[Split.VAL] + _pool(question, counts)
    return _Measured(cached, images if asked.frozen or choice else 0, is_known(asked), took, reference)


def _reference(question: Question, counts: Mapping[str, int], *, seen: int = 0, steps: int | None = None) -> Parts:
    """The seconds on the reference machine, where the features of `seen` images are in the cache. Raises
    ConfigError."""
    asked, version = question.learner, question.version
    work = work_of(
        question.recipe,
        samples=counts[Split.TRAIN],
        validation=counts[Split.VAL],
        test=counts[Split.TEST],
        steps=steps,
    )
    pool = _pool(question, counts)
    work = replace(work, fresh=max(0, work.fresh + pool - seen))
    if not isinstance(asked, Auto):
        return parts(asked, work)
    side, on_gpu = longer_side(version), question.device == "cuda"
    return auto_parts(
        asked, work, changes=question.changes, task=version.dataset.task, pool=pool, side=side, on_gpu=on_gpu
    )


def _pool(question: Question, counts: Mapping[str, int]) -> int:
    """How many images without a label are learned from."""
    asked = question.learner
    if not isinstance(asked, Auto):
        return 0
    cells = {"class_name": "", "labelled": False, "split__in": (Split.POOL, Split.TRAIN)}
    there = sum(tallies.count(question.version, cells, "split").values())
    return min(there, most_unlabelled(asked.params, counts[Split.TRAIN]))


def _ratio(rows: Sequence[_Measured]) -> Parts:
    """How much longer each part takes here than on the reference machine; long trainings count most."""

    def of(part: str) -> float:
        took, reference = (sum(getattr(getattr(row, side), part) for row in rows) for side in ("took", "reference"))
        return took / reference if reference else 1.0

    return Parts(of("start"), of("steps"), of("proof"))
