"""Int8 and fp8 by explicit Q/DQ: symmetric, only for the inputs of convolutions and products."""

import contextlib
import io
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from export.config import Precision
from export.proto import add_facts
from export.runtime import INPUT, load_proto, output_names

PERCENTILE, BATCH = 99.999, 16
METHODS: dict[Precision, str] = {"int8": f"percentile {PERCENTILE}", "fp8": "distribution"}
"""How the ranges of activations are computed from their values."""
QUANTISED = ["Conv", "Gemm", "MatMul"]
JOINING = ("Concat", "Reshape", "Flatten")
OPTIONS = {
    "ActivationSymmetric": True,
    "WeightSymmetric": True,
    "QuantizeBias": False,  # TensorRT refuses the int32 bias that is the default
    "AddQDQPairToWeight": False,  # small weights in the file, a fourth of the size
    "OpTypesToExcludeOutputQuantization": QUANTISED,  # not before a ReLU, which wants no negative half
    "CalibStridedMinMax": 1,  # batch by batch: else every activation of every image waits in memory
}


def to_int8(data: bytes, pixels: NDArray[np.uint8]) -> bytes:
    """Return the same model in int8, its ranges taken from decoded images (N, H, W, C). Equal inputs give equal bytes.

    As TensorRT accepts it: zero points of 0, no quantised bias, weights per channel. The layers that give the logits
    stay in float32: they cost next to nothing, and keep the ranking of mining scores nearer to float32's.
    """
    return _quantised(data, pixels, precision="int8")


def to_fp8(data: bytes, pixels: NDArray[np.uint8]) -> bytes:
    """As `to_int8`, in floats of 8 bits (E4M3FN), weights per tensor: the quantiser knows no other way."""
    return _quantised(data, pixels, precision="fp8")


def _quantised(data: bytes, pixels: NDArray[np.uint8], *, precision: Precision) -> bytes:
    from onnxruntime import quantization as q  # only where it is needed: it loads much

    as_int8 = precision == "int8"
    kind = q.QuantType.QInt8 if as_int8 else q.QuantType.QFLOAT8E4M3FN
    proto = onnx.shape_inference.infer_shapes(load_proto(data))
    for number, node in enumerate(proto.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    with tempfile.TemporaryDirectory() as folder, _quiet():
        target = Path(folder) / "quantised.onnx"
        q.quantize_static(
            proto,
            target,
            _Batches(pixels, as_uint8=proto.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.UINT8),
            quant_format=q.QuantFormat.QDQ,
            per_channel=as_int8,
            activation_type=kind,
            weight_type=kind,
            calibrate_method=q.CalibrationMethod.Percentile if as_int8 else q.CalibrationMethod.Distribution,
            op_types_to_quantize=QUANTISED,
            nodes_to_exclude=_last(proto, output_names(proto)[0]),
            extra_options=OPTIONS | ({"CalibPercentile": PERCENTILE} if as_int8 else {}),
        )
        made = onnx.load(target)
    add_facts(made, {"precision": precision})
    return bytes(made.SerializeToString(deterministic=True))


def _last(proto: onnx.ModelProto, output: str) -> list[str]:
    """The names of the last nodes that compute an output, skipping those that only join or reshape."""
    made = {name: node for node in proto.graph.node for name in node.output}
    waiting, found = [output], []
    while waiting:
        node = made[waiting.pop()]
        if node.op_type in JOINING:
            waiting += [name for name in node.input if name in made]
        else:
            found.append(node.name)
    return found


class _Batches:
    """Decoded images as the quantiser reads them."""

    def __init__(self, pixels: NDArray[np.uint8], *, as_uint8: bool) -> None:
        self._pixels, self._as_uint8 = pixels, as_uint8
        self._waiting = iter(range(len(self)))

    def __len__(self) -> int:
        return -(-len(self._pixels) // BATCH)

    def set_range(self, start_index: int, end_index: int) -> None:
        """Batches `start_index` up to `end_index` come next."""
        self._waiting = iter(range(start_index, end_index))

    def get_next(self) -> dict[str, Any] | None:
        """The next batch by input name; None after the last."""
        number = next(self._waiting, None)
        if number is None:
            return None
        pixels = self._pixels[number * BATCH : (number + 1) * BATCH]
        return {INPUT: pixels if self._as_uint8 else pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C")}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the quantiser, which prints its steps and warns that its own pre-processing did not run."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)
