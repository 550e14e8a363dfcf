"""Run one claimed shard to its end, whatever that is."""

import logging
import os
import socket

from jobs import services
from jobs.context import ShardContext
from jobs.errors import JobCancelled, LeaseLost, ShardFailed
from jobs.handlers import handler_for
from jobs.services import Claim

logger = logging.getLogger(__name__)


def work_on(job_id: int) -> bool:
    """Claim one shard of the job and run it. False when there was none to claim."""
    held = services.claim(job_id, worker=f"{socket.gethostname()}:{os.getpid()}")
    if held is None:
        return False
    _run(held)
    return True


def _run(held: Claim) -> None:
    try:
        with ShardContext(held) as context:
            outcome = handler_for(held.shard.job.kind).run(context)
        if not services.complete(held, outcome.result, apply=outcome.apply):
            raise LeaseLost
    except LeaseLost:
        logger.warning("%s is somebody else's now; this result is thrown away", held.shard)
        services.let_go(held)
    except JobCancelled:
        services.let_go(held)
    except ShardFailed as error:
        services.fail(held, error.detail, code=error.code, retry=False)
    except Exception as error:  # the boundary: whatever a handler raises must end the claim
        logger.exception("%s failed", held.shard)
        services.fail(held, f"{type(error).__name__}: {error}", retry=True)
    except BaseException:
        services.release(held)
        raise
