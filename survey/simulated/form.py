"""A form on a page that a simulated rater opened."""

import json

from selectolax.lexbor import LexborNode

#: Inputs that take any value.
TYPED = ("text", "number", "range")
Answers = list[tuple[str, str]]


class Form:
    """The form on a page: its preset values, and its choices."""

    def __init__(self, element: LexborNode) -> None:
        self.action = element.attributes.get("action") or ""
        #: Which part before the blocks it belongs to, if any.
        self.part = element.attributes.get("data-part") or ""
        #: The place of the training item that it rates, 1 for the first; 0 if it rates none.
        self.item = int(element.attributes.get("data-item") or 0)
        self.hidden: Answers = []
        self.inputs: dict[str, list[LexborNode]] = {}
        for tag in element.css("input, select, textarea, button"):
            name = tag.attributes.get("name") or ""
            if tag.attributes.get("type") == "hidden":
                self.hidden.append((name, value_of(tag)))
            elif name:
                self.inputs.setdefault(name, []).append(tag)

    def offers(self, name: str, value: str) -> bool:
        """Whether a person could answer this."""
        tags = self.inputs.get(name, [])
        if any(tag.tag == "textarea" or tag.attributes.get("type") in TYPED for tag in tags):
            return True
        if tags and tags[0].tag == "select":
            tags = tags[0].css("option")
        return any(
            value_of(tag) == value
            for tag in tags
            if tag.tag != "input" or tag.attributes.get("type") in ("radio", "checkbox")
        )

    @property
    def attempt(self) -> int:
        """The number of the attempt that it sends."""
        return next(int(value) for name, value in self.hidden if name == "attempt-number")

    def measure(self, name: str, values: dict[str, object]) -> None:
        """Fill in the hidden input that a page's script writes its measurements to."""
        if any(hidden == name for hidden, _ in self.hidden):
            self.hidden = [pair for pair in self.hidden if pair[0] != name]
            self.hidden.append((name, json.dumps(values)))


def value_of(tag: LexborNode) -> str:
    """The value that an input or an option sends."""
    # an attribute without a value is None
    return tag.attributes.get("value", tag.text(strip=True)) or ""
