"""Recovery files: the whole state of a training at one step, in one safetensors file. No pickles."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import safetensors
import safetensors.torch
from torch import Tensor

from worker_programs import files

PATTERN = "step-*.safetensors"
CODE = "code"
"""The part of an identity that names the code: a run that is resumed after an upgrade starts anew."""


class RecoveryError(Exception):
    """A recovery file is sound, but of another run; the message names what differs."""

    code = "recovery_of_another_run"


class _Damaged(Exception):  # noqa: N818 - found and passed over, never seen by a caller
    """A file is not a complete recovery file."""


@dataclass(frozen=True, slots=True)
class Content:
    """The tensors of a recovery file, and its other facts as JSON, such as `step`."""

    tensors: Mapping[str, Tensor]
    facts: Mapping[str, Any]


def path_of(folder: Path, step: int) -> Path:
    """The path of a step's file; names sort like steps."""
    return folder / f"step-{step:08d}.safetensors"


def write(path: Path, content: Content, *, identity: Mapping[str, str]) -> None:
    """Write a file completely or not at all. `identity` has digests of its recipe, architecture and data."""
    facts = orjson.dumps(dict(content.facts)).decode()
    header = {"facts": facts, "identity": orjson.dumps(dict(identity)).decode()}
    tensors = {name: value.detach().cpu().contiguous() for name, value in content.tensors.items()}
    data = safetensors.torch.save(tensors, header | {"sha256": _digest(tensors, header)})
    files.write_bytes(path, data)


def newest(place: Path, *, identity: Mapping[str, str], log: Callable[[str], None]) -> Content | None:
    """Read the newest sound recovery file of a folder, or the file at `place`; None if there is none.

    Files that are damaged, or of other code, which would end with other weights, are logged and skipped. Raises
    RecoveryError for a file of another run.
    """
    for path in sorted(place.glob(PATTERN), reverse=True) if place.is_dir() else [place]:
        try:
            content, theirs = _read(path)
        except _Damaged as fault:
            log(f"the recovery file {path.name} is damaged and passed over: {fault}")
            continue
        if theirs.get(CODE) != identity.get(CODE):  # such code may have had another recipe
            log(f"the recovery file {path.name} was made by other code or another torch and is passed over")
            continue
        if other := sorted(name for name in set(identity) - {CODE} if theirs.get(name) != identity[name]):
            raise RecoveryError(
                f"{path.name} is of a run with other {', '.join(other)}: it cannot be resumed here; leave resume out"
            )
        return content
    log(f"there is no sound recovery file at {place.name}: training starts from the beginning")
    return None


def _read(path: Path) -> tuple[Content, dict[str, str]]:
    try:
        with safetensors.safe_open(path, framework="pt") as held:
            header = held.metadata() or {}
            tensors = {name: held.get_tensor(name) for name in held.keys()}  # noqa: SIM118 - it is not a mapping
    except (OSError, safetensors.SafetensorError) as fault:
        raise _Damaged(str(fault)) from fault
    promised = header.pop("sha256", None)
    if promised != _digest(tensors, header):
        raise _Damaged("its content is not what was written")
    return Content(tensors, orjson.loads(header["facts"])), orjson.loads(header["identity"])


def _digest(tensors: Mapping[str, Tensor], header: Mapping[str, str]) -> str:
    """SHA-256 over header and tensors: safetensors itself would not notice a flipped bit."""
    found = hashlib.sha256(orjson.dumps(dict(header), option=orjson.OPT_SORT_KEYS))
    for name in sorted(tensors):
        found.update(name.encode())
        found.update(tensors[name].numpy().data if tensors[name].numel() else b"")
    return found.hexdigest()
