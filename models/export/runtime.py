"""An exported model on ONNX Runtime. No torch: this is what scoring and serving load."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from blobs.decoding import JpegScales
from export.config import InputKind
from export.providers import CPU, providers
from tasktypes import DEFAULT, TaskType, task_type
from worker_programs.config import ConfigError, parse

METADATA = "motherlode"
INPUT = "input"
MEMBERS = "members"
"""Output with the answers of each member, if the graph has a committee."""
MAX_BYTES = 2**31 - 1
INPUT_KINDS: dict[str, InputKind] = {"tensor(float)": "float32_nchw", "tensor(uint8)": "uint8_nhwc"}
"""Kinds of input by ONNX Runtime's type."""
LEVELS = {
    (False, False): ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
    (True, False): ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    (False, True): ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    (True, True): ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
"""Optimisation levels by (exact, plain)."""


class ModelError(Exception):
    """The bytes are not a model that the platform runs. Codes: `onnx_invalid`, `onnx_external_data`, `onnx_foreign`."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


@checked(frozen=True, kw_only=True, config=ConfigDict(extra="ignore"))
class ModelFacts:
    """The metadata that is needed to run the file; `export_onnx` writes more."""

    classes: Annotated[list[str], Field(min_length=1)]
    input_size: tuple[int, int, int]
    """[C, H, W]."""
    task: str = DEFAULT
    """The task type; older files, from before there were several, don't name it."""
    preprocessing: dict[str, Any] | None = None
    """How to feed the file (`export.feeding`); older files don't say."""

    @property
    def jpeg_scales(self) -> JpegScales:
        """The scales at which JPEGs are decoded for it."""
        return "halves" if self.preprocessing is not None else "eighths"


class Outputs(NamedTuple):
    """Float32 outputs of one call: logits (N, K), embedding (N, D), probabilities (N, K); or what the task type has
    instead, by `tasktypes.model_parts.Outputs.names`."""

    logits: NDArray[np.float32]
    embedding: NDArray[np.float32]
    probabilities: NDArray[np.float32]


class Session:
    """A model file's bytes, ready to run on ONNX Runtime; `digest` is their sha256.

    Rows are computed alone: a sample's outputs depend on the batch around it only by float rounding (about 1e-6).
    """

    def __init__(
        self, data: bytes, *, threads: int = 1, exact: bool = False, plain: bool = False, accelerated: bool = False
    ) -> None:
        """Check the bytes and open the session; raises ModelError.

        It runs on the CPU, or if `accelerated` on the best execution provider here (`export.providers`).

        `exact` computes int8 files as their graph says, which is what TensorRT does; with the runtime's fused int8
        kernels an accuracy of 89 % was seen to fall to 44 % on a CPU without VNNI. Every proof of an int8 file is
        exact. `plain` turns all optimisation off: the reference for a file that has no other.
        """
        proto = load_proto(data)
        self.facts = read_facts(proto)
        self.digest = hashlib.sha256(data).hexdigest()
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # Spinning gains nothing measurable and takes the core that decodes.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The fused int8 kernels saturate on CPUs without VNNI, unless told to be precise.
        options.add_session_config_entry("session.x64quantprecision", "1")
        options.graph_optimization_level = LEVELS[exact, plain]
        try:
            # From bytes, never by path: by path the runtime follows hard links to external data.
            self._session = ort.InferenceSession(data, options, providers=providers() if accelerated else [CPU])
        except Exception as fault:
            raise ModelError("onnx_invalid", f"ONNX Runtime refuses the model: {fault}") from fault
        names = [item.name for item in self._session.get_inputs()], [item.name for item in self._session.get_outputs()]
        self.names = self.task.outputs.names
        if missing := [name for name in self.names if name not in names[1]]:
            raise ModelError("onnx_foreign", f"the model lacks the outputs {', '.join(missing)}")
        if names[0] != [INPUT]:
            raise ModelError("onnx_foreign", f"the model's only input must be {INPUT!r}, not {names[0]}")
        kind = self._session.get_inputs()[0].type
        if kind not in INPUT_KINDS:
            raise ModelError("onnx_foreign", f"{INPUT!r} is a {kind}; wants {' or '.join(INPUT_KINDS)}")
        self.input: InputKind = INPUT_KINDS[kind]
        self.threads = threads
        self._one_by_one = self._session.get_inputs()[0].shape[0] == 1
        self._has_members = MEMBERS in names[1]

    @property
    def task(self) -> TaskType:
        """The task type of the model's answers."""
        return task_type(self.facts.task)

    @property
    def level(self) -> str:
        """The runtime's optimisation level in force, as it names it."""
        return str(self._session.get_session_options().graph_optimization_level.name)

    @property
    def provider(self) -> str:
        """The execution provider that was chosen, as the runtime names it: operators that it can't run fall to the next
        one."""
        return str(self._session.get_providers()[0])

    @property
    def embedding_dim(self) -> int:
        """Width of the embedding that the file declares."""
        return int(self.shapes[self.names[1]][0])

    @property
    def shapes(self) -> dict[str, list[int]]:
        """The axes after the batch of each output in `names`, as the file declares them."""
        declared = {item.name: list(item.shape[1:]) for item in self._session.get_outputs()}
        return {name: declared[name] for name in self.names}

    def run(self, pixels: NDArray[np.uint8]) -> Outputs:
        """Outputs of decoded images (N, H, W, C) of the model's input size."""
        return Outputs(*self._run(self.names, self._given(pixels)))

    def run_committee(self, pixels: NDArray[np.uint8]) -> tuple[Outputs, NDArray[np.float32] | None]:
        """As `run`, with the probabilities (N, M, K) of each member; None if the graph has no committee."""
        if not self._has_members:
            return self.run(pixels), None
        *outputs, members = self._run([*self.names, MEMBERS], self._given(pixels))
        return Outputs(*outputs), members

    def _run(self, names: Sequence[str], given: NDArray[Any]) -> list[NDArray[np.float32]]:
        """Run the session; image by image if the file takes one at a time."""
        if not self._one_by_one or len(given) == 1:
            return list(self._session.run(list(names), {INPUT: given}))
        rows = [self._session.run(list(names), {INPUT: image[None]}) for image in given]
        return [np.concatenate(column) for column in zip(*rows, strict=True)]

    def _given(self, pixels: NDArray[np.uint8]) -> NDArray[Any]:
        if self.input == "float32_nchw":
            return pixels.transpose(0, 3, 1, 2).astype(np.float32, order="C")
        return np.ascontiguousarray(pixels)


def load_proto(data: bytes) -> onnx.ModelProto:
    """Parse a file. Raises ModelError if it is not an ONNX model, too large, or keeps weights outside of itself."""
    if len(data) > MAX_BYTES:
        raise ModelError("onnx_invalid", f"{len(data)} bytes; at most {MAX_BYTES} are read")
    try:
        proto = onnx.load_model_from_string(data)
    except DecodeError as fault:
        raise ModelError("onnx_invalid", "these bytes are not an ONNX model") from fault
    if not proto.graph.node:
        raise ModelError("onnx_invalid", "these bytes are not an ONNX model: there is no graph")
    for tensor in tensors(proto):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            raise ModelError(
                "onnx_external_data", f"the weight {tensor.name!r} lies outside the file; save it without external data"
            )
    return proto


def read_facts(proto: onnx.ModelProto) -> ModelFacts:
    """Read the `motherlode` metadata. Raises ModelError if it is absent or incomplete."""
    found = {entry.key: entry.value for entry in proto.metadata_props}
    if METADATA not in found:
        raise ModelError("onnx_foreign", f"the metadata has no entry {METADATA!r}: not exported by Motherlode")
    try:
        return parse(ModelFacts, found[METADATA].encode())
    except ConfigError as fault:
        raise ModelError("onnx_foreign", f"metadata {METADATA!r}: {fault}") from fault


def output_names(proto: onnx.ModelProto) -> tuple[str, str, str]:
    """The names of a file's outputs, by its task type. Raises ModelError as `read_facts`."""
    return task_type(read_facts(proto).task).outputs.names


def graphs(proto: onnx.ModelProto) -> Iterator[Any]:
    """The graph, its subgraphs at any depth, and the local functions: whatever has `node`."""
    waiting: list[Any] = [proto.graph, *proto.functions]
    while waiting:
        graph = waiting.pop()
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                waiting.extend([attribute.g] if attribute.HasField("g") else [])
                waiting.extend(attribute.graphs)


def tensors(proto: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every constant of the file: initializers, sparse ones, and those in attributes."""
    for graph in graphs(proto):
        yield from getattr(graph, "initializer", ())
        for sparse in getattr(graph, "sparse_initializer", ()):
            yield from (sparse.values, sparse.indices)
        for node in graph.node:
            for attribute in node.attribute:
                yield from ([attribute.t] if attribute.HasField("t") else [])
                yield from attribute.tensors
