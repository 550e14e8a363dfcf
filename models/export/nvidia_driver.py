"""Ask NVIDIA's driver without any framework."""

import contextlib
import ctypes


def present() -> bool:
    """Whether there is an NVIDIA GPU with its driver. Asks the driver alone and loads no framework."""
    with contextlib.suppress(OSError):
        driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
        return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    return False
