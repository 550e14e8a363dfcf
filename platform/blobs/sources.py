"""Buckets to import from, set up by an operator with their credentials. Users name a source, never a URL."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import orjson
from minio.helpers import check_bucket_name

from blobs.bucket import Bucket
from blobs.errors import DigestInvalid, StoreMisconfigured
from blobs.settings import StoreConfig, split_endpoint

SETTING = "MOTHERLODE_IMPORT_SOURCES"
KNOWN = ("endpoint", "access_key", "secret_key", "region", "buckets")
MAX_KEY_BYTES = 1024  # S3's own limit


@dataclass(frozen=True, slots=True)
class ForeignObject:
    """An object in a listing."""

    key: str
    size: int
    etag: str


def foreign_key(key: str) -> str:
    """Return `key` if S3 accepts it and no server can read it as a path out of the bucket. Raises DigestInvalid."""
    if not isinstance(key, str) or not 0 < len(key.encode(errors="replace")) <= MAX_KEY_BYTES:
        raise DigestInvalid(f"an object's key has 1 to {MAX_KEY_BYTES:,} bytes")
    if not key.isprintable():
        strange = next(character for character in key if not character.isprintable())
        raise DigestInvalid(f"an object's key holds printable characters alone, and this one has {strange!a}")
    if {".", ".."} & set(key.split("/")):
        raise DigestInvalid("an object's key has no '.' or '..' parts")
    return key


class ForeignBucket(Bucket):
    """A bucket that we only read and list: its objects are not ours."""

    checked = staticmethod(foreign_key)

    def objects(self, prefix: str) -> Iterator[ForeignObject]:
        """Yield all objects below a prefix, in S3's order. Raises StoreUnavailable, StoreMisconfigured."""
        with self.asking(prefix):
            for found in self._client.list_objects(self.config.bucket, prefix=prefix or None, recursive=True):
                if found.object_name and (found.size or not found.is_dir):  # an empty "a/" only marks a folder
                    yield ForeignObject(found.object_name, found.size or 0, (found.etag or "").strip('"'))

    def write(self, *_: Any, **__: Any) -> None:
        """Raise StoreMisconfigured, because a source is read only."""
        raise StoreMisconfigured("a source is read only")

    def remove(self, key: str) -> None:
        """Raise StoreMisconfigured, because a source is read only."""
        raise StoreMisconfigured(f"a source is read only: {key} stays")


@dataclass(frozen=True)
class Source:
    """A source: an S3 endpoint with credentials, and the prefixes of its buckets that you may import from."""

    name: str
    config: StoreConfig = field(repr=False)
    buckets: Mapping[str, tuple[str, ...]]

    def allows(self, bucket: str, prefix: str) -> bool:
        """Whether all keys that begin with `prefix` may be imported."""
        return any(prefix.startswith(allowed) for allowed in self.buckets.get(bucket, ()))

    def bucket(self, name: str) -> ForeignBucket:
        """Return one of the source's buckets. Raises StoreMisconfigured for one that is not allowed (any more)."""
        if name not in self._opened:
            if name not in self.buckets:
                raise StoreMisconfigured(f"{SETTING} allows no bucket {name!r} of the source {self.name!r}")
            self._opened[name] = ForeignBucket(replace(self.config, bucket=name))
        return self._opened[name]

    @cached_property
    def _opened(self) -> dict[str, ForeignBucket]:
        return {}


def read_sources(own: StoreConfig, env: Mapping[str, str] = os.environ) -> dict[str, Source]:
    """Return the sources in MOTHERLODE_IMPORT_SOURCES, by name; one without an `endpoint` stands for other buckets of
    our own store.

    Raises StoreMisconfigured saying what is wrong with the setting.
    """
    text = env.get(SETTING) or "{}"
    try:
        document = orjson.loads(text)
        return {name: _source(name, given, own) for name, given in document.items()}
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        example = (
            '{"lake": {"endpoint": "https://..", "access_key": "..", "secret_key": "..", "buckets": {"raw": [""]}}}'
        )
        raise StoreMisconfigured(f"{SETTING} must be JSON like {example} ({type(error).__name__}: {error})") from error


def _source(name: str, given: Mapping[str, Any], own: StoreConfig) -> Source:
    if unknown := given.keys() - KNOWN:
        told = f"{', '.join(sorted(unknown))} of {name!r} means nothing: a source has {', '.join(KNOWN)}"
        raise StoreMisconfigured(f"{SETTING}: {told}")
    if "endpoint" not in given and given.keys() != {"buckets"}:
        told = f"{name!r} has no endpoint, so it stands for the platform's own store: remove all of it but its buckets"
        raise StoreMisconfigured(f"{SETTING}: {told}, or name its endpoint")
    for bucket, prefixes in given["buckets"].items():
        if not isinstance(prefixes, list) or not prefixes or not all(isinstance(one, str) for one in prefixes):
            told = 'must be a list of prefixes, like ["2025/"], or [""] for all of it'
            raise StoreMisconfigured(f"{SETTING}: {bucket!r} of {name!r} {told}")
        try:
            check_bucket_name(bucket)
        except ValueError as error:
            raise StoreMisconfigured(f"{SETTING}: a bucket of {name!r}: {error}") from error
    buckets = {bucket: tuple(prefixes) for bucket, prefixes in given["buckets"].items()}
    config = own
    if "endpoint" in given:
        host, secure = split_endpoint(given["endpoint"], setting=f"{SETTING}: endpoint of {name!r}")
        config = StoreConfig(
            host, given["access_key"], given["secret_key"], "", secure=secure, region=given.get("region", "us-east-1")
        )
    if config.endpoint == own.endpoint and own.bucket in buckets:
        raise StoreMisconfigured(f"{SETTING}: {own.bucket!r} is the platform's own bucket and no source of {name!r}")
    return Source(name, config, buckets)
