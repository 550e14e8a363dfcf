"""A classifier of scikit-learn's digits that needs no training: the nearest class mean, as an ONNX file that ships."""

from functools import cache

import numpy as np
import onnx
import orjson
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from tests.mining.conftest import CLASSES

from accounts.models import User
from blobs.services import keep_bytes
from registry.models import Artifact, Model, ModelVersion

SIDE, POOLED = 28, 7
SHARPNESS = 8.0
CALIBRATION = {"temperature": 2.0, "ece_before": 0.2, "ece_after": 0.1}


@cache
def nearest_mean(seed: int) -> bytes:
    """7 x 7 means of 4 x 4 pixels -> embedding; -|x - mean|^2 up to a constant -> logits. Means of half of the digits,
    which half the seed says."""
    found = load_digits()
    pixels = np.repeat(np.repeat(found.images, 4, axis=1), 4, axis=2)[:, 2:30, 2:30] / 16
    pooled = pixels.reshape(-1, POOLED, 4, POOLED, 4).mean(axis=(2, 4)).reshape(-1, POOLED**2)
    half = np.random.default_rng(seed).random(len(pooled)) < 0.5
    means = np.array([pooled[half & (found.target == digit)].mean(axis=0) for digit in range(10)])
    held = {
        "scale": np.array([1 / 255], np.float32),
        "matrix": (2 * SHARPNESS * means.T).astype(np.float32),
        "bias": (-SHARPNESS * (means**2).sum(axis=1)).astype(np.float32),
    }
    nodes = [
        helper.make_node("AveragePool", ["input"], ["pooled"], kernel_shape=[4, 4], strides=[4, 4]),
        helper.make_node("Mul", ["pooled", "scale"], ["scaled"]),
        helper.make_node("Flatten", ["scaled"], ["embedding"]),
        helper.make_node("Gemm", ["embedding", "matrix", "bias"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    widths = {"logits": 10, "embedding": POOLED**2, "probabilities": 10}
    graph = helper.make_graph(
        nodes,
        "nearest_mean",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 1, SIDE, SIDE])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", widths[name]]) for name in widths],
        [numpy_helper.from_array(values, name) for name, values in held.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    facts = {"classes": CLASSES, "input_size": [1, SIDE, SIDE], "resize": "stretch", "architecture": "nearest_mean"}
    helper.set_model_props(proto, {"motherlode": orjson.dumps(facts).decode()})
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def registered(model: Model, author: User, *, seed: int = 0) -> ModelVersion:
    """The classifier of a seed as the next version of `model`."""
    blob = keep_bytes(nearest_mean(seed), media_type="application/octet-stream")
    version = ModelVersion.objects.create(
        model=model, number=model.versions.count() + 1, architecture="nearest_mean", digest=blob.sha256,
        metrics={"calibration": CALIBRATION}, created_by=author,
    )  # fmt: skip
    Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    return version


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rows of length 1."""
    wide = np.asarray(vectors, np.float64)
    found: NDArray[np.float64] = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return found
