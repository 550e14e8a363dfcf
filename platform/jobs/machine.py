"""What this machine has and how busy it is. No Django here."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pynvml

from jobs.needs import Gpu

NO_DRIVER = "no NVIDIA driver on this machine"


def figures(folder: Path) -> dict[str, Any]:
    """`{cores, cpu_percent, load, memory, disk, gpus, gpus_note}`; sizes in bytes, the disk is the one of `folder`.

    `cpu_percent` is that since the last call of this process, 0..100 over all cores; `gpus_note` says why there are no
    GPUs.
    """
    memory, disk = psutil.virtual_memory(), psutil.disk_usage(str(folder))
    found, note = gpus()
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu_percent": psutil.cpu_percent(),
        "load": round(os.getloadavg()[0], 2),
        "memory": {"total": memory.total, "used": memory.total - memory.available},
        "disk": {"total": disk.total, "used": disk.used},
        "gpus": found,
        "gpus_note": note,
    }


def gpus() -> tuple[list[dict[str, Any]], str | None]:
    """`{device, name, utilisation, memory: {total, used}, temperature, ecc_errors: {corrected, uncorrected}}` of each
    NVIDIA GPU, and why there is none. `device` is its UUID, the temperature in degrees Celsius; ECC errors are those
    since it was made. None where the GPU does not report it."""
    if fault := _nvml():
        return [], fault
    try:
        return [_gpu(pynvml.nvmlDeviceGetHandleByIndex(index)) for index in range(pynvml.nvmlDeviceGetCount())], None
    except pynvml.NVMLError as error:
        return [], f"the NVIDIA driver does not answer: {error}"


def _gpu(handle: Any) -> dict[str, Any]:
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    return {
        "device": _text(pynvml.nvmlDeviceGetUUID(handle)),
        "name": _text(pynvml.nvmlDeviceGetName(handle)),
        "utilisation": _told(lambda: pynvml.nvmlDeviceGetUtilizationRates(handle).gpu),  # none where cut into parts
        "memory": {"total": memory.total, "used": memory.used},
        "temperature": _told(lambda: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)),
        "ecc_errors": _told(lambda: _ecc_errors(handle)),
    }


def _ecc_errors(handle: Any) -> dict[str, int]:
    kinds = {
        "corrected": pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED,
        "uncorrected": pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
    }
    since = pynvml.NVML_AGGREGATE_ECC
    return {name: int(pynvml.nvmlDeviceGetTotalEccErrors(handle, kind, since)) for name, kind in kinds.items()}


def _told(ask: Callable[[], Any]) -> Any:
    """Return the value that `ask` reads from a GPU; None where the GPU does not support it."""
    try:
        return ask()
    except pynvml.NVMLError:
        return None


def devices() -> list[Gpu]:
    """The NVIDIA GPUs, or the parts of GPUs (MIG), that programs of this process may use, by their UUIDs: those of
    CUDA_VISIBLE_DEVICES where that is set."""
    if _nvml():
        return []
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    with suppress(pynvml.NVMLError):
        every = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
        if shown is None:
            return [_device(part) for handle in every for part in _parts(handle)]
        named = [name.strip() for name in shown.split(",") if name.strip()]
        return [
            _device(every[int(name)] if name.isdigit() else pynvml.nvmlDeviceGetHandleByUUID(name)) for name in named
        ]
    return []


def _device(handle: Any) -> Gpu:
    memory, name = pynvml.nvmlDeviceGetMemoryInfo(handle).total, pynvml.nvmlDeviceGetName(handle)
    return Gpu(_text(pynvml.nvmlDeviceGetUUID(handle)), _text(name), int(memory))


def _parts(handle: Any) -> list[Any]:
    """The MIG parts of a GPU; the GPU itself if it has none."""
    try:
        if not pynvml.nvmlDeviceGetMigMode(handle)[0]:
            return [handle]
    except pynvml.NVMLError:  # it does not support MIG
        return [handle]
    found = []
    for index in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
        with suppress(pynvml.NVMLError):  # no part of this number
            found.append(pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index))
    return found


def _text(told: Any) -> str:
    return told.decode() if isinstance(told, bytes) else str(told)


def cores() -> int:
    """The number of cores that this process may use, as far as its control group allows."""
    found = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError):  # "max": there is no limit
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        found = min(found, max(1, int(quota) // int(period)))
    return found


@cache
def _nvml() -> str | None:
    """Open the driver's library, once. Returns the reason if that fails, else None."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError_LibraryNotFound:
        return NO_DRIVER
    except pynvml.NVMLError as error:
        return f"the NVIDIA driver can't be used: {error}"
    return None


def resident(pid: int) -> int | None:
    """Bytes of memory that a process and all that it started hold; None when it is gone."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return None
    total = 0
    for one in family:
        with suppress(psutil.NoSuchProcess):
            total += one.memory_info().rss
    return total


def begun(pid: int) -> float | None:
    """When a process started, in seconds since 1970; None when it is gone."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None
