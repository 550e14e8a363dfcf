from django.urls import path

from catalog.api import bytes as bytes_api
from catalog.api import changes, datasets, erasures, exports, imports, samples, schemas, splits, transfers, uploads

urlpatterns = [
    path("datasets", datasets.Datasets.as_view()),
    path("datasets/<str:reference>", datasets.DatasetDetail.as_view()),
    path("datasets/<str:reference>/have", uploads.Have.as_view()),
    path("datasets/<str:reference>/uploads", uploads.Uploads.as_view()),
    path("datasets/<str:reference>/imports", imports.Imports.as_view()),
    path("sources", imports.Sources.as_view()),
    path("datasets/<str:reference>/versions", datasets.Versions.as_view()),
    path("datasets/<str:reference>/versions/<str:number>", datasets.VersionDetail.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/manifest", transfers.Manifest.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/samples", samples.Samples.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/facets", samples.Facets.as_view()),
    path("datasets/<str:reference>/schema", schemas.Schema.as_view()),
    path("datasets/<str:reference>/schema/versions/<int:number>", schemas.SchemaAt.as_view()),
    path("datasets/<str:reference>/tags", changes.Tags.as_view()),
    path("datasets/<str:reference>/tags/<str:name>", changes.Tag.as_view()),
    path("datasets/<str:reference>/aliases", changes.Aliases.as_view()),
    path("datasets/<str:reference>/aliases/<str:name>", changes.Alias.as_view()),
    path("datasets/<str:reference>/diff", changes.Diff.as_view()),
    path("datasets/<str:reference>/diff/<str:kind>", changes.Differences.as_view()),
    path("datasets/<str:reference>/forks", changes.Forks.as_view()),
    path("datasets/<str:reference>/merges", changes.Merges.as_view()),
    path("datasets/<str:reference>/slices", splits.Slices.as_view()),
    path("datasets/<str:reference>/slices/<str:name>", splits.SliceDetail.as_view()),
    path("datasets/<str:reference>/erasures", erasures.Erasures.as_view()),
    path("datasets/<str:reference>/near-duplicates", splits.NearDuplicates.as_view()),
    path("datasets/<str:reference>/exports", exports.Exports.as_view()),
    path("datasets/<str:reference>/exports/<int:pk>/archive", exports.ExportArchive.as_view()),
    path("datasets/<str:reference>/samples/<path:key>/lineage", samples.Lineage.as_view()),
    path("datasets/<str:reference>/samples/<path:key>", samples.SampleDetail.as_view()),
    path("blobs", transfers.ManyBlobs.as_view()),
    path("blobs/<str:digest>", bytes_api.BlobBytes.as_view()),
    path("thumbs/<str:digest>", bytes_api.Thumb.as_view()),
]
