"""What this machine has and how busy it is. No Django here."""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pynvml

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
    """`{name, utilisation, memory: {total, used}}` of each NVIDIA GPU, and why there are none or not all of them."""
    if fault := _nvml():
        return [], fault
    try:
        return [_gpu(pynvml.nvmlDeviceGetHandleByIndex(index)) for index in range(pynvml.nvmlDeviceGetCount())], None
    except pynvml.NVMLError as error:
        return [], f"the NVIDIA driver does not answer: {error}"


def _gpu(handle: Any) -> dict[str, Any]:
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    utilisation = None  # cut into parts (MIG), a GPU has none
    with suppress(pynvml.NVMLError):
        utilisation = pynvml.nvmlDeviceGetUtilizationRates(handle).gpu
    name = pynvml.nvmlDeviceGetName(handle)
    return {
        "name": name.decode() if isinstance(name, bytes) else name,
        "utilisation": utilisation,
        "memory": {"total": memory.total, "used": memory.used},
    }


@cache
def _nvml() -> str | None:
    """Open the driver's library, once; why that can't be done."""
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
