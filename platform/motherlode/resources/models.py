"""`/models`: what was learned, version by version."""

from collections.abc import Iterator, Sequence

from motherlode.documents import Model, ModelVersion, ModelVersionDetail
from motherlode.transport import Transport


class Models:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Model]:
        """All of them."""
        return self._transport.pages("/models")

    def get(self, model: str) -> Model:
        """One, by id or name."""
        document: Model = self._transport.get(f"/models/{model}")
        return document

    def create(self, name: str, *, classes: Sequence[str], task: str = "classification") -> Model:
        """A new model without versions."""
        body = {"name": name, "task": task, "classes": list(classes)}
        document: Model = self._transport.post("/models", body).json()
        return document

    def versions(self, model: str) -> Iterator[ModelVersion]:
        """The newest first."""
        return self._transport.pages(f"/models/{model}/versions")

    def version(self, model: str, version: int | str) -> ModelVersionDetail:
        """One version, by number or alias, with its artefacts."""
        document: ModelVersionDetail = self._transport.get(f"/models/{model}/versions/{version}")
        return document

    def artifact(self, model: str, version: int | str, path: str = "model.onnx") -> Iterator[bytes]:
        """The bytes of one of a version's files."""
        return self._transport.stream(f"/models/{model}/versions/{version}/artifacts/{path}")
