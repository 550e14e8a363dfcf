from django.urls import path

from maps.api import leak_checks, maps

urlpatterns = [
    path("datasets/<str:reference>/leak-checks", leak_checks.LeakChecks.as_view()),
    path("datasets/<str:reference>/maps", maps.Maps.as_view()),
    path("datasets/<str:reference>/maps/<int:pk>", maps.MapDetail.as_view()),
    path("datasets/<str:reference>/maps/<int:pk>/points", maps.Points.as_view()),
]
