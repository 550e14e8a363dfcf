"""The whole loop, from encoded files to trained weights, beside the bare torch loop on tensors in memory."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bench.training.corpus import CLASSES, OnDisk
from bench.versioning.table import Line
from training import TrainingConfig, build, train
from training.data import as_input, load_images
from worker_programs.manifest import read_manifest
from worker_programs.readers import Folder

SHARE = 0.9
RUNS = 10
BATCH = 64


@dataclass(slots=True)
class Rates:
    """Images per second of each run."""

    bare: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    with_loading: list[float] = field(default_factory=list)
    streamed: list[float] = field(default_factory=list)


def compare(data: OnDisk, folder: Path, *, steps: int, threads: int, device: str = "cpu") -> list[Line]:
    """The best of many short runs of each, in turn: whatever else runs here then hits all alike, or misses one run."""
    rates = Rates()
    samples = read_manifest(data.train)
    images = load_images(samples, Folder(data.blobs), classes=CLASSES, input_size=(1, 28, 28))
    tensors = as_input(images.pixels).to(device), torch.from_numpy(images.labels).to(device)
    for _ in range(RUNS):
        rates.bare.append(bare(*tensors, steps=steps, threads=threads))
        whole = _train(data, folder, steps=steps, threads=threads, device=device)
        rates.whole.append(whole["images_per_second"])
        rates.with_loading.append(steps * BATCH / (whole["load_seconds"] + whole["seconds"]))
        streamed = _train(data, folder, steps=steps, threads=threads, device=device, memory=0)
        rates.streamed.append(streamed["images_per_second"])
    best = max(rates.bare)
    return [
        _line("after loading, with augmentation", best, max(rates.whole), SHARE),
        _line(f"with loading {len(samples):,} files", best, max(rates.with_loading)),
        _line("streamed: decoded anew in each epoch", best, max(rates.streamed)),
    ]


def bare(pixels: Tensor, labels: Tensor, *, steps: int, threads: int) -> float:
    """Nothing but forward, loss, backward and AdamW on ready float tensors; images per second."""
    used = torch.get_num_threads()
    torch.set_num_threads(threads)
    network = build("small_cnn", {}, classes=len(CLASSES)).to(pixels.device).train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3)
    started = time.perf_counter()
    for chosen in _chosen(len(labels), steps):
        logits, _ = network(pixels[chosen])
        loss = nn.functional.cross_entropy(logits, labels[chosen])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()
    if pixels.is_cuda:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    torch.set_num_threads(used)
    return steps * BATCH / seconds


def _chosen(count: int, steps: int) -> list[Tensor]:
    epochs = -(-steps * BATCH // count)
    return list(torch.cat([torch.randperm(count) for _ in range(epochs)])[: steps * BATCH].reshape(steps, BATCH))


def _train(data: OnDisk, folder: Path, *, steps: int, threads: int, device: str, **more: Any) -> dict[str, Any]:
    """One training by the program's own function; its figures."""
    config = TrainingConfig(
        out_dir=folder / "out",
        train=data.train,
        classes=CLASSES,
        blobs=str(data.blobs),
        threads=threads,
        recipe={"steps": steps, "batch_size": BATCH, "device": device, "precision": "float32"},
        **more,
    )
    figures: dict[str, Any] = train(config)["train"]
    return figures


def _line(what: str, base: float, ours: float, target: float | None = None) -> Line:
    return Line(what, f"{base:,.0f}/s", f"{ours:,.0f}/s", ours / base, target)
