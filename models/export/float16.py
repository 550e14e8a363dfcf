"""Convert the graph to float16: TensorRT 11 uses only the precision of the file."""

from collections.abc import Collection, Mapping

import onnx
from onnx import TensorProto

from export.adopt_graph import EXACT
from export.proto import above, add_facts, sort_nodes
from export.runtime import load_proto, output_names


def to_half(data: bytes) -> bytes:
    """Return the same model with float16 inside; inputs and outputs keep their types, and the nodes that turn raw maps
    into answers stay in float32: float16 would round places to 1/2,000 of the image. Equal bytes give equal bytes."""
    from onnxruntime.transformers import float16  # only where it is needed: it loads much

    proto, plain = load_proto(data), load_proto(data)
    exact = [node.name for node in above(proto.graph, output_names(proto)[0])]
    exact += [node.name for node in proto.graph.node if node.name.startswith(EXACT)]
    made: onnx.ModelProto = float16.convert_float_to_float16(proto, keep_io_types=True, node_block_list=exact)
    own = {node.name for node in plain.graph.node if node.op_type == "Cast"}
    _keep_exact(made.graph, {tensor.name: tensor for tensor in plain.graph.initializer}, own)
    del made.graph.value_info[:]  # the converter declares float16 for what stays exact
    sort_nodes(made.graph)  # the converter appends its casts at the end
    add_facts(made, {"precision": "fp16"})
    return bytes(made.SerializeToString(deterministic=True))


def _keep_exact(graph: onnx.GraphProto, plain: Mapping[str, TensorProto], own: Collection[str]) -> None:
    """Connect exact nodes directly: between them, and before them, the converter rounds to float16 and casts back. It
    casts a tensor that several of them read once for each, under one name. The file's `own` casts (by name) stay."""
    _without_twins(graph)
    added = (node for node in graph.node if node.op_type == "Cast" and node.name not in own)
    casts = {node.output[0]: node for node in added}
    halves = {tensor.name for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT16}
    back = {name: node for name, node in casts.items() if _casts_to(node, TensorProto.FLOAT)}
    for name in [name for name, node in back.items() if node.input[0] in halves]:
        constant = TensorProto.FromString(plain[back[name].input[0]].SerializeToString())
        graph.node.remove(back.pop(name))
        constant.name = name
        graph.initializer.append(constant)
    for name, node in back.items():
        there = casts.get(node.input[0])
        if there is not None and _casts_to(there, TensorProto.FLOAT16):
            node.input[0] = there.input[0]
            _rename(graph, name, there.input[0])
    _without_unread(graph)


def _without_twins(graph: onnx.GraphProto) -> None:
    seen: set[str] = set()
    for node in list(graph.node):
        if node.op_type == "Cast" and node.name in seen:
            graph.node.remove(node)
        seen.add(node.name)


def _rename(graph: onnx.GraphProto, name: str, other: str) -> None:
    for node in graph.node:
        node.input[:] = [other if one == name else one for one in node.input]


def _without_unread(graph: onnx.GraphProto) -> None:
    """Remove casts and constants that nothing reads."""
    outputs = {value.name for value in graph.output}
    while True:
        read = {name for node in graph.node for name in node.input} | outputs
        unread = [node for node in graph.node if node.op_type == "Cast" and node.output[0] not in read]
        if not unread:
            break
        for node in unread:
            graph.node.remove(node)
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in read]:
        graph.initializer.remove(tensor)


def _casts_to(node: onnx.NodeProto, kind: int) -> bool:
    return any(attribute.name == "to" and attribute.i == kind for attribute in node.attribute)
