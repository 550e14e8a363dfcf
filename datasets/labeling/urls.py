from django.urls import path

from jobs.lifecycle.api.views import lifecycle_paths
from labeling.api import comments, queues, reviews, tasks, waiting

urlpatterns = [
    path("labeling/queues/<str:reference>/agreement", reviews.QueueAgreement.as_view()),
    path("labeling/queues/<str:reference>/statistics", queues.QueueStatistics.as_view()),
    path("labeling/queues/<str:reference>/gold", reviews.QueueGold.as_view()),
    path("labeling/reviews", reviews.Reviews.as_view()),
    path("labeling/reviews/<int:pk>", reviews.ReviewDetail.as_view()),
    path("labeling/reviews/<int:pk>/decide", reviews.ReviewDecide.as_view()),
    path("labeling/reviews/<int:pk>/reopen", reviews.ReviewReopen.as_view()),
    path("labeling/waiting", waiting.Waiting.as_view()),
    path("labeling/people", reviews.People.as_view()),
    path("labeling/people/me", reviews.PeopleMe.as_view()),
    *lifecycle_paths("labeling/queues", "queue"),
    path("labeling/queues", queues.Queues.as_view()),
    path("labeling/queues/<str:reference>", queues.QueueDetail.as_view()),
    path("labeling/queues/<str:reference>/next", queues.QueueNext.as_view()),
    path("labeling/queues/<str:reference>/answers", queues.QueueAnswers.as_view()),
    path("labeling/queues/<str:reference>/tasks", queues.QueueTasks.as_view()),
    path("labeling/queues/<str:reference>/requeue", queues.QueueRequeue.as_view()),
    path("labeling/queues/<str:reference>/samples", queues.QueueSamples.as_view()),
    path("labeling/queues/<str:reference>/commit", queues.QueueCommit.as_view()),
    path("labeling/queues/<str:reference>/hold", queues.QueueHold.as_view()),
    path("labeling/tasks/<int:pk>/answer", tasks.TaskAnswer.as_view()),
    path("labeling/tasks/<int:pk>/skip", tasks.TaskSkip.as_view()),
    path("labeling/tasks/<int:pk>/undo", tasks.TaskUndo.as_view()),
    path("labeling/tasks/<int:pk>/renew", tasks.TaskRenew.as_view()),
    path("labeling/tasks/<int:pk>/flag", tasks.TaskFlag.as_view()),
    path("labeling/tasks/<int:pk>/comments", comments.TaskComments.as_view()),
    path("labeling/comments", comments.Comments.as_view()),
    path("labeling/comments/<int:pk>", comments.CommentDetail.as_view()),
]
