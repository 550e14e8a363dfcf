"""Stock DVC as its documentation has it: `dvc add` and `dvc push` to an S3 remote, with its own defaults."""

import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.versioning.site import ensure_bucket, run
from blobs.settings import StoreConfig

DVC = str(Path(sys.executable).with_name("dvc"))


@dataclass(frozen=True, slots=True)
class Peer:
    """A DVC project at `folder` with a folder `data` to track; its remote lies in a bucket of its own."""

    folder: Path
    store: StoreConfig

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Make the bucket and the project."""
        ensure_bucket(self.store)
        self.data.mkdir(parents=True)
        self._dvc("init", "--no-scm")
        self._dvc("remote", "add", "--default", "store", f"s3://{self.store.bucket}/dvc")
        for name, value in (
            ("endpointurl", f"http://{self.store.endpoint}"),
            ("access_key_id", self.store.access_key),
            ("secret_access_key", self.store.secret_key),
            ("region", self.store.region),
        ):
            self._dvc("remote", "modify", "--local", "store", name, value)

    def add(self) -> None:
        """`dvc add data`."""
        self._dvc("add", "data")

    def push(self) -> None:
        """`dvc push`."""
        self._dvc("push")

    def _dvc(self, *arguments: str) -> None:
        run([DVC, *arguments, "--quiet"], folder=self.folder, environment=QUIET)


QUIET = {"DVC_NO_ANALYTICS": "1"}


def fetched(repository: str, path: str, revision: str, out: Path) -> None:
    """`dvc get` of a file or folder of a repository at a revision."""
    run([DVC, "get", repository, path, "--rev", revision, "--out", str(out), "--quiet"], folder=out.parent,
        environment=QUIET)  # fmt: skip


def name() -> str:
    """DVC as installed."""
    return f"dvc {version('dvc')} with dvc-s3 {version('dvc-s3')}"
