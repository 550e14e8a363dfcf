"""Why a backup, a restore or a check ended early, in words for a terminal."""

from django.db import Error as DatabaseFault

from blobs.errors import BlobFault


class OperationError(Exception):
    """It cannot be done as things are; the message says why, and what to do."""


FAULTS = (OperationError, BlobFault, DatabaseFault, OSError)
"""What ends a command in one sentence: also a service that is away, and a disk that is full or can't be read."""
