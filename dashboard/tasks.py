"""What workers do for researchers' pages. Safe to run twice: the database says what is due.

As in `analysis.tasks`, what computes is imported with the first task that needs it.
"""

from celery import shared_task
from django.utils import timezone

from config.celery import is_ending, wake
from config.sessions import SessionStore
from dashboard.api.counting_ahead import count_ahead, large_studies
from dashboard.corpora import asking
from dashboard.design import plan_options
from dashboard.design.models import PlannedGrid
from dashboard.notices import sending
from dashboard.payments import carrying_out
from dashboard.prolific import following_up, polling
from dashboard.raters import uploads
from dashboard.raters.models import SubmissionUpload
from dashboard.rehearsal import simulations
from dashboard.share import packages
from dashboard.share.models import Package
from jobs.leases import seconds_at_most


@shared_task(name="dashboard.package", time_limit=seconds_at_most(Package))
def package(package_id: int) -> None:
    """Make a package, unless it is done or another worker makes it."""
    from dashboard.share import package_making

    package_making.make_package(package_id)


@shared_task(name="dashboard.plan", time_limit=seconds_at_most(PlannedGrid))
def plan(plan_id: int) -> None:
    """Compute a plan, unless it is done or another worker computes it."""
    from dashboard.design import plan_making

    plan_making.make_plan(plan_id)


@shared_task(name="dashboard.corpus")
def corpus(job_id: int) -> None:
    """Do what was asked for with a corpus or a sample, unless another worker does."""
    from dashboard.corpora import making

    making.execute(job_id)


@shared_task(name="dashboard.simulate")
def simulate(simulation_id: int) -> None:
    """Send simulated raters, unless another worker does."""
    simulations.simulate(simulation_id, is_ending=is_ending)


@shared_task(name="dashboard.count")
def count(study_id: int) -> None:
    """Count what pages and API need of a large study."""
    count_ahead(study_id)


@shared_task(name="dashboard.prolific")
def prolific(recruitment_id: int) -> None:
    """Read the submissions of a study on Prolific, unless another worker has just done so."""
    polling.read_submissions_of(recruitment_id, at=timezone.now())


@shared_task(name="dashboard.submissions", time_limit=seconds_at_most(SubmissionUpload))
def submissions(upload_id: int) -> None:
    """Take in long lists of submissions, unless another worker does."""
    uploads.take_in(upload_id)


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
    """Remove what was kept long enough; wake a worker for what waits or was lost."""
    packages.remove_old_packages()
    following_up.remove_old_events(at=timezone.now())
    asking.remove_leftovers()
    uploads.forget_files()
    SessionStore.clear_expired()
    for job_id in asking.jobs_to_wake():
        wake("dashboard.corpus", job_id)
    for plan_id in plan_options.plans_to_wake():
        wake("dashboard.plan", plan_id)
    for simulation_id in simulations.simulations_to_wake():
        wake("dashboard.simulate", simulation_id)
    for upload_id in uploads.uploads_to_wake():
        wake("dashboard.submissions", upload_id)
    for recruitment_id in polling.recruitments_to_read(at=timezone.now()):
        wake("dashboard.prolific", recruitment_id)
    for slug in sending.slugs_to_look_at(at=timezone.now()):
        wake("dashboard.notices", slug)
    if following_up.events_to_follow_up(at=timezone.now()):
        wake("dashboard.prolific_events")
    for order_id in carrying_out.orders_to_carry_out(at=timezone.now()):
        wake("dashboard.pay", order_id)
    for package_id in packages.packages_to_wake():
        wake("dashboard.package", package_id)
    for study_id in large_studies():
        wake("dashboard.count", study_id)
