"""Counts of what people were shown have their slots, too: those from before are made again."""

from typing import Any

from django.db import migrations


def forget(apps: Any, schema_editor: Any) -> None:
    apps.get_model("dashboard", "ChunkCounts").objects.filter(subject__startswith="shown, ").delete()


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0024_states_of_submissions")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
