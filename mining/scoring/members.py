"""A committee inside one graph: the trunk runs once, the head once for each member, behind a mask of its own.

So K members cost next to nothing compared with K whole passes, and nothing is random at run time: TensorRT takes the
graph, and the runtime's optimiser cannot remove the dropout.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from export.runtime import MEMBERS, ModelError, load_proto, read_facts
from scoring.config import Dropout
from tasktypes import task_type
from tasktypes.model_parts import Outputs

OWN = "committee."
LOGITS, EMBEDDING, _ = Outputs.names
PASSING = {"Identity", "Flatten", "Cast", "Reshape", "Squeeze"}
"""Operators that may stand between the tensor that the head reads and the output `embedding`."""


def masks(dropout: Dropout, width: int) -> NDArray[np.float32]:
    """Return masks (M, D): 0 with probability `rate`, else 1 / (1 - rate), so that the mean over masks is the embedding
    itself."""
    kept = np.random.default_rng(dropout.seed).random((dropout.members, width)) >= dropout.rate
    return np.asarray(kept / (1 - dropout.rate), np.float32)


def with_members(data: bytes, dropout: Dropout) -> bytes:
    """Add an output `members` (N, M, K) to the model: the head's probabilities on masked embeddings.

    The head is everything between the embedding and the logits. ModelError (`committee_unsupported`) where it reads
    more than the embedding and constants.
    """
    proto = load_proto(data)
    graph, operator = proto.graph, task_type(read_facts(proto).task).outputs.operator
    if operator is None:
        words = "only a head over classes can be asked under masks: give a committee of `versions` or `flips` instead"
        raise ModelError("committee_unsupported", words)
    entry, head = _head(graph)
    width, classes = _width(graph, EMBEDDING), _width(graph, LOGITS)
    constants: dict[str, NDArray[Any]] = {
        "masks": masks(dropout, width)[None],
        "alone": np.array([-1, 1, width], np.int64),
        "rows": np.array([-1, width], np.int64),
        "apart": np.array([-1, dropout.members, classes], np.int64),
    }
    graph.initializer.extend(numpy_helper.from_array(values, OWN + name) for name, values in constants.items())
    _add(graph, "Reshape", [EMBEDDING, f"{OWN}alone"], f"{OWN}image")
    _add(graph, "Mul", [f"{OWN}image", f"{OWN}masks"], f"{OWN}masked")
    _add(graph, "Reshape", [f"{OWN}masked", f"{OWN}rows"], f"{OWN}flat")
    # If the head reads a tensor that the embedding was cast from, cast back to its type.
    kind = ("Identity", [f"{OWN}flat"]) if entry == EMBEDDING else ("CastLike", [f"{OWN}flat", entry])
    _add(graph, *kind, OWN + entry)
    _copy(graph, head, entry)
    over = {"axis": 1} if operator == "Softmax" else {}
    _add(graph, operator, [OWN + LOGITS], f"{OWN}likely", **over)
    _add(graph, "Reshape", [f"{OWN}likely", f"{OWN}apart"], MEMBERS)
    shape: list[str | int | None] = ["batch", dropout.members, classes]
    graph.output.append(helper.make_tensor_value_info(MEMBERS, TensorProto.FLOAT, shape))
    made: bytes = proto.SerializeToString()
    return made


def _head(graph: onnx.GraphProto) -> tuple[str, list[NodeProto]]:
    """Return the tensor that the head reads, and the head's nodes in order."""
    made_by = {name: node for node in graph.node for name in node.output}
    constant = {item.name for item in graph.initializer}
    entry: str | None = EMBEDDING
    while entry is not None:
        if (found := _between(entry, LOGITS, made_by, constant)) is not None:
            return entry, [node for node in graph.node if node.output[0] in found]
        node = made_by.get(entry)
        entry = node.input[0] if node is not None and node.op_type in PASSING else None
    raise ModelError(
        "committee_unsupported",
        "the logits are not made of the embedding alone: give a committee of `versions` instead",
    )


def _between(entry: str, end: str, made_by: Mapping[str, NodeProto], constant: AbstractSet[str]) -> set[str] | None:
    """Return the first outputs of the nodes that compute `end` from `entry`; None when they need more than that and
    constants."""
    waiting, found, reached = [end], set[str](), False
    while waiting:
        name = waiting.pop()
        reached = reached or name == entry
        if name == entry or not name or name in constant:
            continue
        node = made_by.get(name)
        if node is None:  # an input of the graph
            return None
        found.add(node.output[0])
        waiting.extend(one for one in node.input if one == entry or one not in found)
    return found if reached and found else None


def _copy(graph: onnx.GraphProto, head: Sequence[NodeProto], entry: str) -> None:
    """Copy the head to run on the masked embeddings; the weights are shared."""
    renamed = {entry, *(name for node in head for name in node.output)}
    for node in head:
        twin = NodeProto.FromString(node.SerializeToString())
        twin.name = OWN + node.name
        twin.input[:] = [OWN + name if name in renamed else name for name in node.input]
        twin.output[:] = [OWN + name for name in node.output]
        graph.node.append(twin)


def _add(graph: onnx.GraphProto, operator: str, inputs: list[str], output: str, **attributes: Any) -> None:
    graph.node.append(helper.make_node(operator, inputs, [output], name=output, **attributes))


def _width(graph: onnx.GraphProto, output: str) -> int:
    value = next(item for item in graph.output if item.name == output)
    return int(value.type.tensor_type.shape.dim[1].dim_value)
