"""Several files of one task as one: each looks at the image, and their probabilities are averaged (Lakshminarayanan et
al. 2017, deep ensembles)."""

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from export.adopt_graph import EXACT, adopt_onnx
from export.adopt_spec import AdoptSpec
from export.proto import above, add_facts
from export.runtime import INPUT, ModelError, ModelFacts, load_proto, read_facts
from tasktypes import task_type
from tasktypes.model_parts import Outputs

ARCHITECTURE = "ensemble"
MOST_BYTES = 2**31 - 1
AVERAGE, FEATURES = "average", "features"


def join_onnx(members: Sequence[bytes]) -> bytes:
    """Join two or more of the platform's own files into one, float32 (batch, C, H, W) in: `probabilities` are the mean
    of the members', `logits` the logarithm (or log-odds) of that, `embedding` the members' embeddings concatenated.

    Raises ModelError (`ensemble_unlike`) for files that differ in task, classes, input or operator set, are not of
    classes, or are too large together.
    """
    protos = [load_proto(data) for data in members]
    facts = [read_facts(proto) for proto in protos]
    _check(protos, facts)
    if sum(map(len, members)) > MOST_BYTES:
        raise _unlike("together they have more than 2 GiB: ONNX files end there")
    joined = _joined(protos)
    first = facts[0]
    spec = AdoptSpec(
        classes=list(first.classes),
        task=first.task,
        input_size=first.input_size,
        scale="1",
        logits=AVERAGE,
        embedding=FEATURES,
        probabilities=True,
    )
    made = load_proto(adopt_onnx(joined.SerializeToString(), spec))
    add_facts(made, {"architecture": ARCHITECTURE, "members": len(members)})
    return bytes(made.SerializeToString(deterministic=True))


def _joined(protos: Sequence[onnx.ModelProto]) -> onnx.ModelProto:
    """One network with a single input, and the outputs AVERAGE and FEATURES."""
    answer, below, likely = Outputs.names
    parts = [onnx.compose.add_prefix(proto, f"member{number}.") for number, proto in enumerate(protos)]
    for number, part in enumerate(parts):
        for node in above(part.graph, f"member{number}.{answer}"):
            node.name = f"{EXACT}member{number}.{node.output[0]}"
    own = protos[0].graph.input[0]
    nodes = [
        helper.make_node("Identity", [own.name], [f"member{number}.{INPUT}"], name=f"member{number}.take")
        for number in range(len(parts))
    ]
    names = [f"member{number}." for number in range(len(parts))]
    nodes += [node for part in parts for node in part.graph.node]
    nodes += [
        helper.make_node("Sum", [name + likely for name in names], ["sum"], name=f"{EXACT}sum"),
        helper.make_node("Mul", ["sum", "share"], [AVERAGE], name=EXACT + AVERAGE),
        helper.make_node("Concat", [name + below for name in names], [FEATURES], name=FEATURES, axis=1),
    ]
    weights = [tensor for part in parts for tensor in part.graph.initializer]
    weights.append(numpy_helper.from_array(np.array(1 / len(parts), np.float32), "share"))
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (AVERAGE, FEATURES)]
    graph = helper.make_graph(nodes, ARCHITECTURE, [own], outputs, weights)
    return helper.make_model(graph, opset_imports=protos[0].opset_import, ir_version=protos[0].ir_version)


def _check(protos: Sequence[onnx.ModelProto], facts: Sequence[ModelFacts]) -> None:
    if len(protos) < 2:
        raise _unlike("an ensemble has two members or more")
    if task_type(facts[0].task).outputs.operator is None:
        raise _unlike(f"the answers of {facts[0].task} can't be averaged: only those over classes can")
    for number, (proto, fact) in enumerate(zip(protos, facts, strict=True), 1):
        for what in ("task", "classes", "input_size"):
            if getattr(fact, what) != getattr(facts[0], what):
                words = f"{what} {getattr(fact, what)}, the first {getattr(facts[0], what)}"
                raise _unlike(f"member {number} has {words}: take versions that look at images alike")
        if proto.graph.input[0].type.tensor_type.elem_type != TensorProto.FLOAT:
            raise _unlike(f"member {number} takes uint8: take versions exported with `input` float32_nchw")
        if _opsets(proto) != _opsets(protos[0]):
            raise _unlike(f"member {number} was exported with another operator set: train it again")


def _opsets(proto: onnx.ModelProto) -> dict[str, int]:
    return {entry.domain: entry.version for entry in proto.opset_import}


def _unlike(message: str) -> ModelError:
    return ModelError("ensemble_unlike", message)
