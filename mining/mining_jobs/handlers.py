"""How a mining job is executed: score the samples without scores, shard by shard, then select."""

from acquisition import strategy
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from mining_jobs.models import SCORE, MiningJob
from mining_jobs.picks.candidates import evidence_split, looks_at_labelled, to_score
from mining_jobs.picks.selection import select
from mining_jobs.scores.backbone import made_backbone
from mining_jobs.scores.shards import score_alone, score_rows


class MineHandler:
    """Phase SCORE runs the ONNX file of the model, or of the backbone, over a range of samples; phase SELECT picks."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of either phase; it may be killed and run again."""
        related = ("dataset", "version__dataset", "model_version__model", "job")
        job = MiningJob.objects.select_related(*related).get(job=context.job)
        return _score(job, context) if context.claim.shard.phase == SCORE else select(job, context)


def _score(job: MiningJob, context: ShardContext) -> Outcome:
    span = context.params
    similar = [document for document in (job.like, job.unlike) if document is not None]
    chosen = strategy(job.strategy, job.params)
    evidence = evidence_split(chosen, job.version)
    labelled = looks_at_labelled(chosen)
    wanted = to_score(job.version, job.filter, labelled=labelled, similar=similar, evidence=evidence)
    rows = wanted.filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
    if job.model_version is None:
        return score_alone(rows, made_backbone(context), context)
    return score_rows(rows, job.model_version, context, job.committee)
