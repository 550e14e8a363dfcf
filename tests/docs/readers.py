"""What a reader has beside the pages of the docs, and what the pages' examples stand for here.

`before/PAGE-N.sh` is typed before the block N, counted from 0, of a page.
"""

import json
import random
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from tests.tiny_encoders import image_encoder, text_encoder, tokenizer

BEFORE = Path(__file__).parent / "before"
PER_CLASS = {"train": 120, "val": 12, "test": 16}
POOL = 80
# A pattern in a page, and what stands for it here.
STANDS_FOR = {
    "models": [(r"resnet18", "small_cnn"), (r"steps(\"?[=:] ?)2000", r"steps\g<1>60"), (r"(?<=[ /(])7\b", "$RUN"),
               (r"1200", "$STEP")],
    "sweeps": [(r"steps(\"?[=:] ?)500", r"steps\g<1>20"), (r"trials 20", "trials 2"), (r"register 12", "register $RUN"),
               (r"runs/13", "runs/$OTHER")],
    "label-quality": [(r"pets-1", "pets-9"), (r"0007.jpg 0019.jpg", "train/cat/2.jpg train/dog/2.jpg"),
                      (r"decide 12", "decide $REVIEW")],
    "jobs-and-workers": [(r"\b7\b", "$JOB")],
    "sign-in-with-a-provider": [(r"--email nina", "--project default --email nina")],
    "pipelines": [(r'"name": "pets"', '"name": "pets-2"'), (r"rounds/3", "rounds/2")],
    "splits-and-slices": [(r"version=3", "version=1")],
    "editing-samples": [(r"\bpets\b", "mended"), (r"revert mended 12", "revert mended 4"), (r"blurred/", "val/dog/1")],
    "composing-batches": [(r"0042", "0007"), (r"0100", "0047")],
    "formats": [(r"images/ --annotations", "more/ --annotations")],
    "maps": [(r"DIGEST", "$DIGEST")],
}  # fmt: skip


def before(page: str, number: int) -> str:
    """What is typed before a block."""
    path = BEFORE / f"{page}-{number}.sh"
    return path.read_text() if path.is_file() else ""


def as_here(page: str, text: str) -> str:
    """A block's text with what its examples stand for here."""
    for said, here in STANDS_FOR.get(page, ()):
        text = re.sub(said, here, text)
    return text


def write_inputs(folder: Path) -> None:
    """What the pages take for granted: pictures, an archive of them, annotations, a network and a pair of
    encoders of somebody else, gates."""
    _write_pets(folder)
    _write_signs(folder)
    _write_roads(folder / "folder")
    told = {"layout": "nchw", "scale": "255", "logits": "scores", "embedding": "pool5", "dataset": "pets@v3"}
    (folder / "how.json").write_text(json.dumps(told))
    (folder / "theirs.onnx").write_bytes(_network())
    (folder / "image.onnx").write_bytes(image_encoder())
    (folder / "text.onnx").write_bytes(text_encoder())
    (folder / "tokenizer.json").write_text(tokenizer())
    (folder / "preprocessor_config.json").write_text('{"image_mean": [0.5, 0.5, 0.5], "size": {"shortest_edge": 16}}')
    (folder / "gates.json").write_text('[{"check": "parity"}, {"metric": "accuracy", "min_delta": -1}]')


def _write_pets(folder: Path) -> None:
    rows = []
    for split, count in PER_CLASS.items():
        for name in ("cat", "dog"):
            for n in range(1, count + 1):
                key = f"{split}/{name}/{n}.jpg"
                _write_picture(folder / "labelled" / key, bright=name == "dog")
                rows.append({"key": key, "label": {"class": name}})
    for n in range(1, POOL + 1):
        _write_picture(folder / "unlabelled" / f"{n:04}.jpg", bright=n % 2 == 0)
        rows.append({"key": f"{n:04}.jpg", "label": {"class": "cat" if n % 2 else "dog"}})
    _write_lines(folder / "truth.jsonl", rows)
    few = [row for row in rows if re.fullmatch(r"train/.*/[1-8]\.jpg", str(row["key"]))]
    for row in few:
        _write_picture(folder / "images" / str(row["key"]), bright=row["label"] == {"class": "dog"})
    _write_lines(folder / "labels.json", few)
    _write_lines(folder / "samples.jsonl", few)
    with tarfile.open(folder / "images.tar.gz", "w:gz") as archive:
        archive.add(folder / "images", "images")
    for name in ("cat", "dog"):
        _write_picture(folder / f"{name}.jpg", bright=name == "dog")


def _write_signs(folder: Path) -> None:
    """Drives by day and by night from two cameras, with times, some of it labelled."""
    rows = []
    for n in range(1, 241):
        key, name = f"drive{n % 8}/{n:04}.jpg", "cyclist" if n % 3 == 0 else "car"
        _write_picture(folder / "signs" / key, bright=name == "car")
        camera = {"name": "rear" if n % 5 else "front"}
        meta = {"drive": n % 8, "timestamp": f"2026-11-01T12:{n // 60:02}:{n % 60:02}Z", "price": 0.05,
                "time": "night" if n % 2 else "day", "speed": n % 60, "camera": camera}  # fmt: skip
        row: dict[str, object] = {"key": key, "meta": meta, "split": "pool"}
        rows.append(row if n > 120 else row | _labelled(name, n))
    _write_lines(folder / "signs.jsonl", rows)


def _labelled(name: str, n: int) -> dict[str, object]:
    return {"label": {"class": name}, "split": ("test", "val")[n % 2] if n % 4 < 2 else "train"}


def _write_roads(folder: Path) -> None:
    """Pictures with boxes, and COCO's file beside them."""
    images, annotations = [], []
    for n in range(1, 13):
        _write_picture(folder / f"{n}.jpg", bright=n % 2 == 0)
        _write_picture(folder.parent / "more" / f"{n}.jpg", bright=n % 2 == 1)
        images.append({"id": n, "file_name": f"{n}.jpg", "width": 64, "height": 48})
        annotations.append({"id": n, "image_id": n, "category_id": 1 + n % 2, "bbox": [n, 4, 20, 16], "area": 320,
                            "iscrowd": 0})  # fmt: skip
    categories = [{"id": 1, "name": "car"}, {"id": 2, "name": "person"}]
    text = json.dumps({"images": images, "annotations": annotations, "categories": categories})
    (folder / "instances.json").write_text(text)
    (folder.parent / "instances.json").write_text(text)


def _write_picture(path: Path, *, bright: bool) -> None:
    """64 x 48 pixels of noise, bright or dark; the same of the same path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = bytes(byte // 2 + 120 * bright for byte in random.Random(str(path)).randbytes(64 * 48 * 3))
    Image.frombytes("RGB", (64, 48), pixels).save(path)


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _network() -> bytes:
    """Tells bright from dark: `image` of 0..1, n x 3 x 32 x 32, in; `scores` and `pool5` out."""
    held = {"w": np.array([[-9.0, 9.0]] * 3, np.float32), "b": np.array([14.0, -14.0], np.float32)}
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["pool5"]),
        helper.make_node("Gemm", ["pool5", "w", "b"], ["scores"]),
    ]
    graph = helper.make_graph(
        nodes,
        "theirs",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 32, 32])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
            for name, size in (("scores", 2), ("pool5", 3))
        ],
        [numpy_helper.from_array(values, name) for name, values in held.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString()
    return data
