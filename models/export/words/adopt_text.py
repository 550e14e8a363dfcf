"""Convert a foreign text encoder into one file that the platform runs, with its tokenizer inside."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import orjson
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from export.adopt_graph import OWN, free_weights, make_room
from export.runtime import ModelError, load_proto
from export.words.encoder_spec import CLIP_LENGTH, MOST_TOKENS, EncoderError, EncoderSpec
from export.words.outputs import check_opset, chosen_output
from export.words.text_model import IDS, INPUTS, OUTPUT, TEXT, TOKENIZER, TextModel

WHOLE = {TensorProto.INT64, TensorProto.INT32}
PADDING = ("[PAD]", "<pad>", "<|endoftext|>")
"""Padding tokens to look for if the tokenizer names none."""
TRIED = ("a photo of a red car", "night")


def adopt_text(data: bytes, tokenizer: str, spec: EncoderSpec) -> bytes:
    """Return the same network with one output `embedding` (batch, D) and the tokenizer in its metadata.

    Its inputs are whole numbers (batch, tokens): the ids of the tokens and, if it wants them, `attention_mask` and
    `token_type_ids`. Raises ModelError saying what is missing and what to do, EncoderError for the tokenizer.
    """
    proto, reader = load_proto(data), open_tokenizer(tokenizer)
    free_weights(proto)
    check_opset(proto)
    length = _length(proto)
    wanted = chosen_output(proto, spec.text_output, parameter="text_output", known="text_embeds")
    make_room(proto, {OUTPUT})
    wanted = OWN + wanted if wanted == OUTPUT else wanted
    wide = helper.make_node("Cast", [wanted], [OUTPUT], name=f"{OWN}{OUTPUT}", to=TensorProto.FLOAT)
    proto.graph.node.append(wide)
    del proto.graph.output[:], proto.graph.value_info[:], proto.metadata_props[:]
    proto.graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, None))
    facts = _facts(reader, orjson.loads(tokenizer), length, spec)
    helper.set_model_props(proto, {TEXT: orjson.dumps(facts).decode(), TOKENIZER: tokenizer})
    made = bytes(proto.SerializeToString(deterministic=True))
    _try(made)
    return made


def open_tokenizer(text: str) -> Tokenizer:
    """Read a `tokenizer.json`. Raises EncoderError for what the library can't read."""
    try:
        return Tokenizer.from_str(text)
    except Exception as fault:  # the library raises nothing narrower
        words = f"can't be read ({str(fault)[:200]}): send the `tokenizer.json` that `save_pretrained` writes"
        raise EncoderError("tokenizer", words) from fault


def _length(proto: onnx.ModelProto) -> int:
    """How many tokens the inputs hold, 0 if that is dynamic; a single input gets our name."""
    inputs = list(proto.graph.input)
    for value in inputs:
        if value.type.tensor_type.elem_type not in WHOLE or len(value.type.tensor_type.shape.dim) != 2:
            raise ModelError("onnx_foreign", f"its input {value.name!r} must be whole numbers (batch, tokens)")
    if len(inputs) == 1 and inputs[0].name not in INPUTS:
        _name_ids(proto, inputs[0].name)
    names = [value.name for value in proto.graph.input]
    if IDS not in names or set(names) - set(INPUTS):
        raise ModelError(
            "onnx_foreign",
            f"it takes {', '.join(names)}; export one that takes {IDS}, and perhaps {' and '.join(INPUTS[1:])}",
        )
    lengths = {value.type.tensor_type.shape.dim[1].dim_value for value in proto.graph.input}
    if len(lengths) > 1:
        raise ModelError("onnx_foreign", f"its inputs have different lengths: {sorted(lengths)}")
    return int(lengths.pop())


def _name_ids(proto: onnx.ModelProto, name: str) -> None:
    """Rename the only input to `input_ids`."""
    make_room(proto, {IDS})
    old = proto.graph.input[0].name
    proto.graph.input[0].name = IDS
    same = helper.make_node("Identity", [IDS], [old], name=f"{OWN}{name}")
    proto.graph.node.insert(0, same)


def _facts(reader: Tokenizer, told: Mapping[str, Any], length: int, spec: EncoderSpec) -> dict[str, Any]:
    """The facts for the metadata, as in `TextFacts`."""
    strategy = (told.get("padding") or {}).get("strategy")
    filled = strategy.get("Fixed") if isinstance(strategy, dict) else None
    limit = (reader.truncation or {}).get("max_length")
    found = spec.text_length or length or filled or limit or CLIP_LENGTH
    if length and found != length:
        raise ModelError("onnx_foreign", f"it takes {length} tokens, `text_length` is {found}: leave that out")
    fill = bool(length or filled) if spec.fill is None else spec.fill
    if length and not fill:
        raise ModelError("onnx_foreign", f"it takes {length} tokens always: leave `fill` out, or make it true")
    return {"context": min(int(found), MOST_TOKENS), "fill": fill, "pad": _pad(reader, told, spec)}


def _pad(reader: Tokenizer, told: Mapping[str, Any], spec: EncoderSpec) -> int:
    """The id of the padding token."""
    if spec.pad_token is not None:
        found = reader.token_to_id(spec.pad_token)
        if found is None:
            raise EncoderError("tokenizer", f"has no token {spec.pad_token!r} for `pad_token`")
        return int(found)
    known = (told.get("padding") or {}).get("pad_id")
    if known is None:
        known = next((one for one in map(reader.token_to_id, PADDING) if one is not None), 0)
    return int(known)


def _try(data: bytes) -> None:
    """Try the encoder on two texts. Raises ModelError if it can't run or gives no useful vectors."""
    model = TextModel(data)
    try:
        one, other = (model.read(text).embedding for text in TRIED)
    except Exception as fault:  # the runtime's errors have no common class
        words = f"ONNX Runtime can't run it on words: {str(fault)[:300]}"
        raise ModelError("onnx_foreign", words) from fault
    if one.ndim != 1:
        raise ModelError("onnx_foreign", "it gives a text no single vector: export one that is pooled, (batch, D)")
    if not np.isfinite([one, other]).all():
        raise ModelError("onnx_foreign", f"what it makes of {TRIED[0]!r} is NaN or infinite")
    if np.allclose(one, other):
        words = f"{TRIED[0]!r} and {TRIED[1]!r} are the same to it: check the tokenizer and `text_output`"
        raise ModelError("onnx_foreign", words)
