"""Groups of samples and the splits they lie in: what keeps a scene from being trained on and tested with at once."""

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
from catalog.changes.sets import Rejection
from catalog.models import Dataset, GroupPlace, Revision, Split, Version
from catalog.splits.rules import SplitRule
from core.list_parameters import listed

BATCH = 1000


@dataclass(slots=True)
class GroupSplits:
    """Which split each group of a change set belongs to; without a rule, nobody has a group."""

    rule: SplitRule | None
    taken: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, dataset: Dataset, named: Iterable[tuple[str, Mapping[str, Any]]], *, head: Version | None
    ) -> "GroupSplits":
        """What the dataset knows of the groups of these (key, meta)."""
        if dataset.split_rule is None:
            return cls(None)
        rule = SplitRule.of(dataset.split_rule)
        if rule.alone:
            return cls(rule)
        groups = {group for key, meta in named if (group := rule.group_of(key, meta)) is not None}
        return cls(rule, _taken(dataset, groups, head=head))

    def group(self, key: str, meta: Mapping[str, Any]) -> str | None:
        """The sample's group. Without a rule, and for a sample that has none, None."""
        return self.rule.group_of(key, meta) if self.rule else None

    def split(self, group: str | None) -> str:
        """Where a sample of the group goes that nobody sends anywhere."""
        if self.rule is None or group is None:
            return Split.POOL
        return self.taken.get(group) or self.rule.split_of(group)

    def refusal(self, key: str, group: str | None, split: str, *, new: bool) -> Rejection | None:
        """Why a sample can't lie in `split`; where it can, the rest of the change set knows that its group does."""
        if self.rule is None or (group is None and not new):
            return None
        if group is None:
            return Rejection(key, "group_missing", self.rule.missing())
        if split == Split.POOL:
            return None
        place = self.taken.setdefault(group, split)
        if place == split:
            return None
        told = f"split: its group {group} lies in {place}, it would straddle; leave `split` out, or send {place}"
        return Rejection(key, f"group_in_{place}", told)


def keep_places(dataset: Dataset, rows: Iterable[Revision], *, since: int) -> None:
    """Remember where the groups of these new revisions lie."""
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
    """Let new samples be split by a rule, or by none (None). Those that are there stay, and their groups with them.

    Raises Invalid (`split_rule`), NotAllowed (`owners_only`)."""
    demand(author, Right.OWN, dataset.project_id)
    rule = SplitRule.of(document) if document is not None else None
    locked = Dataset.objects.select_for_update(of=("self",)).select_related("head").get(pk=dataset.pk)
    old = SplitRule.of(locked.split_rule) if locked.split_rule is not None else None
    before, after = {"split_rule": locked.split_rule}, {"split_rule": rule.document() if rule else None}
    locked.split_rule = after["split_rule"]
    locked.save(update_fields=["split_rule"])
    audit.note("changed", "dataset", locked.name, project=locked.project_id, before=before, after=after, by=author)
    if rule is not None and (old is None or old.group != rule.group):
        _regroup(locked)
    return locked


def digest(group: str) -> str:
    """What the database keeps of a group's name."""
    return hashlib.sha256(group.encode()).hexdigest()


def _regroup(dataset: Dataset) -> None:
    """Groups have another name now: look where those of the head lie. One that straddles already counts as test."""
    GroupPlace.objects.filter(dataset=dataset).delete()
    if dataset.head is None:
        return
    for split in (Split.TEST, Split.VAL, Split.TRAIN):
        rows = dataset.head.revisions.filter(split=split).select_related("sample").only("sample__key", "meta", "split")
        for batch in chunks(rows.iterator(chunk_size=BATCH), BATCH):
            keep_places(dataset, batch, since=dataset.head.number)


def _taken(dataset: Dataset, groups: set[str], *, head: Version | None) -> dict[str, str]:
    path = head.path if head is not None else []
    here = Q(dataset=dataset.pk)
    for ancestor, number in path[1:]:
        here |= Q(dataset=ancestor, since__lte=number)
    nearest = [dataset.pk, *(ancestor for ancestor, _ in path[1:])]
    names = {digest(group): group for group in groups}
    rows = GroupPlace.objects.filter(here, group__in=listed(list(names))).values_list("dataset_id", "group", "split")
    ordered = sorted(rows, key=lambda row: nearest.index(row[0]), reverse=True)
    return {names[group]: split for _, group, split in ordered}
