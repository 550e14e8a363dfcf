from collections.abc import Iterator

from django.apps import AppConfig

from blobs.keys import linked_table


class BlobsConfig(AppConfig):
    name = "blobs"

    def ready(self) -> None:
        """Tables of links are named by the keys of the blobs that lie elsewhere."""
        from blobs import references  # models can be imported once all apps are ready

        references.register("tables of links", tables_of_links)


def tables_of_links() -> Iterator[str | None]:
    """md5s of the tables that say where linked blobs lie."""
    from blobs.models import Blob  # as above

    for key in Blob.objects.filter(key__startswith="links/").order_by().values_list("key", flat=True).distinct():
        yield linked_table(key)
