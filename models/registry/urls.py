from django.urls import path

from registry import api

urlpatterns = [
    path("architectures", api.Architectures.as_view()),
    path("models", api.Models.as_view()),
    path("models/<str:model>", api.ModelDetail.as_view()),
    path("models/<str:model>/versions", api.ModelVersions.as_view()),
    path("models/<str:model>/versions/<str:version>", api.ModelVersionDetail.as_view()),
    path("models/<str:model>/versions/<str:version>/artifacts/<path:path>", api.ArtifactDownload.as_view()),
    path("models/<str:model>/aliases", api.Aliases.as_view()),
    path("models/<str:model>/rollback", api.RollBack.as_view()),
    path("runs", api.Runs.as_view()),
    path("runs/<int:pk>", api.RunDetail.as_view()),
    path("runs/<int:pk>/metrics", api.RunMetrics.as_view()),
    path("runs/<int:pk>/cancel", api.RunCancel.as_view()),
]
