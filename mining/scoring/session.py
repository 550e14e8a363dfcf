"""An ONNX file ready to run: loaded from bytes, without external data, with what its metadata says of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
import orjson
from numpy.typing import NDArray

OUTPUTS = ("logits", "embedding", "probabilities")
METADATA = "motherlode"


class ModelError(Exception):
    """The file is not a model that can be scored with; the message says what is missing."""

    code = "model_unusable"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What an exported file says of itself: class names, and its input as [C, H, W]."""

    classes: list[str]
    input_size: tuple[int, int, int]


class Session:
    """Runs one ONNX file on ONNX Runtime: `input` float32 (N, C, H, W) in 0..255 -> logits, embedding, probabilities.

    Rows are computed alone: on the CPU provider a sample's scores depend on the batch size only by float rounding
    (about 1e-6). Raises ModelError.
    """

    def __init__(self, model: bytes, *, threads: int = 1) -> None:
        self.facts = read_facts(model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                model, options, providers=onnxruntime.get_available_providers()
            )
        except Exception as error:  # ONNX Runtime raises several kinds that share no base
            raise ModelError(f"ONNX Runtime can't load the model: {error}") from error
        if missing := set(OUTPUTS) - {output.name for output in self._session.get_outputs()}:
            raise ModelError(f"the model lacks the outputs {', '.join(sorted(missing))}")

    def run(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """(logits (N, K), embedding (N, D), probabilities (N, K)) of uint8 pixels (N, H, W, C)."""
        tensor = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2), np.float32)
        logits, embedding, probabilities = self._session.run(list(OUTPUTS), {"input": tensor})
        return logits, embedding, probabilities


def read_facts(model: bytes) -> ModelFacts:
    """The metadata of an ONNX file. Raises ModelError for other bytes, external data, or missing metadata."""
    try:
        proto = onnx.load_model_from_string(model)
    except Exception as error:  # protobuf's own errors differ between its backends
        raise ModelError("these bytes are not an ONNX model") from error
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in _tensors(proto.graph)):
        raise ModelError("the model keeps weights outside the file: save it with external_data=False")
    texts = [entry.value for entry in proto.metadata_props if entry.key == METADATA]
    if not texts:
        raise ModelError(f"the model's metadata has no entry {METADATA!r} with classes and input_size")
    try:
        entry: dict[str, Any] = orjson.loads(texts[0])
        channels, height, width = entry["input_size"]
        return ModelFacts(list(entry["classes"]), (channels, height, width))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the model's metadata {METADATA!r} is not readable: {error}") from error


def _tensors(graph: Any) -> Any:
    """All constant tensors of a graph and its subgraphs."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield from (tensor for tensor in (attribute.t, *attribute.tensors))
            for inner in (attribute.g, *attribute.graphs):
                if inner.node or inner.initializer:
                    yield from _tensors(inner)
