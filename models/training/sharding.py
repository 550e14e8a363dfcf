"""A network divided among the processes that train it (torch's FSDP2): each holds a share of every weight, its
gradient and its moments on its device, and a whole layer only while it is computed."""

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
    """A copy of `network` whose weights are divided among all processes; the original stays whole, on its device."""
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
    """Whether a network is divided: by a method that FSDP2 adds, as importing its class takes most of a second."""
    return hasattr(network, "set_requires_gradient_sync")


def _is_divided(tensor: Tensor) -> "TypeGuard[DTensor]":
    """Whether each process holds a share of the tensor: by a method of its class, for the same reason."""
    return hasattr(tensor, "full_tensor")


def _layers(module: nn.Module) -> list[nn.Module]:
    """The children that hold weights; a list is replaced by its children, because it is never called itself."""
    found = list[nn.Module]()
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            found += _layers(child)
        elif any(True for _ in child.parameters()):
            found.append(child)
    return found


def whole(tensors: Mapping[str, Tensor], *, wanted: bool = True) -> dict[str, Tensor]:
    """Assemble divided tensors on the CPU; others stay as they are. All processes have to call it; those without
    `wanted` get an empty dictionary."""
    found = dict[str, Tensor]()
    for name, value in tensors.items():
        one = value.full_tensor().cpu() if _is_divided(value) else value
        if wanted:
            found[name] = one
    return found


def divided_like(value: Tensor, own: Tensor) -> Tensor:
    """This process's share of `value`, which all processes have, if `own` is divided; else `value`."""
    if not _is_divided(own) or _is_divided(value) or value.shape != own.shape:
        return value
    from torch.distributed.tensor import distribute_tensor  # a divided tensor exists, so this is already imported

    return distribute_tensor(value.to(own.device), own.device_mesh, own.placements, src_data_rank=None)
