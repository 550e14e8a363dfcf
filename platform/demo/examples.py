"""The images of a demo: the uploads, and the labels that a stand-in annotator knows for the rest."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from motherlode.archives import write_tar

if TYPE_CHECKING:
    from motherlode.documents import LabelValue, SplitEnum


@dataclass(frozen=True)
class Part:
    """One upload: encoded images with their keys, and their labels if the images start labelled."""

    split: SplitEnum
    message: str
    keys: Sequence[str]
    files: Iterable[bytes]
    """The encoded image of each key; read once."""
    labels: Sequence[LabelValue] | None

    @cached_property
    def archive(self) -> bytes:
        """A tar archive of the images; made once, also when two datasets use it."""
        stream = io.BytesIO()
        write_tar(stream, zip(self.keys, self.files, strict=True))
        return stream.getvalue()

    def annotations(self) -> bytes | None:
        """Return JSON lines with each label and split; None if nothing is labelled."""
        if self.labels is None:
            return None
        rows = (
            {"key": key, "label": label, "split": self.split}
            for key, label in zip(self.keys, self.labels, strict=True)
        )  # fmt: skip
        return "".join(json.dumps(row) + "\n" for row in rows).encode()


@dataclass(frozen=True, slots=True)
class Examples:
    """The uploads of a dataset; `source` says where the images come from, `truth` is the label of each by its key."""

    source: str
    parts: Sequence[Part]
    truth: Mapping[str, LabelValue]


def write_truth(truth: Mapping[str, LabelValue], path: Path) -> None:
    """Keep the recorded truth in a file for stand-in annotators; the platform never sees it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"key": key, "label": label}) + "\n" for key, label in truth.items())
