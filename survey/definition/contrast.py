"""What a study compares: two groups of systems, by their condition. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

#: A model in a condition.
System = tuple[str, str]


@dataclass(frozen=True)
class ComparedGroups:
    """The systems in condition a and in b, and the models that are in both, in order."""

    a: tuple[System, ...]
    b: tuple[System, ...]
    models: tuple[str, ...]

    @property
    def is_within(self) -> bool:
        """Whether every model is in both conditions, so that each is compared with itself."""
        return {model for model, _ in (*self.a, *self.b)} == set(self.models)

    @property
    def of_models(self) -> dict[str, dict[System, float]]:
        """The weights of a less b in each model that is in both conditions."""
        a, b = self.a[0][1], self.b[0][1]
        return {model: {(model, a): 1.0, (model, b): -1.0} for model in self.models}

    @property
    def of_all(self) -> dict[System, float]:
        """The weights of the mean of all systems in a less that of all in b."""
        of_a = {system: 1 / len(self.a) for system in self.a}
        return of_a | {system: -1 / len(self.b) for system in self.b}

    @property
    def in_words(self) -> str:
        """For people who made the study: `base against tuned, within each of 3 models`."""
        (_, a), (_, b) = self.a[0], self.b[0]
        if self.is_within:
            n = len(self.models)
            return f"{a} against {b}, within {'the model' if n == 1 else f'each of {n} models'}"
        with_both = len(self.models)
        both = f"only {with_both} of the models" if with_both else "no model"
        sides = " against ".join(
            f"{'the mean of ' if len(of) > 1 else ''}{len(of)} system{'' if len(of) == 1 else 's'}"
            f" in {name}"
            for name, of in ((a, self.a), (b, self.b))
        )
        return f"{sides}: {both} {'has' if with_both < 2 else 'have'} both conditions"


def comparison_of(
    systems: Iterable[System], condition_a: str | None, condition_b: str | None
) -> ComparedGroups | None:
    """What the systems of a study allow to compare; None where it names no two conditions, or has
    no system in one of them.
    """
    known = list(dict.fromkeys(systems))
    a = tuple(each for each in known if each[1] == condition_a)
    b = tuple(each for each in known if each[1] == condition_b)
    if not a or not b:
        return None
    in_b = {model for model, _ in b}
    return ComparedGroups(a, b, tuple(model for model, _ in a if model in in_b))
