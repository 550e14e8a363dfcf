from django.urls import path

from lakes import api

LAKE = "datasets/<str:reference>/lake"
urlpatterns = [
    path(LAKE, api.Lake.as_view()),
    path(f"{LAKE}/parts", api.Parts.as_view()),
    path(f"{LAKE}/parts/<int:pk>", api.PartDetail.as_view()),
    path(f"{LAKE}/frames", api.Frames.as_view()),
    path(f"{LAKE}/frame", api.Frame.as_view()),
    path(f"{LAKE}/bytes/<str:word>", api.FrameBytes.as_view()),
    path(f"{LAKE}/bytes/<str:word>/thumb", api.FrameThumb.as_view()),
    path(f"{LAKE}/scans", api.Scans.as_view()),
    path(f"{LAKE}/scans/<int:pk>", api.ScanDetail.as_view()),
]
