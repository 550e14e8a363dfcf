"""From a checkpoint to one ONNX file: normalisation, network and probabilities in the graph."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx

from blobs.cache import BlobCache
from export.config import InputKind
from export.proto import set_facts, take_uint8
from export.runtime import graphs
from export.traced import graph_of
from export.trunk import with_head
from tasktypes import DEFAULT
from training.checkpoint import load
from training.encoders import EncoderTrunk
from training.network import Network
from worker_programs import files

RESIZE = "stretch"


def export_onnx(
    checkpoint: Path,
    out: Path,
    *,
    facts: Mapping[str, Any] | None = None,
    kind: InputKind = "float32_nchw",
    cache: BlobCache | None = None,
    anew: bool = False,
) -> bytes:
    """Write the checkpoint in folder `checkpoint` as the ONNX file `out`; returns its bytes: equal inputs, equal bytes.

    `input` raw pixel values 0..255, float32 (batch, C, H, W) or uint8 (batch, H, W, C) as `kind` says -> `logits`,
    `embedding`, `probabilities`, or what the task type has in their place (`Outputs.names`). The metadata `motherlode`
    holds task, classes, input_size, resize, mean, std, architecture, embedding_dim, and `facts`. The part of the graph
    that does not depend on the weights is kept in the `cache`, if one is given, and made again if `anew`
    (`export.traced`).

    Raises CheckpointError, and ModelError for an encoder that can't be converted.
    """
    loaded = load(checkpoint)
    proto = to_onnx(loaded.network, loaded.config.task, cache=cache, anew=anew)
    set_facts(proto, {**(facts or {}), **facts_of(loaded.network, loaded.config.task, loaded.config.classes)})
    if kind == "uint8_nhwc":
        take_uint8(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    files.write_bytes(out, data)
    return data


def facts_of(network: Network, task: str, classes: Sequence[str]) -> dict[str, Any]:
    """The facts of a network for the file's metadata."""
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


def to_onnx(
    network: Network, task: str = DEFAULT, *, cache: BlobCache | None = None, anew: bool = False
) -> onnx.ModelProto:
    """The graph of a network in evaluation mode, batch axis dynamic, without the exporter's notes; `cache` and `anew`
    as in `export.traced.graph_of`. Raises ModelError for an encoder that can't be converted."""
    if isinstance(network.trunk, EncoderTrunk):
        head = {name: value.detach().cpu().numpy() for name, value in network.head.state_dict().items()}
        return _bare(with_head(network.trunk.path.read_bytes(), head["weight"], head["bias"], task))
    return _bare(graph_of(network, task, cache=cache, anew=anew))


def _bare(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Remove the exporter's notes: they hold source paths of the exporting machine, and change from run to run."""
    for graph in graphs(proto):
        del graph.metadata_props[:]
        for item in (*graph.node, *graph.initializer, *graph.value_info, *graph.input, *graph.output):
            del item.metadata_props[:]
            item.doc_string = ""
    del proto.metadata_props[:]
    return proto
