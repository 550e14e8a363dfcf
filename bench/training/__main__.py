"""`python -m bench.training`: print the tables, measured now and here."""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from bench.training import accuracy, boxes, corpus, hooks, inference, large_batches, loops
from bench.versioning.table import Line, show

PARTS = ("loop", "inference", "boxes", "accuracy", "batches", "hooks")
MNIST, FASHION = 0.993, 0.90


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept."""
    options = _options(argv)
    if options.gpu and not torch.cuda.is_available():
        print("There is no GPU here that torch can use: NOTHING WAS MEASURED ON A GPU, and nothing is promised.")
        return 0
    chosen = options.parts.split(",")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {options.threads} thread(s) each")
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        if "loop" in chosen:
            lines += _loop(Path(name), options)
        if "inference" in chosen and not options.gpu:
            lines += _inference(options)
        if "boxes" in chosen and not options.gpu:
            lines += _boxes(Path(name), options)
        if "accuracy" in chosen:
            lines += _accuracy(Path(name), options)
        if "batches" in chosen:
            lines += _batches(options)
        if "hooks" in chosen and not options.gpu:
            _hooks(Path(name), options)
    broken = [line.what for line in lines if line.verdict == "NO"]
    print(f"\n{len(broken)} of {sum(line.target is not None for line in lines)} promises were not kept.")
    return 1 if broken else 0


def _loop(folder: Path, options: argparse.Namespace) -> list[Line]:
    data = corpus.write(corpus.digits(options.cache), folder / "loop", train=options.loop_images, test=1)
    device = "cuda" if options.gpu else "cpu"
    found = loops.compare(data, folder / "loop", steps=options.steps, threads=options.threads, device=device)
    show(f"Images per second, the whole loop on {device} (before: a bare torch loop on tensors in memory)", found)
    return found


def _inference(options: argparse.Namespace) -> list[Line]:
    compiled = inference.compiler()
    found = [
        line
        for name in inference.NETWORKS
        for line in inference.compare(
            name, seconds=options.seconds, threads=options.threads, compiled=compiled and not options.quick
        )
    ]
    show("Images per second of inference, in batches of 64 (before: torch; ours: ONNX Runtime)", found)
    if not compiled:
        print("  torch.compile was left out: it needs a C++ compiler (g++), and there is none")
    return found


def _boxes(folder: Path, options: argparse.Namespace) -> list[Line]:
    found = boxes.compare(folder, images=options.box_images, steps=options.box_steps, threads=options.threads)
    show("Boxes of the exported file beside torch's: the largest difference", found)
    return found


def _accuracy(folder: Path, options: argparse.Namespace) -> list[Line]:
    """Few images prove no accuracy, so nothing is promised for them."""
    sets = [(corpus.digits(options.cache), MNIST), (corpus.fashion(), FASHION)]
    recipe: dict[str, Any] = {"min_steps": 30, "epochs": 1} if options.quick else {}
    if options.gpu:
        recipe["device"] = "cuda"
    found: list[Line] = []
    for number, (data, target) in enumerate(sets):
        if data is None:
            print(f"  Fashion-MNIST was left out: the Debian package {corpus.FASHION_PACKAGE} cannot be had here")
            continue
        place = folder / f"set-{number}"
        written = corpus.write(data, place, train=options.images, test=options.test_images)
        whole = len(data.train_labels) == options.images
        found += accuracy.judge(written, place, threads=options.threads, target=target if whole else None, **recipe)
    show("Accuracy on the test set, default configuration (before: what is promised)", found)
    return found


def _batches(options: argparse.Namespace) -> list[Line]:
    data, epochs = corpus.digits(options.cache), 1 if options.quick else options.epochs
    device = "cuda" if options.gpu else "cpu"
    found = large_batches.compare(data, images=options.images, epochs=epochs, threads=options.threads, device=device)
    show(f"{data.source}, {epochs} epochs in small and in large batches (before: what LARS is to reach)", found)
    return found


def _hooks(folder: Path, options: argparse.Namespace) -> None:
    digits, images = corpus.digits(options.cache), min(options.images, options.hook_images)
    data = corpus.write(digits, folder / "hooks", train=images, test=options.test_images)
    epochs = 1 if options.quick else options.hook_epochs
    ways = hooks.compare(data, folder / "hooks", epochs=epochs)
    title = f"{hooks.PROCESSES} processes, {epochs:g} epochs of {images:,} images of {digits.source}, by what they send"
    hooks.show(title, ways)


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-training")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of them, with commas (default: all)")
    parser.add_argument("--threads", type=int, default=1, help="of torch and ONNX Runtime (default: 1)")
    parser.add_argument("--images", type=int, help="training images of the accuracies (default: 60000)")
    parser.add_argument("--test-images", type=int, help="test images of the accuracies (default: 10000)")
    parser.add_argument("--loop-images", type=int, help="files of the loop (default: 10000)")
    parser.add_argument("--steps", type=int, help="of each run of the loop (default: 100)")
    parser.add_argument("--box-images", type=int, help="a detector learns, and answers (default: 200)")
    parser.add_argument("--box-steps", type=int, help="of a detector's training (default: 300)")
    parser.add_argument("--epochs", type=float, default=10, help="in small and in large batches (default: 10)")
    parser.add_argument("--hook-images", type=int, default=10_000, help="of several processes (default: 10000)")
    parser.add_argument("--hook-epochs", type=float, default=4, help="of several processes (default: 4)")
    parser.add_argument("--seconds", type=float, help="of each way of inference (default: 5)")
    parser.add_argument("--cache", type=Path, help="folder that keeps the downloaded digits")
    parser.add_argument(
        "--gpu", action="store_true", help="loop, accuracies, batches on CUDA; says so where there is none"
    )
    parser.add_argument("--quick", action="store_true", help="everything small: a minute, and no figures to quote")
    options = parser.parse_args(argv)
    usual = {"images": 60_000, "test_images": 10_000, "loop_images": 10_000, "steps": 100, "seconds": 5.0}
    usual |= {"box_images": 200, "box_steps": 300}
    quick = {"images": 500, "test_images": 200, "loop_images": 500, "steps": 30, "seconds": 0.5}
    quick |= {"box_images": 20, "box_steps": 30}
    for name, value in (quick if options.quick else usual).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    sys.exit(main())
