"""The `share:` section of study.yaml: what the form for sharing has beyond what it always has, and
how others may use and cite it.

Participants never see it, so it may change at any time. Pure.
"""

import re
from collections.abc import Collection, Iterator
from typing import Annotated

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from pydantic import AfterValidator

from survey.definition.datasheet import Responsible
from survey.definition.parts import Part, Text
from survey.definition.study import StudyDefinition
from survey.files.suggestions import did_you_mean

#: Licences that are usual for data, for suggestions and documentation.
USUAL = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODC-By-1.0", "ODbL-1.0")
ADDRESS = re.compile(r"https?://\S+")


def _licence(text: str) -> str:
    """An SPDX licence expression, or the address of the terms. Raises ValueError."""
    if ADDRESS.fullmatch(text):
        return text
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        near = did_you_mean(text, USUAL) or f"; usual for data are {', '.join(USUAL[:4])}"
        raise ValueError(
            f"{text!r} is neither an SPDX licence (https://spdx.org/licenses) nor an address of "
            f"the terms{near}"
        ) from None


Licence = Annotated[Text, AfterValidator(_licence)]


class Sharing(Part):
    """What is shared, and on what terms."""

    #: Whether the texts of prompts, contexts and responses are shared.
    responses: bool = False
    #: Columns of participants.csv whose answers are not shared; by default those with a state.
    withhold: list[Text] | None = None
    licence: Licence | None = None
    citation: Text | None = None
    contact: Responsible = Responsible()

    def withheld(self, study: StudyDefinition) -> frozenset[str]:
        """The columns of participants.csv that are empty in the form for sharing."""
        if self.withhold is not None:
            return frozenset(self.withhold)
        asked = study.demographics
        # `state` can also come from an import into a study that does not ask for it.
        return frozenset(q.name for q in asked if q.is_withheld) | {"state"}

    def problems(self, columns: Collection[str]) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What is to be withheld and is not among the `columns` that can be: the key, and a
        message.
        """
        for place, name in enumerate(self.withhold or ()):
            if name not in columns:
                there = did_you_mean(name, columns) or f"; there is {', '.join(columns)}"
                yield ("withhold", place), f"{name!r} cannot be withheld{there}"
