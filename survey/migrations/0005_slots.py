"""What was called a place is called a slot, as its number always was."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("survey", "0004_rehearsal")]

    operations = [
        migrations.RenameModel("Place", "Slot"),
        migrations.RemoveConstraint("slot", "place_once"),
        migrations.RenameField("slot", "slot", "number"),
        migrations.AlterModelOptions("slot", {"ordering": ["study", "pool", "number"]}),
        migrations.AlterField(
            "slot",
            "participant",
            models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="held_slot",
                to="survey.participant",
            ),
        ),
        migrations.AlterField(
            "slot",
            "study",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="slots",
                to="survey.study",
            ),
        ),
        migrations.AddConstraint(
            "slot",
            models.UniqueConstraint(fields=["study", "pool", "number"], name="slot_once"),
        ),
    ]
