from django.urls import path

from collector import api

urlpatterns = [path("gc", api.Collections.as_view())]
