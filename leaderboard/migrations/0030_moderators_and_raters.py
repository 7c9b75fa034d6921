"""The groups "moderators" and "raters", and what moderators may do. Permissions are only made after all migrations, so
those of the groups are made here; what Django makes afterwards finds them."""

from django.db import migrations

LOOK = {
    "benchmarks": ("benchmark", "release", "figure", "figureimage", "question", "description", "reference", "labeldoubt", "staffaction"),
    "judging": ("promptset", "judgespec", "judgerun", "judgement", "endpoint", "referencerequest"),
    "panel": ("rating", "ratingfile"),
    "submissions": ("submission", "evaluatedmodel", "team", "teamverification", "limitraise"),
}
"""Nobody's tokens, accounts or addresses are among it."""
DO = (
    ("benchmarks", "description", "approve_description", "Can approve descriptions and send them back"),
    ("benchmarks", "assignment", "assign_figure", "Can assign figures to annotators"),
    ("benchmarks", "questionreport", "view_questionreport", "Can view question report"),
    ("benchmarks", "questionreport", "change_questionreport", "Can change question report"),
    ("judging", "judgement", "change_judgement", "Can change judgement"),
    ("judging", "judgementforreview", "review_judgement", "Can ask again for a verdict, and exclude a judgement"),
    ("judging", "judgerun", "change_judgerun", "Can change judge run"),
    ("submissions", "submission", "change_submission", "Can change submission"),
    ("submissions", "rankingdecision", "add_rankingdecision", "Can add ranking decision"),
    ("submissions", "verificationdecision", "add_verificationdecision", "Can add verification decision"),
    ("submissions", "teamverification", "add_teamverification", "Can add team verification"),
)


def make_groups(apps, schema_editor):
    group = apps.get_model("auth", "Group")
    group.objects.get_or_create(name="raters")
    members, _ = group.objects.get_or_create(name="moderators")
    for app, models in LOOK.items():
        for model in models:
            words = apps.get_model(app, model)._meta.verbose_name
            members.permissions.add(permission_of(apps, app, model, f"view_{model}", f"Can view {words}"))
    for app, model, codename, about in DO:
        members.permissions.add(permission_of(apps, app, model, codename, about))


def permission_of(apps, app, model, codename, about):
    of, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label=app, model=model)
    found, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=of, codename=codename, defaults={"name": about}
    )
    return found


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0029_studies"),
        ("benchmarks", "0018_staff_actions"),
        ("judging", "0020_dry_runs"),
        ("panel", "0004_study_guards"),
        ("submissions", "0019_fact_changes"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    # Backwards the groups stay: people are in them, and the database keeps their names.
    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
