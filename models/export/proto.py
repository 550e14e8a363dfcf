"""Changes to a parsed ONNX model that several parts of an export share. No torch."""

from collections.abc import Mapping
from typing import Any

import onnx
import orjson
from onnx import TensorProto, helper

from export.feeding import PREPROCESSING, declaration
from export.runtime import INPUT, METADATA, ModelError
from tasktypes import DEFAULT, task_type


def set_facts(proto: onnx.ModelProto, facts: Mapping[str, Any]) -> None:
    """Replace the metadata by one entry with these facts, and how to feed the file (`export.feeding`) if it takes
    images."""
    told = dict(facts)
    if (size := told.get("input_size")) is not None:
        operator = task_type(told.get("task", DEFAULT)).outputs.operator
        is_bytes = proto.graph.input[0].type.tensor_type.elem_type == TensorProto.UINT8
        told[PREPROCESSING] = declaration(tuple(size), operator, is_bytes=is_bytes)
    helper.set_model_props(proto, {METADATA: orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()})


def add_facts(proto: onnx.ModelProto, facts: Mapping[str, Any]) -> None:
    """Add `facts` to those in the metadata."""
    held = next((entry.value for entry in proto.metadata_props if entry.key == METADATA), "{}")
    set_facts(proto, {**orjson.loads(held), **facts})


def take_uint8(proto: onnx.ModelProto) -> None:
    """Change the input from float32 (batch, C, H, W) to uint8 (batch, H, W, C).

    The cast comes before the transposition, because TensorRT does not transpose bytes; it only casts them.
    """
    value = proto.graph.input[0]
    batch, channels, height, width = value.type.tensor_type.shape.dim
    for node in proto.graph.node:
        node.input[:] = [f"{INPUT}_float32" if name == INPUT else name for name in node.input]
    shape = [batch.dim_param or batch.dim_value, height.dim_value, width.dim_value, channels.dim_value]
    value.CopyFrom(helper.make_tensor_value_info(INPUT, TensorProto.UINT8, shape))
    cast = helper.make_node("Cast", [INPUT], [f"{INPUT}_cast"], name=f"{INPUT}_cast", to=TensorProto.FLOAT)
    moved = helper.make_node(
        "Transpose", [f"{INPUT}_cast"], [f"{INPUT}_float32"], name=f"{INPUT}_transpose", perm=[0, 3, 1, 2]
    )
    proto.graph.node.insert(0, moved)
    proto.graph.node.insert(0, cast)
    add_facts(proto, {})  # they say what the input is


def sort_nodes(graph: onnx.GraphProto) -> None:
    """Put nodes after what they read, moving as few as possible. Raises ModelError for a cycle."""
    made_by_nodes = {name for node in graph.node for name in node.output if name}
    waiting, ready, known = list(graph.node), [], set[str]()
    while waiting:
        later = []
        for node in waiting:
            if any(name in made_by_nodes and name not in known for name in node.input):
                later.append(node)
                continue
            known.update(node.output)
            ready.append(node)
        if len(later) == len(waiting):
            raise ModelError("onnx_invalid", f"the nodes of the graph go round in a circle, by {later[0].name!r}")
        waiting = later
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in ready]
    del graph.node[:]
    graph.node.extend(copies)


def above(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    """The nodes that read a tensor, or anything computed from it, in their order."""
    made, found = {name}, []
    for node in graph.node:
        if made.intersection(node.input):
            made.update(node.output)
            found.append(node)
    return found
