"""What workers do for researchers' pages. Safe to run twice: the database says what is due."""

from celery import shared_task
from django.utils import timezone

from config.celery import is_ending, wake
from config.sessions import SessionStore
from dashboard.api.counting_ahead import count_ahead, large_studies
from dashboard.corpora import asking
from dashboard.notices import sending
from dashboard.payments import carrying_out
from dashboard.prolific import following_up, polling
from dashboard.share import packages
from jobs.tasks import wake_waiting


@shared_task(name="dashboard.count")
def count(study_id: int) -> None:
    """Count what pages and API need of a large study."""
    count_ahead(study_id)


@shared_task(name="dashboard.prolific")
def prolific(recruitment_id: int) -> None:
    """Read the submissions of a study on Prolific, unless another worker has just done so."""
    polling.read_submissions_of(recruitment_id, at=timezone.now())


@shared_task(name="dashboard.notices")
def notices(slug: str) -> None:
    """Send the followers of a study what they do not know yet."""
    sending.tell_followers(slug, at=timezone.now())


@shared_task(name="dashboard.prolific_events")
def prolific_events() -> None:
    """Follow up the events of Prolific that no other worker follows up."""
    following_up.follow_up_all(now=timezone.now)


@shared_task(name="dashboard.pay")
def pay(order_id: int) -> None:
    """Carry out what a researcher confirmed, unless another worker does."""
    carrying_out.carry_out(order_id, at=timezone.now(), is_ending=is_ending)


@shared_task(name="dashboard.sweep")
def sweep() -> None:
    """Wake a worker for what waits or was lost; remove what was kept long enough."""
    now = timezone.now()
    wake_waiting("dashboard")
    for recruitment_id in polling.recruitments_to_read(at=now):
        wake("dashboard.prolific", recruitment_id)
    for slug in sending.slugs_to_look_at(at=now):
        wake("dashboard.notices", slug)
    if following_up.events_to_follow_up(at=now):
        wake("dashboard.prolific_events")
    for order_id in carrying_out.orders_to_carry_out(at=now):
        wake("dashboard.pay", order_id)
    for study_id in large_studies():
        wake("dashboard.count", study_id)
    packages.remove_old_packages()
    following_up.remove_old_events(at=now)
    asking.remove_leftovers()
    asking.forget_uploads()
    SessionStore.clear_expired()
