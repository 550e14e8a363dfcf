"""What to learn next: mining jobs and their picks, pipelines and their rounds."""

from rounds.models.mining import MiningJob, Pick, ScoreFile
from rounds.models.pipelines import Pipeline, Round

__all__ = ["MiningJob", "Pick", "Pipeline", "Round", "ScoreFile"]
