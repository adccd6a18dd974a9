"""Rehearsals, and random completion codes. A study that is open stays open for real."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("survey", "0003_focus_and_page_times")]

    operations = [
        migrations.AddField(
            "study",
            "is_rehearsal",
            models.BooleanField(
                default=False, help_text="Opened for trying out: whoever comes is a test person"
            ),
        ),
        migrations.AddField(
            "study",
            "random_codes",
            models.JSONField(
                default=dict, help_text="Completion code by ending, the same in all versions"
            ),
        ),
    ]
