from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0001_initial'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='cost_is_estimate',
            field=models.BooleanField(default=False, help_text='Estimated from its length or earlier calls; the endpoint gave no cost'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='error',
            field=models.TextField(blank=True, help_text='What went wrong, in words'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='is_repair',
            field=models.BooleanField(default=False, help_text='Repeats a request whose answer was unusable'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='request',
            field=models.JSONField(help_text='The request exactly as sent'),
        ),
        migrations.AlterField(
            model_name='call',
            name='error',
            field=models.TextField(blank=True, help_text='Why it failed, in words'),
        ),
        migrations.AlterField(
            model_name='call',
            name='forgiven',
            field=models.PositiveIntegerField(default=0, help_text='Attempts before a researcher asked to try again; they no longer count'),
        ),
        migrations.AlterField(
            model_name='call',
            name='not_before',
            field=models.DateTimeField(help_text='Backoff: not asked again before then', null=True),
        ),
        migrations.AlterField(
            model_name='call',
            name='order',
            field=models.JSONField(help_text="Ids of a block's responses in the order shown to the judge", null=True),
        ),
        migrations.AlterField(
            model_name='endpoint',
            name='not_before',
            field=models.DateTimeField(help_text='The endpoint asked for no requests before then', null=True),
        ),
        migrations.AlterField(
            model_name='golddecision',
            name='why',
            field=models.CharField(help_text='Its cause, in words', max_length=200),
        ),
        migrations.AlterField(
            model_name='goldset',
            name='made_by',
            field=models.CharField(blank=True, help_text='Who made them, if the file says so', max_length=200),
        ),
        migrations.AlterField(
            model_name='judge',
            name='failures_in_a_row',
            field=models.PositiveIntegerField(default=0, help_text='Failures since the last answer'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='is_current',
            field=models.BooleanField(default=True, help_text='False: an earlier version that no longer scores'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='is_stand_in',
            field=models.BooleanField(default=False, help_text='True: no language model made these scores'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='model',
            field=models.CharField(help_text='Model name sent to the endpoint', max_length=200),
        ),
        migrations.AlterField(
            model_name='judge',
            name='not_before',
            field=models.DateTimeField(help_text='Backoff: no calls before then', null=True),
        ),
        migrations.AlterField(
            model_name='judge',
            name='stopped',
            field=models.TextField(blank=True, help_text='Why its calls are stopped, or empty'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='woken_at',
            field=models.DateTimeField(help_text='A worker was woken then and has not started yet', null=True),
        ),
    ]
