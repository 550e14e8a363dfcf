"""The layers of an ONNX file as people know them: operators, their weights, and facts about these."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

Values = NDArray[np.floating[Any]]
BINS = 32
HIDDEN = frozenset({
    "Cast", "CastLike", "Concat", "Constant", "ConstantOfShape", "DequantizeLinear", "Div", "Equal", "Expand", "Gather",
    "Identity", "QuantizeLinear", "Range", "Reshape", "Shape", "Slice", "Split", "Squeeze", "Sub", "Transpose",
    "Unsqueeze", "Where",
})  # fmt: skip
"""Operators that only move values: shown only if they carry weights."""
THROUGH = frozenset({"Cast", "DequantizeLinear", "Identity", "QuantizeLinear", "Reshape", "Transpose"})
"""Operators that may stand between a weight and the layer that uses it."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One operator: its name (safe in an address), the tensor it makes, and its weights, the largest first."""

    name: str
    operator: str
    output: str
    weights: Mapping[str, Values]


def layers_of(proto: onnx.ModelProto) -> list[Layer]:
    """The layers, in the order in which they are computed."""
    held = {tensor.name: tensor for tensor in proto.graph.initializer}
    makers = {output: node for node in proto.graph.node for output in node.output}
    found: dict[str, Layer] = {}
    for node in proto.graph.node:
        weights = {} if node.op_type in THROUGH else _weights(node, held, makers)
        if not node.output or (node.op_type in HIDDEN and not weights):
            continue
        name = (node.name or node.output[0]).strip("/") or node.op_type
        name = name if name not in found else f"{name}~{len(found)}"
        found[name] = Layer(name, node.op_type, node.output[0], weights)
    return list(found.values())


def facts(values: Values) -> dict[str, Any]:
    """Shape and distribution: mean, std, min, max, a histogram. Only the shape and count for an array without finite
    numbers."""
    known = values[np.isfinite(values)].astype(np.float64)  # squares of large float32 values are infinite
    found: dict[str, Any] = {"shape": list(values.shape), "count": int(values.size)}
    if not known.size:
        return found
    counts, edges = np.histogram(known, bins=BINS)
    moments = {name: float(getattr(known, name)()) for name in ("mean", "std", "min", "max")}
    return found | moments | {"histogram": {"counts": counts.tolist(), "edges": [float(edge) for edge in edges]}}


def _weights(node: onnx.NodeProto, held: Mapping[str, Any], makers: Mapping[str, Any]) -> dict[str, Values]:
    arrays = {}
    for name in node.input:
        tensor = _source(name, held, makers)
        if tensor is not None and np.prod(tensor.dims, dtype=np.int64) > 1:
            values = onnx.numpy_helper.to_array(tensor)
            if values.dtype != np.int64:  # shapes and axes
                arrays[tensor.name or name] = values.astype(np.float32)
    return dict(sorted(arrays.items(), key=lambda item: -item[1].size))


def _source(name: str, held: Mapping[str, onnx.TensorProto], makers: Mapping[str, Any]) -> onnx.TensorProto | None:
    """The constant behind an input, if there is one. A file is not trusted to be free of cycles."""
    for _ in range(len(THROUGH)):
        if name in held:
            return held[name]
        maker = makers.get(name)
        if maker is None:
            return None
        if maker.op_type == "Constant":
            values: list[onnx.TensorProto] = [one.t for one in maker.attribute if one.name == "value"]
            return values[0] if values else None
        if maker.op_type not in THROUGH or not maker.input:
            return None
        name = maker.input[0]
    return None
