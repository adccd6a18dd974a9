import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0005_conditions_in_scenarios'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='analysisrun',
            name='fingerprint',
            field=models.CharField(blank=True, help_text='Digest of everything that results depend on', max_length=64),
        ),
        migrations.AlterField(
            model_name='manualdecision',
            name='author',
            field=models.ForeignKey(help_text='Empty if a command decided', null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='raterquality',
            name='included',
            field=models.BooleanField(help_text='False without an exclusion: still in progress, so in no step'),
        ),
        migrations.AlterField(
            model_name='result',
            name='content',
            field=models.JSONField(help_text="A table as {columns, rows}; a figure as Plotly's {data, layout}; other data as its page needs them"),
        ),
    ]
