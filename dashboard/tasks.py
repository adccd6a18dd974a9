"""What workers do for researchers' pages. Safe to run twice: the database says what is due."""

from celery import shared_task

from config.celery import wake
from dashboard.share import package_making, packages


@shared_task(name="dashboard.package")
def package(package_id: int) -> None:
    """Make a package, unless it is done or another worker makes it."""
    package_making.make_package(package_id)


@shared_task(name="dashboard.sweep")
def sweep() -> None:
    """Remove what was kept long enough; wake a worker for every package that waits or was lost."""
    packages.remove_old_packages()
    for package_id in packages.packages_to_wake():
        wake("dashboard.package", package_id)
