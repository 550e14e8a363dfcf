"""Every route: the REST contract at the root, the web application under /app/."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from config import health, manual, metrics, webapp
from core.query_parameters import takes
from core.reading_views import only_read

handler400 = handler403 = handler404 = handler500 = "core.problems.handler"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", only_read(RedirectView.as_view(url="/app/"))),
    path("health/live", takes()(only_read(health.live))),
    path("health/ready", takes()(only_read(health.ready))),
    path("metrics", metrics.Metrics.as_view()),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("docs", SpectacularSwaggerSplitView.as_view(url_name="openapi")),
    path("", include("accounts.urls")),
    path("", include("jobs.urls")),
    path("", include("jobs.lifecycle.urls")),
    path("", include("garbage_collection.urls")),
    path("", include("publishing.urls")),
    path("", include("catalog.urls")),
    path("", include("labeling.urls")),
    path("", include("registry.urls")),
    path("", include("mining_jobs.urls")),
    path("", include("backtests.urls")),
    path("", include("maps.urls")),
    path("", include("lakes.urls")),
    path("", include("similarity.urls")),
    path("", include("sweeps.urls")),
    path("", include("plans.urls")),
    path("", include("mlflow_api.urls")),
    path("", include("pipelines.urls")),
    path("", include("notifications.urls")),
    path("manual/", takes()(only_read(manual.page))),
    path("manual/<path:name>", takes()(only_read(manual.page))),
    re_path(r"^app(?:/.*)?$", only_read(webapp.index)),
]
