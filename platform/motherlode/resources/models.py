"""`/models`: models and their versions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from motherlode.resources.jobs import Jobs
from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, Upload, segment

if TYPE_CHECKING:
    from motherlode.documents import (
        Architecture,
        JobLink,
        Layer,
        LiveJob,
        Model,
        ModelVersion,
        ModelVersionDetail,
        Outcome,
        Predictions,
        Promotion,
        VersionLineage,
    )

OUTCOMES_AT_ONCE = 500


class Models(Lifecycle):
    _route = "/models"

    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def all(self) -> Iterator[Model]:
        """List all models."""
        return self._transport.pages("/models")

    def get(self, model: str) -> Model:
        """Return a model by id or name."""
        document: Model = self._transport.get(f"/models/{segment(model)}")
        return document

    def create(
        self, name: str, *, classes: Sequence[str], task: str = "classification", project: str | None = None
    ) -> Model:
        """Create a model without versions, in the `project` or in the only one in which you may build."""
        body = {"name": name, "task": task, "classes": list(classes), "project": project}
        document: Model = self._transport.post("/models", body).json()
        return document

    def architectures(self) -> list[Architecture]:
        """List the architectures that can be trained, with the schemas of their parameters and recipes."""
        found: list[Architecture] = self._transport.get("/architectures")["results"]
        return found

    def versions(self, model: str) -> Iterator[ModelVersion]:
        """List the versions of a model, the newest first."""
        return self._transport.pages(f"/models/{segment(model)}/versions")

    def ensemble(
        self,
        model: str,
        versions: Sequence[int | str],
        *,
        dataset: str | None = None,
        version: int | str | None = None,
        notes: str | None = None,
    ) -> JobLink:
        """Make one version from several, a file that averages their probabilities; `dataset`, on which it is verified
        and evaluated, defaults to that of the newest of them."""
        body = {"versions": [str(one) for one in versions], "dataset": dataset, "version": version, "notes": notes}
        document: JobLink = self._transport.post(f"/models/{segment(model)}/ensembles", body).json()
        return document

    def version(self, model: str, version: int | str) -> ModelVersionDetail:
        """Return a version by number or alias, with its artefacts."""
        document: ModelVersionDetail = self._transport.get(f"/models/{segment(model)}/versions/{segment(version)}")
        return document

    def lineage(self, model: str, version: int | str) -> VersionLineage:
        """Return what a version learned from and was judged by, what it descends from, and what descends from it."""
        path = f"/models/{segment(model)}/versions/{segment(version)}/lineage"
        document: VersionLineage = self._transport.get(path)
        return document

    def artifact(self, model: str, version: int | str, path: str = "model.onnx") -> Iterator[bytes]:
        """Yield the bytes of one of a version's files."""
        return self._transport.stream(f"/models/{segment(model)}/versions/{segment(version)}/artifacts/{path}")

    def outcomes(
        self,
        model: str,
        version: int | str,
        *,
        kind: str,
        label: str | None = None,
        predicted: str | None = None,
        class_name: str | None = None,
        threshold: float | None = None,
        slice: str | None = None,  # noqa: A002 - the API's name
        order: str = "score",
    ) -> Iterator[Outcome]:
        """List what a version missed (`kind="missed"`) or predicted wrongly ("wrong"), or the contents of a cell of its
        confusion matrix ("cell", with `label` and `predicted`; for boxes either may be "background"). Boxes are
        fractions of the image."""
        asked = {"label": label, "predicted": predicted, "class": class_name, "threshold": threshold, "slice": slice}
        given = {name: value for name, value in asked.items() if value is not None}
        path = f"/models/{segment(model)}/versions/{segment(version)}/outcomes"
        return self._transport.pages(path, kind=kind, order=order, limit=OUTCOMES_AT_ONCE, **given)

    def change(self, model: str, **changes: object) -> Model:
        """Change the `description` or the `gates` (None: the defaults)."""
        document: Model = self._transport.patch(f"/models/{segment(model)}", changes)
        return document

    def note(self, model: str, version: int | str, notes: str) -> ModelVersionDetail:
        """Write a version's notes."""
        document: ModelVersionDetail = self._transport.patch(
            f"/models/{segment(model)}/versions/{segment(version)}", {"notes": notes}
        )
        return document

    def upload(
        self,
        model: str,
        onnx: Upload,
        *,
        metadata: Mapping[str, object] | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> ModelVersionDetail:
        """Upload an ONNX file as a version and wait for its checks, the same as for a trained version.

        `metadata` says how it reads images (input_size, layout, scale, mean, std, logits, embedding, probabilities) and
        on which `dataset` ("name@v3") it is verified. Raises MotherlodeError with the check's message when it is
        refused.
        """
        fields = {"metadata": json.dumps(dict(metadata or {}))}
        try:
            answer = self._transport.post_form(f"/models/{segment(model)}/versions", fields, {"onnx": onnx})
        except KeyboardInterrupt as ended:
            ended.add_note("If the file had arrived, it is checked and becomes a version without this: `lode job list` "
                           "shows whether, `lode job cancel JOB` stops it.")  # fmt: skip
            raise
        document: Any = answer.json()
        if answer.status_code == 202:
            job = self._jobs.wait(document["job"]["id"], on_progress=on_progress)
            return self.made_by(model, job)
        made_now: ModelVersionDetail = document
        return made_now

    def made_by(self, model: str, job: LiveJob) -> ModelVersionDetail:
        """Return the version that a finished job made of an uploaded file, or of several versions."""
        digest = (job["result"] or {})["digest"]
        made = next(one for one in self.versions(model) if one["digest"] == digest)
        return self.version(model, made["version"])

    def predict(
        self,
        model: str,
        version: int | str,
        images: Sequence[Upload],
        *,
        top: int = 5,
        artifact: str = "model.onnx",
        activations: bool = False,
    ) -> Predictions:
        """Predict up to 64 images with a version; with `activations`, also return its layers' activations for up to
        4."""
        fields = {"top": str(top), "artifact": artifact, "activations": str(activations).lower()}
        path = f"/models/{segment(model)}/versions/{segment(version)}/predict"
        document: Predictions = self._transport.post_form(path, fields, {"file": images}, keyed=False).json()
        return document

    def promote(
        self, model: str, version: int | str, *, reason: str, alias: str = "production", override: bool = False
    ) -> Promotion:
        """Point an alias at a version. Raises `gates_failed` with the verdicts as `extra["gates"]`."""
        body = {"alias": alias, "version": str(version), "reason": reason, "override": override}
        document: Promotion = self._transport.post(f"/models/{segment(model)}/aliases", body).json()
        return document

    def roll_back(self, model: str, *, reason: str, alias: str = "production", version: int | None = None) -> Promotion:
        """Point an alias back at its previous version; with `version`, only if it is that one."""
        body = {"alias": alias, "reason": reason, "version": version}
        document: Promotion = self._transport.post(f"/models/{segment(model)}/rollback", body).json()
        return document

    def layers(self, model: str, version: int | str, *, artifact: str = "model.onnx") -> list[Layer]:
        """List the layers of a version's ONNX file, with the distributions of their weights."""
        path = f"/models/{segment(model)}/versions/{segment(version)}/layers"
        rows: list[Layer] = self._transport.get(path, artifact=artifact)["results"]
        return rows

    def picture(self, address: str) -> Iterator[bytes]:
        """Yield the bytes of the weights of a layer as PNG, from the layer's `picture`."""
        return self._transport.stream(address)
