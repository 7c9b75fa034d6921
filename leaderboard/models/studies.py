"""What studies tell of people and judges, made by the sweeping thread of what people rated."""

from django.db import models

from benchmarks.models import Release
from judging.models import JudgeSpec
from judging.panel.models import RatingFile
from leaderboard.models.kept import KeptDocument


class StudyReport(KeptDocument):
    """What a file of ratings tells of people and judges (leaderboard.results.studies). parts: of
    each release and dimension (studies/report.py). stamp: what it was made of. is_shown: whether
    there is anything that everybody may see. is_made_up: of samples that ship with the project
    alone."""

    file = models.OneToOneField(RatingFile, on_delete=models.CASCADE, related_name="report")
    stamp = models.CharField(max_length=64)
    parts = models.JSONField(default=list)
    is_shown = models.BooleanField(default=False)
    is_made_up = models.BooleanField(default=False, db_default=False)
    computed = models.DateTimeField()

    def __str__(self) -> str:
        return f"report of {self.file_id}"


class StudyAnswer(models.Model):
    """Whether a judge may stand in for a person, by one study. agreement, people: how often the
    judge, and single people, say what most people say, as figures of `StudyReport.parts`. missing:
    labels, where there are not enough."""

    report = models.ForeignKey(StudyReport, on_delete=models.CASCADE, related_name="answers")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.CASCADE, related_name="+")
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    dimension = models.CharField(max_length=50)
    answer = models.CharField(max_length=20)
    missing = models.PositiveIntegerField(default=0)
    agreement = models.JSONField()
    people = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["report", "judge_spec", "release", "dimension"],
                name="one_answer_per_judge_and_study",
            )
        ]

    def __str__(self) -> str:
        return f"{self.answer} of {self.judge_spec_id}"
