"""`lode job`."""

from itertools import islice

import typer

from motherlode.cli.terminal import client, group, out, show_table, watch_job

commands = group("Long work: what runs, how far it is, and a way to stop it.")


@commands.command("list")
def list_jobs(
    state: str = typer.Option(None, help="queued, running, succeeded, failed, cancelled; several with commas"),
    limit: int = typer.Option(20, help="how many, the newest first"),
) -> None:
    """The newest jobs."""
    jobs = islice(client().jobs.all(state=state), limit)
    rows = ((one["id"], one["kind"], one["title"], one["state"], one["created"][:19]) for one in jobs)
    show_table("id", "kind", "what", "state", "created", rows=rows)


@commands.command()
def watch(job_id: int) -> None:
    """Follow a job to its end."""
    job = watch_job(job_id)
    out.print(f"job {job_id} {job['state']}")


@commands.command()
def cancel(job_id: int) -> None:
    """Ask a job to stop; what is done stays done."""
    out.print(f"job {job_id} is {client().jobs.cancel(job_id)['state']}")
