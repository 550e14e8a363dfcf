"""The smallest model that the platform runs: pixels as they are -> embedding; a linear head; softmax."""

import hashlib
import json
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from accounts.models import User
from blobs.services import keep_bytes
from registry.models import Artifact, Model, ModelVersion

SIZE = (1, 4, 4)
CLASSES = ["a", "b", "c"]
OUTPUTS = ("logits", "embedding", "probabilities")


def weights(seed: int = 0, *, pixels: int = prod(SIZE), classes: int = len(CLASSES)) -> NDArray[np.float32]:
    """(pixels, classes)."""
    return np.asarray(np.random.default_rng(seed).normal(size=(pixels, classes)) / 100, np.float32)


def linear_model(
    *,
    seed: int = 0,
    metadata: bool = True,
    outputs: tuple[str, ...] = OUTPUTS,
    size: tuple[int, int, int] = SIZE,
    classes: Sequence[str] = CLASSES,
) -> onnx.ModelProto:
    """Flatten -> embedding; linear -> logits; softmax -> probabilities."""
    nodes = [
        helper.make_node("Flatten", ["input"], ["embedding"]),
        helper.make_node("MatMul", ["embedding", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    widths = {"logits": len(classes), "embedding": prod(size), "probabilities": len(classes)}
    matrix = weights(seed, pixels=prod(size), classes=len(classes))
    graph = helper.make_graph(
        nodes,
        "linear",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", *size])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", widths[name]]) for name in outputs],
        [onnx.numpy_helper.from_array(matrix, "weights")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    if metadata:
        made.metadata_props.add(key="motherlode", value=json.dumps({"classes": classes, "input_size": size}))
    return made


def softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Over the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)


def registered(model: Model, author: User, *, seed: int = 0, number: int = 1, **made: Any) -> ModelVersion:
    """The linear model of a seed as a version of `model`, its file in the object store."""
    data = linear_model(seed=seed, **made).SerializeToString()
    version = ModelVersion.objects.create(
        model=model,
        number=number,
        architecture="linear",
        digest=hashlib.sha256(data).hexdigest(),
        created_by=author,
    )
    blob = keep_bytes(data, media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    return version
