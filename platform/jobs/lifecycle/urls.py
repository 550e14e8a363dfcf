from django.urls import path

from jobs.lifecycle.api.views import Events

urlpatterns = [path("lifecycle/events", Events.as_view())]
