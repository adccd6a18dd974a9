"""Workers' tasks for generated texts. Safe to run twice: the database says what is due."""

from functools import partial

from celery import shared_task

from config.celery import is_ending, wake
from corpus import generation_runs, generations


@shared_task(name="corpus.generate")
def generate(generator_id: int) -> None:
    """Generate a generator's texts for one turn, and come back if there is more."""
    again = partial(wake, "corpus.generate", generator_id)
    if generation_runs.run(generator_id, hand_over=again, is_ending=is_ending):
        again()
        return
    # Generators that waited for a slot at the same endpoint.
    for other in generations.generators_to_wake(besides=generator_id):
        wake("corpus.generate", other)


@shared_task(name="corpus.sweep")
def sweep() -> None:
    """Take back texts of lost workers; wake a worker for due ones."""
    for generator_id in generations.with_lost_texts():
        generations.recover(generator_id)
    for generator_id in generations.generators_to_wake():
        wake("corpus.generate", generator_id)
