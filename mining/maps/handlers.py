"""How a map is made: score the samples without scores, shard by shard, then lay all samples out."""

import tempfile
from array import array
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from blobs.likeness import sketches
from catalog.models import RevisionQuerySet, Split, Version
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from maps.models import EmbeddingMap, MapPoints
from maps.points import NONE, UNIQUENESS, digest_of, packed
from maps.services import SCORE
from mining_jobs.picks.pools import AT_ONCE
from mining_jobs.scores.backbone import backbone, made_backbone
from mining_jobs.scores.files import calibration_of, table_alone, table_of
from mining_jobs.scores.shards import score_alone, score_rows
from registry.models import ModelVersion
from scoring.table import ScoreTable
from scoring.table import packed as packed_digests

SPLITS = {name: index for index, name in enumerate(Split.values)}


Columns = dict[str, NDArray[Any]]


class MapHandler:
    """Phase SCORE runs the model or the backbone over a range of samples, phase PLACE lays all of them out."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of either phase; it may be killed and run again."""
        related = ("version__dataset", "model_version__model", "job")
        made = EmbeddingMap.objects.select_related(*related).get(job=context.job)
        if made.by_pixels or context.claim.shard.phase != SCORE:
            return _place(made, context)
        span = context.params
        rows = made.version.revisions.filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
        if made.model_version is None:
            return score_alone(rows, made_backbone(context), context)
        return score_rows(rows, made.model_version, context)


def _place(made: EmbeddingMap, context: ShardContext) -> Outcome:
    erased = made.version.erased
    with tempfile.TemporaryDirectory(prefix="motherlode-map-") as name:
        folder = Path(name)
        columns, left_out, width = _write_vectors(made, folder / "vectors.npy", context)
        config = {
            "vectors": str(folder / "vectors.npy"),
            "out": str(folder / "points.npz"),
            "layout": {"method": made.method, "seed": made.seed},
        }
        result = run_program("projection", config, folder=folder, context=context)
        with np.load(folder / "points.npz", allow_pickle=False) as made_of:
            columns |= {"xy": made_of["points"], UNIQUENESS: made_of["uniqueness"]}
    told = {name: result[name] for name in ("components", "variance", "landmarks", "compared", "seconds")}
    told |= {"width": width, "left_out": left_out}
    model = made.model_version
    facts = {"told": told, "columns": list(columns), "classes": made.version.dataset.classes}
    facts["predicted"] = model.model.classes if model else None
    return Outcome(told | {"count": len(columns["sample"])}, lambda: _keep(made, columns, facts, erased))


def _keep(made: EmbeddingMap, columns: Columns, facts: dict[str, Any], erased: int) -> None:
    """Store the rows of the map. Raises SampleErased if a sample was erased while it was made: then it is made anew."""
    version = Version.objects.select_for_update().get(pk=made.version_id)  # erasing writes to it
    if version.erased != erased:
        raise SampleErased(f"samples of {made.version} were erased while it was mapped")
    EmbeddingMap.objects.filter(pk=made.pk).update(facts=facts)
    data = packed(columns)
    MapPoints.objects.create(map=made, count=len(columns["sample"]), digest=digest_of(data), data=data)


class SampleErased(Exception):  # noqa: N818 - not an error: the shard is tried again
    """A sample was erased after its data was read."""


def _write_vectors(made: EmbeddingMap, path: Path, context: ShardContext) -> tuple[Columns, int, int]:
    """Write the vectors to lay out; return the columns of their samples, the number of samples left out, and the
    vectors' width."""
    rows = made.version.revisions
    write = _write_sketches if made.by_pixels else _write_embeddings
    columns = write(made, path, context)
    if columns is None or not len(columns["sample"]):
        raise ShardFailed("no image of this version could be read, or none shows anything", code="nothing_to_map")
    width = np.load(path, mmap_mode="r", allow_pickle=False).shape[1]
    return columns, rows.count() - len(columns["sample"]), width


def _write_embeddings(made: EmbeddingMap, path: Path, context: ShardContext) -> Columns | None:
    """Write the embeddings of the samples that the model or the backbone has scores of; return their columns, with the
    model's calibrated predictions."""
    columns, digests = _facts(made, made.version.revisions, "blob__md5", context)
    if made.model_version is not None:
        table = table_of(made.model_version)
    else:
        network = backbone()
        assert network is not None  # noqa: S101 - the phase before this one made it
        table = table_alone(network)
    places = table.rows(packed_digests(digests))
    columns = {name: values[places >= 0] for name, values in columns.items()}
    places = places[places >= 0]
    if not len(places):
        return None
    shape = (len(places), table.embedding_of(places[:1]).shape[1])
    vectors = open_memmap(path, "w+", dtype=np.float16, shape=shape)
    for at in range(0, len(places), AT_ONCE):
        context.check()
        block = slice(at, at + AT_ONCE)
        vectors[block] = table.embedding_of(places[block])
    return columns | (_predictions(made.model_version, table, places) if made.model_version else {})


def _predictions(version: ModelVersion, table: ScoreTable, places: NDArray[np.intp]) -> Columns:
    """Return the columns of the model's calibrated predictions of these rows of its scores."""
    outputs, fitted = version.model.task_type.outputs, calibration_of(version)
    predicted, confidence = np.empty(len(places), np.uint16), np.empty(len(places), np.uint8)
    for at in range(0, len(places), AT_ONCE):
        block = slice(at, at + AT_ONCE)
        told = outputs.tempered(table.probabilities_of(places[block]), fitted["temperature"] if fitted else 1.0)
        likeliest, share = outputs.likeliest(told)
        predicted[block], confidence[block] = likeliest, np.rint(share * 255)
    return {"predicted": predicted, "confidence": confidence}


def _write_sketches(made: EmbeddingMap, path: Path, context: ShardContext) -> Columns | None:
    """Write the sketches, 16 x 16 gray pixels, of the samples whose images show anything; return the samples'
    columns."""
    rows = made.version.revisions.exclude(blob__sketch=None)
    columns, kept = _facts(made, rows, "blob__sketch", context)
    if not kept:
        return None
    np.save(path, sketches([bytes(sketch) for sketch in kept]), allow_pickle=False)
    return columns


def _facts(made: EmbeddingMap, rows: RevisionQuerySet, more: str, context: ShardContext) -> tuple[Columns, list[Any]]:
    """Return what the catalog knows of samples, by id: `sample`, `class`, `split`; and one more column."""
    index = {name: place for place, name in enumerate(made.version.dataset.classes)}
    ids, classes, splits, others = array("q"), array("H"), array("B"), []
    counts = made.version.dataset.task_type.labels.class_counts
    query = rows.order_by("sample_id").values_list("sample_id", "label__value", "split", more)
    for at, (sample, label, split, other) in enumerate(query.iterator(chunk_size=AT_ONCE)):
        if at % AT_ONCE == 0:
            context.check()
        named = list(counts(label)) if label else []
        ids.append(sample)
        classes.append(index.get(named[0], NONE) if len(named) == 1 else NONE)
        splits.append(SPLITS[split])
        others.append(other)
    found = {"sample": np.array(ids), "class": np.array(classes), "split": np.array(splits)}
    return found, others
