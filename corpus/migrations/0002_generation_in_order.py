from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("corpus", "0001_initial"),
    ]

    operations = [
        migrations.RemoveField(model_name="sample", name="generation"),
        migrations.AddField(
            model_name="sample",
            name="generation",
            field=models.TextField(
                blank=True,
                default="",
                help_text="JSON, as text: PostgreSQL's own has no order of keys, which is that of systems. See corpus.definition.GenerationDefinition; empty before the first",
            ),
            preserve_default=False,
        ),
    ]
