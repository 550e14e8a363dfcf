"""The files in the repository of a published directory: its `.dvc` file, remotes, and what git must ignore."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Out:
    """A directory tracked by DVC: its name in the repository, the md5 of its listing, its size and number of files."""

    path: str
    md5: str
    size: int
    nfiles: int
    desc: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remote:
    """A DVC remote: its name and DVC's settings for it (`url`, `endpointurl`, ..)."""

    name: str
    settings: Mapping[str, str]


def repository_files(
    out: Out, remotes: Sequence[Remote], artifacts: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, bytes]:
    """Return the content of every file of the repository by path; the first remote is the default one. The order of
    mappings does not matter, because a database may return them in another.

    `artifacts` are entries of dvc.yaml: each names a `path` and may have `type`, `desc`, `labels`, `meta`.
    """
    files = {
        f"{out.path}.dvc": _tracked(out),
        ".dvc/config": _config(remotes),
        ".dvc/.gitignore": b"/config.local\n/tmp\n/cache\n",
        ".gitignore": f"/{out.path}\n".encode(),
    }
    if artifacts:
        files["dvc.yaml"] = _yaml({"artifacts": dict(sorted(artifacts.items()))})
    return files


def _tracked(out: Out) -> bytes:
    """Write the `.dvc` file. `hash: md5` makes it DVC 3's format: without it, a pull looks for DVC 2's."""
    told = {"desc": out.desc, "meta": dict(out.meta)}
    row = {"md5": f"{out.md5}.dir", "size": out.size, "nfiles": out.nfiles, "hash": "md5", "path": out.path}
    row |= {name: value for name, value in told.items() if value}
    return _yaml({"outs": [row]})


def _yaml(document: Mapping[str, Any]) -> bytes:
    """Write YAML with JSON values, which are valid YAML; one line per entry so that `git diff` shows what changed."""
    lines = []
    for name, value in document.items():
        lines.append(f"{name}:")
        for row in value if isinstance(value, list) else [value]:
            opening = "- " if isinstance(value, list) else "  "
            for key, content in row.items():
                lines.append(f"{opening}{key}: {_scalar(content)}")
                opening = "  "
    return ("\n".join(lines) + "\n").encode()


def _scalar(value: object) -> str:
    plain = isinstance(value, str) and value.replace(".dir", "").isalnum() and not value.isdecimal()
    return str(value) if plain else json.dumps(value, sort_keys=True)


def _config(remotes: Sequence[Remote]) -> bytes:
    lines = ["[core]", f"    remote = {remotes[0].name}", "    analytics = false"]
    for remote in remotes:
        lines.append(f"['remote \"{remote.name}\"']")
        lines += [f"    {name} = {value}" for name, value in sorted(remote.settings.items())]
    return ("\n".join(lines) + "\n").encode()
