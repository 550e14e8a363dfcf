"""Requests that wait: for a dataset that is busy, for a job, for a version that git knows."""

import time

import httpx

POLL_SECONDS = 0.5
PATIENCE_SECONDS = 1800.0


def post_until_free(client: httpx.Client, path: str, body: object) -> httpx.Response:
    """POST until the platform is not busy. Raises SystemExit with what it answers where that is an error."""
    while True:
        answer = client.post(path, json=body)
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            return checked(answer)
        time.sleep(float(answer.headers.get("Retry-After", 1)))


def checked(answer: httpx.Response) -> httpx.Response:
    """Return the answer. Raises SystemExit where it is an error."""
    if answer.is_error:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text[:500]}")
    return answer


def job_of(answer: httpx.Response) -> int:
    """Return the id of the job that does what was asked for."""
    return int(checked(answer).json()["job"]["id"])


def wait_job(client: httpx.Client, job: int) -> str:
    """Return the job's state once it has ended."""
    while True:
        state = str(client.get(f"/jobs/{job}").json()["state"])
        if state not in {"queued", "running"}:
            return state
        time.sleep(POLL_SECONDS)


def wait_published(client: httpx.Client, dataset: str) -> bool:
    """Wait until git knows the newest version of a dataset; returns False when that takes longer than half an hour."""
    number = client.get(f"/datasets/{dataset}/versions/head").json()["version"]
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        refs = client.get(f"/datasets/{dataset}.git/info/refs?service=git-upload-pack")
        if f"refs/tags/v{number}\n" in refs.text:
            return True
        time.sleep(POLL_SECONDS)
    return False
