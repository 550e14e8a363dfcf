"""Revert a version by one more commit."""

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset, Version
from catalog.versions.pieces import OnStep, Prepared, no_step, on_the_head, prepare
from catalog.versions.three_way import changes_onto
from core.errors import Conflict, Invalid
from jobs.models import Job
from worker_programs.wording import plural

SHOWN_KEYS = 20


def revert(dataset: Dataset, version: Version, *, message: str, author: User) -> CommitResult:
    """Return every sample that a version changed to its state before: bytes, split, metadata, and its label with the
    label's author. All of them, or none.

    Raises Invalid (version) for a first version; Conflict `changed_since` if one of them was changed again since,
    `already_reverted`, and `not_reversible` if a rule of the dataset forbids it.
    """

    def attempt() -> CommitResult:
        return prepare_revert(dataset, version, message=message, author=author).complete()

    return on_the_head(attempt)


def prepare_revert(
    dataset: Dataset,
    version: Version,
    *,
    message: str,
    author: User,
    job: Job | None = None,
    on_step: OnStep = no_step,
) -> Prepared[CommitResult]:
    """Do all of `revert` but its last step (see `pieces.prepare`). Raises as `revert` does; so does the last step, and
    Conflict (`stale_parent`) if the head has moved."""
    if version.parent is None:
        raise Invalid.field("version", f"{version.number} is the first: there was nothing before it to go back to")

    def check(result: CommitResult) -> None:
        if result.rejected:
            first, keys = result.rejected[0], [item.key for item in result.rejected]
            words = f"{_samples(keys)} of version {version.number} can't go back, like {first.key!r}: {first.detail}"
            raise _refusal("not_reversible", words, keys, first.detail)

    return on_the_head(
        lambda: prepare(
            dataset, _changes(dataset, version, message), author=author, job=job, check=check, on_step=on_step
        )
    )


def _changes(dataset: Dataset, version: Version, message: str) -> ChangeSet:
    assert version.parent is not None  # noqa: S101 - the caller has refused a first version
    at = Dataset.everything.select_related("head__dataset").get(pk=dataset.pk)
    changes, changed = changes_onto(at, version, version.parent)
    if changed:
        words = f"{_samples(changed)} of version {version.number} changed again since, like {changed[0]!r}"
        raise _refusal("changed_since", words, changed, "changed again in a later version")
    if not changes.samples and not changes.remove:
        words = f"Version {version.number} is taken back already: all that it changed is as it was before it."
        raise Conflict(words, code="already_reverted")
    changes.message = message or f"Revert version {version.number}"
    changes.restores = True
    changes.parent = at.head.number if at.head else 0
    return changes


def _refusal(code: str, words: str, keys: list[str], why: str) -> Conflict:
    shown = {key: [why] for key in keys[:SHOWN_KEYS]}
    return Conflict(f"{words}. Nothing was written.", code=code, errors=shown)


def _samples(keys: list[str]) -> str:
    return plural(len(keys), "sample")
