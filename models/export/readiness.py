"""Static checks whether an ONNX file is ready for TensorRT; they need neither a GPU nor TensorRT.

The rules come from NVIDIA's operator documentation and from its parser's answers to probes of each of them.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, TensorProto, numpy_helper

from export.quantised import inferred, mixed_types, quantisation_problems, types_of
from export.runtime import INPUT, MAX_BYTES, ModelError, graphs, load_proto, output_names, read_facts, tensors

IR_VERSIONS, OPSETS = range(8, 11), range(17, 23)
IO_TYPES = {getattr(TensorProto, name): name for name in ("FLOAT", "FLOAT16", "INT64", "INT32", "BOOL", "UINT8")}
MAX_RANK, MAX_TOPK = 8, 3840
RANDOM = ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
DATA_DEPENDENT = {
    "NonZero": "keep all elements and mask them",
    "NonMaxSuppression": "leave it out of the graph: take the peaks of a heat map, or suppress after the engine",
}


Constants = dict[str, TensorProto]


@dataclass(frozen=True, slots=True)
class Check:
    """One check and the problems it found; passed if there are none."""

    name: str
    passed: bool
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Readiness:
    """All static checks of one file."""

    ready: bool
    checks: list[Check]
    opset: int | None
    ir_version: int
    operators: list[str]
    operator_list: str
    """The parser whose supported operators are the allow-list, with its version."""


def readiness(data: bytes) -> Readiness:
    """Run every static check on a model's bytes. Raises ModelError only if they are not an ONNX file at all."""
    proto = load_proto(data)
    made = [
        Check(name, not problems, problems) for name, problems in ((n, check(proto)) for n, check in CHECKS.items())
    ]
    return Readiness(
        ready=all(check.passed for check in made),
        checks=made,
        opset=next((entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")), None),
        ir_version=proto.ir_version,
        operators=sorted({node.op_type for node in _nodes(proto)}),
        operator_list=_operator_list()["parser"],
    )


def _valid(proto: onnx.ModelProto) -> list[str]:
    try:
        onnx.checker.check_model(proto, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as fault:
        return [str(fault).strip()]
    return []


def _versions(proto: onnx.ModelProto) -> list[str]:
    problems = []
    if proto.ir_version not in IR_VERSIONS:
        problems.append(f"IR version {proto.ir_version} is outside {IR_VERSIONS.start}..{IR_VERSIONS.stop - 1}")
    imports = [(entry.domain, entry.version) for entry in proto.opset_import]
    default = [version for domain, version in imports if domain in ("", "ai.onnx")]
    if len(default) != 1 or default[0] not in OPSETS:
        words = f"opset {default} is not exactly one of {OPSETS.start}..{OPSETS.stop - 1}"
        problems.append(f"{words}: export again with 20 (before 17 LayerNormalization falls into parts)")
    foreign = {domain for domain, _ in imports} | {node.domain for node in _nodes(proto)}
    return problems + [f"domain {name!r} is not the default one" for name in sorted(foreign - {"", "ai.onnx"})]


def _operators(proto: onnx.ModelProto) -> list[str]:
    supported = set(_operator_list()["supported"])
    constants = _constants(proto)
    problems = [f"{node.op_type} is not supported" for node in _nodes(proto) if node.op_type not in supported]
    for node in _nodes(proto):
        rule = RULES.get(node.op_type)
        if rule and (problem := rule(node, constants)):
            problems.append(f"{node.op_type} {node.name!r}: {problem}")
    return sorted(set(problems))


def _types(proto: onnx.ModelProto) -> list[str]:
    problems = []
    for value in (*proto.graph.input, *proto.graph.output):
        kind = value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else None
        if kind not in IO_TYPES:
            problems.append(f"{value.name}: the type is none of {', '.join(IO_TYPES.values())}")
        if kind == TensorProto.UINT8 and any(n.op_type != "Cast" for n in _nodes(proto) if value.name in n.input):
            problems.append(f"{value.name}: uint8 may only feed a Cast")
    inner = [(t.name, t.data_type) for t in tensors(proto)]
    inner += [(v.name, v.type.tensor_type.elem_type) for v in proto.graph.value_info]
    return problems + [f"{name}: double is not supported" for name, kind in inner if kind == TensorProto.DOUBLE]


def _typing(proto: onnx.ModelProto) -> list[str]:
    known = inferred(proto).graph
    values = (*known.input, *known.output, *known.value_info)
    kinds = {value.name: value.type.WhichOneof("value") for value in values}
    odd = [f"{name}: {kind.removesuffix('_type')} is not supported" for name, kind in kinds.items()
           if kind not in (None, "tensor_type")]  # fmt: skip
    return odd + mixed_types(_nodes(proto), types_of(proto))


def _quantisation(proto: onnx.ModelProto) -> list[str]:
    return quantisation_problems(_nodes(proto), _constants(proto), types_of(proto))


def _size(proto: onnx.ModelProto) -> list[str]:
    bytes_ = proto.ByteSize()
    return [f"{bytes_} bytes; a file of at most {MAX_BYTES} is read"] if bytes_ > MAX_BYTES else []


def _shapes(proto: onnx.ModelProto) -> list[str]:
    problems = []
    for value in (*proto.graph.input, *proto.graph.output):
        shape = value.type.tensor_type.shape.dim
        if not shape or shape[0].dim_param != "batch":
            problems.append(f"{value.name}: the first axis is not the dynamic `batch`")
        if any(dim.dim_value < 1 for dim in shape[1:]):
            problems.append(f"{value.name}: an axis other than the batch is not static")
    values = (*proto.graph.input, *proto.graph.output, *proto.graph.value_info)
    large = [value.name for value in values if len(value.type.tensor_type.shape.dim) > MAX_RANK]
    return problems + [f"{name}: more than {MAX_RANK} axes" for name in large]


def _names(proto: onnx.ModelProto) -> list[str]:
    problems = []
    inputs, outputs = [v.name for v in proto.graph.input], [v.name for v in proto.graph.output]
    try:
        wanted, names = read_facts(proto).input_size, output_names(proto)
    except ModelError as fault:
        return [str(fault)]
    if inputs != [INPUT] or outputs != list(names):
        problems.append(f"wants {INPUT} -> {', '.join(names)}, not {inputs} -> {outputs}")
    channels, height, width = wanted
    for value in proto.graph.input[:1]:
        kind, shape = value.type.tensor_type.elem_type, [dim.dim_value for dim in value.type.tensor_type.shape.dim[1:]]
        promised = [height, width, channels] if kind == TensorProto.UINT8 else [channels, height, width]
        if all(shape) and shape != promised:
            problems.append(f"{value.name}: takes {shape}, but the metadata's input_size makes it {promised}")
    return problems


def _weights(proto: onnx.ModelProto) -> list[str]:
    floats = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE)
    found = [tensor for tensor in tensors(proto) if tensor.data_type in floats]
    return [f"{t.name}: not finite" for t in found if not np.isfinite(numpy_helper.to_array(t)).all()]


CHECKS: dict[str, Callable[[onnx.ModelProto], list[str]]] = {
    "valid": _valid,
    "versions": _versions,
    "operators": _operators,
    "types": _types,
    "typing": _typing,
    "quantisation": _quantisation,
    "shapes": _shapes,
    "names": _names,
    "weights": _weights,
    "size": _size,
}


def _always(problem: str) -> Callable[[NodeProto, Constants], str | None]:
    return lambda _node, _constants: problem


def _dropout(node: NodeProto, constants: Constants) -> str | None:
    if len(node.input) < 3 or not node.input[2]:
        return None
    mode = constants.get(node.input[2])
    training = mode is None or bool(numpy_helper.to_array(mode).any())
    return "may run in training mode" if training else None


def _max_pool(node: NodeProto, _: Constants) -> str | None:
    return "the output Indices is not supported" if len([name for name in node.output if name]) > 1 else None


def _resize(node: NodeProto, _: Constants) -> str | None:
    mode = _attribute(node, "mode", "nearest")
    return None if mode in ("nearest", "linear", "cubic") else f"mode {mode!r} is not supported"


def _top_k(node: NodeProto, constants: Constants) -> str | None:
    k = constants.get(node.input[1])
    if k is None:
        return "K is not a constant"
    return f"K is above {MAX_TOPK}" if int(numpy_helper.to_array(k).max()) > MAX_TOPK else None


RULES: dict[str, Callable[[NodeProto, Constants], str | None]] = {
    "Dropout": _dropout,
    "MaxPool": _max_pool,
    "Resize": _resize,
    "TopK": _top_k,
    "Attention": _always("its fp32 engine does not build; export with an opset below 23"),
    "GridSample": _always("engines with it build and answer wrongly; use an architecture that samples no positions"),
    **{name: _always("a scoring graph must not draw random numbers") for name in RANDOM},
    **{name: _always(f"the shape of its output depends on the data; {fix}") for name, fix in DATA_DEPENDENT.items()},
}


def _attribute(node: NodeProto, name: str, default: str) -> str:
    for attribute in node.attribute:
        if attribute.name == name and attribute.type == AttributeProto.STRING:
            return bytes(attribute.s).decode()
    return default


def _constants(proto: onnx.ModelProto) -> Constants:
    """Constant tensors by the name that nodes use: initializers, and the outputs of Constant nodes."""
    found = {tensor.name: tensor for tensor in tensors(proto)}
    for node in _nodes(proto):
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.HasField("t"):
                found[node.output[0]] = attribute.t
    return found


def _nodes(proto: onnx.ModelProto) -> list[NodeProto]:
    return [node for graph in graphs(proto) for node in graph.node]


def _operator_list() -> dict[str, str]:
    found: dict[str, str] = json.loads(resources.files("export").joinpath("operators.json").read_text())
    return found
