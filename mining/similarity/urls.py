from django.urls import path

from similarity import api, encoder_api

urlpatterns = [
    path("encoders", encoder_api.Encoders.as_view()),
    path("encoders/<str:encoder>", encoder_api.EncoderDetail.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/embeddings", api.Embeddings.as_view()),
    path("datasets/<str:reference>/versions/<str:number>/similar", api.SimilarSamples.as_view()),
]
