"""Tables of an analysis in the form for sharing, without what others may not read."""

from typing import Any

from survey.definition.settings import Settings
from survey.models import Study
from survey.tidy import definition_of


def for_sharing(tables: dict[str, Any], study: Study) -> dict[str, Any]:
    """The tables without the reasons of decisions and the answers that the study withholds."""
    shared = dict(tables)
    if "raters" in shared:
        shared["raters"] = _without_reasons(shared["raters"])
    if "demographics" in shared:
        share = Settings.model_validate(study.settings).share
        withheld = share.withheld(definition_of(study))
        table = shared["demographics"]
        place = table["columns"].index("characteristic")
        rows = [row for row in table["rows"] if row[place] not in withheld]
        shared["demographics"] = {**table, "rows": rows}
    return shared


def _without_reasons(raters: dict[str, Any]) -> dict[str, Any]:
    """The table of raters without the reasons of manual exclusions."""
    place = raters["columns"].index("excluded_by_decision")
    rows = [
        [(value and True) if at == place else value for at, value in enumerate(row)]
        for row in raters["rows"]
    ]
    return {**raters, "rows": rows}
