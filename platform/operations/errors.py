"""Why a backup, a restore or a check ended early, in words for a terminal."""


class OperationError(Exception):
    """It cannot be done as things are; the message says why, and what to do."""
