"""The environment that every process of the embedded profile runs in."""

import os
from collections.abc import Mapping
from pathlib import Path

from embedded.layout import Ports, Secrets
from embedded.ports import HOST

SHELVES = ("platform", "datasets", "models", "mining")
BUCKET = "motherlode"


def settings_environment(*, root: Path, var: Path, ports: Ports, secrets: Secrets) -> dict[str, str]:
    """Return the variables that `config.settings` and `blobs.store` read; a pure function of its arguments."""
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        # Absolute, so that programs started in other folders find the shelves, new packages included.
        "PYTHONPATH": os.pathsep.join(str(root / shelf) for shelf in SHELVES),
        "PYTHONUNBUFFERED": "1",
        "MOTHERLODE_VAR": str(var),
        "MOTHERLODE_SECRET_KEY": secrets.django_key,
        "MOTHERLODE_DATABASE_URL": f"sqlite:///{var / 'db.sqlite3'}",
        "MOTHERLODE_BROKER_URL": f"redis://:{secrets.broker_password}@{HOST}:{ports.broker}/0",
        "MOTHERLODE_S3_ENDPOINT": f"http://{HOST}:{ports.s3}",
        "MOTHERLODE_S3_ACCESS_KEY": secrets.s3_access_key,
        "MOTHERLODE_S3_SECRET_KEY": secrets.s3_secret_key,
        "MOTHERLODE_S3_BUCKET": BUCKET,
        "MOTHERLODE_CACHE_DIR": str(var / "cache"),
        "MOTHERLODE_PUBLIC_URL": f"http://{HOST}:{ports.web}",
        "MOTHERLODE_ALLOWED_HOSTS": f"{HOST},localhost",
    }


def worker_environment(base: Mapping[str, str], *, cores: int, slots: int) -> dict[str, str]:
    """Return `base` with the threads of numerical libraries limited to one share of the cores: more threads would only
    wait."""
    share = str(max(1, cores // slots))
    return {
        **base,
        "OMP_NUM_THREADS": share,
        "OPENBLAS_NUM_THREADS": share,
        "MKL_NUM_THREADS": share,
        "MOTHERLODE_COMPUTE_SLOTS": str(slots),
    }
