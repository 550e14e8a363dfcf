"""The rules of publication: which version is next, its row, and the read key."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from accounts import audit
from blobs.services import store
from core.errors import NotFound
from core.references import as_number
from jobs.models import Job
from jobs.services import ShardSpec, add_shard, create_job
from publishing.models import Document, Publication, Repository
from publishing.projection import release_of
from publishing.sources import source
from publishing.texts import documents_of
from publishing.writing import Increments, Written, write
from versioning import commit_of

PATIENCE = timedelta(seconds=60)  # how long a request for publication counts as in progress


def repository_of(kind: str, name: str) -> Repository:
    """Return the repository of a dataset or model. Raises NotFound if there is none; never creates it."""
    found = repository_now(kind, name)
    if found is None:
        raise NotFound(f"Nothing of {name!r} is published yet: its first version will be.", code="unpublished")
    return found


def repository_now(kind: str, name: str) -> Repository | None:
    """Return the repository with this name, or that of the dataset or model that formerly had it; None before its first
    version. Raises NotFound."""
    rows = Repository.objects.filter(kind=kind)
    found = rows.filter(name=name).first()
    if found is not None or as_number(name) is not None:
        return found
    return rows.filter(name=source(kind).name_of(name)).first()


def repository_for(kind: str, name: str) -> Repository:
    """Return the repository for writing, and create it if it is missing. Raises NotFound if no dataset or model has
    this name."""
    named = source(kind).name_of(name)
    if as_number(name) is not None:  # an id: repositories are found only by name
        raise NotFound(f"There is no repository {name!r}: use the name.", code="unpublished")
    return Repository.objects.get_or_create(kind=kind, name=named)[0]


def find_publication(kind: str, reference: str, number: str) -> Publication:
    """Return a published version by number, `v3` or `head`. Raises NotFound."""
    repository = repository_of(kind, source(kind).name_of(reference))
    wanted = published(repository) if number == "head" else as_number(number.removeprefix("v"))
    rows = repository.publications.select_related("repository", "listing")
    found = None if wanted is None else rows.filter(number=wanted).first()
    if found is None:
        raise NotFound(f"Version {number!r} of {repository.name!r} is not published (yet).", code="unpublished")
    return found


def request_publication(kind: str, name: str) -> Job:
    """Return the job that publishes all unpublished versions: the open one, or a new one. The caller must wake it."""
    Repository.objects.get_or_create(kind=kind, name=name)
    with transaction.atomic():
        # A job that ends looks for further versions under this lock: it sees ours, or we see that it has ended.
        repository = Repository.objects.select_for_update().get(kind=kind, name=name)
        Repository.objects.filter(pk=repository.pk).update(asked=Now())
        return create_job(
            "publish",
            f"Publish {repository}",
            shards=[ShardSpec()],
            params={"repository": repository.pk},
            unit="versions",
            project=source(kind).project_of(name),
            sole=f"publish:{repository.pk}",
        )


def publish_on(job: Job, repository: Repository) -> None:
    """Give the job one more shard if there are unpublished versions; call it in `apply` of the shard that completes."""
    Repository.objects.select_for_update().get(pk=repository.pk)  # see `request_publication`
    if left := source(repository.kind).latest(repository.name) - published(repository):
        add_shard(job.pk, ShardSpec(units=left))


def behind() -> list[tuple[str, str]]:
    """Return (kind, name) of everything with unpublished versions and no recent request for publication."""
    found = []
    for kind in settings.PUBLICATION_SOURCES:
        rows = Repository.objects.filter(kind=kind)
        done = dict(rows.annotate(last=Max("publications__number")).values_list("name", "last"))
        asked = set(rows.filter(asked__gt=Now() - PATIENCE).values_list("name", flat=True))
        latest = source(kind).latest_of_all()
        found += [(kind, name) for name, last in latest.items() if last > (done.get(name) or 0) and name not in asked]
    return found


def published(repository: Repository) -> int:
    """The number of the newest published version, 0 before the first."""
    return repository.publications.aggregate(last=Max("number"))["last"] or 0


def publish(repository: Repository, number: int, *, increments: Increments | None = None) -> Publication:
    """Publish one version whose predecessor is published: store its documents and its listing, then write its row.
    `increments` of the versions before, if this process published them, save reading these again.

    Safe to run in parallel and after a crash: the listing is named by its content, and the first row of a number wins.
    """
    kind = source(repository.kind)
    facts = kind.facts(repository.name, number)
    rows = repository.publications.select_related("repository", "listing", "listing_patch")
    before = rows.filter(number=number - 1).first()
    known, increments = documents_of(before), increments or Increments()
    written = write(repository, number, before=before, known=known, increments=increments)
    row = Publication(
        repository=repository,
        number=number,
        message=facts.message,
        author=facts.author,
        time=facts.time,
        meta=dict(facts.meta) | ({"left_out": sorted(written.left_out)} if written.left_out else {}),
        artifacts=dict(facts.artifacts),
        address=settings.PUBLIC_URL,
        store=_store(),
    )
    written.put_into(row)
    return _append(row, written)


@transaction.atomic
def _append(row: Publication, written: Written) -> Publication:
    """Write the row and its documents on top of its predecessor's commit, unless another publisher was first."""
    repository = Repository.objects.select_for_update().get(pk=row.repository_id)
    known = repository.publications.filter(number__in=[row.number - 1, row.number])
    commits = dict(known.values_list("number", "commit"))
    if row.number in commits:
        return repository.publications.get(number=row.number)
    row.repository = repository
    row.key_number = repository.key_number
    row.commit = commit_of(release_of(row), parent=commits.get(row.number - 1)).sha
    row.save(force_insert=True)
    Document.objects.bulk_create(written.rows(row))
    return row


@transaction.atomic
def renew_key(repository: Repository) -> Repository:
    """Create a new read key; the old one is void at once. Also updates the repository's addresses.

    Every commit contains the key and so gets a new id: clones must be made again, imports updated.
    """
    locked = Repository.objects.select_for_update().get(pk=repository.pk)
    locked.key_number += 1
    locked.save(update_fields=["key_number"])
    project = source(locked.kind).project_of(locked.name)
    audit.note("read key made", locked.kind.removesuffix("s"), locked.name, project=project)
    parent: str | None = None
    for row in locked.publications.select_related("listing").order_by("number"):
        row.repository = locked
        row.key_number, row.address, row.store = locked.key_number, settings.PUBLIC_URL, _store()
        row.name = ""
        row.commit = parent = commit_of(release_of(row), parent=parent).sha
        row.save(update_fields=["key_number", "address", "store", "name", "commit"])
    return locked


def _store() -> dict[str, str]:
    """Return DVC's settings for a remote directly on the object store, for people who have its credentials."""
    config = store().config
    return {"url": f"s3://{config.bucket}", "endpointurl": config.url, "region": config.region}
