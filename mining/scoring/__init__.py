"""Inference at scale with the ONNX file that ships: shards in, columnar score files out. No Django, no torch.

>>> import json, tempfile, cv2, numpy as np, onnx
>>> from worker_programs.manifest import Sample
>>> from worker_programs.readers import Folder
>>> from scoring import ScoreTable, Session, packed, score
>>> graph = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["": 20]>
... agraph (float[batch, 1, 2, 2] input) => (float[batch, 4] logits, float[batch, 4] embedding,
...                                          float[batch, 4] probabilities) {
...   embedding = Flatten(input)
...   logits = Identity(embedding)
...   probabilities = Softmax(logits)
... }''')
>>> onnx.helper.set_model_props(graph, {"motherlode": json.dumps({"classes": list("abcd"), "input_size": [1, 2, 2]})})
>>> folder = Folder(tempfile.mkdtemp())
>>> image = cv2.imencode(".png", np.array([[0, 0], [9, 0]], np.uint8))[1].tobytes()
>>> samples = [Sample.of("good.png", folder.put(image)), Sample.of("bad.png", folder.put(b"no image"))]
>>> scores = score(Session(graph.SerializeToString()), samples, folder)
>>> table = ScoreTable([scores])
>>> rows = table.rows(packed(sample.md5 for sample in samples))
>>> rows.tolist(), table.probabilities_of(rows[:1]).round(2).tolist(), [item.code for item in scores.refused]
([0, -1], [[0.0, 0.0, 1.0, 0.0]], ['not_an_image'])
"""

import importlib
from typing import TYPE_CHECKING, Any

from scoring.committee import AS_IT_IS, Committee, Pass, committee_of
from scoring.config import SCORER, Dropout, ScoringConfig
from scoring.mapped import mapped
from scoring.table import Quarantined, Scores, ScoreTable, packed

if TYPE_CHECKING:
    from export.runtime import ModelError, Session
    from scoring.pipeline import score

_LATER = {"ModelError": "export.runtime", "Session": "export.runtime", "score": "scoring.pipeline"}

__all__ = [
    "AS_IT_IS",
    "SCORER",
    "Committee",
    "Dropout",
    "ModelError",
    "Pass",
    "Quarantined",
    "ScoreTable",
    "Scores",
    "ScoringConfig",
    "Session",
    "committee_of",
    "mapped",
    "packed",
    "score",
]


def __getattr__(name: str) -> Any:
    """Import modules that need ONNX Runtime on first use (PEP 562): the web only reads score files."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
