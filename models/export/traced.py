"""Trace a network: its graph before the exporter's optimisation is kept in this machine's cache.

Tracing takes seconds and depends on the code and on shapes, not on the weights; the weights are still in the graph
under their own names. So the next network of the same kind is that graph with other weights, and only the optimisation,
which folds them together, is repeated. The result is proved like any other file: a graph that does not answer as the
network is traced again.
"""

import hashlib
import inspect
import logging
import sys
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path

import onnx
import onnx_ir
import torch
from onnx.helper import tensor_dtype_to_np_dtype
from torch import Tensor, nn

import export
import tasktypes
import training
import worker_programs
from blobs.cache import BlobCache
from export.runtime import INPUT
from tasktypes import task_type
from tasktypes.model_parts import Learning
from training.network import Network
from training.revision import sources
from worker_programs.config import document
from worker_programs.torchlib import keep_operators

OPSET = 20
"""Within what TensorRT 10 documents; from 23 on, attention becomes an operator that its fp32 builder refuses."""
PREFIX = "network."
"""Prefix of the names of a network's weights in its graph."""


class _Shipped(nn.Module):
    """The network with its probabilities, as it is exported."""

    def __init__(self, network: Network, learning: Learning) -> None:
        super().__init__()
        self.network, self.learning = network, learning

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, embedding = self.network(pixels)
        return logits, embedding, self.learning.activated(logits)


def graph_of(network: Network, task: str, *, cache: BlobCache | None, anew: bool = False) -> onnx.ModelProto:
    """The graph of a network in evaluation mode, batch axis dynamic, optimised; from the `cache` if it holds the graph
    of another network of the same kind, unless `anew`."""
    name = _digest(network, task)
    data = cache.read_checked(name) if cache and not anew else None
    proto = None if data is None else _filled(data, network)
    if proto is None:
        proto = _traced(network, task)
        if cache:
            cache.drop(name)
            cache.put_checked(name, _emptied(proto, network))
    program = torch.onnx.ONNXProgram(onnx_ir.from_proto(proto), None)
    program.optimize()
    made: onnx.ModelProto = program.model_proto
    return made


def _traced(network: Network, task: str) -> onnx.ModelProto:
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
            optimize=False,
            verbose=False,
        )
    if program is None:
        raise RuntimeError("the exporter made no program")
    made: onnx.ModelProto = program.model_proto
    return made


def _emptied(proto: onnx.ModelProto, network: Network) -> bytes:
    """Serialise a graph without the weights of its network."""
    bare, weights = onnx.ModelProto(), network.state_dict()
    bare.CopyFrom(proto)
    for tensor in bare.graph.initializer:
        if tensor.name.removeprefix(PREFIX) in weights:
            tensor.ClearField("raw_data")
    data: bytes = bare.SerializeToString()
    return data


def _filled(data: bytes, network: Network) -> onnx.ModelProto | None:
    """Fill a kept graph with the weights of a network; None if they do not fit."""
    proto, weights = onnx.ModelProto(), network.state_dict()
    proto.ParseFromString(data)
    for tensor in proto.graph.initializer:
        weight = weights.get(tensor.name.removeprefix(PREFIX))
        if weight is None:
            continue
        array = weight.contiguous().numpy()
        if tuple(tensor.dims) != array.shape or tensor_dtype_to_np_dtype(tensor.data_type) != array.dtype:
            return None
        tensor.raw_data = array.tobytes()
    return proto


def _digest(network: Network, task: str) -> str:
    """A digest of all that a graph depends on besides the weights: code, versions, shapes."""
    weights = [(name, tuple(weight.shape), str(weight.dtype)) for name, weight in network.state_dict().items()]
    libraries = [(name, version(name)) for name in ("torch", "onnx", "onnxscript", "onnx-ir")]
    family = (network.family.name, document(network.family.params), network.family.normalisation)
    facts = (OPSET, task, libraries, family, str(network), weights, _code(), _others(network))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


@cache
def _code() -> str:
    """A digest of our own code that takes part in tracing."""
    packages = (training, export, tasktypes, worker_programs)
    return sources(tuple(Path(inspect.getfile(package)).parent for package in packages))


def _others(network: Network) -> list[str]:
    """Digests of the files that define a network's classes, including the user's own architectures."""
    kinds = {type(part) for part in (network.family, *network.modules())}
    files = {getattr(sys.modules.get(kind.__module__), "__file__", None) for kind in kinds}
    return [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in sorted(filter(None, files))]
