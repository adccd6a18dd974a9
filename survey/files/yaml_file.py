"""YAML with the line of every key, so that messages can give the place of a wrong value."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from survey.files.bounded_yaml import LARGEST, MOST_LINES, load
from survey.files.digits import ascii_number
from survey.files.encoding import decode
from survey.files.names import one_name
from survey.files.problems import DefinitionError, Problem, read_bytes
from survey.files.suggestions import did_you_mean, escaped, not_among

Section = TypeVar("Section", bound=BaseModel)
KeyPath = tuple[str | int, ...]

UNKEPT = r"\0 and halves of a character (\ud800 to \udfff) can't be stored"
#: Problems of a section that are looked at; far more than are shown.
MOST_PROBLEMS = 200
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")
_UNKEPT = re.compile("[\0\ud800-\udfff]")


class YamlFile:
    """A YAML mapping read from bytes, with positions. Its keys and texts are composed (`one_name`).

    Raises DefinitionError when it is not UTF-8, not YAML, has a key twice, is no mapping, or is
    larger than any study (`bounded_yaml`).
    """

    def __init__(self, data: bytes, *, file: str) -> None:
        self.file = file
        _refuse_large(data, file)
        text = one_name(decode(data, file=file))
        self._lines = text.split("\n")
        try:
            self.root = load(text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            message = (error.problem or str(error)).strip()
            if "alias" in str(error.context):
                message += ": put a text with * in quotes"
            raise DefinitionError([Problem(file, line, column, message)]) from None
        except ReaderError as error:
            before = text[: error.position]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            message, character = "{!r} is a control character; remove it", text[error.position]
            raise DefinitionError([Problem(file, line, column, message, (character,))]) from None
        except YAMLError as error:
            raise DefinitionError([Problem(file, 0, 0, str(error))]) from None
        if not isinstance(self.root, CommentedMap):
            raise DefinitionError([Problem(file, 1, 1, "expected keys and values")])
        if escaped := [self.problem(path, UNKEPT) for path in _unkept(self.root)]:
            raise DefinitionError(escaped)

    @classmethod
    def read(cls, path: Path) -> "YamlFile":
        """Read `path`. Raises DefinitionError also when it can't be read."""
        return cls(read_bytes(path), file=str(path))

    def position(self, path: KeyPath) -> tuple[int, int]:
        """Line and column of the deepest part of `path` that exists."""
        node: Any = self.root
        line, column = 1, 1
        for step in path:
            if isinstance(node, CommentedMap):
                key = _key_of(node, step)
                if key is None:
                    break
                if key in (node.lc.data or ()):  # what is merged (<<) has the place of the whole
                    line, column = (n + 1 for n in node.lc.key(key))
                node = node[key]
            elif isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
                line, column = (n + 1 for n in node.lc.item(step))
                node = node[step]
            else:
                break
        return line, column

    def position_of(self, path: KeyPath, quote: str) -> tuple[int, int]:
        """Line and column of `quote` in the text at `path`; of its key if no line has it."""
        line, column = self.position(path)
        for number, text in enumerate(self._lines[line - 1 :], start=line):
            if number > line and text.strip() and len(text) - len(text.lstrip()) < column:
                break  # the next key
            if number > line and quote in text:
                return number, text.index(quote) + 1
        return line, column

    def problem(self, path: KeyPath, message: str, *, quote: str = "") -> Problem:
        """A problem at `path` (at `quote` in its text), with the key before the message.

        In every item of a list it is the same problem.
        """
        line, column = self.position_of(path, quote) if quote else self.position(path)
        if not path:
            return Problem(self.file, line, column, message)
        key = ".".join(map(str, path))
        about = ".".join("…" if isinstance(step, int) else step for step in path)
        return Problem(self.file, line, column, "{}: " + escaped(message), (key,), about)

    def plain(self, *, without: Sequence[str] = ()) -> dict[str, Any]:
        """The content as plain Python values, top-level keys `without` left out."""
        return {str(k): _plain(v) for k, v in self.root.items() if k not in without}

    def section(self, name: str) -> Any:
        """One top-level value as plain Python, or None where it is absent."""
        return _plain(self.root.get(name))

    def check(
        self,
        schema: type[Section],
        value: Any,
        *,
        under: KeyPath = (),
        also: Collection[str] = (),
    ) -> Section:
        """Validate `value` (found at `under`) against `schema`. `also` are keys beside those of
        the schema that the file may have. Raises DefinitionError.
        """
        try:
            return schema.model_validate(value)
        except ValidationError as error:
            raise DefinitionError(self._problems(error, schema, under, also)) from None

    def collect(
        self,
        schema: type[Section],
        value: Any,
        problems: list[Problem],
        *,
        under: KeyPath = (),
        also: Collection[str] = (),
    ) -> Section | None:
        """As `check`, but add what is wrong to `problems` and go on."""
        try:
            return self.check(schema, value, under=under, also=also)
        except DefinitionError as error:
            problems += error.problems
            return None

    def _problems(
        self,
        error: ValidationError,
        schema: type[BaseModel],
        under: KeyPath,
        also: Collection[str],
    ) -> list[Problem]:
        problems = []
        errors = error.errors(include_url=False)
        if len(errors) > MOST_PROBLEMS:
            said = f"{len(errors) - MOST_PROBLEMS:,} more problems are not listed"
            problems.append(Problem(self.file, 0, 0, said))
        for item in errors[:MOST_PROBLEMS]:
            context = item.get("ctx", {})
            location = self._in_file(under, item["loc"], missing=item["type"] == "missing")
            path = (*under, *location, *context.get("path", ()))
            message = item["msg"].removeprefix("Value error, ")
            if item["type"] == "extra_forbidden":
                *inside, key = item["loc"]
                known = [*keys_at(schema, inside), *(also if not inside else ())]
                message = "unknown key" + did_you_mean(str(key), known)
            elif item["type"] in ("model_type", "dict_type"):
                message = "expected keys and values"
            elif item["type"] in ("int_type", "float_type") and (
                number := _written_number(item["input"])
            ):
                message = f"write {number}: with the digits 0 to 9 and without quotes"
            elif item["type"] == "missing":
                message = "is missing"
            elif item["type"] == "union_tag_not_found":
                path, message = (*path, "kind"), "is missing"
            elif item["type"] == "union_tag_invalid":
                path = (*path, "kind")
                kinds = re.findall(r"'([^']+)'", context["expected_tags"])
                message = not_among(context["tag"], kinds).format(context["tag"])
            problems.append(self.problem(path, message))
        return problems

    def _in_file(self, under: KeyPath, location: KeyPath, *, missing: bool) -> KeyPath:
        """A location without the members of unions, which pydantic names and a file does not
        have: after a place that holds a mapping without that key. A `missing` key, the last of its
        location, is not there either.
        """
        path: KeyPath = ()
        for place, step in enumerate(location):
            node = self._node(under + path)
            last = place == len(location) - 1
            if isinstance(node, CommentedMap):
                named = step in node or (last and missing)
            else:
                named = last and not isinstance(node, CommentedSeq)
            if named or not isinstance(step, str):
                path += (step,)
        return path

    def _node(self, path: KeyPath) -> Any:
        node: Any = self.root
        for step in path:
            try:
                node = node[step]
            except (KeyError, IndexError, TypeError):
                return None
        return node


def _refuse_large(data: bytes, file: str) -> None:
    message = ""
    if len(data) > LARGEST:
        message = f"the file has more than {LARGEST // 10**6} MB; it should be a few pages of YAML"
    elif data.count(b"\n") + data.count(b"\r") > 2 * MOST_LINES or data.count(b"\n") > MOST_LINES:
        message = f"the file has more than {MOST_LINES:,} lines; remove what is not needed"
    if message:
        raise DefinitionError([Problem(file, 0, 0, message)])


def keys_at(schema: Any, location: Sequence[str | int]) -> list[str]:
    """The keys that a schema has at a location as pydantic names it: with the members of unions.

    Where these can't be told apart, the keys of all of them.
    """
    models = _models_in(schema)
    for step in location:
        fields = [model.model_fields[step] for model in models if step in model.model_fields]
        if fields:
            models = [model for field in fields for model in _models_in(field.annotation)]
        elif isinstance(step, str):
            models = [one for one in models if step in _names_of(one)] or models
    return list(dict.fromkeys(key for model in models for key in model.model_fields))


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The schemas that a value of a type may have, or that its items may have."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _names_of(model: type[BaseModel]) -> tuple[Any, ...]:
    """What pydantic calls a schema in a union: by its name, or by its kind."""
    kind = model.model_fields.get("kind")
    return (model.__name__, *(get_args(kind.annotation) if kind else ()))


def _written_number(value: object) -> str:
    """The number that a text has, in ASCII; empty for anything else."""
    text = ascii_number(value).strip() if isinstance(value, str) else ""
    return text if _NUMBER.fullmatch(text) else ""


def _key_of(node: CommentedMap, step: str | int) -> Any:
    """The key of a mapping that a step names; None if it has none. A name may look like a number:
    {1: …}.
    """
    return step if step in node else next((key for key in node if str(key) == str(step)), None)


def _unkept(node: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of texts with characters that databases can't store; YAML's escapes allow them."""
    if isinstance(node, CommentedMap):
        for key, value in node.items():
            if _UNKEPT.search(str(key)):
                yield path
            yield from _unkept(value, (*path, key))
    elif isinstance(node, CommentedSeq):
        for index, value in enumerate(node):
            yield from _unkept(value, (*path, index))
    elif isinstance(node, str) and _UNKEPT.search(node):
        yield path


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return str(value)
