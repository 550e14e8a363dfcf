"""Errors that end a backup, a restore or a check, with messages for a terminal."""

from django.db import Error as DatabaseFault

from blobs.errors import BlobFault


class OperationError(Exception):
    """The operation is impossible in the present state; the message says why, and what to do."""


FAULTS = (OperationError, BlobFault, DatabaseFault, OSError)
"""Exceptions that end a command with a one-sentence message: also an unreachable service, and a disk that is full or
can't be read."""
