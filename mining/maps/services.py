"""The rules of embedding maps, which place samples in the plane by embeddings or by the pixels of the images: start
one, find one."""

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from catalog.models import Dataset, Version
from core.errors import Invalid, NotFound, TooManyAtOnce
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from maps.models import EmbeddingMap, MapPoints
from maps.points import UNIQUENESS
from mining_jobs.scores.backbone import BACKBONE
from mining_jobs.scores.spans import sample_spans
from registry.models import ModelVersion
from registry.services import check_together

SCORE, PLACE = 0, 1
"""The phases of a map; one by pixels has only the second."""
PIXELS_NAME = "16 x 16 gray pixels"
MOST_OPEN = 4
"""Most unfinished maps of one person: every seed makes a different one."""


@transaction.atomic
def start_map(
    version: Version, model_version: ModelVersion | None, *, features: str, method: str, seed: int, author: User
) -> EmbeddingMap:
    """Create a queued map of a version, by a model or else by these `features`; samples without embeddings are embedded
    first. The caller wakes its job.

    Raises Invalid for an empty version, TooManyAtOnce for a person with MOST_OPEN unfinished maps.
    """
    refuse_archived(version.dataset)
    if model_version is not None:
        check_together(model_version.model, version.dataset)
    _refuse_too_many(author)
    spans = sample_spans(version.revisions)
    if not spans:
        raise Invalid.field("version", f"{version} has no samples: commit some first", code="version_empty")
    total = sum(units for _, units in spans)
    facts = {"method": method, "seed": seed, "features": features, "created_by": author}
    made = EmbeddingMap(dataset=version.dataset, version=version, model_version=model_version, **facts)
    scoring = [] if made.by_pixels else [ShardSpec(span, units=units, phase=SCORE) for span, units in spans]
    made.job = create_job(
        "map",
        f"Map {version} by {features_name(made)}"[:200],
        shards=[*scoring, ShardSpec(phase=PLACE, units=total)],
        unit="samples",
        created_by=author,
        project=version.dataset.project_id,
    )
    made.save()
    return made


def features_name(made: EmbeddingMap) -> str:
    """Return the displayed name of what its samples are compared by."""
    if made.model_version is not None:
        return f"{made.model_version.model.name}@{made.model_version.number}"
    return PIXELS_NAME if made.by_pixels else BACKBONE


def _refuse_too_many(author: User) -> None:
    under_way = Job.objects.filter(kind="map", created_by=author, state__in=Job.OPEN).count()
    if under_way >= MOST_OPEN:
        raise TooManyAtOnce(
            f"{under_way} maps that you asked for are not finished, and no more are made for one person at a time: "
            "wait for one of them, or cancel its job"
        )


def maps_of(dataset: Dataset) -> QuerySet[EmbeddingMap]:
    """Return all maps of a dataset, with what their documents show."""
    rows = EmbeddingMap.objects.filter(dataset=dataset)
    return rows.select_related("dataset", "version", "model_version__model", "job", "points").defer("points__data")


def find_map(dataset: Dataset, pk: int) -> EmbeddingMap:
    """Return a map of a dataset. Raises NotFound."""
    found = maps_of(dataset).filter(pk=pk).first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no map {pk}.", code="map_unknown")
    return found


def made_before(
    version: Version, model: ModelVersion | None, *, features: str, method: str, seed: int
) -> EmbeddingMap | None:
    """Return the same map if it exists, finished or running: its inputs never change. A map made before uniqueness was
    measured does not count."""
    rows = maps_of(version.dataset).filter(version=version, model_version=model, method=method, seed=seed)
    if model is None:
        rows = rows.filter(features=features)
    found = rows.exclude(job__state__in=[Job.State.FAILED, Job.State.CANCELLED]).order_by("-pk").first()
    return found if found is None or UNIQUENESS in found.facts.get("columns", [UNIQUENESS]) else None


def is_known(made: EmbeddingMap, tags: str) -> bool:
    """Whether the caller's ETags name the current points; does not read the points."""
    points = getattr(made, "points", None)
    return points is not None and f'"{points.digest}"' in tags


def points_of(made: EmbeddingMap) -> MapPoints | None:
    """Return the points of a map, None until it is made."""
    return MapPoints.objects.filter(map=made).first()
