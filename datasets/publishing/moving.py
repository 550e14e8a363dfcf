"""Repositories of datasets and models that were renamed.

Published versions keep the name they were published under, because each commit contains it (in the address of the
bytes, and in the read key): clones keep working, and new versions are commits on top of the old ones.
"""

from django.db.models import QuerySet

from publishing.models import Publication, Repository


def move_repository(kind: str, old: str, new: str) -> None:
    """Rename the repository `old` to `new`. Call it inside a transaction."""
    found = Repository.objects.select_for_update().filter(kind=kind, name=old).first()
    if found is None:
        return
    found.publications.filter(name="").update(name=old)
    found.first_name = found.first_name or old
    found.name = new
    found.save(update_fields=["first_name", "name"])


def publications_of(kind: str, name: str) -> QuerySet[Publication]:
    """Return the published versions of a repository."""
    return Publication.objects.filter(repository__kind=kind, repository__name=name)


def repositories_of(kind: str, name: str) -> QuerySet[Repository]:
    """Return the repository, if there is one, as a queryset."""
    return Repository.objects.filter(kind=kind, name=name)
