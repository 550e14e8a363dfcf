from django.urls import path

from garbage_collection import api

urlpatterns = [path("gc", api.Collections.as_view())]
