"""Revert a version by one more commit."""

from django.db import transaction

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.models import Dataset, Version
from catalog.versions.commit import commit
from catalog.versions.three_way import changes_onto
from core.errors import Conflict, Invalid
from worker_programs.wording import plural

SHOWN_KEYS = 20


@transaction.atomic
def revert(dataset: Dataset, version: Version, *, message: str, author: User) -> CommitResult:
    """Return every sample that a version changed to its state before: bytes, split, metadata, and its label with the
    label's author. All of them, or none.

    Raises Invalid (version) for a first version; Conflict `changed_since` if one of them was changed again since,
    `already_reverted`, and `not_reversible` if a rule of the dataset forbids it.
    """
    locked = Dataset.everything.select_for_update().get(pk=dataset.pk)
    if version.parent is None:
        raise Invalid.field("version", f"{version.number} is the first: there was nothing before it to go back to")
    changes, changed = changes_onto(locked, version, version.parent)
    if changed:
        words = f"{_samples(changed)} of version {version.number} changed again since, like {changed[0]!r}"
        raise _refusal("changed_since", words, changed, "changed again in a later version")
    if not changes.samples and not changes.remove:
        words = f"Version {version.number} is taken back already: all that it changed is as it was before it."
        raise Conflict(words, code="already_reverted")
    changes.message = message or f"Revert version {version.number}"
    changes.restores = True
    result = commit(dataset, changes, author=author)
    if result.rejected:
        first, keys = result.rejected[0], [item.key for item in result.rejected]
        words = f"{_samples(keys)} of version {version.number} can't go back, like {first.key!r}: {first.detail}"
        raise _refusal("not_reversible", words, keys, first.detail)
    return result


def _refusal(code: str, words: str, keys: list[str], why: str) -> Conflict:
    shown = {key: [why] for key in keys[:SHOWN_KEYS]}
    return Conflict(f"{words}. Nothing was written.", code=code, errors=shown)


def _samples(keys: list[str]) -> str:
    return plural(len(keys), "sample")
