from django.urls import path

from jobs.lifecycle.api.views import lifecycle_paths
from sweeps import api

urlpatterns = [
    *lifecycle_paths("sweeps", "sweep"),
    path("sweeps", api.Sweeps.as_view()),
    path("sweeps/<str:sweep>", api.SweepDetail.as_view()),
    path("sweeps/<str:sweep>/cancel", api.SweepCancel.as_view()),
    path("sweeps/<str:sweep>/register", api.SweepRegister.as_view()),
    path("sweeps/<str:sweep>/trials", api.Trials.as_view()),
]
