"""What a model said of each labelled sample, as columns: enough to judge it, to compare it with another version on the
samples that both have seen, and to do so long after, without running anything. NumPy only."""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

DIGEST = np.dtype("S16")
TOP = 5


class EvaluationError(Exception):
    """There is nothing to evaluate, or the arrays do not fit each other."""

    code = "evaluation_impossible"


@dataclass(frozen=True, slots=True)
class Predictions:
    """N samples, in the order of their keys once they are a file's."""

    label: NDArray[np.int32]
    """Index of the true class."""
    predicted: NDArray[np.int32]
    confidence: NDArray[np.float32]
    """Probability of the predicted class."""
    likelihood: NDArray[np.float32]
    """Probability of the true class."""
    top5: NDArray[np.bool_]
    """Is the true class among the five most probable?"""
    md5: NDArray[np.bytes_]
    """Packed digests (N,) of 16 bytes, as in score files; empty strings where the samples have no names."""
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Which samples are in each slice, as far as it was known when the model was evaluated."""

    def __len__(self) -> int:
        return len(self.label)

    @classmethod
    def of(cls, probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> "Predictions":
        """From probabilities (N, K), N >= 1, and labels (N,). Raises EvaluationError where they do not fit."""
        if not len(labels) or probabilities.ndim != 2 or len(probabilities) != len(labels):
            raise EvaluationError(f"{len(labels)} labels and probabilities of shape {probabilities.shape} do not fit")
        if wrong := int((~np.isfinite(probabilities).all(1)).sum()):
            raise EvaluationError(f"the probabilities of {wrong} of {len(labels)} samples are no numbers")
        true = probabilities[np.arange(len(labels)), labels]
        predicted = probabilities.argmax(1)
        return cls(
            label=labels.astype(np.int32),
            predicted=predicted.astype(np.int32),
            confidence=probabilities.max(1).astype(np.float32),
            likelihood=true.astype(np.float32),
            top5=((probabilities > true[:, None]).sum(1) < TOP),
            md5=np.zeros(len(labels), DIGEST),
        )

    @classmethod
    def joined(cls, parts: Sequence["Predictions"]) -> "Predictions":
        """One after the other, without slices."""
        names = [column.name for column in fields(cls) if column.name != "slices"]
        columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**columns)

    def named(self, keys: Sequence[str], md5: Iterable[str], *, slices: Mapping[str, Collection[str]]) -> "Predictions":
        """With the digests (hex) of its samples, in the order of their keys, and with slices given as keys."""
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp)
        held = {name: set(members) for name, members in sorted(slices.items())}
        masks = {name: np.array([key in members for key in keys]) for name, members in held.items()}
        return replace(self, md5=np.array([bytes.fromhex(text) for text in md5], DIGEST), slices=masks).rows(order)

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> "Predictions":
        """Some of the samples, by index or mask."""
        columns = {c.name: getattr(self, c.name)[chosen] for c in fields(self) if c.name != "slices"}
        return Predictions(**columns, slices={name: held[chosen] for name, held in self.slices.items()})

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which samples were told right (N,)."""
        return np.equal(self.label, self.predicted)

    @property
    def losses(self) -> NDArray[np.float64]:
        """Negative log-likelihoods (N,)."""
        return -np.log(np.clip(self.likelihood.astype(np.float64), 1e-12, None))

    def to_bytes(self) -> bytes:
        """The file `predictions.npz`, uncompressed and without pickles; equal predictions give equal bytes."""
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
    def read(cls, file: bytes) -> "Predictions":
        """Such a file. Raises ValueError for another one."""
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


def common(new: Predictions, base: Predictions) -> tuple[Predictions, Predictions]:
    """The samples of `new` that `base` has too, row by row in both: the same bytes under the same label.

    A sample that was labelled anew since is left out: the two were not asked the same.
    """
    asked, known = _questions(new), _questions(base)
    order = np.argsort(known, kind="stable")
    if not len(order):
        return new.rows(order), base
    places = order[np.minimum(np.searchsorted(known[order], asked), len(order) - 1)]
    met = known[places] == asked
    return new.rows(met), base.rows(places[met])


def _questions(predictions: Predictions) -> NDArray[np.bytes_]:
    """Digest and label of each sample as one string of 20 bytes."""
    digest = np.ascontiguousarray(predictions.md5).view(np.uint8).reshape(-1, DIGEST.itemsize)
    label = np.ascontiguousarray(predictions.label).view(np.uint8).reshape(-1, 4)
    return np.concatenate([digest, label], axis=1).view("S20").reshape(-1)
