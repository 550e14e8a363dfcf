"""`python -m export.predictor`: answers about models and images on its pipes, one by one (`worker_programs.frames`).

It holds a few models open, knows them by the sha256 of their file, and asks for one that it does not have: `{"wanted":
digest}`, after which the same question comes again with a `path`. It ends after a while without questions, and with the
process that started it.
"""

import hashlib
import os
import select
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import decode, fit, load, upright_size
from blobs.errors import ImageRefused
from blobs.full_check import check_structure
from blobs.kinds import sniff
from export import array_images
from export.activations import Activations
from export.layers import Layer, facts, layers_of
from export.runtime import ModelError, ModelFacts, Session, load_proto
from export.words.text_model import TextModel, is_text
from worker_programs.events import die_with_parent
from worker_programs.frames import receive, send

IDLE_SECONDS = 300.0
MAX_MODELS, MAX_MODEL_BYTES = 4, 1 << 30
"""How many models are held open, and how many bytes their files may have together; one is held whatever its size."""
BATCH = 32

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]


class Model:
    """One opened file: what is slow to make is made once, on first use."""

    def __init__(self, data: bytes) -> None:
        """Raises ModelError."""
        self.size, self.digest = len(data), hashlib.sha256(data).hexdigest()
        # Quantised files are answered as they are proved: fused int8 kernels saturate on many CPUs.
        quantised = any(node.op_type == "DequantizeLinear" for node in load_proto(data).graph.node)
        self.session = Session(data, exact=quantised)
        self._data = data
        self._layers: list[Layer] | None = None
        self._activations: Activations | None = None

    @property
    def layers(self) -> list[Layer]:
        if self._layers is None:
            self._layers = layers_of(load_proto(self._data))
        return self._layers

    @property
    def activations(self) -> Activations:
        if self._activations is None:
            self._activations = Activations(load_proto(self._data))
        return self._activations


class Shelf:
    """Open models by digest; the least recently used are closed first."""

    def __init__(self) -> None:
        self._models: OrderedDict[str, Model | TextModel] = OrderedDict()

    def get(self, digest: str, path: str | None) -> Model | TextModel | None:
        """The model, opened from `path` if it is not open yet; None if `path` is needed for that. Raises ModelError."""
        if digest not in self._models:
            if path is None:
                return None
            model = _opened(Path(path).read_bytes())
            if model.digest != digest:
                raise ModelError("onnx_invalid", "the bytes are not those that were promised")
            self._models[digest] = model
            while len(self._models) > 1 and (len(self._models) > MAX_MODELS or self._bytes() > MAX_MODEL_BYTES):
                self._models.popitem(last=False)
        self._models.move_to_end(digest)
        return self._models[digest]

    def _bytes(self) -> int:
        return sum(model.size for model in self._models.values())


def _opened(data: bytes) -> Model | TextModel:
    return TextModel(data) if is_text(load_proto(data)) else Model(data)


def predict(model: Model, question: dict[str, Any], images: list[bytes]) -> dict[str, Any]:
    """For each image its `answer`, by the `thresholds` of the classes that have one, and its `top` classes with
    probabilities (and `calibrated` ones for a `temperature`), or its error."""
    read = [_read(image, model.session.facts) for image in images]
    sound = [found for found in read if not isinstance(found, dict)]
    answers = iter([row for start in range(0, len(sound), BATCH)
                    for row in _rows(model, sound[start : start + BATCH], question)])  # fmt: skip
    results = [found if isinstance(found, dict) else next(answers) for found in read]
    if question["activations"]:
        for result, found in zip(results, read, strict=True):
            if not isinstance(found, dict):
                result["activations"] = model.activations.of(found.pixels)
    return {"results": results}


def layers(model: Model, question: dict[str, Any], images: list[bytes]) -> dict[str, Any]:  # noqa: ARG001 - see ANSWERS
    """Every layer with the distribution of its weights."""
    found = [
        {"name": layer.name, "operator": layer.operator, "parameters": sum(one.size for one in layer.weights.values()),
         "weights": [{"name": name} | facts(values) for name, values in layer.weights.items()]}
        for layer in model.layers
    ]  # fmt: skip
    return {"layers": found}


def weights(model: Model, question: dict[str, Any], images: list[bytes]) -> dict[str, Any]:  # noqa: ARG001 - as above
    """The largest weight of a layer as a picture (`png`, hexadecimal); None where the layer has none."""
    found = next((layer for layer in model.layers if layer.name == question["layer"]), None)
    if found is None or not found.weights:
        return {"png": None, "known": [layer.name for layer in model.layers if layer.weights]}
    return {"png": array_images.of_weights(next(iter(found.weights.values()))).hex()}


def embed(model: Model, question: dict[str, Any], images: list[bytes]) -> dict[str, Any]:
    """For each image its `embedding`, or that of its `region` (x, y, width, height in pixels), or its error."""
    return {"results": [_embedded(model, image, question["region"]) for image in images]}


def _embedded(model: Model, image: bytes, region: Sequence[int] | None) -> dict[str, Any]:
    read = _read(image, model.session.facts, region)
    if isinstance(read, dict):
        return read
    found = model.session.run(read.pixels[None]).embedding[0]
    if not np.isfinite(found).all():
        return {"error": {"code": "answer_not_finite", "detail": "what the model answers is NaN or infinite"}}
    return {"embedding": found.tolist()}


def read(model: TextModel, question: dict[str, Any]) -> dict[str, Any]:
    """The `embedding` of a text, how many `tokens` it has, and how many of them were `read`."""
    found = model.read(question["text"])
    if not np.isfinite(found.embedding).all():
        raise ModelError("answer_not_finite", "what the text encoder makes of these words is NaN or infinite")
    return {"embedding": found.embedding.tolist(), "tokens": found.tokens, "read": found.read}


READ = "read"
"""The question for text encoders; `ANSWERS` holds those for models of images."""
ANSWERS: dict[str, Callable[[Model, dict[str, Any], list[bytes]], dict[str, Any]]] = {
    "predict": predict,
    "layers": layers,
    "weights": weights,
    "embed": embed,
}


def answer(shelf: Shelf, question: dict[str, Any], images: list[bytes]) -> dict[str, Any]:
    """What to send back: the answer, `wanted`, or `error`."""
    try:
        model = shelf.get(question["digest"], question.get("path"))
        if model is None:
            return {"wanted": question["digest"]}
        if isinstance(model, TextModel) != (question["ask"] == READ):
            raise ModelError("onnx_foreign", "words are read by text encoders, and images by models of images")
        if isinstance(model, TextModel):
            return read(model, question)
        return ANSWERS[question["ask"]](model, question, images)
    except ModelError as fault:
        return {"error": {"code": fault.code, "detail": str(fault)}}
    except MemoryError:
        return {"error": {"code": "model_too_large", "detail": "it takes more memory to run than this machine has"}}
    except Exception as fault:  # noqa: BLE001 - the edge of a process: ONNX Runtime's faults have no base of their own
        return {"error": {"code": "model_failed", "detail": f"{type(fault).__name__}: {str(fault)[:500]}"}}


def main() -> int:
    """Answer questions until none come for a while."""
    die_with_parent()
    shelf = Shelf()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out, os.fdopen(sys.stdin.fileno(), "rb", 0) as questions:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else prints must not speak between
        while _asked(questions):
            try:
                question, images = receive(questions)
            except EOFError:
                break
            send(out, answer(shelf, question, images))
    return 0


def _asked(questions: BinaryIO) -> bool:
    return bool(select.select([questions], [], [], IDLE_SECONDS)[0])


class _Image(NamedTuple):
    pixels: Pixels
    size: tuple[int, int]
    """(width, height), upright."""


def _read(image: bytes, told: ModelFacts, region: Sequence[int] | None = None) -> _Image | dict[str, Any]:
    try:
        check_structure(image, sniff(image))  # decoders forgive some damage, and would answer of half a picture
        size = upright_size(image)
        if region is None:
            return _Image(load(image, told.input_size, scales=told.jpeg_scales), size)
        x, y, width, height = region
        exact = told.jpeg_scales == "halves"
        part = decode(image, told.input_size[0], scales=told.jpeg_scales)[y : y + height, x : x + width]
        if not part.size:
            words = f"there is nothing at {x}, {y}: the image has {size[0]} x {size[1]} pixels"
            return {"error": {"code": "crop_outside", "detail": words}}
        return _Image(fit(part, told.input_size[1:], exact=exact), (part.shape[1], part.shape[0]))
    except ImageRefused as fault:
        return {"error": {"code": fault.code, "detail": str(fault)}}
    except Exception as fault:  # noqa: BLE001 - a decoder's fault is that image's alone
        return {"error": {"code": "image_unreadable", "detail": f"{type(fault).__name__}: {str(fault)[:200]}"}}


def _rows(model: Model, images: Sequence[_Image], question: dict[str, Any]) -> list[dict[str, Any]]:
    logits, _, probabilities = model.session.run(np.stack([image.pixels for image in images]))
    known = [bool(np.isfinite(one).all() and np.isfinite(other).all())
             for one, other in zip(logits, probabilities, strict=True)]  # fmt: skip
    told = iter(_told(model, logits[known], probabilities[known], question,
                      [image.size for image, sound in zip(images, known, strict=True) if sound]))  # fmt: skip
    wrong = {"error": {"code": "answer_not_finite", "detail": "what the model answers is NaN or infinite"}}
    return [next(told) if sound else wrong for sound in known]


def _told(
    model: Model, logits: Floats, probabilities: Floats, question: dict[str, Any], sizes: list[tuple[int, int]]
) -> list[dict[str, Any]]:
    outputs, classes = model.session.task.outputs, model.session.facts.classes
    shown = outputs.shown(
        logits, probabilities, classes, top=question["top"], temperature=question["temperature"], sizes=sizes
    )
    return [
        {"answer": outputs.answer(row.tolist(), classes, question["thresholds"], size), "predictions": predictions}
        for row, size, predictions in zip(probabilities, sizes, shown, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
