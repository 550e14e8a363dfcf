"""`make lock`: resolves requirements/*.in into complete locks with hashes, with pip and the index's own JSON.

torch has its own lock without a hash: its builds differ by machine (CPU, a CUDA), so set-up installs the one that the
machine's index offers. The CUDA packages that some builds need are left out: they belong to that build.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._internal.models.index import PyPI  # the one place that names pip's own default

from embedded.layout import project_root

OF_A_TORCH_BUILD = re.compile(r"^(nvidia-(?!ml-py)|cuda-|triton$)")
OF_PYTHON_3_11 = {"cp311", "py3", *(f"py3{minor}" for minor in range(12))}
OF_ITS_STABLE_ABI = {f"cp3{minor}" for minor in range(2, 12)}
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
LOCKS = ("runtime", "dev", "node")


def main() -> int:
    folder = project_root() / "requirements"
    for name in LOCKS:
        print(f"Resolving requirements/{name}.in ...", flush=True)
        pins = resolve(folder / f"{name}.in")
        if name == "runtime":
            torch = next(pin for pin in pins if pin.startswith("torch=="))
            (folder / "torch.lock").write_text(f"{torch}\n", encoding="utf-8")
            pins.remove(torch)
        (folder / f"{name}.lock").write_text(with_hashes(pins), encoding="utf-8")
        print(f"  {len(pins)} packages in requirements/{name}.lock")
    return 0


def resolve(wanted: Path) -> list[str]:
    """Return the sorted `name==version` pins of all that `wanted` needs; local build tags (`+cpu`) are dropped."""
    argv = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed", "--report", "-"]
    done = subprocess.run([*argv, "--requirement", str(wanted)], stdout=subprocess.PIPE, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    pins = (
        (one["metadata"]["name"].lower().replace("_", "-"), one["metadata"]["version"].split("+")[0]) for one in found
    )
    return [f"{name}=={version}" for name, version in sorted(pins) if not OF_A_TORCH_BUILD.match(name)]


def with_hashes(pins: Sequence[str]) -> str:
    """Return `pins` in pip's hash-checking form: the SHA-256 of every file of that version that Python 3.11 can
    install.

    It covers all platforms, so that one lock serves them all. Raises ValueError if the index has no such file.
    """
    index = os.environ.get("PIP_INDEX_URL", PyPI.simple_url).rstrip("/")
    with httpx.Client(headers={"Accept": SIMPLE_JSON}, timeout=60, follow_redirects=True) as web:

        def files_of(pin: str) -> list[dict[str, Any]]:
            answer = web.get(f"{index}/{canonicalize_name(pin.partition('==')[0])}/").raise_for_status()
            files: list[dict[str, Any]] = answer.json()["files"]
            return files

        with ThreadPoolExecutor(8) as threads:
            return "".join(locked(pin, files) for pin, files in zip(pins, threads.map(files_of, pins), strict=True))


def locked(pin: str, files: Iterable[dict[str, Any]]) -> str:
    """Return a pin with the hashes of its files, among all `files` of the package as the index's JSON lists them."""
    fitting = sorted(one["hashes"]["sha256"] for one in files if _is_of(one["filename"], Requirement(pin)))
    if not fitting:
        raise ValueError(f"the index lists no file of {pin} that Python 3.11 installs")
    return " \\\n".join([pin, *(f"    --hash=sha256:{digest}" for digest in fitting)]) + "\n"


def _is_of(filename: str, pin: Requirement) -> bool:
    """Whether Python 3.11 can install this file, on some platform, for `pin`."""
    try:
        if filename.endswith(".whl"):
            name, version, _, tags = parse_wheel_filename(filename)
        else:
            name, version = parse_sdist_filename(filename)
            tags = frozenset()
    except (InvalidSdistFilename, InvalidWheelFilename):
        return False  # of the years before both forms were fixed
    fits = not tags or any(
        one.interpreter in OF_PYTHON_3_11 or (one.abi == "abi3" and one.interpreter in OF_ITS_STABLE_ABI)
        for one in tags
    )
    return fits and name == canonicalize_name(pin.name) and version in pin.specifier


if __name__ == "__main__":
    sys.exit(main())
