"""How a shard's work can end without a result."""


class ShardError(Exception):
    """Base of the ways a shard's run ends early."""


class LeaseLost(ShardError):
    """Another worker owns the shard now: this worker's result is discarded."""


class JobCancelled(ShardError):
    """The user cancelled the job: stop as soon as possible."""


class ShardFailed(ShardError):
    """The work can't succeed, however often it is tried: `code` and `detail` say what the user has to fix."""

    def __init__(self, detail: str, *, code: str = "failed") -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
