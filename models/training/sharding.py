"""A network divided among the processes that train it (torch's FSDP2): each holds a share of every weight, of its
gradient and of its moments on the device, and all of a layer only while it is computed."""

import copy
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from training.network import Network


def sharded(network: Network, device: torch.device, *, world: int) -> Network:
    """A copy whose weights are divided among all processes; `network` itself stays whole, where it is."""
    own: Network = copy.deepcopy(network)
    own.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]  # as in `build`
    own.to(device)
    mesh = init_device_mesh(device.type, (world,))
    for layer in _layers(own.trunk):
        fully_shard(layer, mesh=mesh)
    fully_shard(own, mesh=mesh)
    return own


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
        one = value.full_tensor().cpu() if isinstance(value, DTensor) else value
        if wanted:
            found[name] = one
    return found


def divided_like(value: Tensor, own: Tensor) -> Tensor:
    """This process's share of `value`, which all processes have, where `own` is divided; else `value`."""
    if not isinstance(own, DTensor) or isinstance(value, DTensor) or value.shape != own.shape:
        return value
    return distribute_tensor(value.to(own.device), own.device_mesh, own.placements, src_data_rank=None)
