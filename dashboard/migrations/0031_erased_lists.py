"""Lists of submissions are erased with the end of their job; what earlier versions left goes."""

from typing import Any

from django.db import migrations


def erase(apps: Any, schema_editor: Any) -> None:
    uploads = apps.get_model("dashboard", "SubmissionUpload").objects.exclude(packed=b"")
    uploads.exclude(state__in=("waiting", "running")).update(packed=b"")


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0030_known_durations")]

    operations = [migrations.RunPython(erase, migrations.RunPython.noop)]
