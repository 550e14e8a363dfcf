"""A model's predictions for each labelled sample, as columns: enough to evaluate it, to compare it with another version
on their common samples, and to do so much later, without running the model. NumPy only."""

import io
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

DIGEST = np.dtype("S16")


class EvaluationError(Exception):
    """There is nothing to evaluate, or the arrays do not fit each other."""

    code = "evaluation_impossible"


def check_numbers(probabilities: NDArray[np.float32]) -> None:
    """Raise EvaluationError if samples (N, K) have probabilities that are not finite numbers."""
    if wrong := int((~np.isfinite(probabilities).all(1)).sum()):
        raise EvaluationError(f"the probabilities of {wrong} of {len(probabilities)} samples are no numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions(ABC):
    """Predictions for N samples, in the order of their keys once they are stored in a file. A task type adds its
    columns, arrays of N rows."""

    md5: NDArray[np.bytes_]
    """Packed digests (N,) of 16 bytes, as in score files; empty strings if the samples have none."""
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Which samples are in each slice, as far as it was known when the model was evaluated."""

    def __len__(self) -> int:
        return len(self.md5)

    @property
    @abstractmethod
    def asked(self) -> NDArray[Any]:
        """The true label of each sample, one row each: samples with equal rows have equal labels."""

    @property
    @abstractmethod
    def answered(self) -> NDArray[Any]:
        """The model's answer for each sample, in the form of `asked`."""

    @property
    @abstractmethod
    def losses(self) -> NDArray[np.float64]:
        """The loss of each sample (N,)."""

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which samples were predicted rightly in every part (N,)."""
        same = np.equal(self.asked, self.answered)
        return np.asarray(same.all(axis=tuple(range(1, same.ndim))), np.bool_)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate predictions, without slices."""
        names = [column.name for column in fields(cls) if column.name != "slices"]
        columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**columns)

    def named(self, keys: Sequence[str], md5: Iterable[str], *, slices: Mapping[str, Collection[str]]) -> Self:
        """Return a copy with the digests (hex) of its samples, sorted by their keys, and with slices given as keys."""
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp)
        held = {name: set(members) for name, members in sorted(slices.items())}
        masks = {name: np.array([key in members for key in keys]) for name, members in held.items()}
        return replace(self, md5=np.array([bytes.fromhex(text) for text in md5], DIGEST), slices=masks).rows(order)

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Self:
        """Return some of the samples, by index or mask."""
        columns = {c.name: getattr(self, c.name)[chosen] for c in fields(self) if c.name != "slices"}
        return type(self)(**columns, slices={name: held[chosen] for name, held in self.slices.items()})

    def to_bytes(self) -> bytes:
        """Write the file `predictions.npz`, uncompressed and without pickles; equal predictions give equal bytes."""
        columns = {c.name: getattr(self, c.name) for c in fields(self) if c.name not in {"md5", "slices"}}
        held = np.array([*self.slices.values()], np.bool_).reshape(len(self.slices), len(self))
        stream = io.BytesIO()
        np.savez(
            stream,
            **columns,
            md5=np.ascontiguousarray(self.md5).view(np.uint8).reshape(-1, DIGEST.itemsize),
            slice_names=np.array([name.encode() for name in self.slices], np.bytes_),
            slices=np.packbits(held, axis=1),
        )
        return stream.getvalue()

    @classmethod
    def read(cls, file: bytes) -> Self:
        """Read a file `predictions.npz`. Raises ValueError if it is not one."""
        try:
            with np.load(io.BytesIO(file), allow_pickle=False) as stored:
                columns = {c.name: stored[c.name] for c in fields(cls) if c.name not in {"md5", "slices"}}
                md5 = np.ascontiguousarray(stored["md5"]).view(DIGEST).reshape(-1)
                held = np.unpackbits(stored["slices"], axis=1, count=len(md5)).astype(np.bool_)
                names = [name.decode() for name in stored["slice_names"]]
        except (KeyError, OSError, EOFError, ValueError, BadZipFile) as fault:
            raise ValueError(f"not a file of predictions: {fault}") from fault
        if {len(column) for column in columns.values()} != {len(md5)}:
            raise ValueError("not a file of predictions: its columns are not of one length")
        return cls(**columns, md5=md5, slices=dict(zip(names, held, strict=True)))


P = TypeVar("P", bound=Predictions)


def common(new: P, base: P) -> tuple[P, P]:
    """Return the samples of `new` that `base` has too, row by row in both: the same bytes under the same label.

    A sample that has been relabelled since is left out, because the two were evaluated against different labels.
    """
    asked, known = _questions(new), _questions(base)
    order = np.argsort(known, kind="stable")
    if not len(order):
        return new.rows(order), base
    places = order[np.minimum(np.searchsorted(known[order], asked), len(order) - 1)]
    met = known[places] == asked
    return new.rows(met), base.rows(places[met])


def told_right_by(new: P, base: P) -> NDArray[np.bool_]:
    """Mark the samples (N,) of `new` that `base` has too, the same bytes under the same label, and predicted rightly in
    every part."""
    asked = _questions(new)
    return np.isin(asked, _questions(base)[base.right])


def _questions(predictions: Predictions) -> NDArray[np.bytes_]:
    """Return digest and label of each sample as one string of bytes."""
    digest = np.ascontiguousarray(predictions.md5).view(np.uint8).reshape(-1, DIGEST.itemsize)
    asked = np.ascontiguousarray(predictions.asked)
    label = asked.view(np.uint8).reshape(len(digest), asked.itemsize * math.prod(asked.shape[1:]))
    return np.concatenate([digest, label], axis=1).view(f"S{DIGEST.itemsize + label.shape[1]}").reshape(-1)
