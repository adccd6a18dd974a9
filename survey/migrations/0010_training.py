"""Attempts at the comprehension check and tries at training items; a page has its times once."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("survey", "0009_signing_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="ComprehensionAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="1 for the first attempt")),
                ("answers", models.JSONField()),
                ("passed", models.BooleanField(help_text="Every answer was right")),
                ("answered_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["participant", "number"],
            },
        ),
        migrations.CreateModel(
            name="TrainingAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="Name of the training item", max_length=100)),
                ("number", models.PositiveIntegerField(help_text="1 for the first try")),
                ("ratings", models.JSONField()),
                (
                    "within",
                    models.BooleanField(help_text="Every rating was within its expected range"),
                ),
                ("answered_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["participant", "id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="pagetime",
            name="page_time_once",
        ),
        migrations.AlterField(
            model_name="pagetime",
            name="kind",
            field=models.CharField(
                choices=[
                    ("screening", "Screening"),
                    ("instructions", "Instructions"),
                    ("comprehension", "Comprehension check"),
                    ("training", "Training"),
                    ("closing", "Closing"),
                    ("demographics", "Demographics"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="participant",
            name="status",
            field=models.CharField(
                choices=[
                    ("arrived", "Arrived"),
                    ("in_progress", "In Progress"),
                    ("completed", "Completed"),
                    ("failed_comprehension", "Failed Comprehension"),
                    ("screened_out", "Screened Out"),
                    ("declined", "Declined"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="arrived",
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="pagetime",
            constraint=models.UniqueConstraint(
                fields=("participant", "page"), name="page_time_page"
            ),
        ),
        migrations.AddField(
            model_name="comprehensionattempt",
            name="participant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="comprehension_attempts",
                to="survey.participant",
            ),
        ),
        migrations.AddField(
            model_name="trainingattempt",
            name="participant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="training_attempts",
                to="survey.participant",
            ),
        ),
        migrations.AddConstraint(
            model_name="comprehensionattempt",
            constraint=models.UniqueConstraint(
                fields=("participant", "number"), name="comprehension_attempt_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="comprehensionattempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1), ("number__lte", 2)),
                name="comprehension_attempt_allowed",
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingattempt",
            constraint=models.UniqueConstraint(
                fields=("participant", "name", "number"), name="training_attempt_once"
            ),
        ),
    ]
