"""A network divided among the processes that train it (torch's FSDP2): each holds a share of every weight, of its
gradient and of its moments on the device, and all of a layer only while it is computed."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import torch
from torch import Tensor, nn

from training.network import Network

if TYPE_CHECKING:
    from torch.distributed.fsdp import FSDPModule
    from torch.distributed.tensor import DTensor


def sharded(network: Network, device: torch.device, *, world: int) -> Network:
    """A copy whose weights are divided among all processes; `network` itself stays whole, where it is."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard  # it takes most of a second to import

    own: Network = copy.deepcopy(network)
    own.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]  # as in `build`
    own.to(device)
    mesh = init_device_mesh(device.type, (world,))
    for layer in _layers(own.trunk):
        fully_shard(layer, mesh=mesh)
    fully_shard(own, mesh=mesh)
    return own


def is_sharded(network: Any) -> "TypeGuard[FSDPModule]":
    """Whether it is divided: told by what FSDP2 gives a module, as importing it takes most of a second."""
    return hasattr(network, "set_requires_gradient_sync")


def _is_divided(tensor: Tensor) -> "TypeGuard[DTensor]":
    """Whether each process holds a share of it: told by what it is put together with, for the same reason."""
    return hasattr(tensor, "full_tensor")


def _layers(module: nn.Module) -> list[nn.Module]:
    """The children that hold weights; those of a list instead of the list, which is never called."""
    found = list[nn.Module]()
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            found += _layers(child)
        elif any(True for _ in child.parameters()):
            found.append(child)
    return found


def whole(tensors: Mapping[str, Tensor], *, wanted: bool = True) -> dict[str, Tensor]:
    """Divided tensors put together, on the CPU; others as they are. All processes have to ask; those that don't want
    them get nothing."""
    found = dict[str, Tensor]()
    for name, value in tensors.items():
        one = value.full_tensor().cpu() if _is_divided(value) else value
        if wanted:
            found[name] = one
    return found


def divided_like(value: Tensor, own: Tensor) -> Tensor:
    """This process's share of `value`, which all processes have, where `own` is divided; else `value`."""
    if not _is_divided(own) or _is_divided(value) or value.shape != own.shape:
        return value
    from torch.distributed.tensor import distribute_tensor  # there is something divided: it is imported

    return distribute_tensor(value.to(own.device), own.device_mesh, own.placements, src_data_rank=None)
