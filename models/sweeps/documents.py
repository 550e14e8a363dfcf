"""Sweeps as the API shows them."""

from typing import Any

from sweeps.models import Sweep, Trial

FACTS = (
    "architecture", "config", "seed", "space", "metric", "direction", "parallel", "sampler", "pruner", "startup",
    "warmup", "state", "error", "archived", "created", "finished",
)  # fmt: skip


def sweep_row(sweep: Sweep) -> dict[str, Any]:
    """A sweep in a list: what is searched, how far it is, and the best so far; of `services.shown`."""
    loaded = vars(sweep)  # what `services.shown` adds to a row
    best: list[Trial] = loaded["best_trials"]
    return {name: getattr(sweep, name) for name in FACTS} | {
        "id": sweep.pk,
        "name": str(sweep),
        "model": sweep.model.name,
        "dataset": sweep.dataset.name,
        "version": sweep.version.number,
        "trials": sweep.trials_wanted,
        "counts": {state: loaded[f"count_{state}"] for state in Trial.State.values},
        "best": trial_document(best[0]) if best else None,
    }


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """A sweep with the importance of its settings."""
    return sweep_row(sweep) | {
        "importance": [{"name": name, "share": share} for name, share in sweep.importance.items()],
    }


def trial_document(trial: Trial) -> dict[str, Any]:
    """A trial as the API shows it; load its `run` with job and model version beforehand."""
    run = trial.run
    made = getattr(run, "model_version", None)
    return {
        name: getattr(trial, name)
        for name in ("number", "params", "state", "value", "curve", "reason", "created", "finished")
    } | {
        "run": trial.run_id,
        "job_state": run.job.state if run else None,
        "model_version": made and made.number,
    }
