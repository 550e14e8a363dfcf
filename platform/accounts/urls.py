from django.urls import path

from accounts import api

urlpatterns = [path("session", api.Session.as_view())]
