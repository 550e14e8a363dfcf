"""Selection beside one pick at a time in NumPy, beside the peers, and beside what the machine can do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from acquisition import Pool, strategy
from acquisition.blocks import by_blocks
from acquisition.registry import Choice, ScoreStrategy
from bench.mining import corpus, meters, naive, peers
from bench.versioning.table import Line, against, show

MEMORY_MB = 512
"""The setting that the million is selected with."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """(rows, dimensions, picks) of each; `badge` and `scores` with classes."""

    k_center: tuple[int, int, int] = (100_000, 512, 1000)
    badge: tuple[int, int, int, int] = (100_000, 512, 10, 500)
    million: tuple[int, int, int] = (1_000_000, 512, 10_000)
    scores: tuple[int, int] = (1_000_000, 1000)
    peer: tuple[int, int, int] = (5000, 512, 100)
    lightly: tuple[int, int, int] = (20_000, 512, 500)
    small: tuple[int, int, int] = (3000, 64, 100)
    uncertainty: tuple[int, int, int] = (100_000, 100, 1000)
    promised: bool = True
    """Small sizes prove nothing."""


QUICK = Sizes(
    (10_000, 64, 200), (10_000, 64, 10, 100), (50_000, 64, 500), (50_000, 100), (1000, 64, 20), (2000, 64, 50),
    (500, 16, 20), (10_000, 10, 100), promised=False,
)  # fmt: skip


def run(*, quick: bool) -> list[Line]:
    """All tables."""
    sizes = QUICK if quick else Sizes()
    with_peers = peers.installed()
    if with_peers:
        print(f"  {peers.names()}")
    lines = k_center(sizes, with_peers=with_peers) + badge(sizes, with_peers=with_peers)
    lines += million(sizes) + scores(sizes)
    if with_peers:
        lines += uncertainty(sizes) + geometry(sizes)
    return lines


def k_center(sizes: Sizes, *, with_peers: bool) -> list[Line]:
    """One at a time, and the peers that have it."""
    rows, dimensions, count = sizes.k_center
    points = corpus.embeddings(rows, dimensions)
    ours, choices = meters.timed(lambda: _select("k_center", Pool(ids=np.arange(rows), embeddings=points), count))
    theirs, picks = meters.timed(lambda: naive.k_center(points, count))
    found = [
        against("one at a time in NumPy", theirs, ours, target=3),
        _same("  of its picks, in order", picks, [choice.row for choice in choices]),
    ]
    if with_peers:
        found += _from_row_0("scikit-activeml CoreSet", "activeml_coreset", sizes.peer, sizes.k_center, ours, target=3)
        found += _from_row_0("LightlyStudio diversity", "lightly_diversity", sizes.lightly, sizes.k_center, ours)
    return _table(f"k-center, {rows:,} x {dimensions}, {count:,} picks (peers: scaled to this work)", found, sizes)


def badge(sizes: Sizes, *, with_peers: bool) -> list[Line]:
    """One draw at a time, and scikit-activeml."""
    rows, dimensions, classes, count = sizes.badge
    points, probabilities = corpus.embeddings(rows, dimensions), corpus.probabilities(rows, classes)
    pool = Pool(ids=np.arange(rows), embeddings=points, probabilities=probabilities)
    ours, _ = meters.timed(lambda: _select("badge", pool, count))
    theirs, _ = meters.timed(lambda: naive.badge(probabilities, points, count))
    found = [against("one at a time in NumPy", theirs, ours, target=10)]
    if with_peers:
        few, wide, picks = sizes.peer
        seconds, _ = peers.call("activeml_badge", rows=few, dimensions=wide, classes=classes, count=picks)
        scaled = seconds * (rows * dimensions * count) / (few * wide * picks)
        found.append(against(f"scikit-activeml, from {few:,} and {picks}", scaled, ours, target=10))
    return _table(
        f"BADGE, {rows:,} x {dimensions} x {classes}, {count:,} picks (peers: scaled to this work)", found, sizes
    )


def million(sizes: Sizes) -> list[Line]:
    """k-center at the size that one at a time can't do: time, memory, and the share of the machine's peak."""
    rows, dimensions, count = sizes.million
    pool = Pool(ids=np.arange(rows), embeddings=corpus.embeddings(rows, dimensions))
    peak = meters.matrix_peak()
    with meters.memory() as grown:
        seconds, choices = meters.timed(lambda: _select("k_center", pool, count, {"memory_mb": MEMORY_MB}))
    rate = 2 * rows * dimensions * count / seconds
    found = [
        against("a product of the same size at the peak", 2 * rows * dimensions * count / peak, seconds, target=0.5),
        Line("  operations per second", f"{peak / 1e9:,.0f} G", f"{rate / 1e9:,.0f} G"),
        Line(
            "  memory beside the pool", f"{MEMORY_MB} MB", f"{grown[0] / 1e6:,.0f} MB", MEMORY_MB * 1e6 / grown[0], 1.0
        ),
        Line("  different picks", f"{count:,}", f"{len({choice.row for choice in choices}):,}"),
    ]
    return _table(
        f"k-center, {rows:,} x {dimensions}, {count:,} picks (before: the machine's peak, and what is allowed)",
        found,
        sizes,
    )


def scores(sizes: Sizes) -> list[Line]:
    """The two usual scores, and NumPy's maximum of each row, beside a plain reading of the same memory."""
    rows, classes = sizes.scores
    values = corpus.probabilities(rows, classes)
    pool = Pool(ids=np.arange(rows), probabilities=values)
    peak = meters.reading_peak(values)

    def line(name: str, run: Callable[[], object], target: float | None) -> Line:
        seconds = meters.best(run, 3)
        rate = values.nbytes / seconds
        return Line(f"{name}, {seconds:.2f} s", f"{peak / 1e9:.1f} GB/s", f"{rate / 1e9:.1f} GB/s", rate / peak, target)

    found = []
    for name in ("entropy", "margin"):
        chosen = strategy(name)
        assert isinstance(chosen, ScoreStrategy)
        found.append(line(name, partial(chosen.scored, pool), 0.8))
    found.append(line("maximum of each row alone", lambda: by_blocks(partial(np.max, axis=1), values), None))
    return _table(f"Scores, {rows:,} x {classes} (before: reading the memory with all cores)", found, sizes)


def uncertainty(sizes: Sizes) -> list[Line]:
    """Entropy and margin of every peer, the choice of the best included."""
    rows, classes, count = sizes.uncertainty
    pool = Pool(ids=np.arange(rows), probabilities=corpus.probabilities(rows, classes))
    found = []
    for name in ("entropy", "margin"):
        ours = meters.best(partial(_select, name, pool, count))
        for peer, title in (("modal", "modAL"), ("activeml", "scikit-activeml"), ("baal", "Baal")):
            seconds, _ = peers.call(f"{peer}_{name}", rows=rows, classes=classes, count=count)
            found.append(against(f"{name}, {title}", seconds, ours))
    return _table(f"Uncertainty, {rows:,} x {classes}, {count:,} picks", found, sizes)


def geometry(sizes: Sizes) -> list[Line]:
    """What only scikit-activeml has beside us; its sizes, because it holds all pairs."""
    rows, dimensions, count = sizes.small
    points = corpus.embeddings(rows, dimensions)
    pool = Pool(ids=np.arange(rows), embeddings=points, classes=[str(number) for number in range(10)])
    found = []
    for name, theirs in (("typiclust", "typiclust"), ("probcover", "probcover"), ("max_herding", "herding")):
        ours = meters.best(partial(_select, name, pool, count), 3)
        seconds, _ = peers.call(f"activeml_{theirs}", rows=rows, dimensions=dimensions, count=count)
        found.append(against(f"{name}, scikit-activeml", seconds, ours))
    return _table(f"Other strategies, {rows:,} x {dimensions}, {count:,} picks", found, sizes)


def _from_row_0(
    title: str,
    method: str,
    small: tuple[int, int, int],
    size: tuple[int, int, int],
    ours: float,
    target: float | None = None,
) -> list[Line]:
    """A peer at a size that it can do, scaled by rows x dimensions x picks; and whether its picks are ours there."""
    rows, dimensions, count = small
    seconds, picks = peers.call(method, rows=rows, dimensions=dimensions, count=count)
    points = corpus.embeddings(rows, dimensions)
    pool = Pool(ids=np.arange(1, rows), embeddings=points[1:], labelled=points[:1])
    mine = [choice.row + 1 for choice in _select("k_center", pool, count)]
    scaled = seconds * np.prod(size) / np.prod(small)
    return [
        against(f"{title}, from {rows:,} and {count}", float(scaled), ours, target=target),
        # Where nothing is promised of a peer it has a tie rule of its own, after which all picks differ.
        _same("  of its picks, in order", picks, mine, target=1.0 if target else None),
    ]


def _table(title: str, lines: list[Line], sizes: Sizes) -> list[Line]:
    if not sizes.promised:
        lines = [replace(line, target=None) for line in lines]
    show(title, lines)
    return lines


def _same(what: str, theirs: list[int], ours: list[int], *, target: float | None = 1.0) -> Line:
    same = sum(one == other for one, other in zip(theirs, ours, strict=True))
    return Line(what, f"{len(theirs):,}", f"{same:,} same", same / len(theirs), target)


def _select(name: str, pool: Pool, count: int, params: Mapping[str, object] | None = None) -> list[Choice]:
    return strategy(name, params).select(pool, count, np.random.default_rng(0))
