"""Dataset versions as directories to publish: `data/<key>` for every sample, with the documents beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Collate

from accounts.models import User
from blobs.models import Blob
from blobs.services import chunks
from catalog.keys import LABELS, SCHEMA
from catalog.models import Dataset, ForkOverride, Revision, RevisionQuerySet, Version, VersionName
from catalog.publication.labels import COLUMNS, label_lines, line_of, schema_text
from catalog.versions.datasets import find_dataset
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from publishing.sources import Change, Facts
from versioning import Entry
from versioning.mirror import MAIN, is_ref

CHUNK = 10_000
MOST_CHANGES = 20_000  # a version that changes more is read whole
BLOB = ("blob__md5", "blob__size")
# Both compare texts by code points, which is the order of the listing.
COLLATIONS = {"sqlite": "BINARY", "postgresql": "C"}
FOLDERS = {VersionName.Kind.TAG.value: "refs/tags", VersionName.Kind.ALIAS.value: "refs/heads"}


class DatasetSource:
    """The source of published datasets, each the directory `data`."""

    path = "data"

    def name_of(self, reference: str) -> str:
        """The name of a dataset, by id or name. Raises NotFound."""
        return find_dataset(reference).name

    def project_of(self, name: str) -> int | None:
        """The project of the dataset that has this name now."""
        found: int | None = Dataset.everything.filter(name=name).values_list("project", flat=True).first()
        return found

    def names_in(self, project: int) -> QuerySet[Any]:
        """The names of the project's datasets, including deleted ones."""
        return Dataset.everything.filter(project=project).values("name")

    def latest(self, name: str) -> int:
        """The number of the head."""
        return int(Version.objects.filter(dataset__name=name).aggregate(last=Max("number"))["last"] or 0)

    def latest_of_all(self) -> Mapping[str, int]:
        return dict(Dataset.objects.exclude(head=None).values_list("name", "head__number"))

    def facts(self, name: str, number: int) -> Facts:
        version = _version(name, number)
        counts = {name: getattr(version, name) for name in ("added", "updated", "removed", "labelled")}
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        message = f"{version.message or f'Version {number}'}\n\nVersion {number} of {name}: {told}"
        meta = {"dataset": name, "id": version.dataset_id, "version": number}
        return Facts(message, version.author.username, version.created, meta)

    def entries(self, name: str, number: int) -> Iterator[Entry]:
        """Yield the entries by key, in the order of code points."""
        rows = _by_key(_version(name, number))
        for row in rows.values_list("sample__key", "blob__md5", "blob__size").iterator(chunk_size=CHUNK):
            yield Entry(*row)

    def changes(self, name: str, number: int) -> Sequence[Change] | None:
        """What a version changed, from the revisions that it began and ended; None for the first one."""
        version = _version(name, number)
        before = Version.objects.filter(dataset=version.dataset, number=number - 1).first()
        touched = _touched(version) if before is not None else None
        if before is None or touched is None:
            return None
        sizes, now = dict[str, int](), dict[str, tuple[str, int, bytes]]()
        for some in chunks(touched):
            old = before.revisions.filter(sample__in=some).values_list("sample__key", "blob__size")
            sizes.update(old)
            for md5, size, *values in version.revisions.filter(sample__in=some).values_list(*BLOB, *COLUMNS):
                now[values[0]] = (md5, size, line_of(*values))
        gone: tuple[str, int, bytes | None] = ("", 0, None)
        changed = ((key, now.get(key, gone)) for key in sorted(sizes.keys() | now))
        return [Change(key, md5, size, line, size_before=sizes.get(key)) for key, (md5, size, line) in changed]

    def documents(self, name: str, number: int) -> Mapping[str, Iterable[bytes]]:
        """The documents of a version: the lines of its samples, and its schema."""
        version = _version(name, number)
        return {LABELS: label_lines(_by_key(version)), SCHEMA: [schema_text(version)]}

    def blobs(self, name: str, number: int) -> QuerySet[Blob]:
        return Blob.objects.filter(pk__in=_version(name, number).revisions.values("blob"))

    def holds(self, name: str, blob: Blob) -> bool:
        """Whether the dataset, or one it was forked from, up to the fork point, ever had the blob."""
        return Revision.objects.ever(Dataset.objects.get(name=name)).filter(blob=blob).exists()

    def adopt(self, name: str, listing: Blob, *, author: User) -> Job:
        """Create the job that makes a pushed directory the dataset's next version."""
        dataset = Dataset.objects.get(name=name)
        refuse_archived(dataset)
        params = {"dataset": name, "listing": listing.md5, "author": author.pk}
        title = f"Take {listing.md5[:8]}.dir into {name}"
        return create_job(
            "adopt",
            title,
            shards=[ShardSpec()],
            params=params,
            unit="files",
            created_by=author,
            project=dataset.project_id,
        )

    def refs(self, name: str, *, up_to: int) -> Mapping[str, int]:
        """Map refs to version numbers: tags as tags, aliases as branches. Names that git can't hold have no ref."""
        rows = VersionName.objects.filter(dataset__name=name, version__number__lte=up_to)
        named = rows.values_list("kind", "name", "version__number")
        refs = {f"{FOLDERS[kind]}/{called}": number for kind, called, number in named}
        return {ref: number for ref, number in refs.items() if ref != MAIN and is_ref(ref)}


def _touched(version: Version) -> list[int] | None:
    """The ids of the samples that a version may have changed; None if they are a large part of it."""
    own = Revision.objects.filter(dataset=version.dataset)
    found: set[int] = set()
    for rows in (
        own.filter(since=version.number),
        own.filter(until=version.number),
        ForkOverride.objects.filter(dataset=version.dataset, since=version.number),
    ):
        found.update(rows.order_by().values_list("sample", flat=True)[: MOST_CHANGES + 1])
    return sorted(found) if len(found) <= MOST_CHANGES else None


def _by_key(version: Version) -> RevisionQuerySet:
    return version.revisions.order_by(Collate(F("sample__key"), COLLATIONS[connection.vendor]))


def _version(name: str, number: int) -> Version:
    return Version.objects.select_related("dataset", "author").get(dataset__name=name, number=number)
