from django.urls import path

from plans import api

urlpatterns = [
    path("plans", api.Plans.as_view()),
    path("plans/examples", api.PlanExamples.as_view()),
]
