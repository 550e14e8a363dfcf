"""Float16 by conversion of the graph: TensorRT 11 knows no precision but that of the file."""

import onnx

from export.proto import above, add_facts, sort_nodes
from export.runtime import load_proto, output_names


def to_half(data: bytes) -> bytes:
    """The same model with float16 inside; inputs and outputs keep their types, and what makes answers of raw maps stays
    in float32: places would be told by 1/2,000 of the image. Equal bytes give equal bytes."""
    from onnxruntime.transformers import float16  # only where it is needed: it loads much

    proto = load_proto(data)
    exact = [node.name for node in above(proto.graph, output_names(proto)[0])]
    made: onnx.ModelProto = float16.convert_float_to_float16(proto, keep_io_types=True, node_block_list=exact)
    _without_twins(made.graph)
    del made.graph.value_info[:]  # the converter notes float16 of what stays exact
    sort_nodes(made.graph)  # the converter appends its casts at the end
    add_facts(made, {"precision": "fp16"})
    return bytes(made.SerializeToString(deterministic=True))


def _without_twins(graph: onnx.GraphProto) -> None:
    """Leave out repeated casts: the converter casts what several exact nodes read once for each, by one name."""
    seen: set[str] = set()
    for node in list(graph.node):
        if node.op_type == "Cast" and node.name in seen:
            graph.node.remove(node)
        seen.add(node.name)
