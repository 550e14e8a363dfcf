"""Small ONNX files as the platform ships them, and versions that have one."""

from functools import cache

import numpy as np
import onnx
import orjson
from onnx import TensorProto, helper, numpy_helper

from accounts.models import User
from accounts.services import first_project
from blobs.services import keep_bytes
from registry.models import Artifact, Model, ModelVersion

CLASSES = ["dark", "light"]


@cache
def shipped(*, side: int = 8, slope: float = 0.05) -> bytes:
    """A network of two kernels that tells light images from dark ones by a logit of `slope` a shade."""
    kernel = np.full((2, 1, 3, 3), 1 / 9, np.float32)
    kernel[0] *= -1
    held = {"kernel": kernel, "bias": np.array([0, -100], np.float32),
            "matrix": np.array([[slope, 0], [0, slope]], np.float32)}  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["input", "kernel", "bias"], ["maps"], "/first/Conv", kernel_shape=[3, 3]),
        helper.make_node("GlobalAveragePool", ["maps"], ["pooled"], "pool"),
        helper.make_node("Flatten", ["pooled"], ["embedding"], "flatten"),
        helper.make_node("MatMul", ["embedding", "matrix"], ["logits"], "head"),
        helper.make_node("Softmax", ["logits"], ["probabilities"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "shipped",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 1, side, side])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 2])
         for name in ("logits", "embedding", "probabilities")],
        [numpy_helper.from_array(values, name) for name, values in held.items()],
    )  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    facts = {"classes": CLASSES, "input_size": [1, side, side], "resize": "stretch", "architecture": "small"}
    helper.set_model_props(proto, {"motherlode": orjson.dumps(facts).decode()})
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def hungry(data: bytes | None = None, output: str = "logits", *, elements: int = 1 << 31) -> bytes:
    """A file (or `shipped`) that fills so many floats with a number before it has this output."""
    held = {"shape": np.array([elements], np.int64)}
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["ones"], "ones", value=helper.make_tensor(
            "value", TensorProto.FLOAT, [1], [1.0])),
        helper.make_node("ReduceMax", ["ones"], ["most"], "most", keepdims=0),
    ]  # fmt: skip
    return _delayed(data or shipped(), output, nodes, held)


def endless(data: bytes | None = None, output: str = "logits", *, rounds: int = 1 << 62) -> bytes:
    """The same, which counts to `rounds`."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["goes"]), helper.make_node("Add", ["sum", "sum"], ["more"])],
        "body",
        [helper.make_tensor_value_info("round", TensorProto.INT64, []),
         helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("sum", TensorProto.FLOAT, [])],
        [helper.make_tensor_value_info("goes", TensorProto.BOOL, []),
         helper.make_tensor_value_info("more", TensorProto.FLOAT, [])],
    )  # fmt: skip
    held = {"rounds": np.array(rounds, np.int64), "true": np.array(1, bool), "one": np.array(1, np.float32)}
    return _delayed(
        data or shipped(),
        output,
        [helper.make_node("Loop", ["rounds", "true", "one"], ["most"], "loop", body=body)],
        held,
    )


def _delayed(data: bytes, output: str, nodes: list[onnx.NodeProto], held: dict[str, np.ndarray]) -> bytes:
    """The file, whose output waits for the number `most` that the nodes make."""
    proto = onnx.load_model_from_string(data)
    held = held | {"nothing": np.array(0, np.float32)}
    late = [
        helper.make_node("Mul", ["most", "nothing"], ["zero"]),
        helper.make_node("Add", ["early", "zero"], [output]),
    ]
    changed: list[onnx.NodeProto] = []
    for node in proto.graph.node:
        made = onnx.NodeProto.FromString(node.SerializeToString())
        changed.append(made)
        if output in made.output:
            made.output[:] = ["early"]
            changed += [*nodes, *late]
    del proto.graph.node[:]
    proto.graph.node.extend(changed)
    proto.graph.initializer.extend(numpy_helper.from_array(values, name) for name, values in held.items())
    slow: bytes = proto.SerializeToString(deterministic=True)
    return slow


@cache
def detector(*, side: int = 8) -> bytes:
    """A network that finds the same three boxes in every image: `light` at 0.9 and 0.3, `dark` at 0.1."""
    boxes = [[0.1, 0.2, 0.5, 0.6, 0.9, 1], [0.5, 0.5, 1.0, 1.0, 0.3, 1], [0.0, 0.0, 0.2, 0.2, 0.1, 0]]
    held: dict[str, np.ndarray] = {
        "nothing": np.array(0, np.float32),
        "kernel": np.full((6, 1, 3, 3), 1 / 9, np.float32),
        "boxes": np.array([boxes], np.float32),
        "last": np.array([1], np.int64),
    }
    nodes = [
        helper.make_node("Conv", ["input", "kernel"], ["maps"], "first", kernel_shape=[3, 3]),
        helper.make_node("GlobalAveragePool", ["maps"], ["pooled"], "pool"),
        helper.make_node("Flatten", ["pooled"], ["embedding"], "flatten"),
        helper.make_node("Mul", ["embedding", "nothing"], ["zeros"], "zeros"),
        helper.make_node("Unsqueeze", ["zeros", "last"], ["each"], "each"),
        helper.make_node("Add", ["each", "boxes"], ["detections"], "head"),
    ]
    shapes: dict[str, list[str | int | None]] = {
        "maps": ["batch", 6, side - 2, side - 2],
        "embedding": ["batch", 6],
        "detections": ["batch", 3, 6],
    }
    graph = helper.make_graph(
        nodes,
        "detector",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 1, side, side])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()],
        [numpy_helper.from_array(values, name) for name, values in held.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    facts = {"classes": CLASSES, "input_size": [1, side, side], "task": "detection", "architecture": "small"}
    helper.set_model_props(proto, {"motherlode": orjson.dumps(facts).decode()})
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def version_of(data: bytes, author: User, *, task: str = "classification", **metrics: object) -> ModelVersion:
    """A registered version whose file these bytes are."""
    values = {"task": task, "classes": CLASSES, "created_by": author, "project": first_project()}
    shades, _ = Model.objects.get_or_create(name="shades", defaults=values)
    blob = keep_bytes(data, media_type="application/octet-stream")
    version = ModelVersion.objects.create(
        model=shades, number=shades.versions.count() + 1, architecture="small", digest=blob.sha256, metrics=metrics,
        created_by=author,
    )  # fmt: skip
    Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    return version
