"""What may be large: one function for each, which starts it, waits for it, and tells how it went. Add yours here."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from bench.beside.filling import BLOBS
from bench.beside.places import Place
from bench.beside.stock import LARGE, Stock

POLL_SECONDS = 0.5
LINES = 1_000_000


@dataclass(frozen=True, slots=True)
class Told:
    """How it went, in words."""

    words: str
    succeeded: bool


def bulk_edit(place: Place, stock: Stock) -> Told:
    """Move every sample of the large dataset to another split."""
    with place.client() as client:
        rows = client.get(f"/datasets/{LARGE}/versions/head/samples?limit=1&offset=0").json()["results"]
        to = "val" if rows[0]["split"] == "train" else "train"
        job = _asked(client, f"/datasets/{LARGE}/edits", {"filter": ALL, "split": to})
        return _waited(client, job, f"edit of {stock.samples:,} samples")


def manifest(place: Place, stock: Stock) -> Told:
    """Commit a listing of new samples whose bytes are stored."""
    count = min(LINES, 2 * stock.samples)
    digests = [hashlib.md5(number.to_bytes(8), usedforsecurity=False).hexdigest() for number in range(BLOBS)]
    run = time.time_ns()
    lines = "\n".join(
        json.dumps({"key": f"new-{run}/{number:08d}.png", "md5": digests[number % BLOBS]}) for number in range(count)
    )
    with place.client() as client:
        answer = client.post(f"/datasets/{LARGE}", files={"samples": ("samples.jsonl", lines, "application/x-ndjson")})
        return _waited(client, _job(answer), f"commit of {count:,} lines")


ALL = "split in (pool, train, val)"
SCENARIOS: Mapping[str, Callable[[Place, Stock], Told]] = {"edit": bulk_edit, "lines": manifest}


def _asked(client: httpx.Client, path: str, body: object) -> int:
    while True:
        answer = client.post(path, json=body)
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            return _job(answer)
        time.sleep(1.0)


def _job(answer: httpx.Response) -> int:
    if answer.status_code != httpx.codes.ACCEPTED:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text[:500]}")
    return int(answer.json()["job"]["id"])


def _waited(client: httpx.Client, job: int, words: str) -> Told:
    while True:
        found = client.get(f"/jobs/{job}").json()
        if found["state"] not in {"queued", "running"}:
            return Told(f"{words}, {found['state']}", found["state"] == "succeeded")
        time.sleep(POLL_SECONDS)
