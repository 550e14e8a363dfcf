from django.urls import path

from labeling.quality import api

urlpatterns = [
    path("labeling/queues/<str:reference>/agreement", api.QueueAgreement.as_view()),
    path("labeling/queues/<str:reference>/gold", api.QueueGold.as_view()),
    path("labeling/reviews", api.Reviews.as_view()),
    path("labeling/reviews/<int:pk>", api.ReviewDetail.as_view()),
    path("labeling/reviews/<int:pk>/decide", api.ReviewDecide.as_view()),
    path("labeling/reviews/<int:pk>/reopen", api.ReviewReopen.as_view()),
    path("labeling/people", api.People.as_view()),
    path("labeling/people/me", api.PeopleMe.as_view()),
]
