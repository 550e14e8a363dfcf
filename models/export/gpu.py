"""On a GPU host with TensorRT: build an engine for this machine's GPU, and run it."""

import contextlib
import importlib
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from export.builder import Builder
from export.config import Profile
from export.runtime import INPUT, Outputs, load_proto, output_names

RUNTIMES = ("tensorrt", "tensorrt_rtx")
"""TensorRT modules; the first that is installed is used."""


class NoGpuError(Exception):
    """There is no GPU, or nothing to run an engine with; the message says which."""

    code = "gpu_absent"


def run_model(data: bytes, pixels: Path, *, profile: Profile, shape: list[int]) -> tuple[str, bytes]:
    """Build an engine of the model and run it on images (.npy); returns the device's name and the outputs (.npz)."""
    trt = runtime()
    builder = Builder(trt)
    if problems := builder.parse(data):
        raise NoGpuError(f"{trt.__name__} refuses the model: {'; '.join(problems)}")
    plan = builder.build(profile, shape, None)
    if plan is None:
        raise NoGpuError(f"{trt.__name__} built no engine for the GPU that is here: {'; '.join(builder.said[-3:])}")
    names = output_names(load_proto(data))
    device, outputs = run_engine(plan, np.load(pixels), names=names, largest=profile.max)
    made = io.BytesIO()
    np.savez(made, **outputs._asdict())
    return device, made.getvalue()


def runtime() -> Any:
    """The TensorRT module that runs engines here."""
    for name in RUNTIMES:
        with contextlib.suppress(ImportError, OSError):
            return importlib.import_module(name)
    raise NoGpuError(f"none of {', '.join(RUNTIMES)} is installed")


def run_engine(
    plan: bytes, pixels: NDArray[np.uint8], *, names: tuple[str, str, str], largest: int
) -> tuple[str, Outputs]:
    """Run an engine on decoded images (N, H, W, C), in batches of at most `largest`; returns the device's name and the
    outputs, which it calls `names`."""
    import torch

    if not torch.cuda.is_available():
        raise NoGpuError("torch sees no CUDA device: install a build of torch for CUDA")
    trt = runtime()
    engine = trt.Runtime(trt.Logger(trt.Logger.WARNING)).deserialize_cuda_engine(plan)
    if engine is None:
        raise NoGpuError("the engine is not for this GPU or this version of TensorRT")
    context, stream = engine.create_execution_context(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
    as_uint8 = engine.get_tensor_dtype(INPUT) == trt.uint8
    made = []
    for at in range(0, len(pixels), largest):
        batch = torch.from_numpy(np.ascontiguousarray(pixels[at : at + largest])).cuda()
        given = batch if as_uint8 else batch.permute(0, 3, 1, 2).float().contiguous()
        context.set_input_shape(INPUT, tuple(given.shape))
        results = {name: torch.empty(tuple(context.get_tensor_shape(name)), device="cuda") for name in names}
        for name, tensor in ((INPUT, given), *results.items()):
            context.set_tensor_address(name, tensor.data_ptr())
        torch.cuda.current_stream().synchronize()
        if not context.execute_async_v3(stream.cuda_stream):
            raise NoGpuError("the engine did not run")
        stream.synchronize()
        made.append([results[name].cpu().numpy() for name in names])
    return torch.cuda.get_device_name(), Outputs(*(np.concatenate(parts) for parts in zip(*made, strict=True)))
