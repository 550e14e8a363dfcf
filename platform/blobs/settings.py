"""The object store's settings: bucket, endpoint, credentials, and how long to wait for it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict
from urllib.parse import urlsplit

from blobs.errors import StoreMisconfigured

READ_SECONDS = 30.0
REST_SECONDS = 5.0
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """A bucket and its endpoint. `endpoint` is host:port; times are in seconds. Without keys, those of the process's
    role are used (`blobs.credentials`).

    `public_endpoint` (a URL) is where browsers reach the same store, if it has another name for them.
    """

    endpoint: str
    access_key: str
    secret_key: str = field(repr=False)
    bucket: str
    secure: bool = True
    region: str = "us-east-1"
    public_endpoint: str = ""
    connect_timeout: float = 20.0  # bounds the sending of one request's body as well: 16 MiB must fit
    read_timeout: float = READ_SECONDS
    session_token: str = field(default="", repr=False)  # of temporary keys
    attempts: int = ATTEMPTS
    backoff: float = 0.2
    rest: float = REST_SECONDS  # pause without calls after one that timed out

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "StoreConfig":
        """Read the config from MOTHERLODE_S3_ENDPOINT (a URL) and _BUCKET; optional are _ACCESS_KEY with _SECRET_KEY
        (and _SESSION_TOKEN), _REGION, _PUBLIC_ENDPOINT, _READ_TIMEOUT (seconds), _ATTEMPTS."""

        def need(name: str) -> str:
            if not (value := env.get(f"MOTHERLODE_S3_{name}", "")):
                raise StoreMisconfigured(f"set MOTHERLODE_S3_{name}: it names the object store's {name.lower()}")
            return value

        keys = {name: env.get(f"MOTHERLODE_S3_{name}", "") for name in ("ACCESS_KEY", "SECRET_KEY", "SESSION_TOKEN")}
        if any(keys.values()):
            need("ACCESS_KEY")
            need("SECRET_KEY")
        host, secure = split_endpoint(need("ENDPOINT"), setting="MOTHERLODE_S3_ENDPOINT")
        return cls(
            endpoint=host,
            access_key=keys["ACCESS_KEY"],
            secret_key=keys["SECRET_KEY"],
            session_token=keys["SESSION_TOKEN"],
            bucket=need("BUCKET"),
            secure=secure,
            region=env.get("MOTHERLODE_S3_REGION") or "us-east-1",
            public_endpoint=env.get("MOTHERLODE_S3_PUBLIC_ENDPOINT", ""),
            **patience_of(env),
        )

    @property
    def url(self) -> str:
        """The URL at which people's clients reach the store."""
        return self.public_endpoint or f"{'https' if self.secure else 'http'}://{self.endpoint}"

    def to_env(self) -> dict[str, str]:
        """Return the variables that `from_env` reads, for a child process."""
        url = f"{'https' if self.secure else 'http'}://{self.endpoint}"
        return {
            "MOTHERLODE_S3_ENDPOINT": url,
            "MOTHERLODE_S3_ACCESS_KEY": self.access_key,
            "MOTHERLODE_S3_SECRET_KEY": self.secret_key,
            "MOTHERLODE_S3_SESSION_TOKEN": self.session_token,
            "MOTHERLODE_S3_BUCKET": self.bucket,
            "MOTHERLODE_S3_REGION": self.region,
            "MOTHERLODE_S3_PUBLIC_ENDPOINT": self.public_endpoint,
        }


class Patience(TypedDict):
    """How long to wait for an answer, and how many times to try."""

    read_timeout: float
    attempts: int


def patience_of(env: Mapping[str, str] = os.environ) -> Patience:
    """Return the values of MOTHERLODE_S3_READ_TIMEOUT and MOTHERLODE_S3_ATTEMPTS, or their defaults."""
    return {
        "read_timeout": float(env.get("MOTHERLODE_S3_READ_TIMEOUT") or READ_SECONDS),
        "attempts": int(env.get("MOTHERLODE_S3_ATTEMPTS") or ATTEMPTS),
    }


def split_endpoint(url: str, *, setting: str = "the endpoint") -> tuple[str, bool]:
    """Return (host:port, whether it is https) of an endpoint's URL; raises StoreMisconfigured naming `setting`."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") or parts.query or "@" in url:
        raise StoreMisconfigured(f"{setting} must be like http://127.0.0.1:8333, without a path or credentials")
    return parts.netloc, parts.scheme == "https"
