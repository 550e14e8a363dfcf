"""What to learn next: mining jobs and their picks, pipelines and their rounds."""

from rounds.models.mining import MiningJob, Pick, ScoreFile
from rounds.models.pipelines import DatasetBudget, Pipeline, Round

__all__ = ["DatasetBudget", "MiningJob", "Pick", "Pipeline", "Round", "ScoreFile"]
