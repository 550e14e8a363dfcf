"""Further precisions of a version: made, proved and evaluated by a job of their own, beside who waits for the version.

Until that job has ended they are not there: no gate passes on one, none can be fetched or asked, and the version is
not published.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.errors import Conflict
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from registry.models import ModelVersion

KIND = "prove_precisions"


def start_precisions(version: ModelVersion, precisions: list[str]) -> None:
    """A queued job that makes them; for no precisions none. Runs inside the transaction that registers the version;
    the receiver of `version_registered` wakes it."""
    if not precisions:
        return
    version.precisions_job = create_job(
        KIND,
        f"Prove {', '.join(precisions)} of {version}",
        shards=[ShardSpec()],
        params={"precisions": precisions},
        unit="files",
        created_by=version.created_by,
        project=version.model.project_id,
    )
    version.save(update_fields=["precisions_job"])


def precisions_of(version: ModelVersion) -> list[dict[str, Any]]:
    """Each precision that was asked for beside float32: `state` proven, being_proven or not_proven, and its job."""
    variants, job = version.report.get("variants") or {}, version.precisions_job
    asked = job.params["precisions"] if job else []
    return [
        {"precision": name, "state": "proven" if name in variants else _waiting(job), "job": job.pk if job else None}
        for name in dict.fromkeys([*variants, *asked])
    ]


def _waiting(job: Job | None) -> str:
    return "being_proven" if job is not None and job.is_open else "not_proven"


def refuse_unproven(version: ModelVersion, path: str) -> None:
    """Raise Conflict for a file of a precision that is still being proved, `model.int8.onnx` say."""
    if (name := _precision(path)) in version.proving:
        raise Conflict(
            f"{path} of {version} is not there yet: {name} is still being proved by job {version.precisions_job_id}. "
            "Wait for that job.",
            code="precision_unproven",
        )


def awaited(version: ModelVersion, gates: Iterable[Mapping[str, Any]]) -> bool:
    """Does one of the gates judge a precision that is still being proved?"""
    return bool({_precision(str(gate.get("artifact", ""))) for gate in gates} & set(version.proving))


def _precision(path: str) -> str:
    """`int8` of `model.int8.onnx`; nothing of `model.onnx`."""
    parts = path.split(".")
    return parts[1] if len(parts) == 3 else ""
