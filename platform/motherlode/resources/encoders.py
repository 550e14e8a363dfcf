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
        answer = self._transport.post_form("/encoders", fields, sent)
        document: Any = answer.json()
        if answer.status_code == 202:
            self._jobs.wait(document["job"]["id"], on_progress=on_progress)
            return self.get(name)
        made_now: Encoder = document
        return made_now

    def remove(self, encoder: str) -> RemovedEncoder:
        """Delete an encoder with the embeddings that it made. Raises MotherlodeError (`encoder_busy`) while a job makes
        embeddings with it."""
        document: RemovedEncoder = self._transport.delete(f"/encoders/{segment(encoder)}").json()
        return document
