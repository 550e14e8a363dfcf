"""Operations on existing runs: find one, clone one, make a version from one."""

from collections.abc import Mapping
from typing import Any

from accounts.models import User
from accounts.rights import check
from blobs.models import Blob
from catalog.models import Version
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import Conflict, NotFound
from jobs import services as jobs
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.needs import Needs
from jobs.services import ShardSpec
from registry import services
from registry.configs import merged_config
from registry.models import ModelVersion, Run


def find_run(pk: int) -> Run:
    """Find a run, with the related rows that its document needs. Raises NotFound."""
    related = ("model", "dataset", "version", "parent__model", "cloned_from", "job")

    def unknown() -> NotFound:
        return NotFound(f"There is no run {pk}.", code="run_unknown")

    run = Run.objects.select_related(*related).filter(pk=pk).first()
    if run is None:
        raise unknown()
    check(run.model.project_id, unknown)
    return run


def clone_run(run: Run, changes: Mapping[str, Any], *, author: User) -> Run:
    """Queue a run with the inputs of `run`, except for `changes`: any of model, dataset, version, architecture, config,
    parent (None: none), seed, needs (None: nothing). The caller wakes its job.

    Raises like `start_run`, and NotFound for anything named that does not exist.
    """
    model = services.find_model(changes["model"]) if "model" in changes else run.model
    parent = run.parent
    if "parent" in changes:
        parent = services.resolve(changes["parent"], field="parent") if changes["parent"] else None
    architecture = changes.get("architecture", run.architecture)
    own: dict[str, Any] = {} if architecture == run.architecture else {"params": {}}
    spec = services.RunSpec(
        architecture,
        merged_config(dict(run.config) | own, changes.get("config", {})),
        seed=changes.get("seed", run.seed),
        parent=parent,
        needs=Needs.of(changes["needs"]) if "needs" in changes else run.job.needs_in(services.TRAIN),
    )
    return services.start_run(model, _version(run, changes), spec, author=author, cloned_from=run)


def resume_run(run: Run) -> Job:
    """Put a run that failed or was cancelled back to work. The caller wakes its job. Raises Conflict: `archived`,
    `job_not_resumable`."""
    refuse_archived(run.model, run.dataset)
    return jobs.reopen(run.job_id)


def prove_run(run: Run) -> Run:
    """Make a version from the checkpoint of a run without a proof: export, prove and register it as after any other
    training. The caller wakes its job.

    Raises Conflict: `run_proved` (it has that phase already), `job_not_done`, `checkpoint_gone`, `archived`.
    """
    refuse_archived(run.model, run.dataset)
    shards = {shard.phase: shard for shard in run.job.shards.all()}
    if services.PROVE in shards:
        made = ModelVersion.objects.filter(run=run).first()
        words = f"it became {made}" if made else "its job does so: resume it if it has failed"
        raise Conflict(f"Run {run.pk} is exported and proved by itself; {words}.", code="run_proved")
    kept = (shards[services.TRAIN].result or {}).get("files", {})
    wanted = {file["md5"] for file in kept.values()}
    if wanted - set(Blob.objects.filter(md5__in=wanted).values_list("md5", flat=True)):
        words = "was taken away, as nothing needed it any more: clone the run to train it again"
        raise Conflict(f"The checkpoint of run {run.pk} {words}.", code="checkpoint_gone")
    run.job = jobs.extend(run.job_id, [ShardSpec(phase=services.PROVE, units=0)])
    return run


def _version(run: Run, changes: Mapping[str, Any]) -> Version:
    dataset = find_dataset(changes["dataset"]) if "dataset" in changes else run.dataset
    if "version" in changes:
        return find_dataset_version(dataset, changes["version"])
    return run.version if dataset == run.dataset else find_dataset_version(dataset, "head")
