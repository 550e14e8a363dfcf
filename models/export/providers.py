"""The execution providers that ONNX Runtime may use here, the fastest first."""

from collections.abc import Sequence

import onnxruntime as ort

from export.nvidia_driver import present

TENSORRT, CUDA, CPU = "TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"


def providers(offered: Sequence[str] | None = None, *, gpu: bool | None = None) -> list[str]:
    """TensorRT, CUDA and the CPU, as far as this build of ONNX Runtime offers them and there is a GPU.

    `offered` and `gpu` None: as on this machine. The runtime skips a provider whose libraries do not load, and logs
    that; `Session.provider` is the one that it uses.
    """
    offered = ort.get_available_providers() if offered is None else offered
    accelerators = [name for name in (TENSORRT, CUDA) if name in offered]
    if accelerators and not (present() if gpu is None else gpu):
        accelerators = []
    return [*accelerators, CPU]
