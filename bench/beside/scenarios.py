"""What may be large: one function for each, which starts it, waits for it, and says how it went. Add yours here; what
makes the dataset larger comes last."""

import itertools
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from bench.beside.filling import key
from bench.beside.images import digests
from bench.beside.places import Place
from bench.beside.requesting import job_of, post_until_free, wait_job, wait_published
from bench.beside.stock import CLASSES, LARGE, Stock

LINES = 1_000_000
VERSIONS, RELABELLED = 100, 20
GRACE_HOURS = 1
ALL = "split in (pool, train, val)"


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
        answer = post_until_free(client, f"/datasets/{LARGE}/edits", {"filter": ALL, "split": to})
        return _waited(client, answer, f"edit of {stock.samples:,} samples")


def manifest(place: Place, stock: Stock) -> Told:
    """Commit a listing of new samples whose bytes are stored."""
    count, run, md5s = min(LINES, 2 * stock.samples), time.time_ns(), itertools.cycle(digests())
    lines = "\n".join(
        json.dumps({"key": f"new-{run}/{number:08d}.png", "md5": md5})
        for number, md5 in zip(range(count), md5s, strict=False)
    )
    with place.client() as client:
        answer = client.post(f"/datasets/{LARGE}", files={"samples": ("samples.jsonl", lines, "application/x-ndjson")})
        return _waited(client, answer, f"commit of {count:,} lines")


def publication(place: Place, stock: Stock) -> Told:
    """Commit versions of a few labels each, and wait until all of them are published."""
    rng = random.Random(0)
    with place.client() as client:
        for _ in range(VERSIONS):
            chosen = rng.sample(range(stock.samples), RELABELLED)
            labels = [{"key": key(number), "label": {"class": rng.choice(CLASSES)}} for number in chosen]
            post_until_free(client, f"/datasets/{LARGE}", {"labels": labels})
        return Told(f"publication of {VERSIONS} versions", wait_published(client, LARGE))


def export(place: Place, stock: Stock) -> Told:
    """Write all samples of the large dataset into a zip."""
    with place.client() as client:
        answer = post_until_free(client, f"/datasets/{LARGE}/exports", {"format": "jsonl"})
        return _waited(client, answer, f"export of at least {stock.samples:,} samples")


def erasure(place: Place, stock: Stock) -> Told:
    """Erase one sample that is in every version."""
    with place.client() as client:
        keys = [key(random.Random(time.time_ns()).randrange(stock.samples))]
        body = {"keys": keys, "reason": "withdrawn", "confirm": LARGE}
        done = _waited(client, post_until_free(client, f"/datasets/{LARGE}/erasures", body), "erasure of 1 sample")
        return Told(done.words, done.succeeded and wait_published(client, LARGE))


def collection(place: Place, _: Stock) -> Told:
    """Delete stored bytes that nothing refers to."""
    with place.client() as client:
        return _waited(client, post_until_free(client, "/gc", {"grace": GRACE_HOURS}), "collection")


SCENARIOS: Mapping[str, Callable[[Place, Stock], Told]] = {
    "edit": bulk_edit,
    "publication": publication,
    "export": export,
    "erasure": erasure,
    "lines": manifest,
    "collection": collection,
}


def _waited(client: httpx.Client, answer: httpx.Response, words: str) -> Told:
    state = wait_job(client, job_of(answer))
    return Told(f"{words}, {state}", state == "succeeded")
