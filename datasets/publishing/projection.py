"""Building a repository from rows: the same rows make the same commits, so any process may build its own."""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db.models import QuerySet
from dulwich.repo import Repo

from publishing.documents import objects_of
from publishing.keys import USER, read_key
from publishing.models import Publication, Repository
from publishing.sources import source
from versioning import Mirror, Out, Release, Remote, RepositoryDamaged, TreeEntry, repository_files
from versioning.mirror import Wanted

logger = logging.getLogger(__name__)
T = TypeVar("T")
BATCH = 500


def release_of(publication: Publication) -> Release:
    """Convert a publication to a release of the library `versioning`."""
    repository = publication.repository
    kind = source(repository.kind)
    out = Out(
        kind.path,
        publication.listing_md5 or publication.listing.md5,
        publication.size,
        publication.nfiles,
        meta=publication.meta,
    )
    artifacts = publication.artifacts
    files = repository_files(out, _remotes(publication), artifacts)
    time = int(publication.time.timestamp())
    texts = {name: TreeEntry(mode, sha) for name, (mode, sha) in publication.texts.items()}
    return Release(
        publication.number,
        files,
        publication.message,
        publication.author,
        time,
        texts,
        partial(objects_of, publication),
    )


def with_repository(repository: Repository, use: Callable[[Repo], T]) -> T:
    """Call `use` with the up-to-date repository and return its result; a damaged repository is rebuilt once."""
    mirror = _mirror(repository)
    for attempt in (1, 2):
        try:
            with mirror.opened(_wanted(repository)) as repo:
                return use(repo)
        except RepositoryDamaged as error:
            if attempt == 2:
                raise
            logger.warning("%s is made anew: %s", repository, error)
            mirror.drop()
    raise AssertionError  # the loop returns or raises


def forget(repository: Repository) -> None:
    """Drop this machine's repository, whatever it holds: the next access rebuilds it."""
    _mirror(repository).drop()


def _mirror(repository: Repository) -> Mirror:
    return Mirror(settings.VAR_DIR / "git" / str(repository.pk))


def _remotes(publication: Publication) -> list[Remote]:
    repository = publication.repository
    parts = urlsplit(publication.address)
    key = read_key(repository, publication.key_number)
    address = urlunsplit(parts._replace(netloc=f"{USER}:{key}@{parts.netloc}"))
    here = Remote(
        "motherlode", {"url": f"{address}/dvc/{repository.kind}/{publication.name or repository.name}", "method": "PUT"}
    )
    store: dict[str, Any] = publication.store
    return [here, Remote("s3", store)] if store else [here]


def _wanted(repository: Repository) -> Wanted:
    head = repository.publications.order_by("-number").first()
    number = head.number if head else 0
    return Wanted(
        number=number,
        commit=head.commit if head else None,
        since=partial(_since, repository, number),
        number_of=lambda sha: repository.publications.filter(commit=sha).values_list("number", flat=True).first(),
        refs=dict(_refs(repository, number)),
    )


def _since(repository: Repository, last: int, after: int) -> Iterator[tuple[Release, str]]:
    rows: QuerySet[Publication] = repository.publications.filter(number__gt=after, number__lte=last)
    for row in rows.order_by("number").select_related("listing", "pack").iterator(chunk_size=BATCH):
        row.repository = repository
        yield release_of(row), row.commit


def _refs(repository: Repository, number: int) -> Iterable[tuple[str, str]]:
    named = source(repository.kind).refs(repository.name, up_to=number)
    commits = dict(repository.publications.filter(number__in=named.values()).values_list("number", "commit"))
    return ((ref, commits[wanted]) for ref, wanted in named.items() if wanted in commits)
