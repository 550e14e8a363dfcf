"""`lode status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motherlode.cli.terminal import answered, client, out, show_table
from worker_programs.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motherlode.documents import RunningVersion

EARLIER = "0.2.0 or before"


def running(versions: Sequence[RunningVersion]) -> str:
    """Say which versions run, where there are several."""
    if len(versions) < 2:
        return ""
    parts = []
    for one in versions:
        web = f" and {plural(one['web'], 'web process', 'web processes')}" if one["web"] else ""
        parts.append(f"{plural(one['workers'], 'worker')}{web} of {one['version'] or EARLIER}")
    return f"Several versions run: {', '.join(parts)}."


def status() -> None:
    """Show whether the platform is healthy, who you are, and what runs."""
    platform = client()
    health = platform.health()
    user = platform.user()
    jobs = list(platform.jobs.all(state="queued,running"))
    if answered({"url": platform.url, "health": health, "user": user, "jobs": jobs}):
        return
    parts = ", ".join(f"{name} {state}" for name, state in health.items() if name not in {"status", "versions"})
    out.print(f"{platform.url} is {health['status']} ({parts})", soft_wrap=True)
    if words := running(health.get("versions") or []):
        out.print(words, soft_wrap=True)
    out.print(f"You are {user['username']} ({user['role']}).")
    if not jobs:
        out.print("No job is running.")
        return
    rows = ((job["id"], job["title"], job["state"], job["progress"]["done"], job["progress"]["total"]) for job in jobs)
    show_table("job", "what", "state", "done", "of", rows=rows)
