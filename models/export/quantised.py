"""The rules of a quantised graph and of strong typing, from the answers of TensorRT's parser to probes of each."""

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, numpy_helper

QUANTISE, DEQUANTISE = "QuantizeLinear", "DequantizeLinear"
STORED = {TensorProto.INT8: "int8", TensorProto.FLOAT8E4M3FN: "float8e4m3fn"}
SAME_TYPE = ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "PRelu", "Equal", "Greater", "Less", "Mod",
  "GreaterOrEqual", "LessOrEqual", "MatMul", "Gemm", "Conv", "ConvTranspose", "Concat", "Where")  # fmt: skip
Constants = Mapping[str, TensorProto]
Types = Mapping[str, int]


def quantisation_problems(nodes: list[NodeProto], constants: Constants, types: Types) -> list[str]:
    """List what is wrong with the Q/DQ nodes; empty for a graph without any."""
    problems = [
        f"{node.op_type} {node.name!r}: use QuantizeLinear and DequantizeLinear around the float operator"
        for node in nodes
        if node.op_type.startswith(("QLinear", "DynamicQuantize")) or node.op_type.endswith("Integer")
    ]
    weights = _weights(nodes, constants)
    for node in nodes:
        if node.op_type in (QUANTISE, DEQUANTISE):
            found = [*_scale(node, constants, weights), *_zero_point(node, constants), *_stored(node, constants, types)]
            problems += [f"{node.op_type} {node.name!r}: {problem}" for problem in found]
    return problems


def mixed_types(nodes: list[NodeProto], types: Types) -> list[str]:
    """Operators whose inputs are of different types: TensorRT 11 casts nothing by itself."""
    problems = []
    for node in nodes:
        names = node.input[1:] if node.op_type == "Where" else node.input[:1] if node.op_type == "Pow" else node.input
        found = {types[name] for name in names if types.get(name)} if node.op_type in SAME_TYPE else set()
        if len(found) > 1:
            words = " and ".join(sorted(TensorProto.DataType.Name(kind) for kind in found))
            problems.append(f"{node.op_type} {node.name!r}: mixes {words}; put a Cast before it")
    return problems


def inferred(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with inferred types of all tensors; unchanged if inference fails."""
    try:
        return onnx.shape_inference.infer_shapes(proto)
    except onnx.shape_inference.InferenceError:
        return proto


def types_of(proto: onnx.ModelProto) -> dict[str, int]:
    """Inferred element types by tensor name, without tensors whose type inference does not know."""
    known = inferred(proto)
    values = (*known.graph.input, *known.graph.output, *known.graph.value_info)
    found = {value.name: value.type.tensor_type.elem_type for value in values}
    return found | {tensor.name: tensor.data_type for tensor in known.graph.initializer}


def _weights(nodes: list[NodeProto], constants: Constants) -> set[str]:
    """Names of constants and of what is quantised from them alone."""
    found = set(constants)
    for node in nodes:
        if node.op_type == QUANTISE and node.input[0] in found:
            found.update(node.output)
    return found


def _scale(node: NodeProto, constants: Constants, weights: set[str]) -> list[str]:
    tensor = constants.get(node.input[1])
    if tensor is None:
        return ["its scale is not a constant"]
    scale = numpy_helper.to_array(tensor).astype(np.float32)
    problems = [] if np.isfinite(scale).all() and (scale > 0).all() else ["its scale is not positive and finite"]
    if scale.size > 1 and node.input[0] not in weights:
        problems.append("per channel is for weights alone")
    return problems


def _zero_point(node: NodeProto, constants: Constants) -> list[str]:
    if len(node.input) < 3 or not node.input[2]:
        return ["it has no zero point, which makes it uint8"] if node.op_type == QUANTISE else ["it has no zero point"]
    tensor = constants.get(node.input[2])
    if tensor is None:
        return ["its zero point is not a constant"]
    if tensor.data_type not in STORED:
        return [f"stores {TensorProto.DataType.Name(tensor.data_type)}; only {' and '.join(STORED.values())}"]
    return ["its zero point is not 0"] if numpy_helper.to_array(tensor).astype(np.float32).any() else []


def _stored(node: NodeProto, constants: Constants, types: Types) -> list[str]:
    if node.op_type != DEQUANTISE:
        return []
    tensor = constants.get(node.input[0])
    kind = tensor.data_type if tensor is not None else types.get(node.input[0])
    if kind == TensorProto.INT32:
        return ["an int32 bias is refused; leave biases in float"]
    if kind and kind not in STORED:
        return [f"reads {TensorProto.DataType.Name(kind)}; only {' and '.join(STORED.values())}"]
    return []
