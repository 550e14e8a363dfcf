"""Reading a version in shuffled order, beside a plain parallel GET of the same bytes as large objects."""

import random
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from minio import Minio

from bench.versioning.corpus import noise
from bench.versioning.site import ensure_bucket
from bench.versioning.table import Line
from blobs.cache import BlobCache
from blobs.packs import TARGET_BYTES, PackWriter
from blobs.refs import BlobRef
from blobs.settings import StoreConfig
from blobs.store import BlobStore

SHARE = 0.8
THREADS = 4
SIDE = 128  # pixels: about 50 kB an image
RUNS = 3


def read_side(store: StoreConfig, folder: Path, size: int) -> list[Line]:
    """The best of several runs of each, in bytes a second."""
    packed, plain = replace(store, bucket="bench-packs"), replace(store, bucket="bench-plain")
    for config in (packed, plain):
        ensure_bucket(config)
    refs = write_packs(BlobStore(packed), size)
    names = write_objects(plain, sum(ref.size for ref in refs))
    random.Random(0).shuffle(refs)
    base: list[float] = []
    mixed: list[float] = []
    cold: list[float] = []
    warm: list[float] = []
    for run in range(RUNS):
        base.append(rate(get_objects(plain, names)))
        mixed.append(rate(data for _, data in BlobStore(packed).shuffled(refs, seed=run, threads=THREADS)))
        cache = BlobCache(folder / f"cache-{run}")
        for rates in (cold, warm):  # what the first left on the disk, the second finds there
            rates.append(rate(data for _, data in BlobStore(packed, cache).get_many(refs, threads=THREADS)))
        shutil.rmtree(cache.directory)
    alone = rate(data for _, data in BlobStore(packed).get_many(refs, threads=THREADS))
    return [
        _line("shuffled by blocks of packs", max(base), max(mixed), SHARE),
        _line("in an order of the caller's, first time", max(base), max(cold)),
        _line("in an order of the caller's, from the cache", max(base), max(warm)),
        _line("in an order of the caller's, without a cache", max(base), alone),
    ]


def write_packs(store: BlobStore, size: int) -> list[BlobRef]:
    """Images of at least `size` bytes in all, in packs."""
    with PackWriter(store) as writer:
        written = 0
        while written < size:
            data = noise(SIDE)
            writer.add(data)
            written += len(data)
        return writer.close()


def write_objects(config: StoreConfig, size: int) -> list[str]:
    """The same number of bytes as objects of a pack's size."""
    client, names = _client(config), []
    for number in range(-(-size // TARGET_BYTES)):
        part = min(TARGET_BYTES, size - number * TARGET_BYTES)
        data = random.Random(number).randbytes(part)
        names.append(f"{number:04d}")
        client.put_object(config.bucket, names[-1], BytesIO(data), part, part_size=64 << 20)
    return names


def get_objects(config: StoreConfig, names: list[str]) -> Iterator[bytes]:
    """Each object whole, several at a time, nothing checked: the S3 server's own pace."""
    client = _client(config)

    def get(name: str) -> bytes:
        response = client.get_object(config.bucket, name)
        try:
            return response.read()
        finally:
            response.release_conn()

    with ThreadPoolExecutor(THREADS) as pool:
        yield from pool.map(get, names)


def rate(pieces: Iterator[bytes]) -> float:
    """Bytes a second."""
    started, total = time.perf_counter(), 0
    for piece in pieces:
        total += len(piece)
    return total / (time.perf_counter() - started)


def _line(what: str, base: float, ours: float, target: float | None = None) -> Line:
    return Line(what, f"{base / 1e6:.0f} MB/s", f"{ours / 1e6:.0f} MB/s", ours / base, target)


def _client(config: StoreConfig) -> Minio:
    return Minio(
        config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region
    )  # fmt: skip
