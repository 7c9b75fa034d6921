from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "benchmarks.submissions"
    label = "submissions"
    verbose_name = "Submissions: what was answered"
