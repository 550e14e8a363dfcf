"""Mining jobs and picks as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.models import Sample
from core.list_parameters import listed
from jobs.documents import job_documents
from jobs.needs import NOTHING
from jobs.services import first_shards
from mining_jobs.models import SCORE, MiningJob, Pick
from mining_jobs.picks.candidates import similar_document
from mining_jobs.scores.files import calibration_of
from mining_jobs.scores.progress import scoring_progress


def mining_document(job: MiningJob) -> dict[str, Any]:
    """A mining job with the current state of its job."""
    return mining_documents([job])[0]


def mining_documents(mining: Sequence[MiningJob]) -> list[dict[str, Any]]:
    """Mining jobs with the current states of their jobs; `job`, `queue` and the versions with their names must be
    loaded."""
    examples = [pk for job in mining for kept in (job.like, job.unlike) if kept for pk in kept["samples"]]
    keys = _keys(examples)
    jobs, progress = job_documents([job.job for job in mining]), scoring_progress(mining)
    first = first_shards([job.job_id for job in mining], SCORE)
    return [
        _mining(job, keys)
        | {
            "progress": progress[job.pk],
            "needs": (first[job.job_id].needs if job.job_id in first else NOTHING).document(),
            "job": document,
        }
        for job, document in zip(mining, jobs, strict=True)
    ]


def _mining(job: MiningJob, keys: Mapping[int, str]) -> dict[str, Any]:
    version = job.model_version
    names = ("count", "control", "seed", "filter", "compose", "committee", "created")
    return {name: getattr(job, name) for name in names} | {
        "id": job.pk,
        "dataset": job.dataset.name,
        "version": job.version.number,
        "model": f"{version.model.name}@{version.number}" if version else None,
        "strategy": {"name": job.strategy, "params": job.params},
        "like": similar_document(job.like, keys),
        "unlike": similar_document(job.unlike, keys),
        "calibration": calibration_of(version) if version else None,
        "stats": {name: value for name, value in job.stats.items() if name != "histogram"},
        "queue": job.queue.name if job.queue else None,
    }


def pick_documents(job: MiningJob, picks: Sequence[Pick]) -> list[dict[str, Any]]:
    """Documents of some picks of a job, each with its explanation; looks up only what these picks need."""
    rows = job.version.revisions.filter(sample__in=[pick.sample_id for pick in picks])
    images = {row[0]: row[1:] for row in rows.values_list("sample_id", "blob__md5", "blob__width", "blob__height")}
    displaced = [rival["id"] for pick in picks if (rival := pick.explanation.get("displaced"))]
    keys = _keys(displaced)
    return [_pick_document(pick, images[pick.sample_id], keys) for pick in picks]


def _pick_document(pick: Pick, image: tuple[str, int | None, int | None], keys: Mapping[int, str]) -> dict[str, Any]:
    names = ("rank", "score", "terms", "reason", "control", "probability", "prediction", "neighbours")
    md5, width, height = image
    place = {"thumb": f"/thumbs/{md5}", "url": f"/blobs/{md5}", "width": width, "height": height}
    return {name: getattr(pick, name) for name in names} | {
        "sample": {"id": pick.sample_id, "key": pick.sample.key} | place,
        "explanation": _explanation(pick, keys),
    }


def _explanation(pick: Pick, keys: Mapping[int, str]) -> dict[str, Any]:
    """The explanation of a pick; for a job from before explanations, only its neighbours. A runner-up that was erased
    since is left out."""
    rival = pick.explanation.get("displaced")
    known = rival is not None and rival["id"] in keys
    return {
        "terms": pick.explanation.get("terms", []),
        "product": pick.explanation.get("product"),
        "quota": pick.explanation.get("quota"),
        "displaced": {"key": keys[rival["id"]], "score": rival["score"], "reason": rival["reason"]} if known else None,
        "neighbours": pick.neighbours,
    }


def quarantine_documents(job: MiningJob, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Images that could not be scored, with the keys of the samples that have those bytes."""
    rows = job.version.revisions.filter(blob__md5__in=[item["md5"] for item in items]).order_by("sample__key")
    keys: dict[str, list[str]] = {}
    for md5, key in rows.values_list("blob__md5", "sample__key"):
        keys.setdefault(md5, []).append(key)
    names = ("md5", "code", "detail")
    return [{name: item[name] for name in names} | {"keys": keys.get(item["md5"], [])} for item in items]


def _keys(samples: Sequence[int]) -> dict[int, str]:
    return dict(Sample.objects.filter(pk__in=listed(samples)).values_list("pk", "key"))
