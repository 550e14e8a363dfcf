"""The repository of something that has another name now.

What was published keeps the name it was published under, for it stands in each commit (where the bytes are fetched,
and in the read key): clones go on as they are, and new versions are commits on top of the old ones.
"""

from django.db.models import QuerySet

from publishing.models import Publication, Repository


def move_repository(kind: str, old: str, new: str) -> None:
    """Inside a transaction: the repository `old` goes by the name `new`."""
    found = Repository.objects.select_for_update().filter(kind=kind, name=old).first()
    if found is None:
        return
    found.publications.filter(name="").update(name=old)
    found.first_name = found.first_name or old
    found.name = new
    found.save(update_fields=["first_name", "name"])


def publications_of(kind: str, name: str) -> QuerySet[Publication]:
    """Its published versions."""
    return Publication.objects.filter(repository__kind=kind, repository__name=name)


def repositories_of(kind: str, name: str) -> QuerySet[Repository]:
    """The repository, if there is one."""
    return Repository.objects.filter(kind=kind, name=name)
