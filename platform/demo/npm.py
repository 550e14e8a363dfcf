"""Fetch a package of the npm registry with the user's own npm and verify it by its pinned digest."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

TIMEOUT = 300


class NpmError(Exception):
    """A package can't be fetched, or its digest isn't the pinned one."""

    code = "npm_package_unavailable"


def pack(package: str, integrity: str, folder: Path) -> Path:
    """Fetch the archive of `name@version` into `folder`. Raises NpmError if npm can't, or if the digest differs."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    npm = os.environ.get("NPM") or shutil.which("npm", path=places)  # `make setup` may have put one beside Python
    if npm is None:
        raise NpmError("npm is neither in .venv nor on the PATH; set NPM to its path")
    # npm beside its node: the shebang of npm asks the PATH for node
    path = os.pathsep.join([str(Path(npm).parent), os.environ.get("PATH", "")])
    command = [npm, "pack", package, "--silent", "--pack-destination", str(folder)]
    try:
        subprocess.run(  # noqa: S603 - a fixed command; NPM is the operator's own setting
            command, check=True, capture_output=True, timeout=TIMEOUT, cwd=folder, env={**os.environ, "PATH": path}
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise NpmError(f"npm pack {package} failed: {fault}") from fault
    archives = [archive for archive in folder.glob("*.tgz") if integrity_of(archive) == integrity]
    if not archives:
        raise NpmError(f"npm brought no {package} with the pinned integrity {integrity[:19]}..")
    return archives[0]


def integrity_of(path: Path) -> str:
    """Return the SHA-512 digest of a file in npm's form."""
    with path.open("rb") as stream:
        return "sha512-" + base64.b64encode(hashlib.file_digest(stream, "sha512").digest()).decode()


def copy_members(archive: Path, members: Mapping[str, Path]) -> None:
    """Copy the files that `members` maps to paths, each in one step; nothing else is extracted."""
    with tarfile.open(archive, "r:gz") as package:
        for member in package:
            target = members.get(member.name)
            stream = package.extractfile(member) if target and member.isfile() else None
            if target is None or stream is None:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
            with partial.open("wb") as out:
                shutil.copyfileobj(stream, out)
            partial.replace(target)
