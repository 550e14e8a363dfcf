from django.urls import path

from labeling import api

urlpatterns = [
    path("labeling/queues", api.Queues.as_view()),
    path("labeling/queues/<str:reference>", api.QueueDetail.as_view()),
    path("labeling/queues/<str:reference>/next", api.QueueNext.as_view()),
    path("labeling/queues/<str:reference>/commit", api.QueueCommit.as_view()),
    path("labeling/tasks/<int:pk>/answer", api.TaskAnswer.as_view()),
    path("labeling/tasks/<int:pk>/skip", api.TaskSkip.as_view()),
    path("labeling/tasks/<int:pk>/undo", api.TaskUndo.as_view()),
    path("labeling/tasks/<int:pk>/renew", api.TaskRenew.as_view()),
]
