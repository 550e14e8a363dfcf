"""Configurations for NVIDIA's Triton server.

A version's files make a model repository like this, where the plan is what `trtexec` builds on the serving GPU:

    NAME/config.pbtxt            the version's config.pbtxt, config.fp16.pbtxt, config.int8.pbtxt or config.plan.pbtxt
    NAME/1/model.onnx            or model.fp16.onnx, model.int8.onnx, model.plan: what that config names
"""

from dataclasses import dataclass

from export.config import InputKind, Profile
from export.runtime import INPUT
from export.trtexec import input_shape

DELAY_MICROSECONDS = 500
"""The longest time that a request waits for others to fill its batch."""
PLAN = "model.plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The input for a configuration: the shapes and types of a file's inputs and outputs."""

    size: tuple[int, int, int]
    kind: InputKind
    outputs: dict[str, list[int]]
    """The axes after the batch, by output name."""
    profile: Profile


def config_pbtxt(served: Served, file: str) -> str:
    """The config.pbtxt of `file`, an ONNX file or `model.plan`: a protobuf text of Triton's ModelConfig."""
    plan = file == PLAN
    runs_by = 'platform: "tensorrt_plan"' if plan else 'backend: "onnxruntime"'
    kind = "TYPE_UINT8" if served.kind == "uint8_nhwc" else "TYPE_FP32"
    outputs = ",\n".join(_tensor(name, "TYPE_FP32", dims) for name, dims in served.outputs.items())
    return (
        f"{runs_by}\n"
        f'default_model_filename: "{file}"\n'
        f"max_batch_size: {served.profile.max}\n"
        f"input [\n{_tensor(INPUT, kind, input_shape(served.size, served.kind))}\n]\n"
        f"output [\n{outputs}\n]\n"
        "dynamic_batching {\n"
        f"  preferred_batch_size: [ {served.profile.opt} ]\n"
        f"  max_queue_delay_microseconds: {DELAY_MICROSECONDS}\n"
        "}\n"
        f"instance_group [\n  {{ count: 1 kind: {'KIND_GPU' if plan else 'KIND_AUTO'} }}\n]\n"
    )


def _tensor(name: str, kind: str, dims: list[int]) -> str:
    return f'  {{ name: "{name}" data_type: {kind} dims: [ {", ".join(str(dim) for dim in dims)} ] }}'
