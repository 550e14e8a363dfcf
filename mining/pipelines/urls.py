from django.urls import path

from jobs.lifecycle.api.views import lifecycle_paths
from pipelines.api import hooks, pipelines, rounds

urlpatterns = [
    *lifecycle_paths("pipelines", "pipeline"),
    path("pipelines", pipelines.Pipelines.as_view()),
    path("pipelines/<str:pipeline>", pipelines.PipelineDetail.as_view()),
    path("pipelines/<str:pipeline>/rounds", rounds.Rounds.as_view()),
    path("pipelines/<str:pipeline>/rounds/cancel", rounds.CancelRound.as_view()),
    path("pipelines/<str:pipeline>/rounds/<int:number>", rounds.RoundDetail.as_view()),
    path("pipelines/<str:pipeline>/curve", pipelines.Curve.as_view()),
    path("pipelines/<str:pipeline>/against-random", pipelines.AgainstRandom.as_view()),
    path("pipelines/<str:pipeline>/pause", pipelines.Pause.as_view()),
    path("pipelines/<str:pipeline>/resume", pipelines.Resume.as_view()),
    path("pipelines/<str:pipeline>/retry", rounds.Retry.as_view()),
    path("pipelines/<str:pipeline>/webhook", hooks.NewHookSecret.as_view()),
    path("hooks/pipelines/<int:pk>", hooks.PipelineHook.as_view()),
    path("forecast", pipelines.Forecast.as_view()),
    path("datasets/<str:reference>/budget", pipelines.DatasetBudget.as_view()),
]
