"""The part of a first training that needs no label, done by a job while people label.

The learner `auto` trains on features of frozen networks. Which images get a label is known once they are queued, so
their features, those of the images that get pseudo-labels, and the graph of the file that ships are computed by then
(`export.preparing`) and wait in the machine's cache. A training finds there what it would compute itself, to the bit: a
job that was lost, or that ran on another machine, costs seconds and changes nothing.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from django.db.models import Q

from accounts.models import User
from catalog.exports.manifests import lines_of
from catalog.models import Split, Version
from catalog.splits.barring import trainable
from core.list_parameters import listed
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.run_program import free_threads, run_program
from jobs.services import ShardSpec, create_job
from registry.inputs import write_unlabelled
from registry.models import Model
from registry.prove_phase import evaluated_on
from registry.services import check_choices
from registry.trunks import ENCODERS, PREPARING, asked_encoders, fetched_encoders
from training.auto import SEMI_SUPERVISED_UP_TO, Auto, AutoParams, learner, most_unlabelled
from worker_programs.config import document, parse

KIND = PREPARING


def start_preparing(
    model: Model,
    version: Version,
    architecture: str,
    config: Mapping[str, Any],
    samples: Sequence[int],
    *,
    author: User,
) -> Job | None:
    """Queue a job that prepares a training of `auto` on a version once these of its samples have labels; None for other
    learners, and for more samples than a first model is trained on. The caller wakes it. Raises Invalid naming an
    encoder that the project no longer has."""
    params = dict(config.get("params", {}))
    made = learner(architecture, params)
    if not isinstance(made, Auto) or len(samples) > SEMI_SUPERVISED_UP_TO:
        return None
    encoders = asked_encoders(architecture, params, model.project_id)
    return create_job(
        KIND,
        f"Prepare the training of {model.name} on {version.dataset.name}"[:200],
        shards=[ShardSpec({"samples": list(samples), ENCODERS: encoders}, units=len(samples))],
        params={
            "dataset": version.dataset_id,
            "version": version.pk,
            "model": model.pk,
            "auto": document(made.params),
            "input": check_choices(config.get("export", {}), field="config.export")["input"],
        },
        unit="images",
        created_by=author,
        project=model.project_id,
    )


class PreparingHandler:
    """Fills this machine's cache with what the training will look up."""

    lane = lanes.REST

    def run(self, context: ShardContext) -> Outcome:
        """May be killed and run again: what is in the cache is not computed again."""
        told = context.job.params
        version = Version.objects.select_related("dataset").filter(pk=told["version"]).first()
        model = Model.objects.filter(pk=told["model"]).first()
        if version is None or model is None:
            return Outcome({"images": 0})
        with tempfile.TemporaryDirectory(prefix="motherlode-preparing-") as name:
            config = _config(version, model, told, context.params["samples"], Path(name))
            config["encoders"] = fetched_encoders(context.params, Path(name) / "encoders")
            config["workers"] = free_threads(context)
            result = run_program(
                "export.preparing", config, folder=Path(name), context=context, tracked=False, reads_store=True
            )
        return Outcome({"images": result["images"]})


def _config(
    version: Version, model: Model, told: Mapping[str, Any], samples: Sequence[int], folder: Path
) -> dict[str, Any]:
    """Return the program's config, and write its manifests to `folder`."""
    there = Q(split=Split.TRAIN, label__isnull=False)
    rows = trainable(version.revisions.filter(there | Q(sample__in=listed(samples))), version)
    labelled = folder / "labelled.jsonl"
    labelled.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines_of(rows)))
    params = parse(AutoParams, told["auto"])
    unlabelled, most = folder / "unlabelled.jsonl", most_unlabelled(params, rows.count())
    if most:
        write_unlabelled(version, unlabelled, most=most + len(samples))
    judged = folder / "judged.jsonl"
    read = evaluated_on(version, folder).fields
    judged.write_bytes(b"".join(Path(read[name]).read_bytes() for name in ("test", "validation") if name in read))
    return {
        "labelled": str(labelled),
        "unlabelled": str(unlabelled) if most else None,
        "judged": str(judged),
        "classes": model.classes,
        "task": model.task,
        "params": told["auto"],
        "input": told["input"],
        "threads": 1,
    }
