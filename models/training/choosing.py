"""Choose what the learner `auto` trains, by cross-validation on the labels at hand; solve the head of a frozen trunk.

The choice depends on the samples, the settings, the seed and whether there is a GPU; never on a clock. It is made anew
when a training resumes: features are in this machine's cache by then, and the same bits lead to the same choice.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from blobs.cache import BlobCache
from training.architectures import architecture
from training.auto import (
    FEWEST,
    SEMI_SUPERVISED_UP_TO,
    SMALL_SIDE,
    TRUNKS_ON,
    AutoParams,
    comparison_seconds,
    longest_comparison,
    most_unlabelled,
    own_network,
    rival_recipe,
)
from training.config import Recipe, TrainingConfig
from training.data import Images, load_pixels, targets_of
from training.encoders import NetworkSpec, trunks_of
from training.features import load_features
from training.folds import Judged, dealt, splits, spread
from training.hardware import deterministic
from training.loop import fit, predict
from training.network import Network, build
from training.propagation import Graph, Pseudo, pseudo_labels
from training.ridge import Doubles
from training.ridge import fit as fit_head
from training.solving import Head, solve, with_pseudo_labels
from worker_programs.config import ConfigError
from worker_programs.events import Listener
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader
from worker_programs.wording import plural

SOLVED, MOST_REPEATS = 500, 10
"""How many answers of a solved head are enough, and the most repeats of a cross-validation to get them."""
LOOKED_AT = 64
"""Images that are decoded to see whether a set has colours."""

Answer = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.bool_]]
"""From the rows to learn from, and those to judge on, to which of the latter were right."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is trained; `head`: solved for the trunk's frozen features, None where steps train it."""

    network: NetworkSpec
    head: Head | None
    pseudo: list[Sample]
    """Images without a label that steps train on too, with their pseudo-labels."""
    record: dict[str, Any]
    """The choice, its reason and the figures of all candidates, as the run's metrics have it."""


@dataclass(frozen=True, slots=True)
class Data:
    """Labelled samples, samples without a label, and where their bytes are."""

    labelled: Sequence[Sample]
    unlabelled: Sequence[Sample]
    reader: SampleReader


@dataclass(frozen=True, slots=True)
class _Rival:
    """A candidate that is trained step by step."""

    name: str
    architecture: str
    params: dict[str, Any]
    recipe: Recipe
    pseudo: bool = False
    """Whether it is the one before it with pseudo-labels, and has to be better than that too."""


@dataclass
class _Comparison:
    """What is compared, and what is known of the candidates so far."""

    config: TrainingConfig
    params: AutoParams
    recipe: Recipe
    data: Data
    labels: NDArray[np.int64]
    threads: int
    listener: Listener
    networks: dict[str, Network] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def samples(self) -> Sequence[Sample]:
        return self.data.labelled

    @cached_property
    def unlabelled(self) -> list[Sample]:
        """Samples without a label that can get a pseudo-label, whatever their order was."""
        most = most_unlabelled(self.params, len(self.labels))
        return sorted(self.data.unlabelled, key=lambda sample: sample.sha256)[:most]

    def pseudo_labelled(self, pseudo: Pseudo) -> list[Sample]:
        """Samples with their pseudo-labels, each in the form of a label of its class."""
        forms = {int(number): sample.label for number, sample in zip(self.labels, self.samples, strict=True)}
        found = zip(pseudo.rows, pseudo.labels, strict=True)
        return [self.unlabelled[row]._replace(label=forms[int(number)]) for row, number in found]

    @property
    def classes(self) -> int:
        return len(self.config.classes)

    @property
    def device(self) -> str:
        return "cuda" if torch.cuda.is_available() and self.recipe.device != "cpu" else "cpu"

    def places(self, rows: NDArray[np.intp], repeat: int = 0) -> NDArray[np.int64]:
        """The folds of some of the samples; each repeat deals them anew."""
        blobs = [self.samples[row].sha256 for row in rows]
        folds = min(self.params.folds, len(set(blobs)))
        return dealt(self.labels[rows], blobs, folds=folds, seed=self.recipe.seed + repeat)

    def cross_validated(self, rows: NDArray[np.intp], answer: Answer) -> Doubles:
        """How often each of some samples was answered rightly, (n,): few of them are dealt into folds several times, as
        a head is solved in a moment."""
        repeats = max(1, min(MOST_REPEATS, SOLVED // len(rows)))
        right = np.zeros((repeats, len(rows)))
        for repeat in range(repeats):
            for learn, judge in splits(self.places(rows, repeat)):
                right[repeat, judge] = answer(learn, judge)
        means: Doubles = right.mean(axis=0)
        return means

    @cached_property
    def trunks(self) -> list[NetworkSpec]:
        """The frozen trunks that are compared; the first is the default."""
        return trunks_of(self.params.trunks, self.config.encoders)

    def features(self, trunk: NetworkSpec, samples: Sequence[Sample]) -> Doubles:
        """The features of samples by a frozen trunk."""
        network = self.networks.get(trunk.name)
        if network is None:
            network = build(trunk.architecture, trunk.params, classes=self.classes, files=trunk.files)
            self.networks[trunk.name] = network
        if not isinstance(network.head, nn.Linear):
            raise ConfigError({"params.trunks": [f"the head of {trunk.name} is no linear layer: leave it out"]})
        made = load_features(
            samples, self.data.reader, network, threads=self.threads, workers=self.config.workers,
            listener=self.listener, cache=BlobCache.from_env(),
        )  # fmt: skip
        return made.astype(np.float64)

    def judge(self, candidate: Judged) -> Judged:
        """Note what a candidate got right."""
        self.judged.append(candidate)
        low, high = candidate.interval
        self.listener.log(
            f"auto: {candidate.name}: {candidate.accuracy:.1%} of {len(candidate.right):,} labelled images right in "
            f"cross-validation, 95 % interval {low:.1%} to {high:.1%}"
        )
        return candidate

    def leave_out(self, name: str, why: str) -> None:
        """Note why a candidate was not compared."""
        self.left_out[name] = why
        self.listener.log(f"auto: {name} was not compared: {why}")


def choose(
    config: TrainingConfig,
    params: AutoParams,
    recipe: Recipe,
    data: Data,
    *,
    threads: int,
    listener: Listener,
) -> Choice:
    """Choose between frozen trunks, fine-tuning and a network of the images' own size. DataError names a sample that
    cannot be used."""
    started, labels = time.perf_counter(), targets_of(data.labelled, config.classes, config.task)
    at = _Comparison(config, params, recipe, data, labels, threads, listener)
    with deterministic(threads):
        choice = _chosen(at)
    if choice.head is None:
        return choice
    return replace(choice, head=replace(choice.head, seconds=time.perf_counter() - started))


def _chosen(at: _Comparison) -> Choice:
    everything = np.arange(len(at.samples))
    if len({sample.sha256 for sample in at.samples}) < FEWEST or len(np.unique(at.labels)) < 2:
        trunk = at.trunks[0]
        why = f"fewer than {FEWEST} different images, or labels of one class alone, allow no cross-validation"
        head = solve(at.features(trunk, at.samples), at.labels, at.classes)
        reason = f"{_frozen_name(trunk)} is the default: {why}."
        return _frozen_choice(at, trunk, head, None, reason)
    trunk = _best_trunk(at)
    features = at.features(trunk, at.samples)
    plain = best = _judged_frozen(at, trunk, features, everything)
    head = solve(features, at.labels, at.classes)
    if missing := _no_pseudo_labels(at):
        at.leave_out("pseudo-labels", missing)
    else:
        pool = at.features(trunk, at.unlabelled)
        graph = Graph(features, pool)
        judged = _judged_semi_supervised(at, plain, features, pool, graph)
        if judged.likely_beats(plain):
            best, head = judged, with_pseudo_labels(head, features, at.labels, pool, graph, everything)
    base, won, before = best, None, best
    for rival in _rivals(at, trunk):
        judged = _judged_rival(at, rival)
        needed = [base, before] if rival.pseudo else [base]
        if all(judged.likely_beats(one) for one in needed) and judged.accuracy > best.accuracy:
            best, won = judged, rival
        before = judged
    reason = _reason(at, best, base)
    if won is None:
        return _frozen_choice(at, trunk, head, best, reason)
    pseudo = _Shown(at, won).pseudo(everything) if won.pseudo else None
    shares = tuple(pseudo.shares(at.classes).tolist()) if pseudo else ()
    more = at.pseudo_labelled(pseudo) if pseudo else []
    record = _record(at, won.architecture, won.params, best, reason, shares)
    return Choice(NetworkSpec(won.name, won.architecture, won.params), None, more, record)


def _frozen_choice(at: _Comparison, trunk: NetworkSpec, head: Head, best: Judged | None, reason: str) -> Choice:
    record = _record(at, trunk.architecture, trunk.params, best, reason, head.pseudo_shares)
    return Choice(trunk, head, [], record)


def _best_trunk(at: _Comparison) -> NetworkSpec:
    """Return the first trunk, or the best of those that are surely better."""
    first, *others = at.trunks
    if not others:
        return first
    rows = spread(at.labels, count=TRUNKS_ON, seed=at.recipe.seed)
    samples = [at.samples[row] for row in rows]
    base = _judged_frozen(at, first, at.features(first, samples), rows)
    found = [(trunk, _judged_frozen(at, trunk, at.features(trunk, samples), rows)) for trunk in others]
    better = [(trunk, judged) for trunk, judged in found if judged.surely_beats(base)]
    return max(better, key=lambda one: one[1].accuracy, default=(first, base))[0]


def _judged_frozen(at: _Comparison, trunk: NetworkSpec, features: Doubles, rows: NDArray[np.intp]) -> Judged:
    labels, shown = at.labels[rows], _frozen_name(trunk)
    for known in at.judged:
        if known.name == shown and len(known.right) == len(rows):  # all labels were few enough to choose the trunk on
            return known

    def answer(learn: NDArray[np.intp], judge: NDArray[np.intp]) -> NDArray[np.bool_]:
        head = fit_head(features[learn], labels[learn], at.classes)
        right: NDArray[np.bool_] = head.scores(features[judge]).argmax(axis=1) == labels[judge]
        return right

    judged = Judged(shown, at.cross_validated(rows, answer))
    at.judged = [one for one in at.judged if one.name != judged.name]
    return at.judge(judged)


def _no_pseudo_labels(at: _Comparison) -> str | None:
    """Return why pseudo-labels are not compared; None if they are."""
    if at.params.semi_supervised == "never":
        return "`semi_supervised` is never"
    if not most_unlabelled(at.params, len(at.labels)):
        return f"they are for up to {SEMI_SUPERVISED_UP_TO:,} labels"
    return f"fewer than {FEWEST} images have no label" if len(at.unlabelled) < FEWEST else None


def _judged_semi_supervised(at: _Comparison, base: Judged, features: Doubles, pool: Doubles, graph: Graph) -> Judged:
    """Judge the head with pseudo-labels, which in each fold come from the other folds' labels alone."""

    def answer(learn: NDArray[np.intp], judge: NDArray[np.intp]) -> NDArray[np.bool_]:
        known, labels = features[learn], at.labels[learn]
        head = with_pseudo_labels(solve(known, labels, at.classes), known, labels, pool, graph, learn)
        right: NDArray[np.bool_] = head.fit.scores(features[judge]).argmax(axis=1) == at.labels[judge]
        return right

    shown = f"{base.name}, with pseudo-labels for {len(pool):,} images"
    return at.judge(Judged(shown, at.cross_validated(np.arange(len(at.labels)), answer)))


def _rivals(at: _Comparison, trunk: NetworkSpec) -> Iterator[_Rival]:
    """Yield what is trained step by step and can be compared within the time."""
    own = _from_scratch(at)
    found = {f"{trunk.name}, fine-tuned": _fine_tuned(at, trunk), "a network of the images' own size": own}
    if not isinstance(own, str) and not _no_pseudo_labels(at):
        shown = f"{own.name}, with pseudo-labels"
        found[shown] = replace(own, name=shown, pseudo=True)
    for name, rival in found.items():
        if isinstance(rival, str):
            at.leave_out(name, rival)
        elif (seconds := _seconds(at, rival)) > (most := longest_comparison(at.params, len(at.labels))):
            words = (
                f"it takes about {max(1, round(seconds)):,} seconds here, and with {_labels(at)} {most:.0f} are allowed"
            )
            at.leave_out(name, words)
        else:
            yield rival


def _rival(at: _Comparison, name: str, of: str, params: dict[str, Any]) -> _Rival:
    return _Rival(name, of, params, rival_recipe(architecture(of, params), at.config.recipe, task=at.config.task))


def _fine_tuned(at: _Comparison, trunk: NetworkSpec) -> _Rival | str:
    """Return the trunk with all its weights trained, or why it is not."""
    if at.params.fine_tune == "never":
        return "`fine_tune` is never"
    if not hasattr(architecture(trunk.architecture, trunk.params).params, "freeze"):
        return "its weights can't be trained: it has no parameter `freeze`"
    return _rival(at, f"{trunk.name}, fine-tuned", trunk.architecture, {"freeze": False})


def _from_scratch(at: _Comparison) -> _Rival | str:
    """Return the network of the images' own size, or why there is none."""
    if at.params.scratch == "never":
        return "`scratch` is never"
    if len(at.labels) < at.params.scratch_from:
        return f"it needs {at.params.scratch_from:,} labels, and there are {len(at.labels):,}"
    sides = [max(size) for sample in at.samples if (size := sample.upright_size)]
    if not sides:
        return "the manifest does not say how large the images are"
    side = median(sides)
    rows = spread(at.labels, count=LOOKED_AT, seed=at.recipe.seed)
    shown = load_pixels([at.samples[row] for row in rows], at.data.reader, input_size=(3, 32, 32), threads=at.threads)
    found = own_network(side, gray=bool((shown == shown[..., :1]).all()))
    if found is None:
        return f"the images are about {side:.0f} pixels wide or high, more than {SMALL_SIDE}"
    return _rival(at, f"{found[0]} from scratch", *found)


def _seconds(at: _Comparison, rival: _Rival) -> float:
    """Estimate the time of a comparison from its steps."""
    of, on_gpu = architecture(rival.architecture, rival.params), at.device == "cuda"
    return comparison_seconds(
        of, rival.recipe, labels=len(at.labels), folds=at.params.folds, pseudo=rival.pseudo, on_gpu=on_gpu
    )


class _Shown:
    """The pixels that a rival learns from, and pseudo-labels by their likeness."""

    def __init__(self, at: _Comparison, rival: _Rival) -> None:
        self._at, size = at, architecture(rival.architecture, rival.params).input_size
        shown = [*at.samples, *(at.unlabelled if rival.pseudo else [])]
        self._pixels = load_pixels(shown, at.data.reader, input_size=size, threads=at.threads, listener=at.listener)
        self._labelled, self._graph = len(at.samples), None
        if rival.pseudo:
            flat = self._pixels.reshape(len(shown), -1).astype(np.float64)
            self._graph = Graph(flat[: self._labelled], flat[self._labelled :])

    def pseudo(self, rows: NDArray[np.intp]) -> Pseudo | None:
        """Pseudo-labels by some of the labels; None for a rival without."""
        at = self._at
        return pseudo_labels(self._graph, rows, at.labels[rows], at.classes) if self._graph else None

    def pixels(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Some of the labelled images."""
        chosen: NDArray[np.uint8] = self._pixels[rows]
        return chosen

    def images(self, rows: NDArray[np.intp]) -> Images:
        """Some of the labelled images, with those that get a pseudo-label by them."""
        pixels, labels = self._pixels[rows], self._at.labels[rows]
        if (pseudo := self.pseudo(rows)) is not None:
            pixels = np.concatenate([pixels, self._pixels[self._labelled + pseudo.rows]])
            labels = np.concatenate([labels, pseudo.labels])
        return Images(pixels, labels, self._at.config.task)


def _judged_rival(at: _Comparison, rival: _Rival) -> Judged:
    """Train on each fold's rest, and judge on the fold."""
    shown, places = _Shown(at, rival), at.places(np.arange(len(at.samples)))
    right = np.zeros(len(places))
    for number, (learn, judge) in enumerate(splits(places), 1):
        network = build(rival.architecture, rival.params, classes=at.classes, seed=rival.recipe.seed)
        fit(network, shown.images(learn), rival.recipe, threads=at.threads)
        right[judge] = predict(network, shown.pixels(judge))[0].argmax(axis=1) == at.labels[judge]
        at.listener.log(f"auto: {rival.name}: fold {number} of {places.max() + 1} is trained")
    return at.judge(Judged(rival.name, right))


def _frozen_name(trunk: NetworkSpec) -> str:
    return f"{trunk.name}, frozen"


def _reason(at: _Comparison, best: Judged, base: Judged) -> str:
    """Say in one sentence what is trained and why."""
    words = [f"{best.name}: {_figures(best)} in {at.params.folds}-fold cross-validation on {_labels(at)}"]
    if best is not base:
        low, high = (100 * end for end in best.beyond(base))
        words.append(f"likely better than {base.name}, {_figures(base)}, by {low:.1f} to {high:.1f} points")
    others = [one for one in at.judged if one is not best and one is not base]
    words += [f"{one.name}: {_figures(one)}" for one in others]
    words += [f"{name} was not compared: {why}" for name, why in at.left_out.items()]
    return "; ".join(words) + "."


def _labels(at: _Comparison) -> str:
    return plural(len(at.labels), "label")


def _figures(judged: Judged) -> str:
    low, high = judged.interval
    return f"{100 * judged.accuracy:.1f} % right ({100 * low:.1f} to {100 * high:.1f})"


def _record(
    at: _Comparison,
    name: str,
    params: dict[str, Any],
    best: Judged | None,
    reason: str,
    shares: tuple[float, ...] = (),
) -> dict[str, Any]:
    """The choice as a document; says it in the log too."""
    at.listener.log(f"auto: {reason}")
    return {
        "architecture": name,
        "params": params,
        "name": best.name if best else _frozen_name(at.trunks[0]),
        "reason": reason,
        "labels": len(at.labels),
        "folds": at.params.folds if best else None,
        "candidates": [
            {"name": one.name, "accuracy": one.accuracy, "interval": list(one.interval), "labels": len(one.right)}
            for one in at.judged
        ],
        "pseudo_labels": dict(zip(at.config.classes, shares, strict=True)) if shares else {},
        "left_out": [{"name": rival, "why": why} for rival, why in at.left_out.items()],
    }
