"""Find the output of an encoder's graph that is the embedding, and check the operator set."""

import onnx

from export.runtime import ModelError

LEAST_OPSET = 13
"""The oldest operator set: from it on, sums take their axes as an input."""
POOLED = "pooler_output"


def check_opset(proto: onnx.ModelProto) -> None:
    """Raise ModelError for a graph of an operator set that is too old."""
    versions = [entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    if any(version < LEAST_OPSET for version in versions):
        raise ModelError(
            "onnx_foreign", f"its operator set is {min(versions)}: export with opset {LEAST_OPSET} or newer"
        )


def chosen_output(proto: onnx.ModelProto, wanted: str | None, *, parameter: str, known: str) -> str:
    """The name of the wanted output (batch, D); of several with two axes the one with a `known` name. Raises ModelError
    naming the `parameter` that chooses."""
    outputs = {value.name: _axes(value) for value in proto.graph.output}
    listed = ", ".join(outputs)
    if wanted is not None:
        if wanted not in outputs:
            raise ModelError("onnx_foreign", f"it has no output {wanted!r} for `{parameter}`; it has {listed}")
        fitting = [wanted]
    else:
        flat = [name for name, axes in outputs.items() if axes in (None, 2)]
        fitting = flat if len(flat) == 1 else [name for name in (known, POOLED) if name in flat][:1]
    if not fitting:
        raise ModelError("onnx_foreign", f"which output holds one vector each? Name it as `{parameter}`: {listed}")
    if outputs[fitting[0]] not in (None, 2):
        raise ModelError(
            "onnx_foreign",
            f"its output {fitting[0]!r} has {outputs[fitting[0]]} axes: export one that is pooled and projected, "
            "(batch, D)",
        )
    return fitting[0]


def _axes(value: onnx.ValueInfoProto) -> int | None:
    kind = value.type.tensor_type
    return len(kind.shape.dim) if kind.HasField("shape") else None
