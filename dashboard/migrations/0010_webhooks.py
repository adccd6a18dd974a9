import django.db.models.deletion
import django.utils.timezone
import survey.models.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('dashboard', '0007_notices'),
    ]

    operations = [
        migrations.CreateModel(
            name='EventSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(help_text="Of Prolific's API", max_length=200)),
                ('workspace', models.CharField(help_text='Its id on Prolific', max_length=100)),
                ('key', models.CharField(default=survey.models.ids.new_secret, help_text='In the address for events', max_length=64, unique=True)),
                ('target', models.CharField(help_text='The address for events, as subscribed', max_length=300)),
                ('encrypted_secret', models.TextField()),
                ('confirmed_at', models.DateTimeField(help_text='Empty until Prolific confirms it', null=True)),
                ('last_event_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('address', 'workspace'), name='event_subscription_once')],
            },
        ),
        migrations.AddField(
            model_name='recruitment',
            name='events',
            field=models.ForeignKey(help_text='Those of its workspace', null=True, on_delete=django.db.models.deletion.SET_NULL, to='dashboard.eventsubscription'),
        ),
        migrations.CreateModel(
            name='ReceivedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(help_text="Prolific's X-Event-ID", max_length=200)),
                ('event_type', models.CharField(max_length=60)),
                ('resource', models.CharField(blank=True, help_text='Of a submission or study; empty once followed up', max_length=100)),
                ('received_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('claimed_at', models.DateTimeField(help_text='By a worker', null=True)),
                ('followed_up_at', models.DateTimeField(null=True)),
                ('subscription', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='dashboard.eventsubscription')),
            ],
            options={
                'indexes': [models.Index(fields=['followed_up_at', 'claimed_at'], name='event_to_follow')],
                'constraints': [models.UniqueConstraint(fields=('subscription', 'event_id'), name='received_event_once')],
            },
        ),
    ]
