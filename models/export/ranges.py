"""How large the values inside a file get on real samples: an engine builds even if float16 can't hold them, and answers
with infinities."""

from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto, helper

from export.proto import above, sort_nodes
from export.providers import CPU
from export.runtime import INPUT, load_proto, output_names

LARGEST = 65504.0
"""The largest value that float16 holds."""
ROOM = 0.5
"""The share of it that the samples may reach: other images will reach more."""
SAMPLES = 16
OWN = "largest_of_"


@dataclass(frozen=True, slots=True)
class Ranges:
    """The largest absolute value inside a file, over some samples."""

    samples: int
    largest: float
    tensor: str | None
    operator: str | None
    """Operator of the node that gave it; None if nothing is computed in float16."""
    most: float
    """The largest value that is safe in float16."""
    overflows: bool

    @property
    def problem(self) -> str | None:
        """The problem and its fix; None if nothing overflows."""
        if not self.overflows:
            return None
        return (
            f"{self.operator} gives {self.largest:.4g} ({self.tensor}), float16 holds {LARGEST:g}: an engine would "
            "build and answer with infinities; train with weight decay or normalise before it, or serve float32"
        )


def ranges_of(data: bytes, pixels: NDArray[np.uint8]) -> Ranges:
    """Measure the float32 file `data` on decoded images (N, H, W, C), N >= 1: all tensors that `to_half` turns into
    float16. One image at a time; only one number of each tensor is kept."""
    proto = onnx.shape_inference.infer_shapes(load_proto(data))
    exact = {node.name for node in above(proto.graph, output_names(proto)[0])}
    floats = {value.name for value in (*proto.graph.value_info, *proto.graph.output)
              if value.type.tensor_type.elem_type == TensorProto.FLOAT}  # fmt: skip
    made_by = {name: node.op_type for node in proto.graph.node if node.name not in exact for name in node.output}
    looked_at = [name for name in made_by if name in floats]
    for name in looked_at:
        size, most = f"{OWN}{name}_size", OWN + name
        proto.graph.node.append(helper.make_node("Abs", [name], [size], name=size))
        proto.graph.node.append(helper.make_node("ReduceMax", [size], [most], name=most, keepdims=0))
        proto.graph.output.append(helper.make_tensor_value_info(most, TensorProto.FLOAT, []))
    sort_nodes(proto.graph)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=[CPU])
    as_uint8 = session.get_inputs()[0].type == "tensor(uint8)"
    highest = np.zeros(len(looked_at))
    for image in pixels[:SAMPLES]:
        given = image[None] if as_uint8 else image[None].transpose(0, 3, 1, 2).astype(np.float32, order="C")
        found = session.run([OWN + name for name in looked_at], {INPUT: given}) if looked_at else []
        highest = np.maximum(highest, np.nan_to_num(np.array(found, np.float64), nan=np.inf))
    at = int(highest.argmax()) if looked_at else None
    largest = 0.0 if at is None else float(highest[at])
    return Ranges(
        samples=len(pixels[:SAMPLES]),
        largest=min(largest, float(np.finfo(np.float32).max)),  # JSON has no infinity
        tensor=None if at is None else looked_at[at],
        operator=None if at is None else made_by[looked_at[at]],
        most=ROOM * LARGEST,
        overflows=largest > ROOM * LARGEST,
    )
