import django.utils.timezone
import survey.models.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('survey', '0005_slots'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attentioncheck',
            name='after_block',
            field=models.PositiveIntegerField(help_text='Number of blocks shown before it, including its own'),
        ),
        migrations.AlterField(
            model_name='attentioncheck',
            name='page',
            field=models.PositiveIntegerField(help_text='Page of the survey'),
        ),
        migrations.AlterField(
            model_name='attentioncheck',
            name='place',
            field=models.PositiveIntegerField(help_text="Position among the block's entries; 1 is first", null=True),
        ),
        migrations.AlterField(
            model_name='browser',
            name='language',
            field=models.CharField(blank=True, help_text='Language of the information page', max_length=20),
        ),
        migrations.AlterField(
            model_name='participant',
            name='consent_hash',
            field=models.CharField(blank=True, help_text='Hash of the text they agreed to', max_length=64),
        ),
        migrations.AlterField(
            model_name='participant',
            name='ending',
            field=models.CharField(blank=True, help_text='The ending whose text and code they saw', max_length=20),
        ),
        migrations.AlterField(
            model_name='participant',
            name='language',
            field=models.CharField(blank=True, help_text='Language of the pages', max_length=20),
        ),
        migrations.AlterField(
            model_name='participant',
            name='panel',
            field=models.CharField(blank=True, help_text="An expert's panel; empty for a rater", max_length=40),
        ),
        migrations.AlterField(
            model_name='participant',
            name='slot',
            field=models.PositiveIntegerField(help_text="Position in the study's balanced design", null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='first_answer_seconds',
            field=models.FloatField(help_text='Seconds in view before it', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='focus_losses',
            field=models.PositiveIntegerField(help_text='Times that focus went to another window or tab, or to the browser', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='has_check',
            field=models.BooleanField(default=False, help_text='The page also has an attention check'),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='hidden_seconds',
            field=models.FloatField(help_text='Seconds behind another tab or window', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='last_answer_seconds',
            field=models.FloatField(help_text='Seconds in view before it', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='page',
            field=models.PositiveIntegerField(help_text='Page of the survey', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='response_seconds',
            field=models.JSONField(help_text='By response id: seconds on screen with enough of it visible to read', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='unfocused_seconds',
            field=models.FloatField(help_text='Seconds in view without the focus', null=True),
        ),
        migrations.AlterField(
            model_name='presentation',
            name='visible_seconds',
            field=models.FloatField(help_text='Seconds that the page was in view', null=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='content_hash',
            field=models.CharField(help_text='SHA-256 of everything that raters see', max_length=64),
        ),
        migrations.AlterField(
            model_name='study',
            name='design_seed',
            field=models.BigIntegerField(default=survey.models.ids.new_order_seed, help_text='Seed of the balanced orders'),
        ),
        migrations.AlterField(
            model_name='study',
            name='is_rehearsal',
            field=models.BooleanField(default=False, help_text='Open as a rehearsal: every participant is a test person'),
        ),
        migrations.AlterField(
            model_name='study',
            name='loaded_at',
            field=models.DateTimeField(default=django.utils.timezone.now, help_text='When the content was last loaded'),
        ),
        migrations.AlterField(
            model_name='study',
            name='translations',
            field=models.JSONField(default=dict, help_text='Definitions in the further languages'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='key',
            field=models.CharField(blank=True, help_text='Empty once erased', max_length=200),
        ),
    ]
