"""The command lines that build and time an engine where TensorRT is installed."""

from typing import Any

from export.config import InputKind, Profile

VERSIONS = {"11": "", "10.12+": " --stronglyTyped"}
"""Flags by version: TensorRT 11 knows only strong typing; 10.12 and later need a flag."""


def input_shape(size: tuple[int, int, int], kind: InputKind) -> list[int]:
    """The input's axes after the batch, for images of `size` [C, H, W]."""
    channels, height, width = size
    return [height, width, channels] if kind == "uint8_nhwc" else [channels, height, width]


def profile_shapes(profile: Profile, shape: list[int]) -> dict[str, list[int]]:
    """The input's shape at the smallest, the usual and the largest batch."""
    return {name: [getattr(profile, name), *shape] for name in ("min", "opt", "max")}


def trtexec(file: str, shapes: dict[str, list[int]]) -> str:
    """The command line that builds an engine of `file` with TensorRT 10.12 or later."""
    return _build(file, shapes) + " --stronglyTyped"


def lines(file: str, shapes: dict[str, list[int]]) -> dict[str, Any]:
    """Command lines that build the engine, by version of TensorRT, and one that times it."""
    usual = _written(shapes["opt"])
    return {
        "build": {version: _build(file, shapes) + flag for version, flag in VERSIONS.items()},
        "benchmark": f"trtexec --loadEngine={engine_name(file)} --shapes=input:{usual} --iterations=200",
    }


def engine_name(file: str) -> str:
    """`model.fp16.onnx` -> `model.fp16.plan`."""
    return file.removesuffix(".onnx") + ".plan"


def _build(file: str, shapes: dict[str, list[int]]) -> str:
    given = " ".join(f"--{name}Shapes=input:{_written(shape)}" for name, shape in shapes.items())
    return (
        f"trtexec --onnx={file} --saveEngine={engine_name(file)} {given} "
        "--memPoolSize=workspace:4096 --timingCacheFile=timing.cache --skipInference"
    )


def _written(shape: list[int]) -> str:
    return "x".join(str(number) for number in shape)
