"""From a checkpoint to one ONNX file: normalisation, network and probabilities in the graph."""

import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from export.config import InputKind
from export.proto import set_facts, take_uint8
from export.runtime import INPUT, graphs
from tasktypes import DEFAULT, task_type
from tasktypes.model_parts import Learning
from training.checkpoint import load
from training.network import Network
from worker_programs import files
from worker_programs.torchlib import keep_operators

OPSET = 20
"""Inside what TensorRT 10 documents; from 23 on attention becomes an operator that its fp32 builder refuses."""
RESIZE = "stretch"


class _Shipped(nn.Module):
    """The network with its probabilities, as it ships."""

    def __init__(self, network: Network, learning: Learning) -> None:
        super().__init__()
        self.network, self.learning = network, learning

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, embedding = self.network(pixels)
        return logits, embedding, self.learning.activated(logits)


def export_onnx(
    checkpoint: Path, out: Path, *, facts: Mapping[str, Any] | None = None, kind: InputKind = "float32_nchw"
) -> bytes:
    """Write the checkpoint in folder `checkpoint` as the ONNX file `out`; gives its bytes: equal inputs, equal bytes.

    `input` raw pixel values 0..255, float32 (batch, C, H, W) or uint8 (batch, H, W, C) as `kind` says -> `logits`,
    `embedding`, `probabilities`, or what the task type has in their place (`Outputs.names`). The metadata `motherlode`
    holds task, classes, input_size, resize, mean, std, architecture, embedding_dim, and `facts`.

    Raises CheckpointError.
    """
    loaded = load(checkpoint)
    proto = to_onnx(loaded.network, loaded.config.task)
    set_facts(proto, {**(facts or {}), **facts_of(loaded.network, loaded.config.task, loaded.config.classes)})
    if kind == "uint8_nhwc":
        take_uint8(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    files.write_bytes(out, data)
    return data


def facts_of(network: Network, task: str, classes: Sequence[str]) -> dict[str, Any]:
    """What a file says of the network in it."""
    family = network.family
    mean, std = family.normalisation
    return {
        "task": task,
        "classes": list(classes),
        "input_size": family.input_size,
        "resize": RESIZE,
        "mean": mean,
        "std": std,
        "architecture": family.name,
        "embedding_dim": family.embedding_dim,
    }


def to_onnx(network: Network, task: str = DEFAULT) -> onnx.ModelProto:
    """The graph of a network in evaluation mode, batch axis dynamic, without the exporter's notes."""
    keep_operators()
    example, asked = torch.zeros(2, *network.family.input_size), task_type(task)
    batch = torch.export.Dim("batch", min=1, max=4096)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own deprecations
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # and of torchvision, which is not used
        program = torch.onnx.export(
            _Shipped(network, asked.learning).eval(),
            (example,),
            dynamo=True,
            input_names=[INPUT],
            output_names=list(asked.outputs.names),
            dynamic_shapes=({0: batch},),
            opset_version=OPSET,
            optimize=True,
            verbose=False,
        )
    if program is None:
        raise RuntimeError("the exporter made no program")
    return _bare(program.model_proto)


def _bare(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Without notes: they hold source paths of the machine that exported, and change from run to run."""
    for graph in graphs(proto):
        del graph.metadata_props[:]
        for item in (*graph.node, *graph.initializer, *graph.value_info, *graph.input, *graph.output):
            del item.metadata_props[:]
            item.doc_string = ""
    del proto.metadata_props[:]
    return proto
