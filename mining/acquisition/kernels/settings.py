"""The parameters that all strategies on these kernels share."""

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.products import Device
from worker_programs.config import STRICT

MEMORY = (
    "Megabytes beside the pool itself, for copies that save time. What must be there (about 64 bytes a sample and "
    "100 MB) is not counted."
)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Work:
    """How the work is done; the picks do not depend on it."""

    # Descriptions, not docstrings: those of a base class would not reach the schema of a strategy.
    memory_mb: Annotated[float, Field(ge=16, le=1_000_000, description=MEMORY)] = 2048


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DeviceWork(Work):
    """How the work is done, where matrix products may run on a GPU."""

    device: Annotated[Device, Field(description="`cuda` makes the products on a GPU, through torch.")] = "cpu"
