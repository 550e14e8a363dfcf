"""The activations of each layer of an ONNX file for an image: intermediate results, exposed as outputs. No torch."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from export import array_images
from export.layers import Layer, facts, layers_of
from export.runtime import ModelError

MAX_LAYERS = 256


class Activations:
    """A model file opened with its intermediate results as outputs, without the optimisations that would fuse them."""

    def __init__(self, proto: onnx.ModelProto) -> None:
        """Raises ModelError."""
        self._layers: list[Layer] = layers_of(proto)[:MAX_LAYERS]
        exposed = onnx.ModelProto()
        exposed.CopyFrom(proto)
        there = {output.name for output in exposed.graph.output}
        new = dict.fromkeys(layer.output for layer in self._layers if layer.output not in there)
        exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in new)
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            data = exposed.SerializeToString()
            self._session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except Exception as fault:
            raise ModelError("onnx_invalid", f"its layers can't be looked into: {fault}") from fault
        self._input = self._session.get_inputs()[0]

    def of(self, pixels: NDArray[np.uint8]) -> list[dict[str, Any]]:
        """For one image (H, W, C), layer by layer: name, operator, shape, distribution, and `png` as a data URL."""
        batch = pixels[None]
        if self._input.type != "tensor(uint8)":
            batch = batch.transpose(0, 3, 1, 2).astype(np.float32, order="C")
        wanted = [layer.output for layer in self._layers]
        made: Sequence[Any] = self._session.run(wanted, {self._input.name: batch})
        return [_shown(layer, values) for layer, values in zip(self._layers, made, strict=True) if _is_shown(values)]


def _is_shown(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.ndim >= 2 and values.size > 0


def _shown(layer: Layer, values: NDArray[Any]) -> dict[str, Any]:
    one = values[0].astype(np.float32)
    shown = one if one.ndim <= 3 else one.reshape(-1, *one.shape[-2:])
    png = base64.b64encode(array_images.of_activation(shown)).decode()
    return {"layer": layer.name, "operator": layer.operator, "png": f"data:image/png;base64,{png}"} | facts(one)
