from django.urls import path

from core.bodies import reads_chunked
from mlflow_api.api import artifacts, experiments, refused, registered

AT, FILES = "api/2.0/mlflow", "api/2.0/mlflow-artifacts"

urlpatterns = [
    path(f"{AT}/registered-models/search", registered.SearchModels.as_view()),
    path(f"{AT}/registered-models/create", registered.CreateModel.as_view()),
    path(f"{AT}/registered-models/get", registered.GetModel.as_view()),
    path(f"{AT}/registered-models/update", registered.UpdateModel.as_view()),
    path(f"{AT}/registered-models/get-latest-versions", registered.LatestVersions.as_view()),
    path(f"{AT}/registered-models/alias", registered.Alias.as_view()),
    path(f"{AT}/model-versions/search", registered.SearchVersions.as_view()),
    path(f"{AT}/model-versions/get", registered.GetVersion.as_view()),
    path(f"{AT}/model-versions/update", registered.UpdateVersion.as_view()),
    path(f"{AT}/model-versions/get-download-uri", registered.DownloadUri.as_view()),
    path(f"{AT}/experiments/search", experiments.SearchExperiments.as_view()),
    path(f"{AT}/experiments/get", experiments.GetExperiment.as_view()),
    path(f"{AT}/experiments/get-by-name", experiments.GetExperimentByName.as_view()),
    path(f"{AT}/runs/search", experiments.SearchRuns.as_view()),
    path(f"{AT}/runs/get", experiments.GetRun.as_view()),
    path(f"{AT}/logged-models/search", experiments.LoggedModels.as_view()),
    path(f"{AT}/metrics/get-history", experiments.MetricHistory.as_view()),
    path(f"{FILES}/artifacts", artifacts.Listing.as_view()),
    path(f"{FILES}/artifacts/<path:path>", reads_chunked(artifacts.File.as_view())),
    *(path(f"{AT}/{name}", refused.DoneOtherwise.as_view(words=words)) for name, words in refused.WAYS.items()),
    *(path(f"{at}/<path:rest>", refused.Unknown.as_view()) for at in (AT, FILES, "api/3.0/mlflow")),
]
