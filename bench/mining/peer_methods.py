"""`python -m bench.mining.peer_methods METHOD SIZES`: one call of a peer, timed without its imports; run by `peers`.

Row 0 is labelled for the methods that want a label. Classifiers cost nothing: they know the corpus's probabilities.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bench.mining import corpus


class Known:
    """modAL's estimator: it has the probabilities already."""

    def __init__(self, probabilities: corpus.Array) -> None:
        self._probabilities = probabilities

    def predict_proba(self, _: object) -> corpus.Array:
        return self._probabilities


def _classifier(probabilities: corpus.Array) -> Any:
    """scikit-activeml's, for samples whose first column is their row."""
    base = importlib.import_module("skactiveml.base").SkactivemlClassifier

    class Certain(base):  # type: ignore[misc, valid-type]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: ARG002, N803 - the peer's names
            self._validate_data(X, y)
            return self

        def predict_proba(self, X: Any) -> Any:  # noqa: N803 - the peer's name
            return probabilities[: len(X)]

    classes = probabilities.shape[1]
    return Certain(classes=list(range(classes))).fit(np.zeros((classes, 2)), np.arange(classes))


def _labels(rows: int) -> Any:
    labels = np.full(rows, np.nan)
    labels[0] = 0
    return labels


def activeml_geometry(name: str, sizes: dict[str, int], **extra: object) -> Callable[[], Iterable[int]]:
    """CoreSet, TypiClust, ProbCover, MaxHerding of scikit-activeml."""
    strategy = getattr(importlib.import_module("skactiveml.pool"), name)(random_state=0, **extra)
    points, labels = corpus.embeddings(sizes["rows"], sizes["dimensions"]), _labels(sizes["rows"])
    return lambda: strategy.query(points, labels, batch_size=sizes["count"])


def activeml_badge(sizes: dict[str, int]) -> Callable[[], Iterable[int]]:
    """scikit-activeml's BADGE."""
    strategy = importlib.import_module("skactiveml.pool").Badge(random_state=0)
    points, labels = corpus.embeddings(sizes["rows"], sizes["dimensions"]), _labels(sizes["rows"])
    classifier = _classifier(corpus.probabilities(sizes["rows"], sizes["classes"]))
    return lambda: strategy.query(points, labels, classifier, fit_clf=False, batch_size=sizes["count"])


def activeml_uncertainty(method: str, sizes: dict[str, int]) -> Callable[[], Iterable[int]]:
    """scikit-activeml's uncertainty sampling."""
    strategy = importlib.import_module("skactiveml.pool").UncertaintySampling(method=method, random_state=0)
    classifier = _classifier(corpus.probabilities(sizes["rows"], sizes["classes"]))
    points, labels = np.zeros((sizes["rows"], 2)), np.full(sizes["rows"], np.nan)
    return lambda: strategy.query(points, labels, classifier, fit_clf=False, batch_size=sizes["count"])


def modal(function: str, sizes: dict[str, int]) -> Callable[[], Iterable[int]]:
    """modAL's uncertainty measures."""
    known = Known(corpus.probabilities(sizes["rows"], sizes["classes"]))
    measure = getattr(importlib.import_module("modAL.uncertainty"), function)
    pool = np.zeros((sizes["rows"], 1))
    return lambda: np.ravel(measure(known, pool, n_instances=sizes["count"])[0])


def baal(heuristic: str, sizes: dict[str, int]) -> Callable[[], Iterable[int]]:
    """Baal's heuristics."""
    measure = getattr(importlib.import_module("baal.active.heuristics"), heuristic)()
    values = corpus.probabilities(sizes["rows"], sizes["classes"])[..., None]
    return lambda: np.asarray(measure(values))[: sizes["count"]]


def lightly(sizes: dict[str, int]) -> Callable[[], Iterable[int]]:
    """LightlyStudio's diversity, row 0 selected before."""
    selection = importlib.import_module("lightly_mundig").Selection()
    points = corpus.embeddings(sizes["rows"], sizes["dimensions"])

    def run() -> list[int]:
        selection.add_diversifying_strategy(points, 1.0)
        picked: list[int] = selection.run_selection([0], len(points), sizes["count"] + 1)
        return picked[1:]

    return run


METHODS: dict[str, Callable[[dict[str, int]], Callable[[], Iterable[int]]]] = {
    "activeml_coreset": lambda sizes: activeml_geometry("CoreSet", sizes),
    "activeml_typiclust": lambda sizes: activeml_geometry("TypiClust", sizes),
    "activeml_probcover": lambda sizes: activeml_geometry("ProbCover", sizes, n_classes=10),
    "activeml_herding": lambda sizes: activeml_geometry("MaxHerding", sizes),
    "activeml_badge": activeml_badge,
    "activeml_entropy": lambda sizes: activeml_uncertainty("entropy", sizes),
    "activeml_margin": lambda sizes: activeml_uncertainty("margin_sampling", sizes),
    "modal_entropy": lambda sizes: modal("entropy_sampling", sizes),
    "modal_margin": lambda sizes: modal("margin_sampling", sizes),
    "baal_entropy": lambda sizes: baal("Entropy", sizes),
    "baal_margin": lambda sizes: baal("Margin", sizes),
    "lightly_diversity": lightly,
}

if __name__ == "__main__":
    run = METHODS[sys.argv[1]](json.loads(sys.argv[2]))
    started = time.perf_counter()
    picked = [int(row) for row in run()]
    print(json.dumps({"seconds": time.perf_counter() - started, "rows": picked}))
