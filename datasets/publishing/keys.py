"""Read keys: credentials in a repository's own configuration, so that a clone is enough to fetch the bytes.

A key is derived from the platform's secret, the repository and a number; a higher number makes the old key void.
"""

import base64
import hashlib
import hmac

from django.conf import settings

from publishing.models import Repository

USER = "read"
_BYTES = 24


def read_key(repository: Repository, number: int) -> str:
    """Return the read key with this number, which can't be guessed without the platform's secret."""
    name = repository.first_name or repository.name
    told = f"read key {number} of {repository.kind}/{name}, {repository.created.isoformat()}"
    made = hmac.new(settings.SECRET_KEY.encode(), told.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made[:_BYTES]).decode()


def is_read_key(repository: Repository, secret: str) -> bool:
    """Whether this is the repository's present read key."""
    return hmac.compare_digest(read_key(repository, repository.key_number).encode(), secret.encode())
