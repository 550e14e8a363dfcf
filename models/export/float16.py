"""Float16 by conversion of the graph: TensorRT 11 knows no precision but that of the file."""

import onnx

from export.proto import add_facts, sort_nodes
from export.runtime import load_proto


def to_half(data: bytes) -> bytes:
    """The same model with float16 inside; inputs and outputs keep their types. Equal bytes give equal bytes."""
    from onnxruntime.transformers import float16  # only where it is needed: it loads much

    made: onnx.ModelProto = float16.convert_float_to_float16(load_proto(data), keep_io_types=True)
    sort_nodes(made.graph)  # the converter appends its casts at the end
    add_facts(made, {"precision": "fp16"})
    return bytes(made.SerializeToString(deterministic=True))
