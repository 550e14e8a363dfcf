"""The files that a repository of a published directory holds: `.dvc` file, remotes, and what git must not track."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Out:
    """A directory under DVC's care: its name in the repository, the md5 of its listing, what it holds."""

    path: str
    md5: str
    size: int
    nfiles: int
    desc: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the bytes lie: a name and DVC's settings for it (`url`, `endpointurl`, ..)."""

    name: str
    settings: Mapping[str, str]


def repository_files(
    out: Out, remotes: Sequence[Remote], artifacts: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, bytes]:
    """Path and content of every file of the repository; the first remote is the default one. The order of mappings
    changes nothing: a database may give them back in another.

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
    """`hash: md5` is what makes it DVC 3's format: without it the pull looks for DVC 2's."""
    told = {"desc": out.desc, "meta": dict(out.meta)}
    row = {"md5": f"{out.md5}.dir", "size": out.size, "nfiles": out.nfiles, "hash": "md5", "path": out.path}
    row |= {name: value for name, value in told.items() if value}
    return _yaml({"outs": [row]})


def _yaml(document: Mapping[str, Any]) -> bytes:
    """JSON is YAML; one line per entry so that `git diff` shows what changed."""
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
