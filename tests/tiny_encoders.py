"""A pair of encoders as small as can be: a text is the mean of its words' colours, an image its own mean colour."""

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

COLOURS = {"red": (1, -1, -1), "green": (-1, 1, -1), "blue": (-1, -1, 1)}
WORDS = ["[PAD]", "[UNK]", "a", "photo", "of", "car", *COLOURS]
WIDTH, SIDE = 4, 16


def tokenizer() -> str:
    """Words in small letters, one token each."""
    made = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    text: str = made.to_str()
    return text


def text_encoder(
    *, width: int = WIDTH, opset: int = 17, name: str = "input_ids", tokens: str | int = "tokens", kind: int = 7
) -> bytes:
    """Ids of words in, `text_embeds` out."""
    table = np.array([COLOURS.get(word, (0.01 * at, 0, 0)) for at, word in enumerate(WORDS)], np.float32)
    nodes = [
        helper.make_node("Gather", ["table", name], ["each"]),
        helper.make_node("ReduceMean", ["each"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["mean", "projection"], ["text_embeds"]),
    ]
    return _file(nodes, {name: (kind, ["batch", tokens])}, {"text_embeds": ["batch", width]},
                 {"table": table, "projection": projection(width)}, opset)  # fmt: skip


def image_encoder(
    *, width: int = WIDTH, opset: int = 17, batch: str | int = "batch", side: str | int = SIDE, inputs: int = 1
) -> bytes:
    """Normalised pixels in, `image_embeds` out, and the means beside it."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["pixel_values"], ["pooled"]),
        helper.make_node("Reshape", ["pooled", "flat"], ["means"]),
        helper.make_node("MatMul", ["means", "projection"], ["image_embeds"]),
    ]
    names = ["pixel_values", "input_ids"][:inputs]
    rows = batch if isinstance(batch, int) else -1
    return _file(nodes, {name: (TensorProto.FLOAT, [batch, 3, side, side]) for name in names},
                 {"image_embeds": [batch, width], "means": [batch, 3]},
                 {"flat": np.array([rows, 3], np.int64), "projection": projection(width)}, opset)  # fmt: skip


def projection(width: int) -> NDArray[np.float32]:
    """(3, width) that keeps the colours."""
    return np.eye(3, width, dtype=np.float32)


def _file(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[int, list[str | int]]],
    outputs: dict[str, list[str | int]],
    held: dict[str, NDArray[np.generic]],
    opset: int,
) -> bytes:
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(values, name) for name, values in held.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    data: bytes = proto.SerializeToString()
    return data


def outside(data: bytes) -> bytes:
    """The file with a weight that lies elsewhere."""
    proto = onnx.load_model_from_string(data)
    weight = proto.graph.initializer[-1]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights.bin")
    made: bytes = proto.SerializeToString()
    return made
