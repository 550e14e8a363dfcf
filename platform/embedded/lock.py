"""`make lock`: resolves requirements/*.in into complete locks with hashes, with pip and the index's own JSON.

One lock serves every supported Python, and any of them makes it: pip resolves for its own, and what the others need
beyond that is read from the packages' metadata. A package that only some need has a marker.

torch has its own lock without a hash: its builds differ by machine (CPU, a CUDA), so set-up installs the one that the
machine's index offers. The CUDA packages that some builds need are left out: they belong to that build.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._internal.models.index import PyPI  # the one place that names pip's own default

from embedded.layout import project_root
from embedded.setup.pythons import in_words, supported

OF_A_TORCH_BUILD = re.compile(r"^(nvidia-(?!ml-py)|cuda-|triton$)")
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
LOCKS = ("runtime", "dev", "node")
PATCHES = (0, 99)
"""The first and the last release of a Python: a requirement may end with one between them."""

Index = Mapping[str, Mapping[str, Any]]
"""The metadata of the resolved packages by canonical name, as pip reports it."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A package at its version, for the Pythons (minor versions) that need it."""

    name: str
    version: str
    pythons: tuple[int, ...]


def main() -> int:
    folder = project_root() / "requirements"
    pythons = supported(project_root())
    before: list[Pin] = []
    for name in LOCKS:
        print(f"Resolving requirements/{name}.in ...", flush=True)
        pins = resolve(folder / f"{name}.in", pythons, before=before)
        before += pins
        if name == "runtime":
            torch = next(pin for pin in pins if pin.name == "torch")
            (folder / "torch.lock").write_text(f"{torch.name}=={torch.version}\n", encoding="utf-8")
            pins = [pin for pin in pins if pin is not torch]
        (folder / f"{name}.lock").write_text(f"{header(pythons)}\n{with_hashes(pins, pythons)}", encoding="utf-8")
        print(f"  {len(pins)} packages in requirements/{name}.lock")
    return 0


def header(pythons: Iterable[int]) -> str:
    """Return the first line of a lock."""
    return f"# `make lock` writes this, for Python {in_words(pythons)}."


def resolve(wanted: Path, pythons: Sequence[int], *, before: Iterable[Pin] = ()) -> list[Pin]:
    """Return the sorted pins of all that `wanted` needs on any of the Pythons, without local build tags (`+cpu`).

    A package that the locks `before` hold gets the version that it has there.
    """
    lines = (line.partition("#")[0].strip() for line in wanted.read_text(encoding="utf-8").splitlines())
    roots = [Requirement(line) for line in lines if line]
    held = [f"{pin.name}=={pin.version}" for pin in before]
    more: list[str] = []
    while True:
        index = _resolved(wanted, more, held)
        needs = {minor: _needs(roots, index, minor) for minor in pythons}
        unmet = sorted({_unmarked(one) for needed in needs.values() for one in needed if not _met(one, index)})
        if not unmet:
            break
        more += unmet
    names = {minor: {canonicalize_name(one.name) for one in needed} for minor, needed in needs.items()}
    return [
        Pin(str(name), index[name]["version"].split("+")[0], using)
        for name in sorted(index)
        if not OF_A_TORCH_BUILD.match(name) and (using := tuple(minor for minor in pythons if name in names[minor]))
    ]


def _resolved(wanted: Path, more: Sequence[str], held: Sequence[str]) -> Index:
    argv = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed", "--report", "-"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as constraints:
        constraints.write("\n".join(held))
        constraints.flush()
        argv += ["--constraint", constraints.name, "--requirement", str(wanted), *more]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
    installs: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    return {canonicalize_name(one["metadata"]["name"]): one["metadata"] for one in installs}


def _needs(roots: Iterable[Requirement], index: Index, minor: int) -> set[Requirement]:
    """Return the requirements that count on a Python, of the roots and of all that they reach."""
    releases: list[dict[str, Any]] = [
        {**default_environment(), "python_version": f"3.{minor}", "python_full_version": f"3.{minor}.{patch}"}
        for patch in PATCHES
    ]

    def counts(one: Requirement, extra: str) -> bool:
        return one.marker is None or any(one.marker.evaluate({**release, "extra": extra}) for release in releases)

    todo = [one for one in roots if counts(one, "")]
    found = set[Requirement]()
    while todo:
        if (one := todo.pop()) in found:
            continue
        found.add(one)
        inner = map(Requirement, index.get(canonicalize_name(one.name), {}).get("requires_dist", []))
        extras = ["", *one.extras]
        todo += [need for need in inner if any(counts(need, extra) for extra in extras)]
    return found


def _met(one: Requirement, index: Index) -> bool:
    package = index.get(canonicalize_name(one.name))
    return package is not None and one.specifier.contains(package["version"], prereleases=True)


def _unmarked(one: Requirement) -> str:
    return f"{one.name}{one.specifier}"


def with_hashes(pins: Sequence[Pin], pythons: Sequence[int]) -> str:
    """Return `pins` in pip's hash-checking form: the SHA-256 of every file of that version that one of its Pythons can
    install.

    It covers all platforms, so that one lock serves them all. Raises ValueError as `locked` does.
    """
    index = os.environ.get("PIP_INDEX_URL", PyPI.simple_url).rstrip("/")
    with httpx.Client(headers={"Accept": SIMPLE_JSON}, timeout=60, follow_redirects=True) as web:

        def files_of(pin: Pin) -> list[dict[str, Any]]:
            answer = web.get(f"{index}/{canonicalize_name(pin.name)}/").raise_for_status()
            files: list[dict[str, Any]] = answer.json()["files"]
            return files

        with ThreadPoolExecutor(8) as threads:
            files = threads.map(files_of, pins)
            return "".join(locked(pin, listed, pythons) for pin, listed in zip(pins, files, strict=True))


def locked(pin: Pin, files: Iterable[Mapping[str, Any]], pythons: Sequence[int]) -> str:
    """Return a pin with the hashes of its files, among all `files` of the package as the index's JSON lists them.

    Raises ValueError where a Python finds no file, or no wheel though others have one.
    """
    fitting = [(one, using) for one in files if (using := set(_pythons_of(one, pin)))]
    wheels = [(one, using) for one, using in fitting if one["filename"].endswith(".whl")]
    for minor in pin.pythons:
        if not any(minor in using for _, using in wheels or fitting):
            kind = "wheel" if wheels else "file"
            raise ValueError(f"the index lists no {kind} of {pin.name} {pin.version} that Python 3.{minor} installs")
    some = " or ".join(f'python_version == "3.{minor}"' for minor in pin.pythons)
    marker = "" if pin.pythons == tuple(pythons) else f" ; {some}"
    hashes = sorted(one["hashes"]["sha256"] for one, _ in fitting)
    return " \\\n".join([f"{pin.name}=={pin.version}{marker}", *(f"    --hash=sha256:{one}" for one in hashes)]) + "\n"


def _pythons_of(file: Mapping[str, Any], pin: Pin) -> Iterator[int]:
    """Yield the Pythons of `pin` that can install this file, on some platform."""
    try:
        if file["filename"].endswith(".whl"):
            name, version, _, tags = parse_wheel_filename(file["filename"])
        else:
            name, version = parse_sdist_filename(file["filename"])
            tags = frozenset()
    except (InvalidSdistFilename, InvalidWheelFilename):
        return  # of the years before both forms were fixed
    if name != canonicalize_name(pin.name) or version not in SpecifierSet(f"=={pin.version}"):
        return
    allowed = SpecifierSet(file.get("requires-python") or "")
    for minor in pin.pythons:
        if f"3.{minor}.{PATCHES[-1]}" in allowed and (not tags or any(_fits(tag, minor) for tag in tags)):
            yield minor


def _fits(tag: Tag, minor: int) -> bool:
    own = {f"cp3{minor}", "abi3", "none"}
    before = [f"3{older}" for older in range(minor + 1)]
    return tag.abi in own and (
        tag.interpreter in {f"cp3{minor}", "py3"}
        or (tag.abi == "abi3" and tag.interpreter in {f"cp{one}" for one in before})
        or (tag.abi == "none" and tag.interpreter in {f"py{one}" for one in before})
    )


if __name__ == "__main__":
    sys.exit(main())
