"""`python -m export.backbone CONFIG.json`: a pretrained trunk as an ONNX file that embeds images, without any training.

The file is like any other that the platform runs, so it has a head: of one class, all zeros, which is never used.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass

from worker_programs import files
from worker_programs.config import STRICT
from worker_programs.events import Listener, run

NOBODY_ASKS = ["image"]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class BackboneConfig:
    """The config of `python -m export.backbone`."""

    architecture: str
    """Registered name of an architecture with pretrained weights."""
    out: Path
    """The ONNX file to write."""


def make_backbone(config: BackboneConfig) -> bytes:
    """Write the file and return its bytes. Raises ConfigError, and WeightsError if other weights are installed."""
    import torch

    from export.graph import facts_of, to_onnx
    from export.proto import set_facts
    from tasktypes import DEFAULT
    from training.network import build

    network = build(config.architecture, {}, classes=len(NOBODY_ASKS))
    with torch.no_grad():
        for values in network.head.parameters():
            values.zero_()
    proto = to_onnx(network)
    set_facts(proto, facts_of(network, DEFAULT, NOBODY_ASKS))
    data: bytes = proto.SerializeToString(deterministic=True)
    files.write_bytes(config.out, data)
    return data


def _body(config: BackboneConfig, listener: Listener) -> Mapping[str, Any]:
    listener.log(f"exporting the pretrained trunk of {config.architecture}")
    return {"bytes": len(make_backbone(config))}


if __name__ == "__main__":
    sys.exit(run(BackboneConfig, _body))
