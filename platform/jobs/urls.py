from django.urls import path

from jobs import api

urlpatterns = [
    path("jobs", api.Jobs.as_view()),
    path("jobs/<int:pk>", api.JobDetail.as_view()),
    path("jobs/<int:pk>/cancel", api.JobCancel.as_view()),
    path("jobs/<int:pk>/shards", api.JobShards.as_view()),
    path("jobs/<int:pk>/retry", api.JobRetry.as_view()),
    path("projects/<str:reference>/quota", api.ProjectQuota.as_view()),
    path("workers", api.Workers.as_view()),
]
