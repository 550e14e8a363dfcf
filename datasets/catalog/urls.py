from django.urls import path

from catalog.api import bytes as bytes_api
from catalog.api import datasets, samples

urlpatterns = [
    path("datasets", datasets.Datasets.as_view()),
    path("datasets/<str:reference>", datasets.DatasetDetail.as_view()),
    path("datasets/<str:reference>/versions", datasets.Versions.as_view()),
    path("datasets/<str:reference>/versions/<str:number>", datasets.VersionDetail.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/samples", samples.Samples.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/facets", samples.Facets.as_view()),
    path("datasets/<str:reference>/samples/<path:key>/lineage", samples.Lineage.as_view()),
    path("datasets/<str:reference>/samples/<path:key>", samples.SampleDetail.as_view()),
    path("blobs/<str:digest>", bytes_api.BlobBytes.as_view()),
    path("thumbs/<str:digest>", bytes_api.Thumb.as_view()),
]
