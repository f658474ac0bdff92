"""YAML 1.2 text as plain data, with the line and column of every key and value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from knuckle.errors import Fault, InputError, printable

Path = tuple[str | int, ...]
Place = tuple[int, int]

# A scenario is a page of text; these bounds stop aliases that unfold without end.
MAX_VALUES = 200_000
MAX_DEPTH = 40
MAX_BYTES = 10_000_000

NO_TEXT = "is not text: it holds half of a character (a lone surrogate)"

_TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = {_TAG + name for name in ("null", "bool", "int", "float", "str", "timestamp", "merge")}


@dataclass
class Document:
    """What a YAML text says: `data`, and where: `keys` and `values` map a path to (line, column), counted from 1."""

    data: Any = None
    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def place(self, path: Path, prefer_key: bool = False) -> Place | tuple[None, None]:
        """Line and column of a path, or of its nearest parent that the text has."""
        first, second = (self.keys, self.values) if prefer_key else (self.values, self.keys)
        for length in range(len(path), -1, -1):
            head = path[:length]
            found = first.get(head) or second.get(head)
            if found:
                return found
        return None, None


def read_text(raw: bytes, file: str) -> str:
    """Bytes of a file as text; raises `InputError` where they are not UTF-8."""
    if len(raw) > MAX_BYTES:
        raise InputError(
            "the file is too large for a scenario", file=file, got=len(raw), todo=f"at most {MAX_BYTES} bytes"
        )
    return decoded(raw, file)


def decoded(raw: bytes, file: str) -> str:
    """The same for a text of any length."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        got = f"byte 0x{raw[error.start]:02x}"
        raise InputError("the file is not UTF-8 text", file=file, line=line, got=got, todo="save it as UTF-8") from None


def parse(text: str, file: str | None = None) -> Document:
    """Reads one YAML document. Syntax errors raise `InputError`; faults of content are collected in `.faults`."""
    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(str(part).rstrip(".") for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        fault = Fault(f"not readable as YAML: {message}", file=file, line=line, column=column)
        raise InputError(fault) from None
    except YAMLError as error:
        raise InputError(f"not readable as YAML: {error}", file=file) from None
    except RecursionError:
        raise InputError("nested too deeply", file=file, todo=f"at most {MAX_DEPTH} levels") from None
    document = Document()
    if root is not None:
        reader = _Reader(document, yaml)
        document.data = reader.value(root, (), ())
    document.faults = [fault.at(file) for fault in document.faults]
    return document


def parse_value(text: str) -> Any:
    """One value as it would stand in a YAML file: `0.3`, `[1, 2]`, `{a: 1}`, `no` (text in YAML 1.2)."""
    document = parse(text)
    if document.faults:
        raise InputError(document.faults)
    return document.data


def key_text(path: Path) -> str:
    """A path as it is written in messages and in `--set`: `contacts.0.mu`."""
    return ".".join(str(step) for step in path)


class _Reader:
    """Turns composed nodes into plain data. Scalars follow YAML 1.2; any tag of another kind is a fault."""

    def __init__(self, document: Document, yaml: YAML) -> None:
        self.document = document
        self.constructor = yaml.constructor
        self.count = 0

    def value(self, node: Node, path: Path, above: tuple[int, ...]) -> Any:
        self.document.values[path] = _place(node)
        self.count += 1
        if id(node) in above or len(above) > MAX_DEPTH or self.count > MAX_VALUES:
            if self.count <= MAX_VALUES + 1:
                self._fault("refers to itself or is nested too deeply", path, node, todo="write the values out")
            return None
        above = (*above, id(node))
        if isinstance(node, MappingNode):
            return self._mapping(node, path, above)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*path, index), above) for index, item in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        return None

    def _mapping(self, node: MappingNode, path: Path, above: tuple[int, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self._fault("a key must be a plain word", path, key_node)
                continue
            key = str(key_node.value)
            if not _is_text(key):
                self._fault(NO_TEXT, (*path, key), key_node)
                continue
            inside = (*path, key)
            if key in data:
                first = self.document.keys[inside][0]
                self._fault("is given twice", inside, key_node, todo=f"keep one (the first is on line {first})")
                continue
            self.document.keys[inside] = _place(key_node)
            data[key] = self.value(value_node, inside, above)
        return data

    def _scalar(self, node: ScalarNode, path: Path) -> Any:
        tag = str(node.tag)
        if tag not in _PLAIN_TAGS:
            self._fault("has a YAML tag that means nothing here", path, node, got=tag, todo="write a plain value")
            return None
        if not _is_text(str(node.value)):
            self._fault(NO_TEXT, path, node, got=node.value)
            return printable(str(node.value))
        # YAML 1.2 has neither dates nor 1_000 (the parser still reads them as those of YAML 1.1).
        if tag in (_TAG + "timestamp", _TAG + "merge", _TAG + "str") or "_" in node.value:
            return str(node.value)
        try:
            return self.constructor.construct_object(node)
        except ValueError:
            self._fault("is not a number", path, node, got=node.value)
            return None

    def _fault(self, message: str, path: Path, node: Node, got: Any = None, todo: str | None = None) -> None:
        line, column = _place(node)
        self.document.faults.append(Fault(message, key_text(path) or None, got, todo, line=line, column=column))


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _place(node: Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1
