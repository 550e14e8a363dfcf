from django.urls import path

from mining_jobs import api

urlpatterns = [
    path("datasets/<str:reference>/versions/<str:number>/predictions", api.Predictions.as_view()),
    path("strategies", api.Strategies.as_view()),
    path("mining/jobs", api.MiningJobs.as_view()),
    path("mining/jobs/<int:pk>", api.MiningJobDetail.as_view()),
    path("mining/jobs/<int:pk>/picks", api.MiningPicks.as_view()),
    path("mining/jobs/<int:pk>/picks/<int:rank>", api.MiningPick.as_view()),
    path("mining/jobs/<int:pk>/quarantine", api.MiningQuarantine.as_view()),
    path("mining/jobs/<int:pk>/histogram", api.MiningHistogram.as_view()),
    path("mining/jobs/<int:pk>/queue", api.QueuePicks.as_view()),
]
