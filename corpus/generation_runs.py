"""A worker's turn at the texts of a generator."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import closing

from corpus import generations
from corpus.generations import Claimed
from corpus.models import Generator
from judge.endpoints import JudgeNotReady
from judge.exchange import Reply
from judge.providers import Provider
from judge.turns import Turn


def run(
    generator_id: int,
    *,
    hand_over: Callable[[], None] = lambda: None,
    is_ending: Callable[[], bool] = lambda: False,
) -> bool:
    """Generate due texts for one turn. True if another turn should follow at once. See
    `judge.runs.run`.
    """
    generator = Generator.objects.filter(pk=generator_id).first()
    if generator is None or generator.stopped:
        return False
    try:
        here = generations.check_endpoint(generator.read_configuration())
    except JudgeNotReady as problem:
        generations.stop(generator_id, str(problem))
        return False
    generations.take_up(generator_id)
    generations.recover(generator_id)
    provider = Provider.at(
        here, model_source=f"served_as in the generation file, or {here.variable('MODEL')}"
    )
    with closing(provider):
        return Turn(_Texts(generator_id), here, provider, is_ending).take(hand_over)


class _Texts:
    """The line of a generator's texts."""

    def __init__(self, generator_id: int) -> None:
        self.generator_id = generator_id

    def claim(self) -> Claimed | None:
        return generations.claim(self.generator_id)

    def renew(self, tokens: Iterable[str]) -> None:
        generations.renew(tokens)

    def record(self, claimed: Claimed, outcome: Future[Reply]) -> Reply | None:
        return generations.record(claimed, outcome)

    def seconds_until_due(self) -> float | None:
        return generations.seconds_until_due(self.generator_id)

    def is_worked_on(self) -> bool:
        return generations.is_worked_on(self.generator_id)
