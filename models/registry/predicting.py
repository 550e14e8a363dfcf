"""What a version answers to an image: asked of a child process, because the web loads no ONNX Runtime of its own.

The child (`export.predictor`) parses files and images that strangers made: it has little memory, a time limit, and none
of our secrets. When it dies it is started again.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, BinaryIO, cast

from blobs.models import Blob
from blobs.services import served
from core.errors import Invalid, NotFound, Unavailable, Unprocessable
from programs import frames
from registry.models import ModelVersion
from registry.services import artifact_blob

ANSWER_SECONDS = 60.0
STARTS = 2
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR")
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class PredictorDied(Unprocessable):
    """The child ended over this question: the model or the image is too much for it."""

    code = "predictor_died"


class Predictor:
    """One child, asked by one thread at a time; it is started when first needed."""

    def __init__(self) -> None:
        # The child ends with the thread that started it: this one lives as long as the process.
        self._line = ThreadPoolExecutor(1, thread_name_prefix="predictor")
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, model: Blob, question: Mapping[str, Any], images: Sequence[bytes] = ()) -> dict[str, Any]:
        """The child's answer. Raises Unprocessable (with the model's or the child's own code) and Unavailable."""
        answer = self._line.submit(self._ask, model, question, images).result()
        if "error" in answer:
            raise Unprocessable(answer["error"]["detail"], code=answer["error"]["code"])
        return answer

    @property
    def pid(self) -> int | None:
        """The child's, while there is one."""
        return self._child.pid if self._child is not None else None

    def _ask(self, model: Blob, question: Mapping[str, Any], images: Sequence[bytes]) -> dict[str, Any]:
        for _ in range(STARTS):  # the first may have died of idleness just now
            with suppress(EOFError, BrokenPipeError):
                return self._exchange(model, dict(question) | {"digest": model.sha256}, images)
            self._end()
        raise PredictorDied("The program that runs the model ended over it: the file or the image is too much for it.")

    def _exchange(self, model: Blob, question: Mapping[str, Any], images: Sequence[bytes]) -> dict[str, Any]:
        answer = self._say(question, images)
        if "wanted" not in answer:
            return answer
        with tempfile.NamedTemporaryFile(prefix="motherlode-model-", suffix=".onnx") as file:
            for chunk in served(model.ref):
                file.write(chunk)
            file.flush()
            return self._say(dict(question) | {"path": file.name}, images)

    def _say(self, question: Mapping[str, Any], images: Sequence[bytes]) -> dict[str, Any]:
        child = self._started()
        to_child, from_child = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)  # Popen was given pipes
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        clock = threading.Timer(ANSWER_SECONDS, give_up)
        clock.start()
        try:
            frames.send(to_child, question, images)
            return frames.receive(from_child)[0]
        except (EOFError, BrokenPipeError):
            if late.is_set():
                self._end()
                detail = f"The model gave no answer within {ANSWER_SECONDS:g} seconds: send fewer images."
                raise Unavailable(detail, code="predictor_timeout") from None
            raise
        finally:
            clock.cancel()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self._end()
            kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
            self._child = subprocess.Popen(
                [sys.executable, "-m", "export.predictor"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=kept | THREADS | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._child

    def _end(self) -> None:
        if self._child is None:
            return
        self._child.kill()
        for pipe in (self._child.stdin, self._child.stdout):
            with suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]  # Popen was given pipes
        self._child.wait()
        self._child = None


@cache
def predictor() -> Predictor:
    """The one of this process."""
    return Predictor()


def predict(
    version: ModelVersion, artifact: str, images: Sequence[bytes], *, top: int, activations: bool = False
) -> list[dict[str, Any]]:
    """For each image `predictions`, the likeliest first, or its own `error`. Raises like `Predictor.ask`."""
    blob = onnx_file(version, artifact)
    question = {"ask": "predict", "top": top, "activations": activations, "temperature": temperature(version, artifact)}
    try:
        return list(predictor().ask(blob, question, images)["results"])
    except PredictorDied:
        if len(images) == 1:
            raise
        return [_alone(blob, question, image) for image in images]


def layers(version: ModelVersion, artifact: str) -> list[dict[str, Any]]:
    """The layers of a file, with the distributions of their weights."""
    return list(predictor().ask(onnx_file(version, artifact), {"ask": "layers"})["layers"])


def weights_picture(version: ModelVersion, artifact: str, layer: str) -> bytes:
    """The weights of a layer as PNG. Raises NotFound naming the layers that have some."""
    answer = predictor().ask(onnx_file(version, artifact), {"ask": "weights", "layer": layer})
    if answer["png"] is None:
        known = ", ".join(answer["known"][:50])
        raise NotFound(f"{artifact} has no layer {layer!r} with weights: it has {known or 'none'}.",
                       code="layer_unknown")  # fmt: skip
    return bytes.fromhex(answer["png"])


def onnx_file(version: ModelVersion, artifact: str) -> Blob:
    """The bytes of an ONNX file among a version's files. Raises Invalid (`artifact`) and NotFound."""
    if not artifact.endswith(".onnx"):
        raise Invalid.field("artifact", "must be one of the version's ONNX files, such as model.onnx")
    return artifact_blob(version, artifact)


def temperature(version: ModelVersion, artifact: str) -> float | None:
    """What the file's logits were found to want dividing by, where that was measured."""
    variant = artifact.removeprefix("model.").removesuffix(".onnx")
    variants = version.metrics.get("variants") or {}
    measured = version.metrics if artifact == "model.onnx" else variants.get(variant) or {}
    found = (measured.get("calibration") or {}).get("temperature")
    return float(found) if isinstance(found, int | float) and found > 0 else None


def _alone(blob: Blob, question: Mapping[str, Any], image: bytes) -> dict[str, Any]:
    """One image must not spoil the answer to the others."""
    try:
        result: dict[str, Any] = predictor().ask(blob, question, [image])["results"][0]
    except PredictorDied as fault:
        return {"error": {"code": fault.code, "detail": fault.detail}}
    return result
