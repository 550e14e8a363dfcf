"""Predictions of a version, made in a child process, because the web process loads no ONNX Runtime.

The child (`export.predictor`) parses untrusted files and images: it has limits of memory and time, and none of our
secrets (`worker_programs.confinement`). When it dies it is started again; a file that made it exceed a limit is not
run again for a minute.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from threading import BoundedSemaphore
from typing import Any, BinaryIO, NamedTuple, cast

from django.conf import settings

from blobs.models import Blob
from blobs.services import served
from core.errors import Invalid, NotFound, Unavailable, Unprocessable
from registry.models import ModelVersion
from registry.services import artifact_blob
from worker_programs import confinement, frames
from worker_programs.confinement import MEMORY_SETTING, Limit, Limits, Overrun, Watch

STARTS = 2
SPARED_SECONDS = 60.0
"""Seconds for which a file that exceeded a limit is not run again."""
DEATHS = 2
"""Images in a row that may kill the child before the file is blamed instead of the images."""
OURS = dict.fromkeys(confinement.THREAD_VARIABLES, "1") | {
    "MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": str(256 << 10), "MALLOC_TRIM_THRESHOLD_": str(128 << 10),
}  # fmt: skip
"""The child's own environment. Batch sizes vary, so freed memory should go back to the system at once."""
MOST_AT_ONCE = 4
"""The most requests running or waiting for the child: each holds one of the web's threads
(`embedded.profile.WEB_THREADS`, eight), which others need for labelling."""
RENEWED_SHARE = 0.5
"""Share of the memory limit above which the child is ended after it has answered. ONNX Runtime keeps the memory of its
largest batch, for each model and again for its layers, so it only ever grows."""


class PredictorDied(Unprocessable):
    """The child died on this request: the model or the image is too much for it."""

    code = "predictor_died"


class PredictorStopped(Unavailable):
    """The child was stopped on this request, at its limit of memory or time."""

    def __init__(self, overrun: Overrun) -> None:
        code = "predictor_timeout" if overrun.code == "program_time" else "predictor_memory"
        super().__init__(f"The program that runs the model was stopped: {overrun.words}.", code=code)


class Predictor:
    """One child, asked by one thread at a time; it is started when first needed."""

    def __init__(self) -> None:
        # The child ends with the thread that started it: this one lives as long as the process.
        self._line = ThreadPoolExecutor(1, thread_name_prefix="predictor")
        self._places = BoundedSemaphore(MOST_AT_ONCE)
        self._child: subprocess.Popen[bytes] | None = None
        self._spared: dict[str, tuple[float, PredictorStopped]] = {}

    def ask(self, model: Blob, question: Mapping[str, Any], images: Sequence[bytes] = ()) -> dict[str, Any]:
        """Return the child's answer. Raises Unprocessable (with the model's or the child's own code) and Unavailable,
        immediately (`predictor_busy`) if MOST_AT_ONCE requests are already waiting."""
        if not self._places.acquire(blocking=False):
            raise Unavailable(
                f"{MOST_AT_ONCE} questions to models are being answered or wait: ask again in a few seconds, and for "
                "many images send up to 64 at once or let a mining job score them.",
                code="predictor_busy",
            )
        try:
            answer = self._line.submit(self._ask, model, question, images).result()
        finally:
            self._places.release()
        if "error" in answer:
            raise Unprocessable(answer["error"]["detail"], code=answer["error"]["code"])
        return answer

    @property
    def pid(self) -> int | None:
        """The process id of the child; None while there is none."""
        return self._child.pid if self._child is not None else None

    def _ask(self, model: Blob, question: Mapping[str, Any], images: Sequence[bytes]) -> dict[str, Any]:
        until, stopped = self._spared.get(model.sha256, (0.0, None))
        if stopped is not None and time.monotonic() < until:
            raise stopped
        for _ in range(STARTS):  # the first may have died of idleness just now
            try:
                answer = self._exchange(model, dict(question) | {"digest": model.sha256}, images)
            except PredictorStopped as fault:
                self._end()
                self._spare(model, fault)
                raise
            except (EOFError, BrokenPipeError):
                self._end()
            else:
                if self._child and confinement.held_by(self._child.pid) > RENEWED_SHARE * settings.PROGRAM_MEMORY:
                    self._end()
                return answer
        raise PredictorDied("The program that runs the model ended over it: the file or the image is too much for it.")

    def _spare(self, model: Blob, fault: PredictorStopped) -> None:
        now = time.monotonic()
        self._spared = {digest: kept for digest, kept in self._spared.items() if kept[0] > now}
        self._spared[model.sha256] = now + SPARED_SECONDS, fault

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
        with Watch(child, limits()) as watch:
            try:
                frames.send(to_child, question, images)
                return frames.receive(from_child)[0]
            except (EOFError, BrokenPipeError):
                if watch.overrun is not None:
                    raise PredictorStopped(watch.overrun) from None
                raise

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "export.predictor"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=confinement.environment(**OURS),
                process_group=0,
            )
            confinement.offer_to_kernel(self._child.pid)
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


def limits() -> Limits:
    """The memory and time that the child may use for one request."""
    return Limits(
        memory=Limit(settings.PROGRAM_MEMORY, MEMORY_SETTING),
        seconds=Limit(settings.PREDICT_SECONDS, "MOTHERLODE_PREDICT_SECONDS"),
    )


@cache
def predictor() -> Predictor:
    """The predictor of this process."""
    return Predictor()


def predict(
    version: ModelVersion, artifact: str, images: Sequence[bytes], *, top: int, activations: bool = False
) -> list[dict[str, Any]]:
    """Return per image `answer` and `predictions`, the likeliest first, or its `error`. Raises like `Predictor.ask`."""
    blob = onnx_file(version, artifact)
    question = {
        "ask": "predict",
        "top": top,
        "activations": activations,
        "temperature": temperature(version, artifact),
        "thresholds": calibration(version, artifact).get("thresholds") or {},
    }
    try:
        return list(predictor().ask(blob, question, images)["results"])
    except PredictorDied:
        if len(images) == 1:
            raise
        return _each_alone(blob, question, images)


def embed(model: Blob, image: bytes, region: Sequence[int] | None = None) -> list[float]:
    """The embedding of an image, or of a region (x, y, width, height) of it in pixels, from an ONNX file. Raises
    Unprocessable for an image that can't be read, and like `Predictor.ask`."""
    found = predictor().ask(model, {"ask": "embed", "region": region and list(region)}, [image])["results"][0]
    if "error" in found:
        raise Unprocessable(found["error"]["detail"], code=found["error"]["code"])
    return list(found["embedding"])


class ReadText(NamedTuple):
    """A text encoder's result: the embedding, how many tokens the text has, and how many of them were read."""

    embedding: list[float]
    tokens: int
    read: int


def read_text(encoder: Blob, text: str) -> ReadText:
    """The embedding of a text, from the ONNX file of a text encoder. Raises like `Predictor.ask`."""
    found = predictor().ask(encoder, {"ask": "read", "text": text})
    return ReadText(found["embedding"], found["tokens"], found["read"])


def layers(version: ModelVersion, artifact: str) -> list[dict[str, Any]]:
    """The layers of a file, with the distributions of their weights."""
    return list(predictor().ask(onnx_file(version, artifact), {"ask": "layers"})["layers"])


def weights_picture(version: ModelVersion, artifact: str, layer: str) -> bytes:
    """The weights of a layer as PNG. Raises NotFound naming the layers that have weights."""
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


def calibration(version: ModelVersion, artifact: str) -> dict[str, Any]:
    """The calibration fitted for a file on validation samples; empty where there is none."""
    variant = artifact.removeprefix("model.").removesuffix(".onnx")
    variants = version.metrics.get("variants") or {}
    measured = version.metrics if artifact == "model.onnx" else variants.get(variant) or {}
    return measured.get("calibration") or {}


def temperature(version: ModelVersion, artifact: str) -> float | None:
    """The temperature that the file's logits are divided by, if one was fitted."""
    found = calibration(version, artifact).get("temperature")
    usable = version.model.task_type.outputs.usable
    return usable(float(found)) if isinstance(found, int | float) and found > 0 else None


def _each_alone(blob: Blob, question: Mapping[str, Any], images: Sequence[bytes]) -> list[dict[str, Any]]:
    """Ask image by image, so that one can't spoil the other answers; stop when the child died DEATHS times in a row."""
    results: list[dict[str, Any]] = []
    deaths = 0
    for image in images:
        if deaths < DEATHS:
            try:
                results.append(predictor().ask(blob, question, [image])["results"][0])
                deaths = 0
                continue
            except PredictorDied as fault:
                deaths, error = deaths + 1, {"code": fault.code, "detail": fault.detail}
        results.append({"error": error})
    return results
