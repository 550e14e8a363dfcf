from django.urls import path

from similarity import api

urlpatterns = [
    path("datasets/<str:reference>/versions/<str:number>/embeddings", api.Embeddings.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/similar", api.SimilarSamples.as_view()),
]
