from django.urls import path

from rounds import api

urlpatterns = [
    path("strategies", api.Strategies.as_view()),
    path("datasets/<str:reference>/leak-checks", api.LeakChecks.as_view()),
    path("mining/jobs", api.MiningJobs.as_view()),
    path("mining/jobs/<int:pk>", api.MiningJobDetail.as_view()),
    path("mining/jobs/<int:pk>/picks", api.MiningPicks.as_view()),
    path("mining/jobs/<int:pk>/histogram", api.MiningHistogram.as_view()),
    path("mining/jobs/<int:pk>/queue", api.QueuePicks.as_view()),
    path("pipelines", api.Pipelines.as_view()),
    path("pipelines/<str:pipeline>", api.PipelineDetail.as_view()),
    path("pipelines/<str:pipeline>/rounds", api.Rounds.as_view()),
    path("pipelines/<str:pipeline>/rounds/cancel", api.CancelRound.as_view()),
    path("pipelines/<str:pipeline>/curve", api.Curve.as_view()),
    path("pipelines/<str:pipeline>/pause", api.Pause.as_view()),
    path("pipelines/<str:pipeline>/resume", api.Resume.as_view()),
    path("pipelines/<str:pipeline>/retry", api.Retry.as_view()),
]
