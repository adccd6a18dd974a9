"""Who holds a slot of which pool stands with the participant too, so that an index finds who has
been inactive longest.
"""

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def note_holders(apps, schema_editor):
    slots = apps.get_model("survey", "Slot").objects.order_by()
    held = Subquery(slots.filter(participant=OuterRef("pk")).values("pool"))
    people = apps.get_model("survey", "Participant").objects
    people.filter(pk__in=slots.exclude(participant=None).values("participant")).update(
        held_pool=held
    )


class Migration(migrations.Migration):
    dependencies = [("survey", "0007_half_points")]

    operations = [
        migrations.AddField(
            "participant",
            "held_pool",
            models.CharField(
                blank=True,
                default="",
                help_text="Pool of the slot that they hold; empty if none",
                max_length=10,
            ),
            preserve_default=False,
        ),
        migrations.AddIndex(
            "participant",
            models.Index(
                fields=["study", "held_pool", "status", "last_seen_at", "slot"],
                name="participant_inactive",
            ),
        ),
        migrations.AddIndex(
            "slot",
            models.Index(fields=["study", "pool", "participant", "number"], name="slot_left"),
        ),
        migrations.RunPython(note_holders, migrations.RunPython.noop, elidable=True),
    ]
