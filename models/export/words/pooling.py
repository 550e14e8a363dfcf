"""Convert an exported sentence encoder into one file that gives a text one vector, with its tokenizer inside."""

from typing import Any

import numpy as np
import onnx
import orjson
from onnx import TensorProto, helper, numpy_helper

from export.runtime import ModelError, load_proto
from export.words.text_model import INPUTS, MASK, OUTPUT, TEXT, TOKENIZER

OWN = "motherlode_"
"""Prefix of the names of what is added."""


def with_mean(data: bytes, tokenizer: str, context: int) -> bytes:
    """Return the same network, whose one output (batch, tokens, D) becomes `embedding` (batch, D): its mean over the
    tokens that are no padding. `context` tokens of a text are read. Raises ModelError for other graphs."""
    proto = load_proto(data)
    if sorted(value.name for value in proto.graph.input) != sorted(INPUTS) or len(proto.graph.output) != 1:
        raise ModelError("onnx_foreign", f"it does not give one output of {', '.join(INPUTS)}")
    _free_name(proto)
    width = proto.graph.output[0].type.tensor_type.shape.dim[2].dim_value
    _add_mean(proto, proto.graph.output[0].name)
    del proto.graph.output[:], proto.graph.value_info[:], proto.metadata_props[:]
    proto.graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", width]))
    helper.set_model_props(proto, {TEXT: orjson.dumps({"context": context}).decode(), TOKENIZER: tokenizer})
    return bytes(proto.SerializeToString(deterministic=True))


def _free_name(proto: onnx.ModelProto) -> None:
    """Rename tensors that have our output's name."""
    for node in proto.graph.node:
        node.input[:] = [OWN + name if name == OUTPUT else name for name in node.input]
        node.output[:] = [OWN + name if name == OUTPUT else name for name in node.output]


def _add_mean(proto: onnx.ModelProto, tokens: str) -> None:
    for name, axis in (("one", 1), ("two", 2)):
        proto.graph.initializer.append(numpy_helper.from_array(np.array([axis], np.int64), OWN + name))
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", [MASK], "mask", {"to": TensorProto.FLOAT}),
        ("Unsqueeze", [f"{OWN}mask", f"{OWN}two"], "column", {}),
        ("Mul", [tokens, f"{OWN}column"], "masked", {}),
        ("ReduceSum", [f"{OWN}masked", f"{OWN}one"], "sum", {"keepdims": 0}),
        ("ReduceSum", [f"{OWN}mask", f"{OWN}one"], "count", {"keepdims": 1}),
    ]
    for operator, inputs, name, attributes in steps:
        proto.graph.node.append(helper.make_node(operator, inputs, [OWN + name], name=OWN + name, **attributes))
    proto.graph.node.append(helper.make_node("Div", [f"{OWN}sum", f"{OWN}count"], [OUTPUT], name=f"{OWN}mean"))
