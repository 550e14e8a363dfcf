"""Each static rule of the TensorRT contract refuses the file that breaks it, in words."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from export import ModelError, Session
from export.readiness import readiness

FACTS = {"classes": ["a", "b"], "input_size": [1, 2, 2]}
HEAD = """<ir_version: 10, opset_import: ["": 20]>
agraph (float[batch, 1, 2, 2] input) =>
  (float[batch, 4] logits, float[batch, 4] embedding, float[batch, 4] probabilities)
"""
BODY = """{
  embedding = Flatten(input)
  logits = Identity(embedding)
  probabilities = Softmax(logits)
}"""


def model(text: str = HEAD + BODY, *, facts: object = FACTS) -> onnx.ModelProto:
    made = onnx.parser.parse_model(text)
    if facts:
        onnx.helper.set_model_props(made, {"motherlode": json.dumps(facts)})
    return made


def failures(made: onnx.ModelProto) -> dict[str, str]:
    found = readiness(made.SerializeToString())
    assert found.ready is all(check.passed for check in found.checks)
    return {check.name: "; ".join(check.problems) for check in found.checks if not check.passed}


def with_nodes(*lines: str) -> onnx.ModelProto:
    return model(HEAD + BODY.replace("  logits", "\n".join(lines) + "\n  logits"))


def test_a_plain_model_is_ready_and_says_by_which_list():
    found = readiness(model().SerializeToString())
    assert found.ready
    assert found.operators == ["Flatten", "Identity", "Softmax"]
    assert found.operator_list.startswith("tensorrt_rtx 1.")


def of_doubles() -> onnx.ModelProto:
    head = HEAD.replace("float[batch, 4] embedding", "double[batch, 4] embedding")
    body = BODY.replace("embedding = Flatten", "flat = Flatten").replace("Identity(embedding)", "Identity(flat)")
    return model(head + body.replace("  logits", "  embedding = Cast<to = 11>(flat)\n  logits"))


@pytest.mark.parametrize(
    ("made", "check", "words"),
    [
        (model(HEAD.replace("ir_version: 10", "ir_version: 11") + BODY), "versions", "IR version 11"),
        (model(HEAD.replace('"": 20', '"": 16') + BODY), "versions", "opset"),
        (model(HEAD.replace('"": 20', '"": 23') + BODY), "versions", "opset"),
        (model(HEAD.replace('"": 20', '"": 20, "mine": 1') + BODY), "versions", "domain 'mine'"),
        (with_nodes("d = Det(input)"), "operators", "Det is not supported"),
        (with_nodes("r = RandomUniformLike(input)"), "operators", "must not draw random numbers"),
        (with_nodes("n = NonZero(input)"), "operators", "depends on the data"),
        (with_nodes("t = Constant<value = bool {1}>()", "d = Dropout(input, , t)"), "operators", "training mode"),
        (with_nodes("r = Resize<mode = \"area\">(input, , , s)", "s = Constant<value = int64[4] {1, 1, 2, 2}>()"),
         "operators", "mode 'area'"),
        (with_nodes("p, i = MaxPool<kernel_shape = [1, 1]>(input)"), "operators", "Indices"),
        (with_nodes("k = Constant<value = int64[1] {4000}>()", "v, i = TopK(input, k)"), "operators", "above 3840"),
        (of_doubles(), "types", "embedding: the type"),
        (model(HEAD.replace("float[batch, 1, 2, 2] input", "float[3, 1, 2, 2] input") + BODY), "shapes", "`batch`"),
        (model(HEAD.replace("[batch, 1, 2, 2]", "[batch, 1, h, 2]") + BODY), "shapes", "not static"),
        (model((HEAD + BODY).replace("input", "image")), "names", "wants input"),
        (model(facts=None), "names", "no entry 'motherlode'"),
        (model(facts={"classes": []}), "names", "classes"),
    ],
)  # fmt: skip
def test_a_rule_that_is_broken_is_named(made, check, words):
    assert words in failures(made)[check]


def test_what_the_rules_allow_passes():
    k, off = "k = Constant<value = int64[1] {4}>()", "off = Constant<value = bool {0}>()"
    made = with_nodes(k, "v, i = TopK<axis = 1>(embedding, k)", off, "d = Dropout(input, , off)")
    assert failures(made) == {}


def test_an_operator_inside_a_branch_is_found():
    branch = helper.make_graph(
        [helper.make_node("Det", ["input"], ["inner"])], "branch", [],
        [helper.make_tensor_value_info("inner", TensorProto.FLOAT, None)],
    )  # fmt: skip
    made = with_nodes("c = Constant<value = bool {1}>()")
    made.graph.node.insert(1, helper.make_node("If", ["c"], ["chosen"], then_branch=branch, else_branch=branch))
    assert "Det is not supported" in failures(made)["operators"]


def test_a_weight_that_is_not_finite_is_found():
    made = model()
    made.graph.initializer.append(numpy_helper.from_array(np.array([1, np.nan], np.float32), "weight"))
    assert failures(made) == {"weights": "weight: not finite"}


def external(made: onnx.ModelProto, place: str) -> bytes:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../secret.bin")
    if place == "initializer":
        made.graph.initializer.append(tensor)
    else:
        made.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=tensor))
    serialised: bytes = made.SerializeToString()
    return serialised


@pytest.mark.parametrize("place", ["initializer", "attribute"])
def test_weights_outside_the_file_are_refused_wherever_they_hide(place):
    with pytest.raises(ModelError, match="outside the file") as caught:
        Session(external(model(), place))
    assert caught.value.code == "onnx_external_data"


@pytest.mark.parametrize("data", [b"", b"\x80\x04.", b"PK\x03\x04 a zip", b"just text"])
def test_other_bytes_are_no_model(data):
    with pytest.raises(ModelError, match="not an ONNX model"):
        Session(data)


def quantised(scale: str = "float {0.5}", zero: str = "int8 {0}") -> onnx.ModelProto:
    """The plain model with one Q/DQ pair on its activation."""
    lines = [
        f"s = Constant<value = {scale}>()",
        f"z = Constant<value = {zero}>()",
        "q = QuantizeLinear(input, s, z)",
        "d = DequantizeLinear(q, s, z)",
    ]
    return with_nodes(*lines)


def test_a_symmetric_pair_of_int8_is_ready():
    assert failures(quantised()) == {}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (quantised(zero="int8 {3}"), "zero point is not 0"),
        (quantised(zero="uint8 {0}"), "stores UINT8"),
        (quantised(scale="float {-1.0}"), "not positive and finite"),
        (quantised(scale="float[1] {0.0}", zero="int8[1] {0}"), "not positive and finite"),
        (with_nodes("s = Constant<value = float {1.0}>()", "q = QuantizeLinear(input, s)"), "no zero point"),
        (with_nodes("s = Abs(embedding)", "z = Constant<value = int8 {0}>()", "q = QuantizeLinear(input, s, z)"),
         "scale is not a constant"),
        (with_nodes("q, s, z = DynamicQuantizeLinear(input)"), "around the float operator"),
        (with_nodes("b = Constant<value = int32[2] {1, 2}>()", "s = Constant<value = float {1.0}>()",
                    "z = Constant<value = int32 {0}>()", "d = DequantizeLinear(b, s, z)"), "int32 bias is refused"),
        (with_nodes("s = Constant<value = float[2] {0.5, 0.5}>()", "z = Constant<value = int8[2] {0, 0}>()",
                    "q = QuantizeLinear<axis = 2>(input, s, z)"), "per channel is for weights alone"),
    ],
)  # fmt: skip
def test_a_quantised_graph_that_tensorrt_refuses_is_named(made, words):
    assert words in failures(made)["quantisation"]


def test_a_weight_may_be_quantised_per_channel():
    made = with_nodes(
        "w = Constant<value = int8[2, 2] {1, 2, 3, 4}>()", "s = Constant<value = float[2] {0.5, 0.25}>()",
        "z = Constant<value = int8[2] {0, 0}>()", "d = DequantizeLinear<axis = 0>(w, s, z)",
    )  # fmt: skip
    assert failures(made) == {}


def test_operands_of_two_types_are_refused():
    made = with_nodes("h = Cast<to = 10>(input)", "m = Add(h, input)")
    assert "mixes FLOAT and FLOAT16" in failures(made)["typing"]


def test_an_input_size_that_the_graph_does_not_take_is_named():
    assert "input_size makes it [3, 2, 2]" in failures(model(facts={**FACTS, "input_size": [3, 2, 2]}))["names"]


def test_bytes_may_only_be_cast():
    head = HEAD.replace("float[batch, 1, 2, 2] input", "uint8[batch, 2, 2, 1] input")
    first = "  moved = Transpose<perm = [0, 3, 1, 2]>(input)\n  pixels = Cast<to = 1>(moved)\n"
    good = "  pixels = Cast<to = 1>(input)\n"
    body = BODY.replace("{\n", "{\n" + first, 1).replace("Flatten(input)", "Flatten(pixels)")
    assert failures(model(head + body)) == {"types": "input: uint8 may only feed a Cast"}
    assert failures(model(head + body.replace(first, good))) == {}


def test_a_sequence_is_refused():
    found = failures(with_nodes("s = SequenceConstruct(input)", "e = SequenceLength(s)"))
    assert found["typing"] == "s: sequence is not supported"
    assert "SequenceConstruct is not supported" in found["operators"]
