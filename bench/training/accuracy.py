"""How good the default configuration gets, by the torch module and by the ONNX file that ships."""

from pathlib import Path
from typing import Any

from bench.training.corpus import CLASSES, OnDisk
from bench.versioning.table import Line
from export.config import ExportConfig
from export.program import export
from training import TrainingConfig, train


def judge(data: OnDisk, folder: Path, *, threads: int, target: float | None, **recipe: Any) -> list[Line]:
    """Train, export and evaluate by the programs' own functions: no parameter is set but what `recipe` names."""
    metrics = train(
        TrainingConfig(
            out_dir=folder / "trained",
            train=data.train,
            validation=data.test,
            classes=CLASSES,
            blobs=str(data.blobs),
            threads=threads,
            recipe=recipe,
        )
    )
    made = export(
        ExportConfig(
            out_dir=folder / "exported",
            checkpoint=folder / "trained",
            test=data.test,
            blobs=str(data.blobs),
            threads=threads,
        )
    )
    seconds, name = metrics["train"]["seconds"], data.source.partition(" (")[0]
    return [
        _line(f"{name}, torch ({seconds:.0f} s of training)", metrics["validation"]["accuracy"], target),
        _line(f"{name}, the ONNX file", made["evaluation"]["accuracy"], target),
    ]


def _line(what: str, accuracy: float, target: float | None) -> Line:
    if target is None:
        return Line(what, "", f"{accuracy:.2%}")
    return Line(what, f"{target:.2%}", f"{accuracy:.2%}", accuracy / target, 1.0)
