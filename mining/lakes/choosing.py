"""The second stage of a scan: the exact choice among what the groups have kept, the reason for each pick, and the
commit that makes samples of the picks."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from django.db import transaction
from numpy.typing import NDArray

from acquisition import strategy
from acquisition.columns import PoolFolder
from acquisition.composer import CONTROL
from blobs.digests import digests_of
from blobs.errors import BlobFault, ImageRefused, StoreUnavailable
from blobs.images import Probed, probe
from blobs.likeness import likenesses
from blobs.models import Blob, StoredObject
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import store
from catalog.busy import locked
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.models import Dataset, Sample, Split, Version
from catalog.versions.commit import head_of
from catalog.versions.pieces import AT_ONCE, prepare
from catalog.versions.rows import save_blobs
from core.errors import MotherlodeError
from core.list_parameters import listed
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.run_program import run_program
from lake import Chosen, Found, Kept, merged
from lake.groups import found
from lakes.models import LakeGroup, LakeScan, ScanKept
from lakes.reading import ref_of, samples_among, table_of
from lakes.scanning import is_random
from lakes.scores import known_scores
from mining_jobs.models import SCORE, MiningJob, Pick
from mining_jobs.scores.files import calibration_of, tempered_thresholds
from mining_jobs.services import put_before_annotators

SHOWN_REFUSED = 1000
MESSAGE = "Brought in from the lake by scan {}"
Probabilities = NDArray[np.floating[Any]]


@dataclass(slots=True)
class Picked:
    """A picked frame, with the reason."""

    frame: Found
    control: bool
    probability: float
    score: float | None = None
    reason: str = CONTROL
    terms: dict[str, float] = field(default_factory=dict)
    said: Any = None  # what the model said of it, calibrated
    blob: Blob | None = None


def choose(scan: LakeScan, context: ShardContext) -> Outcome:
    """Run phase SELECT of a scan. It may be killed and run again: the picks are the same."""
    groups, chosen = _chosen(scan)
    picks = _picks(scan, groups, chosen, context)
    refused = _fetch(picks, context)
    picks = [one for one in picks if one.blob is not None]
    changes = ChangeSet(message=MESSAGE.format(scan.pk))
    author = scan.created_by
    changes.samples = [
        SampleChange(one.frame.key, blob=one.blob, split=Split.POOL, meta=one.frame.meta or None) for one in picks
    ]
    save_blobs(one.blob for one in picks if one.blob is not None)
    head = head_of(scan.dataset)
    there = _without_known(scan.dataset, changes)
    if large := len(changes.samples) > AT_ONCE:
        changes.parent = head.number if head else 0  # nobody added these keys since: the shard runs again if so
    prepared = prepare(scan.dataset, changes, author=author, job=context.job, on_step=lambda *_: context.check())
    stats = _stats(scan) | {"eligible": chosen.eligible, "control": len(chosen.control)}
    stats["copies"] += chosen.same_bytes
    result: dict[str, Any] = {}

    def apply() -> None:
        nonlocal refused
        known = set(there)
        if not large:
            locked(scan.dataset)  # nobody adds these keys meanwhile
            known |= _without_known(scan.dataset, changes)
        refused += [Rejection(key, "sample_known", "key: a sample has it by now") for key in sorted(known)]
        made = prepared.finish()
        refused += made.rejected
        told = stats | {
            "held_out": made.held_out,
            "refused": len(refused),
            "refusals": [one.document() for one in refused[:SHOWN_REFUSED]],
        }
        taken = [one for one in picks if one.frame.key not in {item.key for item in refused}]
        mining = _mining(scan, made.version, taken, told) if made.added and made.version else None
        told |= {"picked": len(taken), "version": made.version.number if mining and made.version else None}
        told |= _queued(scan, mining)
        LakeScan.objects.filter(pk=scan.pk).update(mining=mining, stats=told)
        ScanKept.objects.filter(scan=scan).delete()
        result.update({name: value for name, value in told.items() if name != "refusals"})

    return Outcome(result, apply)


def _without_known(dataset: Dataset, changes: ChangeSet) -> set[str]:
    """Leave out of the changes the keys that samples have by now, and return these."""
    there = samples_among(dataset, [one.key for one in changes.samples])
    changes.samples = [one for one in changes.samples if one.key not in there]
    return there


def _chosen(scan: LakeScan) -> tuple[list[int], Chosen]:
    """Return the groups in the order of their keys, and the places picked from them."""
    groups: list[int] = []
    kept: list[Kept] = []
    for pk, data in scan.kept.order_by("group__last").values_list("group", "data").iterator(chunk_size=64):
        groups.append(pk)
        kept.append(Kept.from_bytes(bytes(data)))
    share = 0.0 if is_random(strategy(scan.strategy, scan.params)) else scan.control
    return groups, merged(kept, count=scan.count, share=share)


def _picks(scan: LakeScan, groups: Sequence[int], chosen: Chosen, context: ShardContext) -> list[Picked]:
    """Return the strategy's picks, best first, then the control arm."""
    at_random = is_random(strategy(scan.strategy, scan.params))
    fair = len(chosen.places) / max(chosen.eligible, 1)
    drawn = len(chosen.control) / max(chosen.eligible, 1)
    own = [(place, False) for place in map(tuple, chosen.places.tolist())]
    wanted = [*own, *((place, True) for place in map(tuple, chosen.control.tolist()))]
    frames = dict(_frames(scan, groups, [place for place, _ in wanted], at_random=at_random, context=context))
    picks = []
    for place, control in wanted:
        frame, said = frames[place]
        chance = drawn if control else fair if at_random else 1.0
        picks.append(Picked(frame, control, chance, said=said))
    best = picks[: len(own)]
    if at_random:
        for one in best:
            one.reason = "random"
    elif best:
        _explain(scan, best, context)
    return sorted(picks, key=lambda one: (one.control, 0.0 if one.score is None else -one.score))


def _frames(
    scan: LakeScan, groups: Sequence[int], places: Sequence[tuple[int, ...]], *, at_random: bool, context: ShardContext
) -> Iterator[tuple[tuple[int, ...], tuple[Found, Any]]]:
    """Yield each place with its frame and the model's calibrated probabilities (None for a random strategy)."""
    by_group: dict[int, list[int]] = {}
    for at, row in sorted(places):
        by_group.setdefault(at, []).append(row)
    for at, rows in by_group.items():
        context.check()
        group = LakeGroup.objects.select_related("blob", "part").get(pk=groups[at])
        said: Sequence[Any] = [None] * len(rows)
        if not at_random:
            probabilities = known_scores(group, scan.model_version).probabilities
            assert probabilities is not None  # noqa: S101 - these rows were scored
            said = list(calibrated(scan, probabilities[rows]))
        for row, frame, one in zip(rows, found(table_of(group), rows), said, strict=True):
            yield (at, row), (frame, one)


def calibrated(scan: LakeScan, probabilities: Probabilities) -> Probabilities:
    """Return the probabilities at the model's temperature, as strategies read them."""
    fitted = calibration_of(scan.model_version)
    outputs = scan.model_version.model.task_type.outputs
    told: Probabilities = outputs.tempered(probabilities, fitted["temperature"] if fitted else 1.0)
    return told


def _explain(scan: LakeScan, picks: Sequence[Picked], context: ShardContext) -> None:
    """Have the acquisition program score these picks again and give the reasons."""
    model = scan.model_version.model
    with tempfile.TemporaryDirectory(prefix="motherlode-scan-") as name:
        folder = Path(name)
        pool = PoolFolder(folder / "pool", model.classes, model.task)
        order = sorted(range(len(picks)), key=lambda at: picks[at].frame.key.encode())  # ids in the order of keys
        pool.write("ids", np.arange(len(picks)))
        pool.write("probabilities", np.stack([picks[at].said for at in order]))
        pool.close()
        config = {
            "pool": str(folder / "pool"), "out": str(folder / "picks.jsonl"), "strategy": scan.strategy,
            "params": scan.params, "count": len(picks), "seed": scan.seed,
        }  # fmt: skip
        run_program("acquisition", config, folder=folder, context=context, tracked=False)
        for line in (folder / "picks.jsonl").read_bytes().splitlines():
            told = orjson.loads(line)
            one = picks[order[told["id"]]]
            one.score, one.reason, one.terms = told["score"], told["reason"][:300], told["terms"]


def _fetch(picks: Sequence[Picked], context: ShardContext) -> list[Rejection]:
    """Read the frames and check them as any incoming image; what is no image, or is gone, is refused. Frames in a pack
    that is about to be deleted are stored again."""
    refs = {ref_of(one.frame): one for one in picks}
    same: dict[str, list[Picked]] = {}
    for one in picks:
        same.setdefault(one.frame.md5, []).append(one)
    lasting = _lasting(ref.key for ref in refs)
    refused: list[Rejection] = []

    def refuse(ref: BlobRef, fault: BlobFault) -> None:
        if isinstance(fault, StoreUnavailable):
            raise fault
        refused.append(Rejection(refs[ref].frame.key, fault.code, str(fault)))

    stored: list[tuple[BlobRef, Probed]] = []
    with PackWriter(store()) as writer:
        anew: list[Probed] = []
        for ref, data in store().get_many(list(refs), on_error=refuse):
            context.check()
            try:
                if digests_of(data).md5 != ref.md5:
                    raise ImageRefused("md5: that in the manifest is not that of its bytes", code="digest_mismatch")
                facts = probe(data)
            except ImageRefused as fault:
                refused.append(Rejection(refs[ref].frame.key, fault.code, fault.message))
                continue
            if ref.key in lasting:
                stored.append((ref, facts))
            else:
                writer.add(data)
                anew.append(facts)
        stored += zip(writer.close(), anew, strict=True)
    alike = likenesses([facts.gray for _, facts in stored])
    for (ref, facts), likeness in zip(stored, alike, strict=True):
        told: dict[str, Any] = {"media_type": facts.media_type, "width": facts.width, "height": facts.height}
        told |= {"phash": likeness.phash, "sketch": likeness.sketch} if likeness else {}
        for one in same[ref.md5]:
            one.blob = Blob.row(ref, **told)
    known = {item.key for item in refused}
    lost = [one.frame.key for one in picks if one.blob is None and one.frame.key not in known]
    return [*refused, *(Rejection(key, "blob_unreadable", "its bytes can't be read") for key in lost)]


def _lasting(keys: Iterator[str]) -> set[str]:
    rows = StoredObject.objects.present().filter(key__in=listed(sorted(set(keys))))
    return set(rows.values_list("key", flat=True))


def _stats(scan: LakeScan) -> dict[str, Any]:
    """Sum up the results of the shards, each counted once: `passed_over` are samples already, `copies` have the
    bytes of another frame of their group or of a labelled sample, `without_value` lack a value that a condition
    compares."""
    names = ("scored", "reused", "passed_over", "copies", "without_value", "quarantined_count")
    totals: dict[str, Any] = dict.fromkeys(names, 0)
    seconds, quarantined = 0.0, list[Mapping[str, Any]]()
    for result in scan.job.shards.filter(phase=SCORE).order_by("index").values_list("result", flat=True).iterator():
        told: Mapping[str, Any] = result or {}
        for name in totals:
            totals[name] += told.get(name, 0)
        seconds += told.get("seconds", 0.0)
        quarantined += told.get("quarantined", [])[: SHOWN_REFUSED - len(quarantined)]
    rate = round(totals["scored"] / seconds, 1) if seconds else None
    return totals | {"score_seconds": round(seconds, 3), "images_per_second": rate, "quarantined": quarantined}


def _mining(scan: LakeScan, version: Version, picks: Sequence[Picked], stats: Mapping[str, Any]) -> MiningJob:
    """Store the picks as a mining job over the version that brought them in."""
    names = ("dataset", "model_version", "strategy", "params", "count", "control", "seed", "job", "created_by")
    told = {name: stats[name] for name in ("scored", "reused", "quarantined", "score_seconds", "images_per_second")}
    counts = {"pool": stats["eligible"], "candidates": stats["eligible"], "picked": len(picks), "barred": 0}
    facts = {name: getattr(scan, name) for name in names}
    mining = MiningJob.objects.create(**facts, version=version, stats=told | counts)
    samples = dict(Sample.objects.filter(dataset=scan.dataset, key__in=[one.frame.key for one in picks])
                   .values_list("key", "pk"))  # fmt: skip
    Pick.objects.bulk_create(
        (
            Pick(
                mining_job=mining,
                rank=rank,
                sample_id=samples[one.frame.key],
                score=one.score,
                terms=one.terms,
                reason=one.reason,
                control=one.control,
                probability=one.probability,
                prediction=_prediction(scan, one),
            )
            for rank, one in enumerate(picks, start=1)
        ),
        batch_size=500,
    )
    return mining


def _prediction(scan: LakeScan, pick: Picked) -> dict[str, Any] | None:
    if pick.said is None or pick.blob is None:
        return None
    model, said = scan.model_version.model, pick.said.tolist()
    size = (pick.blob.width or 1, pick.blob.height or 1)
    outputs = model.task_type.outputs
    answer = outputs.answer(said, model.classes, tempered_thresholds(scan.model_version), size)
    return {**answer, **outputs.shares(said, model.classes), "model": f"{model.name}@{scan.model_version.number}"}


def _queued(scan: LakeScan, mining: MiningJob | None) -> dict[str, str]:
    """Queue the picks for annotators where the scan asked for it; if the queue is refused, return the reason and keep
    the picks."""
    if not scan.queue or mining is None:
        return {}
    try:
        with transaction.atomic():
            put_before_annotators(mining, name=scan.queue, answers_per_task=1, author=scan.created_by)
    except MotherlodeError as fault:
        return {"queue_refused": fault.detail}
    return {"queue": scan.queue}
