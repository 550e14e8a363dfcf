from django.urls import path

from jobs.lifecycle.api.views import lifecycle_paths
from registry.api import answers, comparisons, models, outcomes, runs, versions

VERSION = "models/<str:model>/versions/<str:version>"

urlpatterns = [
    *lifecycle_paths("models", "model"),
    path("architectures", models.Architectures.as_view()),
    path("datasets/<str:reference>/recommended-architecture", models.RecommendedArchitecture.as_view()),
    path("models", models.Models.as_view()),
    path("models/<str:model>", models.ModelDetail.as_view()),
    path("models/<str:model>/compare", comparisons.Versions.as_view()),
    path("models/<str:model>/ensembles", versions.Ensembles.as_view()),
    path("models/<str:model>/versions", versions.ModelVersions.as_view()),
    path(VERSION, versions.ModelVersionDetail.as_view()),
    path(f"{VERSION}/artifacts/<path:path>", versions.ArtifactDownload.as_view()),
    path(f"{VERSION}/calibration", outcomes.Calibration.as_view()),
    path(f"{VERSION}/lineage", versions.Lineage.as_view()),
    path(f"{VERSION}/outcomes", outcomes.Outcomes.as_view()),
    path(f"{VERSION}/outcomes/samples", outcomes.OutcomeSamples.as_view()),
    path(f"{VERSION}/predict", answers.Predict.as_view()),
    path(f"{VERSION}/layers", answers.Layers.as_view()),
    path(f"{VERSION}/layers/<path:layer>/weights.png", answers.WeightsPicture.as_view()),
    path("models/<str:model>/aliases", models.Aliases.as_view()),
    path("models/<str:model>/promotions", models.Promotions.as_view()),
    path("models/<str:model>/rollback", models.RollBack.as_view()),
    path("runs", runs.Runs.as_view()),
    path("runs/forecast", runs.RunForecast.as_view()),
    path("runs/compare", comparisons.Runs.as_view()),
    path("runs/table", comparisons.RunTable.as_view()),
    path("runs/<int:pk>", runs.RunDetail.as_view()),
    path("runs/<int:pk>/metrics", runs.RunMetrics.as_view()),
    path("runs/<int:pk>/cancel", runs.RunCancel.as_view()),
    path("runs/<int:pk>/resume", runs.RunResume.as_view()),
    path("runs/<int:pk>/launch", runs.RunLaunch.as_view()),
    path("runs/<int:pk>/register", runs.RunRegister.as_view()),
    path("runs/<int:pk>/clone", runs.RunClone.as_view()),
    path("runs/<int:pk>/snapshots", runs.RunSnapshots.as_view()),
    path("runs/<int:pk>/snapshots/<int:step>", runs.SnapshotDownload.as_view()),
]
