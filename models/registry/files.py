"""Files exchanged between the store and a program's folder: manifests, checkpoints, artefacts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from blobs.refs import BlobRef
from blobs.services import keep, served, store
from catalog.exports.manifests import manifest_lines
from catalog.models import Version


def write_manifest(version: Version, path: Path, *, split: str | None = None, labelled: bool | None = None) -> Path:
    """Write the samples of a version as a program's manifest."""
    with path.open("wb") as file:
        for line in manifest_lines(version, split=split, labelled=labelled):
            file.write(orjson.dumps(line) + b"\n")
    return path


def as_document(ref: BlobRef) -> dict[str, Any]:
    """A ref as JSON."""
    return {"md5": ref.md5, "sha256": ref.sha256, "size": ref.size, "key": ref.key, "offset": ref.offset}


def keep_file(path: Path) -> dict[str, Any]:
    """Put a file into the store. Putting it again, after a kill, gives the same object."""
    with path.open("rb") as stream:
        return as_document(keep(stream, media_type="application/octet-stream").ref)


def kept_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Put all files below a folder into the store; map their relative paths to the results of `keep_file`."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): keep_file(path) for path in paths}


def fetch_file(ref: BlobRef, path: Path) -> Path:
    """Fetch a file from the store to `path`, piece by piece, however large it is."""
    with path.open("wb") as file:
        for chunk in served(ref):
            file.write(chunk)
    return path


def fetch_files(files: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Fetch files from the store into `folder`, verified; a name may contain a folder."""
    for name, ref in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store().get(BlobRef(**ref)))
