"""Convert a foreign ONNX file into one that the platform runs: our names, pixels in, probabilities and embedding
out."""

from collections.abc import Collection
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from export.adopt_spec import AdoptSpec
from export.proto import set_facts, sort_nodes
from export.readiness import IR_VERSIONS, OPSETS
from export.runtime import INPUT, ModelError, Session, graphs, load_proto, tensors
from tasktypes import task_type
from tasktypes.model_parts import LEAST_SHARE, Outputs

__all__ = ["AdoptSpec", "adopt_onnx"]
OPSET = 20
DENSE = ("Gemm", "MatMul")
PASSING = ("Add", "Identity", "Cast", "Softmax", "LogSoftmax", "Reshape", "Flatten", "Squeeze", "Dropout")
"""Operators that may stand between the last dense layer and the output."""
SMALLEST = 1e-30
"""The least probability: smaller ones get its logarithm."""
MOST_PIXELS = 4096 * 4096
"""Of an input: with one image of more, the checks of a small network alone take gigabytes."""
OUTPUTS = Outputs.names
HALVES = {TensorProto.FLOAT16, TensorProto.BFLOAT16}
OWN = "motherlode_"
"""Prefix of the names of what is added, and of the file's own tensors whose names are ours."""
EXACT = "motherlode_exact_"
"""Prefix of the names of nodes that can't be computed in float16, whose smallest number is 6e-8: they take
logarithms."""


def adopt_onnx(data: bytes, spec: AdoptSpec) -> bytes:
    """Return the same network with `input` float32 (batch, C, H, W) of pixels 0..255 and our three outputs.

    Normalisation, softmax and metadata go into the file; other operator sets are converted. Raises ModelError saying
    what is missing or cannot be run, and what to do: `onnx_invalid`, `onnx_external_data`, `onnx_foreign`.
    """
    proto = load_proto(data)
    proto = current_operators(proto)
    make_room(proto, {*OUTPUTS, INPUT})
    size = image_size(proto, spec)
    answer, embedding = _answer(proto, spec), _embedding(proto, spec)
    take_pixels(proto, spec, size)
    outputs = task_type(spec.task).outputs
    _give_outputs(proto, answer, embedding, operator=outputs.operator, probabilities=spec.probabilities)
    set_facts(
        proto,
        {"task": spec.task, "classes": spec.classes, "input_size": size, "resize": "stretch", "architecture": "onnx"},
    )
    sort_nodes(proto.graph)
    _widths(proto, spec, size)
    return bytes(proto.SerializeToString(deterministic=True))


def _foreign(message: str) -> ModelError:
    return ModelError("onnx_foreign", message)


def current_operators(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Convert the file to an operator set and IR version that TensorRT and the checks know. Raises ModelError for one
    that can't be, and for one that computes in float16."""
    domains = {entry.domain for entry in proto.opset_import} | {n.domain for g in graphs(proto) for n in g.node}
    if odd := sorted(domains - {"", "ai.onnx"}):
        raise _foreign(f"operators of {', '.join(odd)} cannot be run everywhere: export with standard operators only")
    if proto.functions:
        raise _foreign("the file defines functions of its own: inline them (onnx.inliner) and try again")
    version = max((entry.version for entry in proto.opset_import), default=0)
    if version > (newest := onnx.defs.onnx_opset_version()):
        raise _foreign(f"opset {version} is newer than any that is known here ({newest}): export with opset {OPSET}")
    if version not in OPSETS:
        try:
            proto = onnx.version_converter.convert_version(proto, OPSET)
        except Exception as fault:  # its C++ errors have no common class
            raise _foreign(f"opset {version} cannot be made opset {OPSET}: {fault}; export with that opset") from fault
    if proto.ir_version not in IR_VERSIONS:
        proto.ir_version = IR_VERSIONS.stop - 1
    free_weights(proto)
    declared = {value.type.tensor_type.elem_type for value in (*proto.graph.input, *proto.graph.output)}
    if not declared.union(tensor.data_type for tensor in tensors(proto)).isdisjoint(HALVES):
        raise _foreign("it computes in float16: export it in float32; the file in float16 is made of that one here")
    return proto


def free_weights(proto: onnx.ModelProto) -> None:
    """Remove weights from the inputs: old files list them there too."""
    weights = {tensor.name for tensor in proto.graph.initializer}
    inputs = [value for value in proto.graph.input if value.name not in weights]
    del proto.graph.input[:]
    proto.graph.input.extend(inputs)


def make_room(proto: onnx.ModelProto, taken: Collection[str]) -> None:
    """Give the file's own tensors other names than these, which are ours."""
    for graph in graphs(proto):
        for node in graph.node:
            node.input[:] = [OWN + name if name in taken else name for name in node.input]
            node.output[:] = [OWN + name if name in taken else name for name in node.output]
        for item in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            item.name = OWN + item.name if item.name in taken else item.name


def image_size(proto: onnx.ModelProto, spec: AdoptSpec) -> tuple[int, int, int]:
    """[C, H, W] of the images that the file takes. Raises ModelError if it takes something else."""
    names = [value.name for value in proto.graph.input]
    if len(names) != 1:
        raise _foreign(f"it takes {len(names)} inputs ({', '.join(names)}); export one that takes images alone")
    dims = proto.graph.input[0].type.tensor_type.shape.dim
    if len(dims) != 4:
        raise _foreign(f"its input {names[0]!r} has {len(dims)} axes; images in batches have 4")
    axes = [dim.dim_value for dim in dims[1:]]
    declared = tuple(axes if spec.layout == "nchw" else [axes[2], axes[0], axes[1]])
    size = spec.input_size or declared
    if not all(size):
        raise _foreign(f"its input leaves the size open ({declared}): give `input_size` as [C, H, W]")
    if any(known and known != wanted for known, wanted in zip(declared, size, strict=True)):
        raise _foreign(f"its input is {list(declared)} as [C, H, W], not {list(size)}: check `layout` and `input_size`")
    if size[1] * size[2] > MOST_PIXELS:
        raise _foreign(
            f"its input has {size[1]} x {size[2]} pixels, and at most {MOST_PIXELS:,} are taken: export a smaller one"
        )
    if size[0] not in (1, 3):
        raise _foreign(f"it takes {size[0]} channels; images have 1 or 3: check `layout`")
    for name, values in (("mean", spec.mean), ("std", spec.std)):
        if values is not None and len(values) != size[0]:
            raise _foreign(f"`{name}` has {len(values)} numbers for {size[0]} channels")
    return size[0], size[1], size[2]


def _answer(proto: onnx.ModelProto, spec: AdoptSpec) -> str:
    """The name of the tensor that holds logits or probabilities."""
    wanted = None if spec.logits is None else OWN + spec.logits if spec.logits in OUTPUTS else spec.logits
    outputs = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in proto.graph.output}
    listed = ", ".join(f"{name.removeprefix(OWN)} {shape}" for name, shape in outputs.items())
    if wanted is not None:
        if wanted not in outputs:
            raise _foreign(f"there is no output {spec.logits!r} for `logits`; there are {listed}")
        return str(wanted)
    fitting = [name for name, shape in outputs.items() if len(shape) == 2 and shape[1] in (0, len(spec.classes))]
    if not fitting:
        raise _foreign(
            f"no output has a number for each of the {len(spec.classes)} classes; there are {listed}: export the one "
            "that does, or upload it to a model of its own classes"
        )
    if len(fitting) != 1:
        raise _foreign(
            f"{len(fitting)} outputs fit {len(spec.classes)} classes: name one as `logits`; there are {listed}"
        )
    return str(fitting[0])


def _embedding(proto: onnx.ModelProto, spec: AdoptSpec) -> str:
    made = {name: node for node in proto.graph.node for name in node.output}
    if spec.embedding is not None:
        wanted = OWN + spec.embedding if spec.embedding in OUTPUTS else spec.embedding
        if wanted not in made:
            raise _foreign(f"there is no tensor {spec.embedding!r} for `embedding`")
        return wanted
    constants = {tensor.name for tensor in proto.graph.initializer}
    constants |= {node.output[0] for node in proto.graph.node if node.op_type == "Constant"}
    node: NodeProto | None = made.get(_answer(proto, spec))
    while node is not None and node.op_type in PASSING:
        node = next((made[name] for name in node.input if name in made and name not in constants), None)
    if node is None or node.op_type not in DENSE or node.input[0] not in made:
        raise _foreign("no dense layer gives its answer: name the tensor that describes an image as `embedding`")
    return str(node.input[0])


def take_pixels(proto: onnx.ModelProto, spec: AdoptSpec, size: tuple[int, int, int]) -> None:
    """Put our input before the file's own, with a dynamic batch: scaled, normalised, in the file's layout and type."""
    own = proto.graph.input[0]
    name, kind = own.name, own.type.tensor_type.elem_type
    own.CopyFrom(helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["batch", *size]))
    mean, std = (np.array(values or [other] * size[0]) for values, other in ((spec.mean, 0.0), (spec.std, 1.0)))
    scale = 1 / (float(spec.scale) * std)
    at, steps = INPUT, list[NodeProto]()
    if not np.allclose(scale, 1) or mean.any():
        proto.graph.initializer.append(_channels("scale", scale))
        proto.graph.initializer.append(_channels("bias", -mean / std))
        steps.append(helper.make_node("Mul", [at, f"{OWN}scale"], [f"{OWN}scaled"], name=f"{OWN}scale"))
        steps.append(helper.make_node("Add", [f"{OWN}scaled", f"{OWN}bias"], [f"{OWN}pixels"], name=f"{OWN}bias"))
        at = f"{OWN}pixels"
    if spec.layout == "nhwc":
        steps.append(helper.make_node("Transpose", [at], [f"{OWN}nhwc"], name=f"{OWN}nhwc", perm=[0, 2, 3, 1]))
        at = f"{OWN}nhwc"
    last = helper.make_node("Cast", [at], [name], name=f"{OWN}cast", to=kind)
    steps.append(last if kind != TensorProto.FLOAT else helper.make_node("Identity", [at], [name], name=f"{OWN}input"))
    proto.graph.node.extend(steps)


def _channels(name: str, values: Any) -> TensorProto:
    return numpy_helper.from_array(values.astype(np.float32).reshape(1, -1, 1, 1), OWN + name)


def _give_outputs(
    proto: onnx.ModelProto, answer: str, embedding: str, *, operator: str | None, probabilities: bool
) -> None:
    logits, below, likely = OUTPUTS
    named = f"{EXACT if probabilities else OWN}answer"
    steps = [helper.make_node("Cast", [answer], [f"{OWN}answer"], name=named, to=TensorProto.FLOAT)]
    if probabilities:
        steps += _log_odds(proto, logits) if operator == "Sigmoid" else _logarithm(proto, logits)
    else:
        steps.append(helper.make_node("Identity", [f"{OWN}answer"], [logits], name=f"{OWN}logits"))
    assert operator is not None  # noqa: S101 - a spec names a task type that reads classes
    steps.append(helper.make_node(operator, [logits], [likely], name=f"{OWN}{operator.lower()}"))
    if operator == "Softmax":
        steps[-1].attribute.append(helper.make_attribute("axis", 1))
    steps.append(helper.make_node("Cast", [embedding], [f"{OWN}below"], name=f"{OWN}below", to=TensorProto.FLOAT))
    steps.append(helper.make_node("Flatten", [f"{OWN}below"], [below], name=f"{OWN}embedding", axis=1))
    proto.graph.node.extend(steps)
    del proto.graph.output[:], proto.graph.value_info[:]


def _logarithm(proto: onnx.ModelProto, logits: str) -> list[NodeProto]:
    """The nodes that compute log p."""
    proto.graph.initializer.append(numpy_helper.from_array(np.array(SMALLEST, np.float32), f"{OWN}smallest"))
    return [
        helper.make_node("Max", [f"{OWN}answer", f"{OWN}smallest"], [f"{OWN}clipped"], name=f"{EXACT}max"),
        helper.make_node("Log", [f"{OWN}clipped"], [logits], name=f"{EXACT}log"),
    ]


def _log_odds(proto: onnx.ModelProto, logits: str) -> list[NodeProto]:
    """The nodes that compute log p - log (1 - p), p and 1 - p at least `LEAST_SHARE`: larger odds show that an output
    was no probability."""
    for name, value in (("least", LEAST_SHARE), ("one", 1.0)):
        proto.graph.initializer.append(numpy_helper.from_array(np.array(value, np.float32), OWN + name))
    return [
        helper.make_node("Sub", [f"{OWN}one", f"{OWN}answer"], [f"{OWN}rest"], name=f"{EXACT}rest"),
        helper.make_node("Max", [f"{OWN}answer", f"{OWN}least"], [f"{OWN}share"], name=f"{EXACT}share"),
        helper.make_node("Max", [f"{OWN}rest", f"{OWN}least"], [f"{OWN}other"], name=f"{EXACT}other"),
        helper.make_node("Log", [f"{OWN}share"], [f"{OWN}log"], name=f"{EXACT}log"),
        helper.make_node("Log", [f"{OWN}other"], [f"{OWN}log_rest"], name=f"{EXACT}log_rest"),
        helper.make_node("Sub", [f"{OWN}log", f"{OWN}log_rest"], [logits], name=f"{EXACT}odds"),
    ]


def _widths(proto: onnx.ModelProto, spec: AdoptSpec, size: tuple[int, int, int]) -> None:
    """Declare the outputs as the file gives them when run: one row per image whatever the batch, one column per
    class."""
    proto.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in OUTPUTS)
    pixels = np.random.default_rng(0).integers(0, 256, (3, size[1], size[2], size[0]), dtype=np.uint8)
    session = Session(proto.SerializeToString())
    alone = session.run(pixels[:1])
    try:
        together = session.run(pixels)
    except Exception as fault:  # the runtime's errors have no common class
        raise _foreign(f"the batch is fixed inside: export with a dynamic batch axis ({fault})") from fault
    if {len(rows) for rows in together} != {3}:
        raise _foreign("it does not give one row an image: export with a dynamic batch axis")
    if together.logits.shape[1] != len(spec.classes):
        raise _foreign(f"it answers {together.logits.shape[1]} classes; `classes` names {len(spec.classes)}")
    if not np.isfinite(together.logits).all():
        raise _foreign("its answer to noise is not finite: look for NaN or infinity among its weights")
    if not np.allclose(alone.logits[0], together.logits[0], rtol=1e-3, atol=1e-3):
        raise _foreign("an image's answer depends on the images beside it: export in evaluation mode")
    if spec.probabilities and (odd := session.task.outputs.fault(together.logits)):
        raise _foreign(f"its output {odd}: it holds no `probabilities`")
    del proto.graph.output[:]
    for name, rows in zip(OUTPUTS, together, strict=True):
        proto.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", rows.shape[1]]))
