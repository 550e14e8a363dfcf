"""`lode job` and `lode workers`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, cast

import typer

from motherlode.bars import amount
from motherlode.cli.status import running
from motherlode.cli.terminal import (
    Limit,
    answered,
    aside,
    client,
    group,
    out,
    refuse_ended,
    show_table,
    waiting_words,
    watch_job,
)
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Machine, PriorityEnum, Size


SHOWN_BAD = 10
commands = group("Long work: what runs, how far it is, and a way to stop it.")


@commands.command("list")
def list_jobs(
    state: str = typer.Option(None, help="queued, running, succeeded, failed, cancelled; several with commas"),
    kind: str = typer.Option(None, help="train, mine, export, ..; several with commas"),
    search: str = typer.Option(None, help="a part of the title or the kind, or a number"),
    limit: Limit = 20,
) -> None:
    """List the newest jobs."""
    jobs = islice(client().jobs.all(state=state, kind=kind, q=search), limit)
    if answered(jobs):
        return
    rows = (
        (
            one["id"],
            one["kind"],
            one["title"],
            one["project"],
            one["state"] if one["priority"] == "normal" else f"{one['state']}, {one['priority']}",
            one["failed_shards"] or None,
            one["created"][:19],
        )
        for one in jobs
    )
    show_table("id", "kind", "what", "project", "state", "failed shards", "created", rows=rows)


@commands.command()
def show(job_id: int) -> None:
    """Show a job: what it does, its progress, and why it waits."""
    job = client().jobs.get(job_id)
    if answered(job):
        return
    progress, error = job["progress"], job["error"]
    rows: dict[str, object] = {
        "kind": job["kind"],
        "project": job["project"],
        "state": job["state"] if job["priority"] == "normal" else f"{job['state']}, {job['priority']} priority",
        "waits": job["missing"],
        "in line": waiting_words(job),
        "done": f"{progress['done']:,} of {progress['total']:,} {progress['unit']}",
        "failed shards": job["failed_shards"] or None,
        "error": error and f"{error['code']}: {error['detail']}",
        "created": job["created"][:19],
    }
    out.print(f"job {job_id}: {job['title']}")
    show_table("", "", rows=rows.items())


@commands.command()
def watch(job_id: int) -> None:
    """Follow a job to its end."""
    job = watch_job(job_id)
    if not answered(job):
        out.print(f"job {job_id} {job['state']}")


@commands.command()
def cancel(job_id: int) -> None:
    """Ask a job to stop; what is done stays done."""
    refuse_ended(f"job {job_id}", client().jobs.get(job_id))
    cancelled = client().jobs.cancel(job_id)
    if not answered(cancelled):
        out.print(f"job {job_id} is {cancelled['state']}")


@commands.command()
def retry(job_id: int, follow: bool = typer.Option(False, "--watch", help="follow it to its end")) -> None:
    """Retry what failed or was cancelled; what is done stays done."""
    for shard in client().jobs.shards(job_id, state="failed"):
        aside().print(f"shard {shard['index']} had failed: {shard['error']}")
    again = client().jobs.retry(job_id)
    if follow:
        aside().print(f"job {job_id} is {again['state']}")
        watch(job_id)
    elif not answered(again):
        out.print(f"job {job_id} is {again['state']}")


@commands.command()
def priority(job_id: int, priority: Annotated[str, typer.Argument(help="high, normal or low")]) -> None:
    """Schedule an open job before or after the other jobs of its project."""
    changed = client().jobs.set_priority(job_id, cast("PriorityEnum", priority))
    if not answered(changed):
        out.print(f"job {job_id} has {changed['priority']} priority")


def workers() -> None:
    """Show the workers and what they are busy with, the queues, the projects' slots, and images that could not be
    read."""
    found = client().jobs.workers()
    if answered(found):
        return
    if not found["machines"]:
        out.print("No worker was heard in the last minute: `make up` starts them, `make status` says what runs.")
    if words := running(found["versions"]):
        out.print(f"{words}\n")
    for machine in found["machines"]:
        _show(machine)
    rows = ((one["name"], one["waiting"], one["shards_waiting"], one["running"]) for one in found["queues"])
    show_table("queue", "messages", "shards waiting", "running", rows=rows)
    shares = (
        (one["project"], one["share"], one["slots"], one["running"], one["waiting"], round(one["seconds"]))
        for one in found["projects"]
    )
    out.print()
    show_table("project", "share", "most slots", "running", "jobs waiting", "slot seconds", rows=shares)
    if count := found["quarantined"]["images"]:
        out.print(f"\n{plural(count, 'image')} could not be read, the newest:")
        bad = ((row["sample"] or row["digest"], row["reason"], row["job"]) for row in found["quarantined"]["results"])
        show_table("sample", "why", "job", rows=islice(bad, SHOWN_BAD))


def _show(machine: Machine) -> None:
    out.print(
        f"{machine['name']}: {machine['cores']} cores {machine['cpu_percent']:.0f} % busy, load "
        f"{machine['load']}, memory {_of(machine['memory'])}, disk {_of(machine['disk'])}"
    )
    for gpu in machine["gpus"]:
        busy = "" if gpu["utilisation"] is None else f" {gpu['utilisation']:.0f} % busy"
        warm = "" if gpu["temperature"] is None else f", {gpu['temperature']} °C"
        bad = f", {gpu['ecc_errors']['uncorrected']} uncorrected memory errors" if gpu["ecc_errors"] else ""
        out.print(f"  {gpu['name']}{busy}, memory {_of(gpu['memory'])}{warm}{bad}")
    if machine["gpus_note"]:
        out.print(f"  no GPU: {machine['gpus_note']}")
    rows = []
    for one in machine["workers"]:
        busy_with = one["busy_with"]
        does = f"job {busy_with['job']}, shard {busy_with['shard']}: {busy_with['title']}" if busy_with else None
        held = None if one["rss"] is None else amount(one["rss"])
        rows.append((one["name"], one["pid"], ", ".join(one["queues"]), held, does))
    show_table("worker", "pid", "queues", "memory", "busy with", rows=rows)
    out.print()


def _of(size: Size) -> str:
    return f"{amount(size['used'])} of {amount(size['total'])}"
