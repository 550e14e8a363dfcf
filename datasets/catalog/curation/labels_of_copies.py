"""Labels for unlabelled samples of the pool whose very bytes have a label already: taken over in one commit."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.keys import normal_key
from catalog.models import Dataset, Label, Revision, Split, Version
from catalog.reading.labelled_bytes import of_labelled_bytes
from catalog.versions.pieces import commit_in_pieces
from core.errors import Invalid
from worker_programs.wording import plural

CONFLICTING, IN_TEST, IN_VAL = "conflicting", "in_test", "in_val"
REASONS = {
    CONFLICTING: "its labelled copies carry different labels: correct them first",
    IN_TEST: "its labelled copy is in test: trained on, it would flatter the figures on test",
    IN_VAL: "its labelled copy is in val: trained on, it would flatter the figures on val",
}
SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Copy:
    """An unlabelled sample of the pool, a labelled sample `of` the same bytes, and why its label can't be taken over
    (`reason`, a key of REASONS), if so."""

    key: str
    of: Revision
    reason: str | None


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The commit that took over labels, and how many copies were left out, by reason."""

    commit: CommitResult
    left_out: Mapping[str, int]


def copies_in(version: Version) -> list[Copy]:
    """Return the unlabelled samples of the pool whose bytes are labelled, by sample id."""
    pool = of_labelled_bytes(version.revisions.filter(split=Split.POOL), version)
    rows = list(pool.order_by("sample_id").values_list("sample__key", "blob_id"))
    told = version.revisions.exclude(label=None).filter(blob__in=pool.order_by().values("blob"))
    labelled: dict[int, list[Revision]] = defaultdict(list)
    for revision in told.select_related("label", "sample", "blob").order_by("sample_id"):
        labelled[revision.blob_id].append(revision)
    return [Copy(key, labelled[blob][0], _reason(labelled[blob])) for key, blob in rows]


def left_out_of(copies: Sequence[Copy]) -> dict[str, int]:
    """Count the copies whose labels can't be taken over, by reason."""
    counts = Counter(one.reason for one in copies)
    return {reason: counts[reason] for reason in REASONS}


def take_over_labels(dataset: Dataset, *, keys: Sequence[str] | None, parent: int | None, author: User) -> TakenOver:
    """Give copies in the pool the labels of their labelled twins, in one commit: those with the given keys, or all
    (None) that can be. Their samples go where any newly labelled sample goes. Raises Invalid (keys, `nothing_chosen`)
    and Conflict (`stale_parent`)."""
    head = dataset.head
    copies = copies_in(head) if head is not None else []
    if keys is not None:
        copies = _named(copies, keys)
    ready = [one for one in copies if one.reason is None]
    if not ready:
        raise Invalid.field("keys", _nothing(copies), code="nothing_chosen")
    changes = ChangeSet([_change(one) for one in ready], parent=parent)
    changes.message = f"Take over the labels of {plural(len(ready), 'copy', 'copies')}"
    return TakenOver(commit_in_pieces(dataset, changes, author=author), left_out_of(copies))


def _change(copy: Copy) -> SampleChange:
    label = copy.of.label
    assert label is not None  # noqa: S101 - it is one of the labelled
    return SampleChange(copy.key, label=label.value, source=Label.Source(label.source), author_id=label.author_id)


def _reason(labelled: Sequence[Revision]) -> str | None:
    splits = {row.split for row in labelled}
    if any(row.label is None or labelled[0].label is None or row.label.value != labelled[0].label.value
           for row in labelled):  # fmt: skip
        return CONFLICTING
    if Split.TEST in splits:
        return IN_TEST
    return IN_VAL if Split.VAL in splits else None


def _named(copies: Sequence[Copy], keys: Sequence[str]) -> list[Copy]:
    wanted = list(dict.fromkeys(normal_key(key) for key in keys))
    known = {one.key: one for one in copies}
    if absent := [key for key in wanted if key not in known]:
        more = f" and {len(absent) - SHOWN_KEYS} more" if len(absent) > SHOWN_KEYS else ""
        words = f"no unlabelled sample of the pool with the bytes of a labelled one: {', '.join(absent[:SHOWN_KEYS])}"
        raise Invalid.field("keys", words + more)
    for key in wanted:
        if (reason := known[key].reason) is not None:
            raise Invalid.field("keys", f"{key}: {REASONS[reason]}", code="nothing_chosen")
    return [known[key] for key in wanted]


def _nothing(copies: Sequence[Copy]) -> str:
    if not copies:
        return "no unlabelled sample of the pool has the bytes of a labelled one"
    counts = ", ".join(f"{number}: {REASONS[reason]}" for reason, number in left_out_of(copies).items() if number)
    return f"no label can be taken over. {counts}"


def document_of(copy: Copy) -> dict[str, Any]:
    """A copy as the API shows it."""
    label = copy.of.label
    return {
        "key": copy.key,
        "of": copy.of.sample.key,
        "split": copy.of.split,
        "label": label.value if label else None,
        "reason": copy.reason,
        "thumb": f"/thumbs/{copy.of.blob.md5}",
    }
