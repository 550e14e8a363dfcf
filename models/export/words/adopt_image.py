"""Convert a foreign image encoder into a file that the platform runs like any model: pixels in, a unit vector out. It
has a head, as all such files have: of one class, all zeros, which is never used."""

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from export.adopt_graph import OUTPUTS, OWN, free_weights, image_size, make_room, take_pixels
from export.adopt_spec import AdoptSpec
from export.backbone import NOBODY_ASKS
from export.proto import set_facts, sort_nodes
from export.runtime import INPUT, ModelError, Session, load_proto
from export.words.encoder_spec import CLIP_MEAN, CLIP_STD, EncoderSpec
from export.words.outputs import check_opset, chosen_output
from tasktypes import DEFAULT

COLOURS = 3
TRIED = 3
"""Number of noise images that the encoder is tried on."""
TOLERANCE = 1e-3
"""Largest difference between the unit vectors of an image alone and in a batch."""
SAME = 1e-7
"""Vectors that differ by less are equal: noise images are much alike, so the bound is small."""
SMALLEST = 1e-12
"""Vectors shorter than this are not normalised to length 1."""


def adopt_image(data: bytes, spec: EncoderSpec) -> bytes:
    """Return the same network with `input` float32 (batch, C, H, W) of pixels 0..255 and our three outputs; `embedding`
    has length 1. The batch is 1 if the network can't take more. Raises ModelError saying what is missing and what to
    do."""
    proto = load_proto(data)
    free_weights(proto)
    check_opset(proto)
    wanted = chosen_output(proto, spec.image_output, parameter="image_output", known="image_embeds")
    make_room(proto, {*OUTPUTS, INPUT})
    wanted = OWN + wanted if wanted in OUTPUTS else wanted
    size = image_size(proto, _reading(spec))
    take_pixels(proto, _reading(spec, size[0]), size)
    _give_outputs(proto, wanted)
    facts = {"task": DEFAULT, "classes": NOBODY_ASKS, "input_size": size, "resize": "stretch", "architecture": "onnx"}
    set_facts(proto, facts)
    sort_nodes(proto.graph)
    _declare(proto, _tried(proto, size))
    return bytes(proto.SerializeToString(deterministic=True))


def _reading(spec: EncoderSpec, channels: int = 0) -> AdoptSpec:
    """How the encoder's input is read; CLIP's mean and deviation for colours by default."""
    clip = channels == COLOURS and spec.scale == "255"
    return AdoptSpec(
        classes=NOBODY_ASKS,
        input_size=spec.input_size,
        layout=spec.layout,
        scale=spec.scale,
        mean=spec.mean or (CLIP_MEAN if clip else None),
        std=spec.std or (CLIP_STD if clip else None),
    )


def _give_outputs(proto: onnx.ModelProto, wanted: str) -> None:
    logits, embedding, likely = OUTPUTS
    for name, value in (("axis", np.array([1])), ("smallest", np.float32(SMALLEST)), ("zero", np.float32(0))):
        proto.graph.initializer.append(numpy_helper.from_array(np.asarray(value), OWN + name))
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", [wanted], f"{OWN}wide", {"to": TensorProto.FLOAT}),
        ("Mul", [f"{OWN}wide", f"{OWN}wide"], f"{OWN}squares", {}),
        ("ReduceSum", [f"{OWN}squares", f"{OWN}axis"], f"{OWN}square", {"keepdims": 1}),
        ("Sqrt", [f"{OWN}square"], f"{OWN}root", {}),
        ("Max", [f"{OWN}root", f"{OWN}smallest"], f"{OWN}length", {}),
        ("Div", [f"{OWN}wide", f"{OWN}length"], embedding, {}),
        ("Mul", [f"{OWN}length", f"{OWN}zero"], logits, {}),
        ("Softmax", [logits], likely, {"axis": 1}),
    ]
    proto.graph.node.extend(
        helper.make_node(operator, inputs, [name], name=f"{OWN}{name}", **attributes)
        for operator, inputs, name, attributes in steps
    )
    del proto.graph.output[:], proto.graph.value_info[:]
    proto.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in OUTPUTS)


def _tried(proto: onnx.ModelProto, size: tuple[int, int, int]) -> int:
    """Try the encoder; returns the width of its vectors. Its batch becomes 1 if it can't take more, or if images change
    each other's vectors."""
    channels, height, width = size
    pixels = np.random.default_rng(0).integers(0, 256, (TRIED, height, width, channels), dtype=np.uint8)
    if not _takes_batches(proto, pixels):
        proto.graph.input[0].type.tensor_type.shape.dim[0].CopyFrom(onnx.TensorShapeProto.Dimension(dim_value=1))
    session = _opened(proto)
    try:
        rows = _alone(session, pixels)
    except Exception as fault:  # the runtime's errors have no common class
        words = f"ONNX Runtime can't run it on an image of {channels} x {height} x {width}: {str(fault)[:300]}"
        raise ModelError("onnx_foreign", words) from fault
    if rows.ndim != 2 or len(rows) != TRIED:
        raise ModelError(
            "onnx_foreign", f"its output is {list(rows.shape[1:])} for an image: export one vector, (batch, D)"
        )
    if not np.isfinite(rows).all():
        raise ModelError(
            "onnx_foreign", "what it makes of images of noise is NaN or infinite: check `scale`, `mean` and `std`"
        )
    if np.allclose(rows, rows[0], atol=SAME):
        raise ModelError("onnx_foreign", "it makes the same of all images: name another output as `image_output`")
    return int(rows.shape[1])


def _takes_batches(proto: onnx.ModelProto, pixels: NDArray[np.uint8]) -> bool:
    try:
        session = _opened(proto)
        together, alone = session.run(pixels).embedding, _alone(session, pixels)
    except Exception:  # noqa: BLE001 - as above; one by one it is tried next, and then the fault is told
        return False
    return together.shape == alone.shape and np.allclose(together, alone, atol=TOLERANCE)


def _opened(proto: onnx.ModelProto) -> Session:
    return Session(proto.SerializeToString())


def _alone(session: Session, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.concatenate([session.run(image[None]).embedding for image in pixels])


def _declare(proto: onnx.ModelProto, width: int) -> None:
    logits, embedding, likely = OUTPUTS
    del proto.graph.output[:]
    for name, columns in ((logits, len(NOBODY_ASKS)), (embedding, width), (likely, len(NOBODY_ASKS))):
        proto.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", columns]))
