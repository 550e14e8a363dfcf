from django.urls import path

from notifications import api

urlpatterns = [path("session/notifications", api.Notifications.as_view())]
