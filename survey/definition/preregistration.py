"""The `preregistration:` section of study.yaml: what a plan says that no setting tells.

Researchers and readers see it, participants never do, so it may change until the plan is locked.
Pure.
"""

from collections.abc import Collection, Iterator

from pydantic import field_validator

from survey.definition.parts import Part, Text, refuse_repeats
from survey.files.suggestions import nearest


class Primary(Part):
    """The comparison that the study is about: by which recipe, on which dimension, of which model.

    Without a recipe it is the first whose units are raters, without a dimension each of them,
    without a model all models together.
    """

    recipe: Text | None = None
    dimension: Text | None = None
    model: Text | None = None


class Preregistration(Part):
    """The question and the hypotheses in words, the comparison that answers them, why so many
    participants are asked, and what else will be looked at.
    """

    question: Text | None = None
    hypotheses: list[Text] = []
    primary: Primary = Primary()
    sample_size: Text | None = None
    exploratory: list[Text] = []

    @field_validator("hypotheses", "exploratory")
    @classmethod
    def _each_once(cls, texts: list[str]) -> list[str]:
        refuse_repeats("text", texts)
        return texts

    def problems(
        self,
        *,
        recipes: Collection[str],
        dimensions: Collection[str],
        models: Collection[str],
    ) -> Iterator[tuple[tuple[str, str], str]]:
        """Names of the primary comparison that the study lacks: the key, and a message."""
        known = {"recipe": recipes, "dimension": dimensions, "model": models}
        for key, names in known.items():
            name = getattr(self.primary, key)
            if name is not None and name not in names:
                near = nearest(name, names)
                there = (
                    f"did you mean {near!r}?" if near else f"there is {', '.join(names) or 'none'}"
                )
                yield ("primary", key), f"the study has no {key} {name!r}; {there}"
