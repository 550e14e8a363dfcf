from django.urls import path

from backtests import api
from jobs.lifecycle.api.views import lifecycle_paths

urlpatterns = [
    *lifecycle_paths("backtests", "backtest"),
    path("backtests", api.Backtests.as_view()),
    path("backtests/<str:backtest>", api.BacktestDetail.as_view()),
]
