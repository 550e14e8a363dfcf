"""What to learn next: mining jobs and their picks, pipelines and their rounds, back-tests, maps."""

from rounds.models.backtests import Backtest, Replay
from rounds.models.maps import EmbeddingMap, MapPoints
from rounds.models.mining import MiningJob, Pick, ScoreFile
from rounds.models.pipelines import DatasetBudget, Pipeline, Round

__all__ = [
    "Backtest",
    "DatasetBudget",
    "EmbeddingMap",
    "MapPoints",
    "MiningJob",
    "Pick",
    "Pipeline",
    "Replay",
    "Round",
    "ScoreFile",
]
