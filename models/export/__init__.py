"""From a checkpoint to an ONNX file that is proved: TensorRT-ready, equal to torch, evaluated as it ships.

Importing this package imports neither torch nor ONNX; `Session`, which runs an exported file, needs no torch either.

>>> import tempfile, numpy as np
>>> from pathlib import Path
>>> from export import Session, export_onnx
>>> from export.readiness import readiness
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

from export.adopt_spec import AdoptSpec
from export.config import ExportChoices, ExportConfig, Profile

if TYPE_CHECKING:
    from export.adopt_graph import adopt_onnx
    from export.building import prove_engine
    from export.engine_cache import EngineCache, EngineKey
    from export.evaluation import evaluate_onnx
    from export.float16 import to_half
    from export.graph import export_onnx
    from export.parity import Parity, prove_parity
    from export.program import export
    from export.quantise import to_fp8, to_int8
    from export.runtime import ModelError, ModelFacts, Outputs, Session

_LATER = {
    "adopt_onnx": "adopt_graph",
    "prove_engine": "building",
    "EngineCache": "engine_cache",
    "EngineKey": "engine_cache",
    "evaluate_onnx": "evaluation",
    "export_onnx": "graph",
    "to_half": "float16",
    "to_fp8": "quantise",
    "Parity": "parity",
    "prove_parity": "parity",
    "export": "program",
    "to_int8": "quantise",
    "ModelError": "runtime",
    "ModelFacts": "runtime",
    "Outputs": "runtime",
    "Session": "runtime",
}

__all__ = [
    "AdoptSpec",
    "EngineCache",
    "EngineKey",
    "ExportChoices",
    "ExportConfig",
    "ModelError",
    "ModelFacts",
    "Outputs",
    "Parity",
    "Profile",
    "Session",
    "adopt_onnx",
    "evaluate_onnx",
    "export",
    "export_onnx",
    "prove_engine",
    "prove_parity",
    "to_fp8",
    "to_half",
    "to_int8",
]


def __getattr__(name: str) -> Any:
    """Load what needs torch or ONNX when it is first asked for (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
