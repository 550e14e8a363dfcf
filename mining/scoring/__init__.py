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
([[0.0, 0.0, 1.0, 0.0]], ['unsupported_media_type'])
"""

from export.runtime import ModelError, Session
from scoring.config import SCORER, ScoringConfig
from scoring.pipeline import Quarantined, score
from scoring.table import Scores, ScoreTable

__all__ = ["SCORER", "ModelError", "Quarantined", "ScoreTable", "Scores", "ScoringConfig", "Session", "score"]
