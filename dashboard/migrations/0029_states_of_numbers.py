"""PostgreSQL compares people in chunks by hashes of numbers, not of texts: chunks from before are
counted again.
"""

from typing import Any

from django.db import migrations


def forget(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        apps.get_model("dashboard", "ChunkCounts").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0028_slugs_with_keys")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
