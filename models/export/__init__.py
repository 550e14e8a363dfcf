"""From a checkpoint to an ONNX file that is proved: TensorRT-ready, equal to torch, evaluated as it ships.

Importing this package does not import torch; `Session`, which runs an exported file, needs none either.

>>> import tempfile, numpy as np
>>> from pathlib import Path
>>> from export import Session, export_onnx, readiness
>>> from training import Checkpoint, Recipe, build, save_checkpoint
>>> from training.checkpoint import CheckpointConfig
>>> here = Path(tempfile.mkdtemp())
>>> facts = CheckpointConfig(architecture="small_cnn", params={}, classes=["cat", "dog"], recipe={}, threads=1,
...                          torch="2")
>>> save_checkpoint(Checkpoint(build("small_cnn", {}, classes=2), facts), here)
>>> data = export_onnx(here, here / "model.onnx")
>>> readiness(data).ready
True
>>> Session(data).run(np.zeros((5, 28, 28, 1), np.uint8)).probabilities.shape
(5, 2)
"""

import importlib
from typing import TYPE_CHECKING, Any

from export.config import ExportConfig, Profile
from export.readiness import Readiness, readiness
from export.runtime import ModelError, ModelFacts, Outputs, Session

if TYPE_CHECKING:
    from export.evaluation import evaluate_onnx
    from export.graph import export_onnx
    from export.parity import Parity, prove_parity
    from export.program import export, trtexec

_LATER = {
    "export_onnx": "graph",
    "Parity": "parity",
    "prove_parity": "parity",
    "evaluate_onnx": "evaluation",
    "export": "program",
    "trtexec": "program",
}

__all__ = [
    "ExportConfig",
    "ModelError",
    "ModelFacts",
    "Outputs",
    "Parity",
    "Profile",
    "Readiness",
    "Session",
    "evaluate_onnx",
    "export",
    "export_onnx",
    "prove_parity",
    "readiness",
    "trtexec",
]


def __getattr__(name: str) -> Any:
    """Load what needs torch when it is first asked for (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
