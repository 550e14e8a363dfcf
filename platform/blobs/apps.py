from collections.abc import Iterator

from django.apps import AppConfig

from blobs.keys import linked_table


class BlobsConfig(AppConfig):
    name = "blobs"

    def ready(self) -> None:
        """Register the references to tables of links: the keys of linked blobs name their tables."""
        from blobs import references  # models can be imported once all apps are ready

        references.register("tables of links", tables_of_links)


def tables_of_links() -> Iterator[str | None]:
    """Yield the md5s of the tables of links."""
    from blobs.models import Blob  # as above

    for key in Blob.objects.filter(key__startswith="links/").order_by().values_list("key", flat=True).distinct():
        yield linked_table(key)
