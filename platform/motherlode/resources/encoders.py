"""`/encoders`: pairs of image and text encoders, for search by words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from motherlode.resources.jobs import Jobs
from motherlode.transport import Transport, Upload, segment

if TYPE_CHECKING:
    from motherlode.documents import Encoder, LiveJob, RemovedEncoder


class Encoders:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def all(self, project: str | None = None) -> Iterator[Encoder]:
        """List all encoders, or those of a project, the newest first."""
        return self._transport.pages("/encoders", **({} if project is None else {"project": project}))

    def get(self, encoder: str) -> Encoder:
        """Return an encoder by id or name."""
        document: Encoder = self._transport.get(f"/encoders/{segment(encoder)}")
        return document

    def add(
        self,
        name: str,
        *,
        image: Upload,
        text: Upload,
        tokenizer: Upload,
        preprocessor: Upload | None = None,
        metadata: Mapping[str, object] | None = None,
        project: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Encoder:
        """Add a pair of ONNX files with their tokenizer and wait until the platform has run them.

        `preprocessor` is Hugging Face's `preprocessor_config.json`. `metadata` goes before it: how they read images and
        text (input_size, layout, scale, mean, std, image_output, text_output, text_length, fill, pad_token); it also
        holds `notes`. Raises MotherlodeError naming the refused file, and the reason.
        """
        fields = {"name": name, "metadata": json.dumps(dict(metadata or {})), "project": project}
        files = {"image": image, "text": text, "tokenizer": tokenizer, "preprocessor": preprocessor}
        sent = {part: file for part, file in files.items() if file is not None}
        return self._made(name, self._transport.post_form("/encoders", fields, sent), on_progress)

    def fetch(
        self,
        name: str,
        sources: Mapping[str, Any],
        *,
        project: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Encoder:
        """Let the platform fetch a pair of encoders from addresses, and wait until it has run them.

        `sources` has `image`, `text` and `tokenizer`, each `{"url", "sha256"}`, and may have `metadata` and
        `preprocessor`, as `add` takes them. Raises MotherlodeError naming the refused file or address, and the reason.
        """
        body = {**sources, "name": name, **({} if project is None else {"project": project})}
        return self._made(name, self._transport.post("/encoders", body), on_progress)

    def _made(self, name: str, answer: Any, on_progress: Callable[[LiveJob], None] | None) -> Encoder:
        document: Any = answer.json()
        if answer.status_code == 202:
            self._jobs.wait(document["job"]["id"], on_progress=on_progress)
            return self.get(name)
        made_now: Encoder = document
        return made_now

    def remove(self, encoder: str) -> RemovedEncoder:
        """Delete an encoder with the embeddings that it made; `models` are the versions that keep its file. Raises
        MotherlodeError (`encoder_busy`) while a job makes embeddings with it, or trains on it."""
        document: RemovedEncoder = self._transport.delete(f"/encoders/{segment(encoder)}").json()
        return document
