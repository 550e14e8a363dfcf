"""The kind of job that is rehearsed: it waits in the queue of heavy work, and no real worker ever runs it."""

from jobs.context import ShardContext
from jobs.handlers import Outcome

KIND = "rehearse"


class RehearsedHandler:
    """In the place of a scoring job."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Simulated workers alone hold such shards."""
        raise NotImplementedError(f"{context.claim.shard} is rehearsed, not run")
