"""YAML that is read with bounded work, whatever a file of few bytes asks for.

The reader that keeps places takes some 50 µs for each key and value, and doubles its work with
every level of keys that are lists. So a file has a number of lines and of values, an alias counts
as all that it stands for, and keys are texts.
"""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.constructor import ConstructorError, RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.scanner import RoundTripScanner, ScannerError

#: Levels of nesting; no study or recipe needs ten.
DEEPEST = 50
#: Bytes and lines of a file; keys and values, those of an alias each time that it is used; and
#: characters of a number. The largest example has 3,700 values.
LARGEST = 1_000_000
MOST_LINES = 20_000
MOST_VALUES = 8_000
LONGEST_NUMBER = 100
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def load(text: str) -> Any:
    """What a YAML text says, with places. Raises YAMLError: of `MarkedYAMLError`s, the place."""
    yaml = YAML(typ="rt")
    yaml.Scanner, yaml.Composer, yaml.Constructor = _Scanner, _Composer, _Constructor
    return yaml.load(text)


class _Scanner(RoundTripScanner):
    """Refuses deep nesting where it begins.

    The parser would find it too deep for itself only after the scanner has read all open brackets,
    to each of which it goes back at every further token: 5,000 of them took half a minute.
    """

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:
        self._refuse_depth()
        super().fetch_flow_collection_start(TokenClass, to_push)

    def add_indent(self, column: int) -> bool:
        self._refuse_depth()
        added: bool = super().add_indent(column)
        return added

    def _refuse_depth(self) -> None:
        if len(self.flow_context) + len(self.indents) > DEEPEST:
            message = f"more than {DEEPEST} levels of nesting"
            raise ScannerError(None, None, message, self.reader.get_mark())


class _Composer(Composer):
    """Counts keys and values while they are read."""

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self._values = 0
        #: The values of each anchor that was read to its end.
        self._of_anchor: dict[str, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.parser.peek_event()
        before = self._values
        if isinstance(event, AliasEvent):
            if event.anchor in self.anchors and event.anchor not in self._of_anchor:
                raise _refused(f"*{event.anchor} stands for something that it is in itself", event)
            self._values += self._of_anchor.get(event.anchor, 0)
        else:
            self._of_anchor.pop(event.anchor, None)  # the name is used again
            self._values += 1
        if self._values > MOST_VALUES:
            raise _refused(f"more than {MOST_VALUES:,} keys and values", event)
        node = super().compose_node(parent, index)
        if not isinstance(event, AliasEvent) and event.anchor is not None:
            self._of_anchor[event.anchor] = self._values - before
        return node

    def compose_scalar_node(self, anchor: Any) -> Any:
        node = super().compose_scalar_node(anchor)
        if str(node.tag) in NUMBERS and len(node.value) > LONGEST_NUMBER:
            said = f"a number has at most {LONGEST_NUMBER} characters, not {len(node.value):,}"
            raise _refused(f"{said}; put a text in quotes", node)
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                raise _refused("a key is a list or has keys itself; write a text", key)
        return node


class _Constructor(RoundTripConstructor):
    """Gives the place of a value that is not of its kind, such as the date 2026-99-99."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except MarkedYAMLError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            kind = str(node.tag).rpartition(":")[2]
            reason = f"no {kind} ({error}); put a text in quotes"
            raise ConstructorError(None, None, reason, node.start_mark) from None


def _refused(message: str, at: Any) -> ComposerError:
    return ComposerError(None, None, message, at.start_mark)
