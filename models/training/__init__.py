"""Training of image classifiers, as a library for notebooks and as a program for workers.

Importing this package does not import torch; what needs it is loaded when first used.

>>> import tempfile, cv2, numpy as np
>>> from pathlib import Path
>>> from worker_programs.manifest import Sample, write_manifest
>>> from worker_programs.readers import Folder
>>> from training import TrainingConfig, train
>>> here, rng = Path(tempfile.mkdtemp()), np.random.default_rng(0)
>>> folder = Folder(here / "blobs")
>>> def image(brightness):
...     return cv2.imencode(".png", (rng.random((28, 28)) * 60 + brightness).astype("uint8"))[1].tobytes()
>>> samples = [Sample.of(f"{i}.png", folder.put(image(190 * (i % 2))), label={"class": ("dark", "light")[i % 2]})
...            for i in range(20)]
>>> manifest = write_manifest(here / "train.jsonl", samples)
>>> config = TrainingConfig(out_dir=here / "out", train=manifest, validation=manifest, classes=["dark", "light"],
...                         recipe={"steps": 30}, blobs=str(here / "blobs"), threads=1)
>>> train(config)["validation"]["accuracy"]
1.0
>>> sorted(path.name for path in (here / "out").iterdir())
['best', 'checkpoint.safetensors', 'config.json', 'metrics.json', 'tensorboard']
"""

import importlib
from typing import TYPE_CHECKING, Any

from training.config import Recipe, TrainingConfig

if TYPE_CHECKING:
    from training.architectures import Architecture, architecture, facts, names, register
    from training.checkpoint import Checkpoint, CheckpointError
    from training.checkpoint import load as load_checkpoint
    from training.checkpoint import save as save_checkpoint
    from training.data import DataError, Images, load_images
    from training.loop import Fitted, fit, predict
    from training.network import Network, build
    from training.program import train
    from training.recovery import RecoveryError

_LATER = {
    "Architecture": ("architectures", "Architecture"),
    "architecture": ("architectures", "architecture"),
    "facts": ("architectures", "facts"),
    "names": ("architectures", "names"),
    "register": ("architectures", "register"),
    "Checkpoint": ("checkpoint", "Checkpoint"),
    "CheckpointError": ("checkpoint", "CheckpointError"),
    "load_checkpoint": ("checkpoint", "load"),
    "save_checkpoint": ("checkpoint", "save"),
    "DataError": ("data", "DataError"),
    "Images": ("data", "Images"),
    "load_images": ("data", "load_images"),
    "Fitted": ("loop", "Fitted"),
    "fit": ("loop", "fit"),
    "predict": ("loop", "predict"),
    "Network": ("network", "Network"),
    "build": ("network", "build"),
    "train": ("program", "train"),
    "RecoveryError": ("recovery", "RecoveryError"),
}

__all__ = [
    "Architecture",
    "Checkpoint",
    "CheckpointError",
    "DataError",
    "Fitted",
    "Images",
    "Network",
    "Recipe",
    "RecoveryError",
    "TrainingConfig",
    "architecture",
    "build",
    "facts",
    "fit",
    "load_checkpoint",
    "load_images",
    "names",
    "predict",
    "register",
    "save_checkpoint",
    "train",
]


def __getattr__(name: str) -> Any:
    """Import names that need torch on first access (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LATER[name]
    return getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
