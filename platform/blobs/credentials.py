"""Credentials of the object store: keys of the settings, or those of the role that this process was given.

A role's keys are temporary and come with a session token. They are looked for as AWS' own tools do: the variables
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, a web identity (EKS), a container's role (ECS, EKS Pod
Identity), the machine's (EC2).
"""

import threading
from datetime import UTC, datetime, timedelta
from functools import cache

import urllib3
from minio.credentials.credentials import Credentials
from minio.credentials.providers import ChainedProvider, EnvAWSProvider, IamAwsProvider, Provider, StaticProvider

from blobs.errors import StoreMisconfigured
from blobs.settings import StoreConfig

QUICK_SECONDS = 3.0
MARGIN = timedelta(minutes=5)
"""Keys that end sooner are replaced: a link that they signed would end with them."""


def provider_of(config: StoreConfig) -> Provider:
    """Return what gives this store's credentials, for the SDK."""
    if config.access_key:
        return StaticProvider(config.access_key, config.secret_key, config.session_token or None)
    return role()


@cache
def role() -> "RoleProvider":
    """The role of this process."""
    return RoleProvider()


class RoleProvider(Provider):
    """Keeps the credentials of the role until they end soon. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: Credentials | None = None

    def retrieve(self) -> Credentials:
        """Return credentials that hold for some minutes. Raises StoreMisconfigured where there are none."""
        with self._lock:
            if self._held is None or _ends_soon(self._held):
                self._held = _fetched()
            return self._held


def _ends_soon(credentials: Credentials) -> bool:
    end = credentials.expiration
    return end is not None and end.replace(tzinfo=UTC) < datetime.now(UTC) + MARGIN


def _fetched() -> Credentials:
    pool = urllib3.PoolManager(timeout=QUICK_SECONDS, retries=urllib3.Retry(total=2, backoff_factor=0.2))
    try:
        return ChainedProvider([EnvAWSProvider(), IamAwsProvider(http_client=pool)]).retrieve()
    except (ValueError, KeyError, OSError, urllib3.exceptions.HTTPError) as error:
        raise StoreMisconfigured(
            "no credentials of the object store: set MOTHERLODE_S3_ACCESS_KEY and MOTHERLODE_S3_SECRET_KEY, or give "
            f"this process a role ({error})"
        ) from error
