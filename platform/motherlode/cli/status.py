"""`lode status`."""

from motherlode.cli.terminal import answered, client, out, show_table


def status() -> None:
    """Show whether the platform is healthy, who you are, and what runs."""
    platform = client()
    health = platform.health()
    user = platform.user()
    jobs = list(platform.jobs.all(state="queued,running"))
    if answered({"url": platform.url, "health": health, "user": user, "jobs": jobs}):
        return
    parts = ", ".join(f"{name} {state}" for name, state in health.items() if name != "status")
    out.print(f"{platform.url} is {health['status']} ({parts})", soft_wrap=True)
    out.print(f"You are {user['username']} ({user['role']}).")
    if not jobs:
        out.print("No job is running.")
        return
    rows = ((job["id"], job["title"], job["state"], job["progress"]["done"], job["progress"]["total"]) for job in jobs)
    show_table("job", "what", "state", "done", "of", rows=rows)
