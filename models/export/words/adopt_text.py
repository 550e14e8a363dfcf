"""A text encoder that somebody else exported becomes one file that the platform runs: tokenizer and pooling inside."""

from typing import Any

import numpy as np
import onnx
import orjson
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from export.adopt_graph import OWN, make_room
from export.runtime import ModelError, load_proto
from export.words.text_model import IDS, INPUTS, MASK, OUTPUT, TEXT, TOKENIZER, TextModel, open_tokenizer
from export.words.text_spec import MOST_TOKENS, TextSpec

WHOLE = {TensorProto.INT64, TensorProto.INT32}
PADDING = ("[PAD]", "<pad>", "<|endoftext|>")
"""What fills up a text, where the tokenizer doesn't say."""
TRIED = ("a photo of a red car", "night")
LEAST_OPSET = 13
"""Since then sums take their axes as an input."""


def adopt_text(data: bytes, tokenizer: str, spec: TextSpec) -> bytes:
    """The same network with one output `embedding` (batch, D) and the tokenizer in its metadata.

    Its inputs are among `input_ids`, `attention_mask` and `token_type_ids`, whole numbers (batch, tokens). Raises
    ModelError saying what is missing and what to do: `onnx_invalid`, `onnx_external_data`, `text_foreign`,
    `tokenizer_invalid`.
    """
    proto, reader = load_proto(data), open_tokenizer(tokenizer)
    make_room(proto)
    length = _length(proto)
    _pool(proto, spec)
    facts = {
        "context": _context(reader, length, spec),
        "fill": spec.fill or length > 0,
        "pad": _padding(reader, tokenizer),
    }
    del proto.metadata_props[:]
    helper.set_model_props(proto, {TEXT: orjson.dumps(facts).decode(), TOKENIZER: tokenizer})
    made = bytes(proto.SerializeToString(deterministic=True))
    width = _tried(made)
    del proto.graph.output[:]
    proto.graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", width]))
    return bytes(proto.SerializeToString(deterministic=True))


def _foreign(message: str) -> ModelError:
    return ModelError("text_foreign", message)


def _length(proto: onnx.ModelProto) -> int:
    """How many tokens its inputs hold, 0 where that is left open."""
    weights = {tensor.name for tensor in proto.graph.initializer}
    inputs = [value for value in proto.graph.input if value.name not in weights]
    names = [value.name for value in inputs]
    if IDS not in names or set(names) - set(INPUTS):
        raise _foreign(
            f"the text encoder takes {', '.join(names)}; export one that takes {IDS}, "
            f"and perhaps {' and '.join(INPUTS[1:])}"
        )
    for value in inputs:
        if value.type.tensor_type.elem_type not in WHOLE or len(value.type.tensor_type.shape.dim) != 2:
            raise _foreign(f"its input {value.name!r} must be whole numbers (batch, tokens)")
    lengths = {value.type.tensor_type.shape.dim[1].dim_value for value in inputs}
    if len(lengths) > 1:
        raise _foreign(f"its inputs have different lengths: {sorted(lengths)}")
    return int(lengths.pop())


def _context(reader: Tokenizer, length: int, spec: TextSpec) -> int:
    limit = (reader.truncation or {}).get("max_length")
    found = spec.context or length or limit
    if not found:
        raise _foreign("neither graph nor tokenizer says how many tokens are read: give `context`, for CLIP 77")
    if length and found != length:
        raise _foreign(f"`context` is {found}, its graph takes {length} tokens")
    return min(int(found), MOST_TOKENS)


def _padding(reader: Tokenizer, text: str) -> int:
    told = (orjson.loads(text).get("padding") or {}).get("pad_id")
    known = (reader.token_to_id(name) for name in PADDING)
    return int(told) if told is not None else next((one for one in known if one is not None), 0)


def _pool(proto: onnx.ModelProto, spec: TextSpec) -> None:
    """One output (batch, D): the wanted one, or its mean over the tokens that are no padding."""
    outputs = {value.name.removeprefix(OWN): value for value in proto.graph.output}
    if spec.output is not None and spec.output not in outputs:
        raise _foreign(f"the text encoder has no output {spec.output!r}; it has {', '.join(outputs)}")
    if spec.output is None and len(outputs) != 1:
        raise _foreign(f"the text encoder has {len(outputs)} outputs: name one of {', '.join(outputs)}")
    value = outputs[spec.output or next(iter(outputs))]
    axes = len(value.type.tensor_type.shape.dim)
    if axes not in (2, 3):
        raise _foreign(f"its output {value.name!r} has {axes} axes: (batch, D) or (batch, tokens, D) can be read")
    if any(entry.domain in ("", "ai.onnx") and entry.version < LEAST_OPSET for entry in proto.opset_import):
        raise _foreign(f"its operator set is older than {LEAST_OPSET}: export with a newer one")
    wide = helper.make_node("Cast", [value.name], [f"{OWN}wide"], name=f"{OWN}wide", to=TensorProto.FLOAT)
    proto.graph.node.append(wide)
    if axes == 2:
        proto.graph.node.append(helper.make_node("Identity", [f"{OWN}wide"], [OUTPUT], name=f"{OWN}embedding"))
    else:
        _mean(proto)
    del proto.graph.output[:], proto.graph.value_info[:]
    proto.graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, None))


def _mean(proto: onnx.ModelProto) -> None:
    if MASK not in {item.name for item in proto.graph.input}:
        raise _foreign(f"its output holds a vector a token and it takes no {MASK!r}: name a pooled `output` (batch, D)")
    proto.graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), f"{OWN}one"))
    proto.graph.initializer.append(numpy_helper.from_array(np.array([2], np.int64), f"{OWN}two"))
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", [MASK], "mask", {"to": TensorProto.FLOAT}),
        ("Unsqueeze", [f"{OWN}mask", f"{OWN}two"], "column", {}),
        ("Mul", [f"{OWN}wide", f"{OWN}column"], "masked", {}),
        ("ReduceSum", [f"{OWN}masked", f"{OWN}one"], "sum", {"keepdims": 0}),
        ("ReduceSum", [f"{OWN}mask", f"{OWN}one"], "count", {"keepdims": 1}),
    ]
    for operator, inputs, name, attributes in steps:
        proto.graph.node.append(helper.make_node(operator, inputs, [OWN + name], name=OWN + name, **attributes))
    proto.graph.node.append(helper.make_node("Div", [f"{OWN}sum", f"{OWN}count"], [OUTPUT], name=f"{OWN}embedding"))


def _tried(data: bytes) -> int:
    """Read two texts: the width of what it makes of them."""
    model = TextModel(data)
    try:
        one, other = (model.read(text).embedding for text in TRIED)
    except ModelError:
        raise
    except Exception as fault:  # the runtime's errors have no common class
        raise _foreign(f"ONNX Runtime can't run the text encoder on two words: {str(fault)[:300]}") from fault
    if one.ndim != 1 or not np.isfinite([one, other]).all():
        raise _foreign("what the text encoder makes of two words is not one vector of finite numbers each")
    if np.array_equal(one, other):
        raise _foreign(f"{TRIED[0]!r} and {TRIED[1]!r} are the same to it: check the tokenizer and the output")
    return len(one)
