from django.urls import path

from jobs.lifecycle.api.views import lifecycle_paths
from rounds.api import backtests, hooks, leaks, maps, mining, pipelines, rounds

urlpatterns = [
    *lifecycle_paths("pipelines", "pipeline"),
    *lifecycle_paths("backtests", "backtest"),
    path("strategies", mining.Strategies.as_view()),
    path("datasets/<str:reference>/leak-checks", leaks.LeakChecks.as_view()),
    path("datasets/<str:reference>/maps", maps.Maps.as_view()),
    path("datasets/<str:reference>/maps/<int:pk>", maps.MapDetail.as_view()),
    path("datasets/<str:reference>/maps/<int:pk>/points", maps.Points.as_view()),
    path("mining/jobs", mining.MiningJobs.as_view()),
    path("mining/jobs/<int:pk>", mining.MiningJobDetail.as_view()),
    path("mining/jobs/<int:pk>/picks", mining.MiningPicks.as_view()),
    path("mining/jobs/<int:pk>/picks/<int:rank>", mining.MiningPick.as_view()),
    path("mining/jobs/<int:pk>/quarantine", mining.MiningQuarantine.as_view()),
    path("mining/jobs/<int:pk>/histogram", mining.MiningHistogram.as_view()),
    path("mining/jobs/<int:pk>/queue", mining.QueuePicks.as_view()),
    path("backtests", backtests.Backtests.as_view()),
    path("backtests/<str:backtest>", backtests.BacktestDetail.as_view()),
    path("pipelines", pipelines.Pipelines.as_view()),
    path("pipelines/<str:pipeline>", pipelines.PipelineDetail.as_view()),
    path("pipelines/<str:pipeline>/rounds", rounds.Rounds.as_view()),
    path("pipelines/<str:pipeline>/rounds/cancel", rounds.CancelRound.as_view()),
    path("pipelines/<str:pipeline>/rounds/<int:number>", rounds.RoundDetail.as_view()),
    path("pipelines/<str:pipeline>/curve", pipelines.Curve.as_view()),
    path("pipelines/<str:pipeline>/pause", pipelines.Pause.as_view()),
    path("pipelines/<str:pipeline>/resume", pipelines.Resume.as_view()),
    path("pipelines/<str:pipeline>/retry", rounds.Retry.as_view()),
    path("pipelines/<str:pipeline>/webhook", hooks.NewHookSecret.as_view()),
    path("hooks/pipelines/<int:pk>", hooks.PipelineHook.as_view()),
    path("forecast", pipelines.Forecast.as_view()),
    path("datasets/<str:reference>/budget", pipelines.DatasetBudget.as_view()),
]
