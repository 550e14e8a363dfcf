"""A detector that needs no training: how bright either half of an image is says how surely something is there."""

from functools import cache

import onnx
import orjson

from accounts.models import User
from blobs.services import keep_bytes
from registry.models import Artifact, Model, ModelVersion

CLASSES, SIDE = ["light"], 8
GRAPH = """<ir_version: 10, opset_import: ["": 20]>
halves (float[batch, 1, 8, 8] input) => (float[batch, 5, 8, 8] maps, float[batch, 4] embedding,
                                         float[batch, 2, 6] detections)
<float white = {255}, float four = {4}, float eight = {8}, float nothing = {0}, float[1, 1, 2] trust = {1, RIGHT},
 int64[4] five = {1, 5, 1, 1}, int64[3] flat = {-1, 2, 1}, float[1, 2, 4] boxes = {0, 0, 0.5, 1, 0.5, 0, 1, 1}>
{
  unit = Div(input, white)
  scaled = Mul(unit, eight)
  heat = Sub(scaled, four)
  maps = Tile(heat, five)
  quarters = AveragePool<kernel_shape = [4, 4], strides = [4, 4]>(unit)
  embedding = Flatten(quarters)
  halves = AveragePool<kernel_shape = [8, 4], strides = [8, 4]>(unit)
  trusted = Mul(halves, trust)
  scores = Reshape(trusted, flat)
  zeros = Mul(scores, nothing)
  places = Add(zeros, boxes)
  detections = Concat<axis = 2>(places, scores, zeros)
}
"""


@cache
def half_detector(right: float) -> bytes:
    """It trusts what it sees on the right by that share alone: its answer to a mirror image is another."""
    proto = onnx.parser.parse_model(GRAPH.replace("RIGHT", str(right)))
    facts = {"classes": CLASSES, "input_size": [1, SIDE, SIDE], "task": "detection", "architecture": "halves"}
    onnx.helper.set_model_props(proto, {"motherlode": orjson.dumps(facts).decode()})
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def registered(model: Model, author: User, *, right: float) -> ModelVersion:
    """The detector as the next version of `model`."""
    blob = keep_bytes(half_detector(right), media_type="application/octet-stream")
    version = ModelVersion.objects.create(
        model=model, number=model.versions.count() + 1, architecture="halves", digest=blob.sha256, metrics={},
        created_by=author,
    )  # fmt: skip
    Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    return version
