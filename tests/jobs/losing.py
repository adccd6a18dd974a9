"""Workers that lose a job."""

from jobs.models import Job
from jobs.runner import Store, Taken, run_job, work_of


def lost_before_it_is_stored(job: Job) -> None:
    """Do a job; after its computing and before its storing, another worker takes it over."""
    work = work_of(type(job))

    def late(taken: Taken[Job]) -> Store:
        store = work(taken)
        rows = type(job)._default_manager.filter(pk=job.pk)
        rows.update(lease_token="another worker's")
        return store

    run_job(type(job), job.pk, work=late)
