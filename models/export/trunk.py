"""An encoder's file with a linear head above its embedding: one file as the platform ships any other."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from export.adopt_graph import EXACT, OUTPUTS, OWN, current_operators
from export.readiness import readiness
from export.runtime import INPUT, ModelError, load_proto
from tasktypes import DEFAULT, task_type

HEAD = f"{OWN}head_"
UNUSED = f"{OWN}zero"
"""The weight of the head that is never used (`export.words.adopt_image`)."""


def with_head(data: bytes, weight: NDArray[np.float32], bias: NDArray[np.float32], task: str) -> onnx.ModelProto:
    """Put a head, (K, D) and (K,), above the `embedding` of an encoder's file in place of the one that is never used.

    The file's operators are converted to a set that TensorRT knows. Raises ModelError saying what can't be.
    """
    proto = current_operators(load_proto(data))
    logits, embedding, likely = OUTPUTS
    graph = proto.graph
    _keep_length_exact(graph, embedding)
    for node in [node for node in graph.node if {logits, likely}.intersection(node.output)]:
        graph.node.remove(node)
    for tensor in [tensor for tensor in graph.initializer if tensor.name == UNUSED]:
        graph.initializer.remove(tensor)
    for name, values in (("weight", weight), ("bias", bias)):
        graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), HEAD + name))
    operator = task_type(task).outputs.operator
    assert operator is not None  # noqa: S101 - the architecture learns tasks that read classes alone
    graph.node.append(
        helper.make_node("Gemm", [embedding, f"{HEAD}weight", f"{HEAD}bias"], [logits], f"{HEAD}gemm", transB=1)
    )
    answer = helper.make_node(operator, [logits], [likely], HEAD + operator.lower())
    if operator == "Softmax":
        answer.attribute.append(helper.make_attribute("axis", 1))
    graph.node.append(answer)
    del graph.output[:], graph.value_info[:]
    for name, columns in ((logits, len(bias)), (embedding, weight.shape[1]), (likely, len(bias))):
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", columns]))
    return proto


def trunk_fault(data: bytes, width: int) -> str:
    """Say why an encoder's file, of embeddings of `width` numbers, can't be the trunk of a model that TensorRT builds,
    naming the operator; empty if it can."""
    try:
        proto = with_head(data, np.zeros((1, width), np.float32), np.zeros(1, np.float32), DEFAULT)
    except ModelError as fault:
        return str(fault)
    if proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value:
        return "it takes one image at a time: export it with a dynamic batch axis"
    return "; ".join(problem for check in readiness(proto.SerializeToString()).checks for problem in check.problems)


def _keep_length_exact(graph: onnx.GraphProto, embedding: str) -> None:
    """Name the nodes that divide the embedding by its length so that they stay in float32: float16 knows no number
    above 65,504, which squares reach, and none as small as the least length."""
    made = {name: node for node in graph.node for name in node.output}
    waiting = [embedding]
    while waiting:
        node = made.get(waiting.pop())
        if node is not None and node.name.startswith(OWN) and not node.name.startswith(EXACT):
            node.name = EXACT + node.name.removeprefix(OWN)
            waiting += [name for name in node.input if name.startswith(OWN) and name != INPUT]
