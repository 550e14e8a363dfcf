from collections.abc import Iterator

from django.apps import AppConfig

from blobs.keys import linked_table
from core import host_metrics


class BlobsConfig(AppConfig):
    name = "blobs"

    def ready(self) -> None:
        """Register the references to tables of links: the keys of linked blobs name their tables. Count the calls to
        the object store."""
        from blobs import bucket, references  # models can be imported once all apps are ready

        references.register("tables of links", tables_of_links)
        if count_call not in bucket.observers:
            bucket.observers.append(count_call)


def count_call(outcome: str, seconds: float) -> None:
    """Count a call to the object store among the metrics of this host."""
    host_metrics.store_requests.observe(outcome, seconds=seconds)


def tables_of_links() -> Iterator[str | None]:
    """Yield the md5s of the tables of links."""
    from blobs.models import Blob  # as above

    for key in Blob.objects.filter(key__startswith="links/").order_by().values_list("key", flat=True).distinct():
        yield linked_table(key)
