"""A zoo of graphs that build an engine and answer wrongly, or build none: each is refused with what helps."""

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from export import Session, export_onnx, to_half
from export.proto import set_facts
from export.ranges import LARGEST, ranges_of
from export.readiness import readiness
from tasktypes.detection.decoding import decoded
from training import Checkpoint, build, save_checkpoint
from training.checkpoint import CheckpointConfig

SIZE, CLASSES = 8, ["a", "b"]


def graph(*nodes: onnx.NodeProto, opset: int = 20, constants: dict[str, np.ndarray] | None = None) -> bytes:
    """A classifier whose logits are made of `seen` (batch, 3, 8, 8), which `nodes` make of `input`."""
    weights = {"weight": np.ones((3 * SIZE * SIZE, 2), np.float32)} | (constants or {})
    tail = [
        helper.make_node("Flatten", ["seen"], ["embedding"], name="flat", axis=1),
        helper.make_node("MatMul", ["embedding", "weight"], ["logits"], name="dense"),
        helper.make_node("Softmax", ["logits"], ["probabilities"], name="softmax", axis=1),
    ]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width])
        for name, width in (("logits", 2), ("embedding", 3 * SIZE * SIZE), ("probabilities", 2))
    ]
    given = helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, SIZE, SIZE])
    held = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    made = helper.make_model(
        helper.make_graph([*nodes, *tail], "zoo", [given], outputs, held),
        opset_imports=[helper.make_opsetid("", opset)], ir_version=10,
    )  # fmt: skip
    set_facts(made, {"classes": CLASSES, "input_size": [3, SIZE, SIZE]})
    return bytes(made.SerializeToString())


def sampled() -> bytes:
    """Attention that reads between the places: DETR's kin."""
    grid = np.zeros((1, SIZE, SIZE, 2), np.float32)
    return graph(helper.make_node("GridSample", ["input", "grid"], ["seen"], name="sample"), constants={"grid": grid})


def old_norm() -> bytes:
    """A LayerNormalization in parts, as exporters write it for opset 16."""
    return graph(
        helper.make_node("ReduceMean", ["input"], ["mean"], name="mean", axes=[3]),
        helper.make_node("Sub", ["input", "mean"], ["centred"], name="centre"),
        helper.make_node("Mul", ["centred", "centred"], ["square"], name="square"),
        helper.make_node("ReduceMean", ["square"], ["variance"], name="variance", axes=[3]),
        helper.make_node("Add", ["variance", "least"], ["above"], name="above"),
        helper.make_node("Sqrt", ["above"], ["spread"], name="spread"),
        helper.make_node("Div", ["centred", "spread"], ["seen"], name="seen"),
        opset=16, constants={"least": np.array(1e-5, np.float32)},
    )  # fmt: skip


def int32_bias() -> bytes:
    """What ONNX Runtime's quantiser writes unless told otherwise."""
    return graph(
        helper.make_node("QuantizeLinear", ["input", "scale", "zero"], ["q"], name="q"),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["dq"], name="dq"),
        helper.make_node("DequantizeLinear", ["bias", "bias_scale"], ["b"], name="b"),
        helper.make_node("Conv", ["dq", "kernel", "b"], ["seen"], name="conv"),
        constants={
            "scale": np.array(1, np.float32), "zero": np.array(0, np.int8), "bias": np.zeros(3, np.int32),
            "bias_scale": np.array(1, np.float32), "kernel": np.ones((3, 3, 1, 1), np.float32),
        },
    )  # fmt: skip


def suppressed() -> bytes:
    """Boxes that are suppressed in the graph."""
    constants: dict[str, np.ndarray] = {
        "boxes": np.zeros((1, 4, 4), np.float32), "scores": np.zeros((1, 2, 4), np.float32),
        "most": np.array([3], np.int64),
    }  # fmt: skip
    return graph(
        helper.make_node("NonMaxSuppression", ["boxes", "scores", "most"], ["kept"], name="nms"),
        helper.make_node("Identity", ["input"], ["seen"], name="seen"),
        constants=constants,
    )


@pytest.mark.parametrize(
    ("made", "words", "remedy"),
    [
        (sampled, "GridSample", "an architecture that samples no positions"),
        (old_norm, "opset [16]", "export again with 20 "),
        (int32_bias, "int32 bias", "leave biases in float"),
        (suppressed, "NonMaxSuppression", "take the peaks of a heat map"),
    ],
)
def test_a_known_bad_graph_is_refused_with_the_remedy(made, words, remedy):
    found = readiness(made())
    problems = "; ".join(problem for check in found.checks for problem in check.problems)
    assert not found.ready
    assert words in problems
    assert remedy in problems


def test_a_plain_graph_of_the_zoo_is_ready():
    assert readiness(graph(helper.make_node("Relu", ["input"], ["seen"], name="relu"))).ready


def test_an_overflow_in_float16_is_foretold_from_the_ranges_on_real_samples():
    calm = graph(helper.make_node("Relu", ["input"], ["seen"], name="relu"))
    scaled = graph(
        helper.make_node("Mul", ["input", "large"], ["seen"], name="scale"),
        constants={"large": np.array(300, np.float32), "weight": np.full((3 * SIZE * SIZE, 2), 1e-6, np.float32)},
    )
    pixels = np.random.default_rng(0).integers(0, 256, (20, SIZE, SIZE, 3), dtype=np.uint8)
    found = ranges_of(calm, pixels)
    assert (found.samples, found.overflows, found.problem) == (16, False, None)
    expected = pixels[:16].reshape(16, -1).sum(1).max()
    assert (found.tensor, found.operator) == ("logits", "MatMul")
    assert found.largest == pytest.approx(expected, rel=1e-5)
    hot = ranges_of(scaled, pixels)
    assert hot.largest == 300 * int(pixels[:16].max())
    assert (hot.tensor, hot.operator, hot.overflows) == ("seen", "Mul", True)
    assert "normalise before it, or serve float32" in str(hot.problem)
    assert hot.largest > LARGEST
    assert np.isfinite(Session(scaled).run(pixels).logits).all()
    assert not np.isfinite(Session(to_half(scaled)).run(pixels).logits).all()


@pytest.mark.clock
@pytest.mark.parametrize("name", ["centre_lite0", "fcos_lite0"])
def test_a_detector_of_ours_is_ready_and_its_boxes_stay_exact_in_float16(tmp_path, name):
    params = {"size": 128, "width": 16, "depth": 1}
    network = build(name, params, classes=2, seed=0)
    facts = CheckpointConfig(
        architecture=name, params=params, classes=CLASSES, task="detection", recipe={}, threads=1, torch="2"
    )
    save_checkpoint(Checkpoint(network, facts), tmp_path)
    data = export_onnx(tmp_path, tmp_path / "model.onnx")
    half = to_half(data)
    assert readiness(data).ready
    assert readiness(half).ready
    types = {node.output[0]: node.op_type for node in onnx.load_from_string(half).graph.node}
    assert "TopK" in types.values()
    pixels = np.random.default_rng(0).integers(0, 256, (3, 128, 128, 3), dtype=np.uint8)
    maps, _, boxes = Session(half, exact=True).run(pixels)
    for ours, plain in zip(boxes, decoded(torch.from_numpy(maps)).numpy(), strict=True):
        np.testing.assert_allclose(ours[:, 4], plain[:, 4], atol=1e-6)
        above = plain[:, 4] > plain[-1, 4] + 1e-6
        apart = np.abs(ours[:, None] - plain[None, above]).max(axis=2).min(axis=0)
        assert (apart < 1e-4).mean() >= 0.98, "equal scores come in any order, and of an untrained network many are"
    assert not ranges_of(data, pixels).overflows
