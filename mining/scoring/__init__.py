"""Inference at scale with the ONNX file that ships: shards in, columnar score files out. No Django, no torch.

>>> from scoring import Session, score, ScoreTable        # doctest: +SKIP
>>> session = Session(open("model.onnx", "rb").read())    # doctest: +SKIP
>>> scores, refused = score(session, samples, reader)     # doctest: +SKIP
>>> ScoreTable.of_files([scores]).probabilities.shape           # doctest: +SKIP
"""

from export.runtime import OnnxModel
from scoring.config import SCORER, ScoringConfig
from scoring.pipeline import Quarantined, score
from scoring.table import Scores, ScoreTable

__all__ = ["SCORER", "OnnxModel", "Quarantined", "ScoreTable", "Scores", "ScoringConfig", "score"]
