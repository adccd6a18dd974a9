"""What pages call a block. Pure."""

from survey.definition.labels import Labels


def block_label(labels: Labels, scenario: str, set_name: str) -> str:
    """Scenario and set by their labels: `Birthday, set A`; a study's only set has no name."""
    label = labels.text("scenarios", scenario)
    return label + (f", set {labels.text('sets', set_name)}" if set_name else "")
