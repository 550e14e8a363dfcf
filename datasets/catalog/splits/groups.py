"""Groups of samples and their splits, so that no scene is both in train and in test."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts import audit
from accounts.models import User
from accounts.rights import Right, demand
from blobs.services import chunks
from catalog.busy import refuse_busy
from catalog.changes.sets import Rejection
from catalog.models import Dataset, GroupPlace, Revision, Split, Version
from catalog.splits.rules import SplitRule
from core.list_parameters import listed

BATCH = 1000


@dataclass(slots=True)
class GroupSplits:
    """The split of each group of a change set; without a rule, no sample has a group."""

    rule: SplitRule | None
    taken: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, dataset: Dataset, named: Iterable[tuple[str, Mapping[str, Any]]], *, head: Version | None
    ) -> "GroupSplits":
        """Load the splits of the groups of these samples, (key, meta)."""
        if dataset.split_rule is None:
            return cls(None)
        rule = SplitRule.of(dataset.split_rule)
        if rule.alone:
            return cls(rule)
        groups = {group for key, meta in named if (group := rule.group_of(key, meta)) is not None}
        return cls(rule, _taken(dataset, groups, head=head))

    def group(self, key: str, meta: Mapping[str, Any]) -> str | None:
        """Return the sample's group; None without a rule, and for a sample without a group."""
        return self.rule.group_of(key, meta) if self.rule else None

    def split(self, group: str | None) -> str:
        """Return the split of a sample of the group that names none itself."""
        if self.rule is None or group is None:
            return Split.POOL
        return self.taken.get(group) or self.rule.split_of(group)

    def refusal(self, key: str, group: str | None, split: str, *, new: bool) -> Rejection | None:
        """Return why a sample can't be in `split`, or None: then its group is in that split for the rest of the change
        set."""
        if self.rule is None or (group is None and not new):
            return None
        if group is None:
            return Rejection(key, "group_missing", self.rule.missing())
        if split == Split.POOL:
            return None
        place = self.taken.setdefault(group, split)
        if place == split:
            return None
        fault = f"split: group {group} is already in {place}, and a group can't be in two splits"
        return Rejection(key, f"group_in_{place}", f"{fault}: leave `split` out, or send {place}")


def keep_places(dataset: Dataset, rows: Iterable[Revision], *, since: int) -> None:
    """Save the splits of the groups of these new revisions."""
    if dataset.split_rule is None:
        return
    rule = SplitRule.of(dataset.split_rule)
    if rule.alone:
        return
    found: dict[str, str] = {}
    for row in rows:
        group = rule.group_of(row.sample.key, row.meta) if row.split != Split.POOL else None
        if group is not None:
            found.setdefault(digest(group), row.split)
    places = [GroupPlace(dataset=dataset, group=group, split=split, since=since) for group, split in found.items()]
    GroupPlace.objects.bulk_create(places, ignore_conflicts=True, batch_size=BATCH)


@transaction.atomic
def set_split_rule(dataset: Dataset, document: Any, *, author: User) -> Dataset:
    """Set the split rule for new samples, or remove it (None). Existing samples, and their groups, keep their split.

    Raises Invalid (`split_rule`), NotAllowed (`owners_only`)."""
    demand(author, Right.OWN, dataset.project_id)
    rule = SplitRule.of(document) if document is not None else None
    locked = Dataset.objects.select_for_update(of=("self",)).select_related("head").get(pk=dataset.pk)
    refuse_busy(locked)
    old = SplitRule.of(locked.split_rule) if locked.split_rule is not None else None
    before, after = {"split_rule": locked.split_rule}, {"split_rule": rule.document() if rule else None}
    locked.split_rule = after["split_rule"]
    locked.save(update_fields=["split_rule"])
    audit.note("changed", "dataset", locked.name, project=locked.project_id, before=before, after=after, by=author)
    if rule is not None and (old is None or old.group != rule.group):
        _regroup(locked)
    return locked


def digest(group: str) -> str:
    """Return the digest of a group's name, which the database stores."""
    return hashlib.sha256(group.encode()).hexdigest()


def _regroup(dataset: Dataset) -> None:
    """Save the splits of the head's groups anew, because the rule names groups differently now. A group that is in
    several splits counts as test, else as val."""
    GroupPlace.objects.filter(dataset=dataset).delete()
    if dataset.head is None:
        return
    for split in (Split.TEST, Split.VAL, Split.TRAIN):
        rows = dataset.head.revisions.filter(split=split).select_related("sample").only("sample__key", "meta", "split")
        for batch in chunks(rows.iterator(chunk_size=BATCH), BATCH):
            keep_places(dataset, batch, since=dataset.head.number)


def _taken(dataset: Dataset, groups: set[str], *, head: Version | None) -> dict[str, str]:
    path = head.path if head is not None else []
    here = Q(dataset=dataset.pk, since__lte=head.number if head is not None else 0)
    for ancestor, number in path[1:]:
        here |= Q(dataset=ancestor, since__lte=number)
    nearest = [dataset.pk, *(ancestor for ancestor, _ in path[1:])]
    names = {digest(group): group for group in groups}
    rows = GroupPlace.objects.filter(here, group__in=listed(list(names))).values_list("dataset_id", "group", "split")
    ordered = sorted(rows, key=lambda row: nearest.index(row[0]), reverse=True)
    return {names[group]: split for _, group, split in ordered}
