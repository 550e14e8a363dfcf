"""Near-duplicates of test samples: found when images are committed, reported, and kept out of train.

Every image's hash is stored in pages, those of test apart from the others, so that a commit searches arrays: its cost
grows with the images it adds, times a few nanoseconds for each existing image. Images with similar hashes count only
after a second look at the pixels (`changes.second_looks`), at most `LOOKS` for an image, and where the test image
resembles most of the set, only when they are as close as re-saved copies are (`duplicates.common_pictures`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from blobs.likeness import SKETCH_BYTES, Gray, Hashes, Rows, closeness, hashes, near, sketches
from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import chunks
from catalog.changes.duplicate_pairs import NearDuplicatePair
from catalog.changes.plan import Plan, Row
from catalog.changes.second_looks import SecondLooks
from catalog.changes.split_counts import NEAR_DUPLICATE
from catalog.duplicates.common_pictures import CommonPictures, background_of
from catalog.duplicates.hash_pages import add_pages, read_page, read_pages
from catalog.models import NearDuplicate, Sample, Split, Version
from catalog.splits.barring import barring, decide, known
from formats import SplitSource

PIXELS = "pixels"
BATCH = 1000
LOOKS = 4
"""How many candidates, those with the closest sketches, get a second look; a copy is practically always the first."""
_PAIRS = 1 << 14
_KEPT_SKETCHES = 200_000


class _Images(Protocol):
    """Pictures by index: their hashes, their sketches with whether each is still current, and their samples."""

    hashes: Hashes

    def sketches(self, places: Rows) -> tuple[NDArray[np.bool_], Gray]: ...

    def sample(self, place: int) -> tuple[Sample, str]: ...

    def ref(self, place: int) -> BlobRef: ...


class _CommitImages:
    """Images of the commit."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.hashes = hashes([_blob(row).phash for row in rows])

    def sketches(self, places: Rows) -> tuple[NDArray[np.bool_], Gray]:
        return np.ones(len(places), bool), sketches([bytes(_blob(self.rows[place]).sketch or b"") for place in places])

    def sample(self, place: int) -> tuple[Sample, str]:
        return self.rows[place].sample, ""

    def ref(self, place: int) -> BlobRef:
        return _blob(self.rows[place]).ref


@dataclass(frozen=True, slots=True)
class _Fact:
    """The image of a sample at the head."""

    key: str
    split: str
    phash: int
    sketch: bytes
    ref: BlobRef


class _HeadImages:
    """Images of the head, in test or outside it, from the pages, checked against the head's rows.

    Samples that the commit changes are left out: they are in `_CommitImages`.
    """

    def __init__(self, plan: Plan, *, test: bool, some: bool = False) -> None:
        self._head: Version | None = plan.head
        self._test = test
        self._touched = {row.sample.pk for row in plan.rows if row.sample.pk}
        self._facts: dict[int, _Fact | None] = {}
        self.ids, self.hashes = read_page(plan.head) if some else read_pages(plan.head, test=test)

    def sketches(self, places: Rows) -> tuple[NDArray[np.bool_], Gray]:
        ids, values = self.ids[places].tolist(), self.hashes[places].astype(np.int64).tolist()
        self._load(set(ids))
        found = [self._facts[sample] for sample in ids]
        # The page may have an image that the sample no longer has.
        here = [fact is not None and fact.phash == value for fact, value in zip(found, values, strict=True)]
        return np.array(here, bool), sketches([fact.sketch if fact else bytes(SKETCH_BYTES) for fact in found])

    def sample(self, place: int) -> tuple[Sample, str]:
        fact = self._fact(place)
        return Sample(pk=int(self.ids[place]), key=fact.key), fact.split

    def ref(self, place: int) -> BlobRef:
        return self._fact(place).ref

    def _fact(self, place: int) -> _Fact:
        pk = int(self.ids[place])
        self._load({pk})
        fact = self._facts[pk]
        assert fact is not None  # noqa: S101 - what the head does not confirm is not a candidate
        return fact

    def _load(self, ids: set[int]) -> None:
        if len(self._facts) > _KEPT_SKETCHES:
            self._facts.clear()
        missing = sorted(ids - self._facts.keys())
        self._facts |= dict.fromkeys(missing)
        if self._head is None:
            return
        rows = self._head.revisions.exclude(blob__sketch=None)
        rows = rows.filter(split=Split.TEST) if self._test else rows.exclude(split=Split.TEST)
        places = ("blob__md5", "blob__sha256", "blob__size", "blob__key", "blob__offset")
        names = ("sample_id", "sample__key", "split", "blob__phash", "blob__sketch", *places)
        for wanted in chunks(sample for sample in missing if sample not in self._touched):
            for sample, key, split, phash, sketch, *place in rows.filter(sample__in=wanted).values_list(*names):
                self._facts[sample] = _Fact(key, split, phash, bytes(sketch), BlobRef(*place))


def exclude_from_train(plan: Plan, *, looks: SecondLooks, restores: bool = False) -> None:
    """Find near-duplicates among the images that the plan adds, and move them from train to pool unless it allows them.

    Those already in train are reported and stay there. With `restores`, those that were allowed before stay too.
    """
    bring = [row for row in plan.rows if _is_new(row)]
    tests = [row for row in bring if row.after and row.after.split == Split.TEST]
    others = [row for row in bring if row.after and row.after.split != Split.TEST]
    sides: list[_Images] = [_CommitImages(tests), _HeadImages(plan, test=True)]
    common = _common(plan, bring, sides)
    found = _new_near_duplicates(_CommitImages(others), sides, looks, common) if others else {}
    if restores:
        found = _not_allowed(plan, found)
    there = _head_near_duplicates(_HeadImages(plan, test=False), _CommitImages(tests), looks, common) if tests else []
    plan.result.likeness = common.document()
    known = _known_before(plan, {id(others[place]) for place in found})
    if not plan.allows:
        _demote(plan, [*(others[place] for place in found), *(row for row, _ in known)])
    plan.near_duplicates = [*(_with_split(pair, others[place]) for place, pair in found.items()), *there]
    plan.allowed = [old for _, old in known] if plan.allows else []
    once = {
        row.sample.pk: _with_split(NearDuplicatePair(row.sample, old.of, old.distance, ""), row) for row, old in known
    }
    plan.result.near_duplicates = [pair.document() for pair in [*plan.near_duplicates[: len(found)], *once.values()]]
    plan.result.leaks = [pair.document() for pair in there if pair.split != Split.POOL]


def keep_hashes(plan: Plan, rows: Sequence[Row]) -> None:
    """Save the hashes of the images that these rows add, once their samples have ids."""
    bring = [row for row in rows if _is_new(row)]
    for test in (True, False):
        side = [row for row in bring if row.after and (row.after.split == Split.TEST) is test]
        samples = np.array([row.sample.pk for row in side], np.int64)
        add_pages(plan.dataset, samples, hashes([_blob(row).phash for row in side]), test=test)


def keep_pairs(plan: Plan, rows: Sequence[Row]) -> None:
    """Save the near-duplicates among the new samples of these rows. A sample of test is to be written before those that
    are like it."""
    if not plan.near_duplicates:
        return
    new = {id(row.sample) for row in rows if row.before is None}
    _save_pairs(plan, [pair for pair in plan.near_duplicates if id(pair.sample) in new])


@dataclass(frozen=True, slots=True)
class LatePairs:
    """What a plan changes about near-duplicates of samples that were there: samples whose image changed, pairs to save,
    and earlier ones that are allowed now."""

    changed: Sequence[int]
    pairs: Sequence[NearDuplicatePair]
    allowed: Sequence[NearDuplicate]


def late_pairs(plan: Plan) -> LatePairs:
    """Return what `settle_pairs` is to write, once all rows of the plan are written."""
    changed = {
        row.sample.pk for row in plan.rows if row.before and _is_new(row) and row.before.blob_id != _blob(row).pk
    }
    if changed:
        known = NearDuplicate.objects.filter(dataset=plan.dataset, found_by=PIXELS, since__lt=plan.number)
        changed &= {pk for pair in known.values_list("sample_id", "of_id") for pk in pair}
    new = {id(row.sample) for row in plan.rows if row.before is None} if plan.near_duplicates else set()
    pairs = [pair for pair in plan.near_duplicates if id(pair.sample) not in new]
    return LatePairs(sorted(changed), pairs, plan.allowed)


def settle_pairs(plan: Plan, late: LatePairs) -> None:
    """Write these changes of near-duplicates. Those of a sample that has another image now no longer count."""
    for ids in chunks(late.changed):
        earlier = NearDuplicate.objects.filter(dataset=plan.dataset, found_by=PIXELS, since__lt=plan.number)
        earlier.filter(Q(sample__in=ids) | Q(of__in=ids)).delete()
    _save_pairs(plan, late.pairs)
    decide(plan.dataset, late.allowed, allowed=True)


def _save_pairs(plan: Plan, pairs: Sequence[NearDuplicatePair]) -> None:
    if not pairs:
        return
    facts = {"dataset": plan.dataset, "found_by": PIXELS, "allowed": plan.allows, "since": plan.number}
    rows = [
        NearDuplicate(sample_id=pair.sample.pk, of_id=pair.of.pk, distance=pair.distance, confirmed=True, **facts)
        for pair in pairs
    ]
    save_near_duplicates(rows, decided=True)


def save_near_duplicates(rows: Sequence[NearDuplicate], *, decided: bool) -> None:
    """Save near-duplicates. Existing rows with the same `found_by` are updated; their `allowed` only with `decided`."""
    NearDuplicate.objects.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["dataset", "sample", "found_by"],
        update_fields=["of", "distance", "since", "confirmed", *(["allowed"] if decided else [])],
    )


def _is_new(row: Row) -> bool:
    """Whether the row adds an image, or moves one into test or out of it."""
    before, after = row.before, row.after
    if after is None or after.blob.phash is None:
        return False
    if before is None or before.blob.md5 != after.blob.md5:
        return True
    return (after.split == Split.TEST) != (before.split == Split.TEST)


def _blob(row: Row) -> Blob:
    assert row.after is not None  # noqa: S101 - only rows that bring an image come here
    return row.after.blob


def _with_split(pair: NearDuplicatePair, row: Row) -> NearDuplicatePair:
    """Return the pair with the split of the row after the commit."""
    assert row.after is not None  # noqa: S101 - only rows that bring or keep an image come here
    return NearDuplicatePair(pair.sample, pair.of, pair.distance, row.after.split)


def _common(plan: Plan, bring: Sequence[Row], tests: Sequence[_Images]) -> CommonPictures:
    """Return the judge of likeness to test images of the plan."""
    compared = sum(len(side.hashes) for side in tests)
    if not compared:
        return CommonPictures(background_of([], seed=0), 0)
    head = [tests[1], _HeadImages(plan, test=False, some=True)]
    return CommonPictures(background_of([_CommitImages(bring), *head], seed=plan.number), compared)


def _new_near_duplicates(
    coming: _CommitImages, tests: Sequence[_Images], looks: SecondLooks, common: CommonPictures
) -> dict[int, NearDuplicatePair]:
    """Map indices in `coming` to a pair with the most similar test image."""
    best = _Best()
    for side in tests:

        def copies(ours: Rows, theirs: Rows, left: Gray, right: Gray, tests: _Images = side) -> NDArray[np.bool_]:
            return common.copies(tests, theirs, right, coming, ours, left)

        for place, other, distance, close in _pairs(coming, side, copies):
            best.add(place, (close, distance, other, side))
    return {
        place: NearDuplicatePair(coming.sample(place)[0], side.sample(other)[0], distance, "")
        for place, (_, distance, other, side) in best.confirmed(coming.ref, looks).items()
    }


def _head_near_duplicates(
    there: _HeadImages, tests: _CommitImages, looks: SecondLooks, common: CommonPictures
) -> list[NearDuplicatePair]:
    """Return samples of the head outside test, each paired with the most similar of the added test images."""
    best = _Best()
    first: dict[int, int] = {}  # by sample: pages have a sample twice if it returned to an earlier image

    def copies(ours: Rows, theirs: Rows, left: Gray, right: Gray) -> NDArray[np.bool_]:
        return common.copies(tests, ours, left, there, theirs, right)

    for place, other, distance, close in _pairs(tests, there, copies):
        if first.setdefault(int(there.ids[other]), other) == other:
            best.add(other, (close, distance, place, tests))
    found = []
    for other, (_, distance, place, _) in best.confirmed(there.ref, looks).items():
        sample, split = there.sample(other)
        found.append(NearDuplicatePair(sample, tests.sample(place)[0], distance, split))
    return found


_Copies = Callable[[Rows, Rows, Gray, Gray], NDArray[np.bool_]]  # which pairs of indices and sketches may be copies
_Candidate = tuple[float, int, int, _Images]  # closeness of the sketches, bits that differ, index, images it is in


class _Best:
    """The `LOOKS` closest candidates of each picture."""

    def __init__(self) -> None:
        self._candidates: dict[int, list[_Candidate]] = {}

    def add(self, place: int, candidate: _Candidate) -> None:
        held = self._candidates.setdefault(place, [])
        held.append(candidate)
        if len(held) > 2 * LOOKS:
            _closest_first(held)

    def confirmed(self, ref: Callable[[int], BlobRef], looks: SecondLooks) -> dict[int, _Candidate]:
        """Map indices to the closest candidate that shows the same picture at a second look."""
        found: dict[int, _Candidate] = {}
        for held in self._candidates.values():
            _closest_first(held)
        for turn in range(LOOKS):
            asked = [
                (place, held[turn])
                for place, held in self._candidates.items()
                if turn < len(held) and place not in found
            ]
            shown = looks.same([(ref(place), side.ref(other)) for place, (_, _, other, side) in asked])
            found |= {place: candidate for (place, candidate), yes in zip(asked, shown, strict=True) if yes}
        return dict(sorted(found.items()))


def _closest_first(held: list[_Candidate]) -> None:
    held.sort(key=lambda candidate: (-candidate[0], candidate[1]))
    del held[LOOKS:]


def _pairs(left: _Images, right: _Images, copies: _Copies) -> Iterator[tuple[int, int, int, float]]:
    """Yield (index in left, index in right, bits that differ, closeness of the sketches) of possible duplicates."""
    for one, other, distance in near(left.hashes, right.hashes):
        for at in range(0, len(one), _PAIRS):
            part = slice(at, at + _PAIRS)
            ours, theirs, bits = one[part], other[part], distance[part]
            here, shapes = right.sketches(theirs)
            own = left.sketches(ours)[1]
            close = np.where(here, closeness(own, shapes), 0)
            shown = np.flatnonzero(close)
            shown = shown[copies(ours[shown], theirs[shown], own[shown], shapes[shown])] if len(shown) else shown
            columns = (ours[shown], theirs[shown], bits[shown], close[shown])
            yield from zip(*(column.tolist() for column in columns), strict=True)


def _known_before(plan: Plan, fresh: set[int]) -> list[tuple[Row, NearDuplicate]]:
    """Return the rows that would enter train with an image already known as a near-duplicate, with that record."""
    if plan.head is None:
        return []
    moving = {row.sample.pk: row for row in plan.rows if row.sample.pk and _enters_train(row) and id(row) not in fresh}
    found: list[tuple[Row, NearDuplicate]] = []
    for ids in chunks(pk for pk, row in moving.items() if not row.before or not _is_new(row)):
        rows = barring(plan.head).filter(sample__in=ids)
        rows = rows.select_related("of").order_by("sample_id", "pk")
        found += ((moving[old.sample_id], old) for old in rows)
    return found


def _not_allowed(plan: Plan, found: Mapping[int, NearDuplicatePair]) -> dict[int, NearDuplicatePair]:
    """Filter `found` to the pairs that nobody has allowed."""
    allowed: set[tuple[int, int]] = set()
    if plan.head is not None:
        for ids in chunks(pair.sample.pk for pair in found.values() if pair.sample.pk):
            rows = known(plan.head).filter(sample__in=ids, allowed=True)
            allowed |= set(rows.values_list("sample_id", "of_id"))
    return {place: pair for place, pair in found.items() if (pair.sample.pk, pair.of.pk) not in allowed}


def _enters_train(row: Row) -> bool:
    was = row.before.split if row.before else None
    return row.after is not None and row.after.split == Split.TRAIN != was


def _demote(plan: Plan, rows: Iterable[Row]) -> None:
    """Move rows that would enter train to pool; drop rows that then change nothing."""
    idle = set()
    for row in rows:
        before, after = row.before, row.after
        if after is None or not _enters_train(row):
            continue
        after.split = Split.POOL
        row.source = SplitSource(NEAR_DUPLICATE)
        plan.result.held_out += 1
        plan.result.held_out_labelled += after.label is not None
        if before is not None and before.says_the_same(after):
            idle.add(id(row))
    plan.rows = [row for row in plan.rows if id(row) not in idle]
    plan.result.updated -= len(idle)
    plan.result.unchanged += len(idle)
