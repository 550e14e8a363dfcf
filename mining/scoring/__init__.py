"""Inference at scale with the ONNX file that ships: shards in, columnar score files out. No Django, no torch.

>>> import json, tempfile, cv2, numpy as np, onnx
>>> from programs.manifest import Sample
>>> from programs.readers import Folder
>>> from scoring import ScoreTable, Session, score
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
>>> scores, refused = score(Session(graph.SerializeToString()), samples, folder)
>>> ScoreTable.of_files([scores]).probabilities.round(2).tolist(), [item.code for item in refused]
([[0.0, 0.0, 1.0, 0.0]], ['not_an_image'])
"""

import importlib
from typing import TYPE_CHECKING, Any

from scoring.config import SCORER, ScoringConfig
from scoring.table import Scores, ScoreTable

if TYPE_CHECKING:
    from export.runtime import ModelError, Session
    from scoring.pipeline import Quarantined, score

_LATER = {
    "ModelError": "export.runtime",
    "Session": "export.runtime",
    "Quarantined": "scoring.pipeline",
    "score": "scoring.pipeline",
}

__all__ = ["SCORER", "ModelError", "Quarantined", "ScoreTable", "Scores", "ScoringConfig", "Session", "score"]


def __getattr__(name: str) -> Any:
    """Load what needs ONNX Runtime when it is first asked for (PEP 562): the web reads score files alone."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
