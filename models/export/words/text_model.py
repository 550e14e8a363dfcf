"""A text encoder with its tokenizer in one ONNX file, on ONNX Runtime: what `export.words.pooling` and
`export.words.adopt_text` write."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked
from tokenizers import Tokenizer

from export.providers import CPU
from export.runtime import ModelError, load_proto
from worker_programs.config import ConfigError, parse

TEXT, TOKENIZER = "motherlode_text", "motherlode_tokenizer"
"""Entries of the metadata: `TextFacts`, and the tokenizer as the library `tokenizers` writes it."""
IDS, MASK, KINDS = "input_ids", "attention_mask", "token_type_ids"
INPUTS = (IDS, MASK, KINDS)
OUTPUT = "embedding"
NUMBERS: dict[str, type[np.integer[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
"""NumPy types of inputs, by ONNX Runtime's type."""


@checked(frozen=True, kw_only=True, config=ConfigDict(extra="ignore"))
class TextFacts:
    """The metadata that is needed to run the file."""

    context: Annotated[int, Field(ge=1)]
    """The most tokens that are read of a text."""
    fill: bool = False
    """Whether shorter texts are filled up to `context`."""
    pad: int = 0
    """The id of the padding token."""


class Read(NamedTuple):
    """The result of reading a text."""

    embedding: NDArray[np.float32]
    """(D,)."""
    tokens: int
    """Number of tokens of the whole text, with those that the tokenizer puts around it."""
    read: int
    """Number of tokens that were read."""


class TextModel:
    """A file's bytes, ready to run; `digest` is their sha256, `size` their number."""

    def __init__(self, data: bytes, threads: int = 1) -> None:
        """Raises ModelError."""
        self.size, self.digest = len(data), hashlib.sha256(data).hexdigest()
        self.facts, self._tokenizer = _parts(load_proto(data))
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = ort.InferenceSession(data, options, providers=[CPU])
        except Exception as fault:
            raise ModelError("onnx_invalid", f"ONNX Runtime refuses the text encoder: {fault}") from fault
        self._types = {item.name: NUMBERS.get(item.type, np.int64) for item in self._session.get_inputs()}

    def read(self, text: str) -> Read:
        """Embed a text; a text longer than the context is cut off at its end."""
        self._tokenizer.no_truncation()
        whole = len(self._tokenizer.encode(text).ids)
        self._tokenizer.enable_truncation(self.facts.context)
        found = self._tokenizer.encode(text)
        missing = self.facts.context - len(found.ids) if self.facts.fill else 0
        given = {
            IDS: found.ids + [self.facts.pad] * missing,
            MASK: found.attention_mask + [0] * missing,
            KINDS: found.type_ids + [0] * missing,
        }
        feeds = {name: np.array([given[name]], kind) for name, kind in self._types.items()}
        (rows,) = self._session.run([OUTPUT], feeds)
        return Read(np.asarray(rows[0], np.float32), whole, len(found.ids))

    def read_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed several texts, (N, D), one by one, so that none is padded because of another."""
        return np.stack([self.read(text).embedding for text in texts])


def is_text(proto: onnx.ModelProto) -> bool:
    """Whether a file is a text encoder of ours."""
    return any(entry.key == TEXT for entry in proto.metadata_props)


def _parts(proto: onnx.ModelProto) -> tuple[TextFacts, Tokenizer]:
    entries = {entry.key: entry.value for entry in proto.metadata_props}
    try:
        facts, tokenizer = parse(TextFacts, entries[TEXT].encode()), Tokenizer.from_str(entries[TOKENIZER])
    except KeyError as fault:
        raise ModelError("onnx_foreign", f"the metadata has no entry {fault}: not a text encoder of ours") from fault
    except ConfigError as fault:
        raise ModelError("onnx_foreign", f"metadata {TEXT!r}: {fault}") from fault
    tokenizer.no_padding()  # the facts define the padding
    return facts, tokenizer
