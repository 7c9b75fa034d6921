from django.urls import path

from benchmarks import views

urlpatterns = [
    path("figures/<int:image_id>/", views.figure_image, name="figure-image"),
    path("figures/<int:image_id>/small/", views.figure_rendition, name="figure-rendition"),
    path("releases/<slug:slug>/template.csv", views.release_template_file, name="release-template"),
]
