"""Further precisions of a version: a separate job makes, proves and evaluates them, so that nobody waits for them.

Until that job has ended they don't exist: no gate passes on one, none can be downloaded or used for predictions, and
the version is not published.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.errors import Conflict
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from registry.models import ModelVersion

KIND = "prove_precisions"


def start_precisions(version: ModelVersion, precisions: list[str]) -> None:
    """Queue a job that makes the precisions, if there are any. Runs inside the transaction that registers the
    version; the receiver of `version_registered` wakes the job."""
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
    """Each precision requested beside float32, with its `state` (proven, being_proven or not_proven) and its job."""
    variants, job = version.report.get("variants") or {}, version.precisions_job
    asked = job.params["precisions"] if job else []
    return [
        {"precision": name, "state": "proven" if name in variants else _waiting(job), "job": job.pk if job else None}
        for name in dict.fromkeys([*variants, *asked])
    ]


def _waiting(job: Job | None) -> str:
    return "being_proven" if job is not None and job.is_open else "not_proven"


def refuse_unproven(version: ModelVersion, path: str) -> None:
    """Raise Conflict if `path`, such as `model.int8.onnx`, is of a precision that is still being proved."""
    if (name := _precision(path)) in version.proving:
        raise Conflict(
            f"{path} of {version} is not there yet: {name} is still being proved by job {version.precisions_job_id}. "
            "Wait for that job.",
            code="precision_unproven",
        )


def awaited(version: ModelVersion, gates: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of the gates judges a precision that is still being proved."""
    return bool({_precision(str(gate.get("artifact", ""))) for gate in gates} & set(version.proving))


def _precision(path: str) -> str:
    """The precision in a file name: `int8` for `model.int8.onnx`, empty for `model.onnx`."""
    parts = path.split(".")
    return parts[1] if len(parts) == 3 else ""
