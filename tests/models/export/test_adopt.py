"""A foreign ONNX file is made to fit, or refused with what is missing."""

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import numpy_helper

from export import AdoptSpec, ModelError, Session, adopt_onnx
from export.readiness import readiness
from worker_programs.config import ConfigError, parse

SIZE, CLASSES = (3, 4, 4), ["a", "b"]


def foreign(
    *, opset=17, head="float[N, 3, 4, 4] image", last="score = Gemm(below, w2, b2)", body="", outputs=""
) -> bytes:
    """A dense network that takes `image`."""
    rng = np.random.default_rng(0)
    text = f"""<ir_version: 8, opset_import: ["": {opset}]>
    agraph ({head}) => (float[N, 2] score{outputs})
    {{
      {body}
      flat = Flatten(image)
      dense = Gemm(flat, w1, b1)
      below = Relu(dense)
      {last}
    }}"""
    made = onnx.parser.parse_model(text)
    for name, shape in (("w1", (48, 5)), ("b1", (5,)), ("w2", (5, 2)), ("b2", (2,))):
        made.graph.initializer.append(numpy_helper.from_array(rng.normal(0, 1, shape).astype(np.float32), name))
    return bytes(made.SerializeToString())


def spec(**changes) -> AdoptSpec:
    return parse(AdoptSpec, {"classes": CLASSES, **changes})


def pixels(count=5):
    return np.random.default_rng(1).integers(0, 256, (count, 4, 4, 3), dtype=np.uint8)


def own_answer(data: bytes, values):
    """What the foreign file itself says of its own kind of input."""
    session = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(["score"], {session.get_inputs()[0].name: values.astype(np.float32)})[0]


def test_it_answers_as_before_with_its_normalisation_inside():
    data, mean, std = foreign(), [0.5, 0.4, 0.3], [0.2, 0.3, 0.4]
    made = adopt_onnx(data, spec(mean=mean, std=std))
    assert readiness(made).ready, readiness(made)
    found = Session(made).run(pixels())
    expected = own_answer(data, ((pixels() / 255 - mean) / std).transpose(0, 3, 1, 2))
    np.testing.assert_allclose(found.logits, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.probabilities.sum(1), 1, atol=1e-6)
    assert found.embedding.shape == (5, 5)
    assert adopt_onnx(data, spec(mean=mean, std=std)) == made


def test_other_layouts_scales_names_and_answers_fit_too():
    head, last = "float[N, 4, 4, 3] image", "raw = Gemm(below, w2, b2)\n score = Softmax(raw)"
    data = foreign(head=head, last=last)
    found = Session(adopt_onnx(data, spec(layout="nhwc", scale="1", probabilities=True, embedding="dense")))
    answer = found.run(pixels())
    expected = own_answer(data, pixels())
    np.testing.assert_allclose(answer.probabilities, expected, atol=1e-4)
    assert (answer.embedding < 0).any()
    taken = foreign().replace(b"image", b"input").replace(b"below", b"logit")
    assert Session(adopt_onnx(taken, spec())).run(pixels()).logits.shape == (5, 2)


@pytest.mark.parametrize("opset", [11, 23])
def test_an_operator_set_that_tensorrt_does_not_know_is_converted(opset):
    made = adopt_onnx(foreign(opset=opset), spec())
    assert readiness(made).ready
    assert readiness(made).opset == 20


@pytest.mark.parametrize(
    ("data", "changes", "words"),
    [
        (foreign(head="float[N, 3, 4, 4] image, float[N] other"), {}, "takes 2 inputs"),
        (foreign(head="float[N, 3, h, w] image"), {}, "give `input_size`"),
        (foreign(head="float[N, 3, h, w] image"), {"input_size": [3, 40_000, 500]}, "40000 x 500 pixels"),
        (foreign(), {"input_size": [3, 8, 8]}, r"is \[3, 4, 4\] as \[C, H, W\], not \[3, 8, 8\]"),
        (foreign(), {"layout": "nhwc"}, "check `layout`"),
        (foreign(), {"classes": ["a", "b", "c"]}, "for each of the 3 classes; there are score .*its own classes"),
        (foreign(), {"logits": "scores"}, "there is no output 'scores'"),
        (foreign(), {"embedding": "features"}, "no tensor 'features'"),
        (foreign(), {"mean": [0.5]}, "`mean` has 1 numbers for 3 channels"),
        (foreign(), {"probabilities": True}, "does not sum to 1"),
        (foreign(last="score = Slice(below, zero, two, one)",
                 body="zero = Constant<value = int64[1] {0}>() two = Constant<value = int64[1] {2}>() "
                      "one = Constant<value = int64[1] {1}>()"), {}, "name the tensor"),
        (foreign(head="float16[N, 3, 4, 4] half", body="image = Cast<to = 1>(half)"), {}, "computes in float16"),
        (foreign(last="fixed = Constant<value = int64[2] {1, 2}>()\n raw = Gemm(below, w2, b2)\n "
                      "score = Reshape(raw, fixed)"), {}, "dynamic batch axis"),
        (foreign(last="score = Gemm(below, w2, b2)", outputs=", float[N, 2] twice",
                 body="twice = Gemm(below, w2, b2)"), {}, "name one as `logits`"),
        (foreign(opset=5), {}, "opset"),
        (foreign(opset=99), {}, "opset 99 is newer than any that is known here"),
        (b"no model", {}, "not an ONNX model"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_with_the_fix(data, changes, words):
    with pytest.raises(ModelError, match=words):
        adopt_onnx(data, spec(**changes))


def test_weights_that_are_not_finite_are_told_as_what_they_are():
    made = onnx.load_from_string(foreign())
    weights = next(one for one in made.graph.initializer if one.name == "w2")
    weights.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights) * np.float32("nan"), "w2"))
    with pytest.raises(ModelError, match="not finite: look for NaN"):
        adopt_onnx(made.SerializeToString(), spec())


def test_weights_in_float16_are_refused_before_any_precision_is_made_of_them():
    made = onnx.load_from_string(foreign(body="", last="low = Cast<to = 1>(w2)\n score = Gemm(below, low, b2)"))
    weights = next(one for one in made.graph.initializer if one.name == "w2")
    weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights).astype(np.float16), "w2"))
    with pytest.raises(ModelError, match="computes in float16: export it in float32"):
        adopt_onnx(made.SerializeToString(), spec())


def test_custom_operators_and_weights_elsewhere_are_refused():
    made = onnx.load_from_string(foreign())
    made.opset_import.add(domain="my.ops", version=1)
    made.graph.node[0].domain = "my.ops"
    with pytest.raises(ModelError, match=r"operators of my\.ops") as caught:
        adopt_onnx(made.SerializeToString(), spec())
    assert caught.value.code == "onnx_foreign"
    made = onnx.load_from_string(foreign())
    made.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    with pytest.raises(ModelError, match="outside the file"):
        adopt_onnx(made.SerializeToString(), spec())


def test_a_spec_that_contradicts_itself_is_refused():
    with pytest.raises(ConfigError, match="wants 3 numbers"):
        spec(input_size=[3, 4, 4], std=[1.0])
    with pytest.raises(ConfigError, match="named twice"):
        spec(classes=["a", "a"])
    with pytest.raises(ConfigError, match=r"std\.0: must be more than 0"):
        spec(std=[0.0, 1.0, 1.0])
