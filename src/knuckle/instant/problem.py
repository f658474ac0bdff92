"""The contact problem of PHYSICS 3 as data: read from a file (CONTRACT 3), checked, and written back."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from knuckle.complementarity.inputs import holds_numbers
from knuckle.errors import MAX_FAULTS, Fault, InputError, suggestion

AT_REST = 1e-9              # m/s or rad/s: a smaller slip or joint rate is none
LARGEST = 1e100             # numbers beyond it overflow when they are multiplied
MOST_FRICTION = 1e6         # beyond it forces lose their digits, and nothing slips anyway
SYMMETRIC = 1e-10           # relative: a larger asymmetry of M is a mistake, not round-off
JOINT_KINDS = ("limit", "dry_friction", "bilateral")
KEYS = {"problem": {"name", "M", "h", "contacts", "joints"},
        "contact": {"name", "label", "mu", "W_N", "W_T", "W_U", "bias", "slip"},
        "joint": {"name", "kind", "W", "bias", "bound", "rate"}}
UNKNOWN_KEY = "is not a key of a contact problem"
MISSING = object()
NOTES = {"family", "params", "expected", "note", "seed", "description"}     # a problem file may say where it comes from


@dataclass(frozen=True)
class ContactProblem:
    """M v' = h + W^T f, a = W v' + bias. Contacts own `dim` rows each (N, T and, in space, U), joint rows follow."""
    M: np.ndarray           # nv x nv, kg, kg m, kg m^2
    h: np.ndarray           # nv, applied minus velocity terms, N or N m
    W: np.ndarray           # rows x nv, A minus B, N into A
    bias: np.ndarray        # rows, m/s^2 or rad/s^2: acceleration at v' = 0
    dim: int                # rows of a contact: 3 in space, 2 in the plane
    sliding: np.ndarray     # contacts, bool
    mu: np.ndarray          # contacts
    slip: np.ndarray        # contacts x (dim - 1), m/s
    joint_kind: tuple[str, ...] = ()
    bound: np.ndarray = field(default_factory=lambda: np.zeros(0))      # joint rows, N or N m (dry friction)
    rate: np.ndarray = field(default_factory=lambda: np.zeros(0))       # joint rows, m/s or rad/s
    name: str = ""
    contact_names: tuple[str, ...] = ()
    joint_names: tuple[str, ...] = ()

    @property
    def contacts(self) -> int:
        return len(self.mu)

    @property
    def contact_rows(self) -> int:
        return self.dim * len(self.mu)

    def contact_name(self, i: int) -> str:
        return self.contact_names[i] if i < len(self.contact_names) else str(i + 1)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([self.contact_name(i) for i in range(self.contacts)])

    def to_dict(self) -> dict[str, Any]:
        """The document of CONTRACT 3."""
        axes = ("W_N", "W_T", "W_U")[:self.dim]
        contacts = []
        for i in range(self.contacts):
            rows = slice(self.dim * i, self.dim * (i + 1))
            contact: dict[str, Any] = {"name": self.contact_name(i), "label": "sliding" if self.sliding[i] else "rolling", "mu": float(self.mu[i])}
            contact |= {axis: row.tolist() for axis, row in zip(axes, self.W[rows], strict=True)}
            contacts.append(contact | {"bias": self.bias[rows].tolist(), "slip": self.slip[i].tolist()})
        joints = []
        for i, kind in enumerate(self.joint_kind):
            row = self.contact_rows + i
            joint: dict[str, Any] = {"name": self.joint_names[i]} if i < len(self.joint_names) else {}
            joint |= {"kind": kind, "W": self.W[row].tolist(), "bias": float(self.bias[row])}
            joints.append(joint | ({"bound": float(self.bound[i]), "rate": float(self.rate[i])} if kind == "dry_friction" else {}))
        return {"name": self.name, "M": self.M.tolist(), "h": self.h.tolist(), "contacts": contacts, "joints": joints}


class _Reader:
    """Collects every fault of a document instead of stopping at the first."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, key: str, message: str, got: object, todo: str | None) -> None:
        self.faults.append(Fault(key=key, message=message, got="nothing" if got is None else got, todo=todo))

    def missing(self, key: str, value: object, todo: str) -> bool:
        if value is MISSING:
            self.faults.append(Fault("is missing", key, todo=todo))
        return value is MISSING

    def numbers(self, key: str, value: object, shape: tuple[int | None, ...], todo: str) -> np.ndarray | None:
        """A finite float array of the shape, None (and a fault) otherwise."""
        if self.missing(key, value, todo):
            return None
        if not holds_numbers(value):
            wrong = list(_no_numbers(key, value, len(shape)))
            for place, what, got in wrong or [(key, _form(len(shape)), value)]:
                self.fault(place, f"must be {what}", got, None if place != key else todo)
            return None
        try:
            array = np.array(value, dtype=float)
        except ValueError:
            self.fault(key, "must have rows of one length", value, todo)
            return None
        if array.ndim != len(shape):
            self.fault(key, f"must be {_form(len(shape))}", value, todo)
        elif any(want is not None and want != have for want, have in zip(shape, array.shape, strict=True)):
            wanted = " x ".join("any" if want is None else str(want) for want in shape)
            self.fault(key, f"must have {wanted} numbers", "a list of " * (array.ndim == 1) + " x ".join(map(str, array.shape)), todo)
        elif not np.isfinite(array).all():
            self.entry(key, array, ~np.isfinite(array), "must be a finite number", "give a number")
        elif (abs(array) > LARGEST).any():
            self.entry(key, array, abs(array) > LARGEST, "is too large to compute with", "choose units in which it is smaller")
        else:
            return array
        return None

    def entry(self, key: str, array: np.ndarray, wrong: np.ndarray, message: str, todo: str) -> None:
        """A fault for each wrong entry, by its indices."""
        for index in np.argwhere(wrong):
            self.fault(key + "".join(f"[{i}]" for i in index), message, float(array[tuple(index)]), todo)

    def number(self, key: str, value: object, least: float | None = None, most: float | None = None) -> float | None:
        value = value.item() if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 else value
        if self.missing(key, value, "give a number"):
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fault(key, "must be a number, not text" if isinstance(value, str) else "must be a number", value, "give a number")
        elif not -LARGEST <= value <= LARGEST:
            self.fault(key, "must be a finite number", value, "give a number")
        elif least is not None and value < least:
            self.fault(key, f"must be at least {least:g}", value, "give a larger number")
        elif most is not None and value > most:
            self.fault(key, "must be at most 1e6", value, "use 1e6 for surfaces that never slip")
        else:
            return float(value)
        return None

    def word(self, key: str, value: object, words: tuple[str, ...], todo: str) -> str | None:
        if self.missing(key, value, todo):
            return None
        if isinstance(value, str) and value in words:
            return value
        close = suggestion(value, words, "allowed") if isinstance(value, str) else todo
        self.fault(key, f"must be {' or '.join([', '.join(words[:-1]), words[-1]])}", value, close)
        return None

    def name(self, key: str, document: Mapping[str, Any], default: str) -> str:
        value = document.get("name", default)
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            self.fault(key + "name", "must be text", value, "give a name, or leave it out")
            return default
        return str(value)

    def known(self, key: str, document: Mapping[str, Any], kind: str) -> None:
        for name in document:
            if name not in KEYS[kind] and not (kind == "problem" and name in NOTES):
                self.faults.append(Fault(UNKNOWN_KEY, f"{key}{name}", todo=suggestion(str(name), sorted(KEYS[kind]), "keys here")))


def _form(levels: int) -> str:
    return ("a number", "a list of numbers", "a table of numbers, a list for each row")[levels]


def _no_numbers(key: str, value: object, levels: int) -> Iterator[tuple[str, str, object]]:
    """Place, wanted form and value of everything in a table that should be another thing."""
    if levels and isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        for i, part in enumerate(value):
            yield from _no_numbers(f"{key}[{i}]", part, levels - 1)
    elif levels or not holds_numbers(value):
        yield key, _form(levels) if levels or not isinstance(value, str) else "a number, not text", value


def _read_inertia(reader: _Reader, document: Mapping[str, Any], nv: int | None) -> tuple[np.ndarray, np.ndarray] | None:
    M = reader.numbers("M", document.get("M", MISSING), (None, None), "give the nv x nv mass matrix")
    h = reader.numbers("h", document.get("h", MISSING), (nv,), "give applied minus velocity terms, as many as M has rows")
    if M is None:
        return None
    if len(M) == 0 or M.shape[0] != M.shape[1]:
        reader.fault("M", "must be square and not empty", " x ".join(map(str, M.shape)) + " numbers", "give the nv x nv mass matrix")
    elif abs(M - M.T).max() > SYMMETRIC * abs(M).max():
        reader.fault("M", "is not symmetric", float(abs(M - M.T).max()), "give M = M^T")
    else:
        scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
        smallest = float(np.linalg.eigvalsh(M / np.outer(scale, scale))[0])
        if smallest <= 1e-14:
            reader.fault("M", "is not positive definite", smallest, "give every direction of motion a mass or inertia")
        elif h is not None:
            return M, h
    return None


def _as_many(nv: int | None) -> str:
    return "give as many numbers as M has rows" if nv is None else f"give {nv} numbers, as many as M has rows"


def _columns(document: Mapping[str, Any]) -> int | None:
    """How long the rows of contacts and joints must be, as far as M and h say it."""
    for key in ("M", "h"):
        value = document.get(key)
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return len(value)
        if isinstance(value, np.ndarray) and value.ndim > 0:
            return len(value)
    return None


def _list(reader: _Reader, document: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = document.get(key, [])
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return value
    reader.fault(key, "must be a list", value, "give [] where there are none")
    return []


def _read_contact(reader: _Reader, i: int, contact: object, nv: int | None, dim: int) -> tuple[Any, ...] | None:
    key, before = f"contacts[{i}].", len(reader.faults)
    if not isinstance(contact, Mapping):
        reader.fault(key[:-1], "must be an object", contact, "give label, mu, W_N, W_T, ...")
        return None
    reader.known(key, contact, "contact")
    axes = ("W_N", "W_T", "W_U")[:dim]
    rows = [reader.numbers(key + axis, contact.get(axis, MISSING), (nv,), _as_many(nv)) for axis in axes]
    mu = reader.number(key + "mu", contact.get("mu", MISSING), 0.0, MOST_FRICTION)
    bias = reader.numbers(key + "bias", contact.get("bias", [0.0] * dim), (dim,), "give the acceleration at v' = 0 along N, T, U")
    slip = reader.numbers(key + "slip", contact.get("slip", [0.0] * (dim - 1)), (dim - 1,), "give the slip velocity along T, U")
    label = contact.get("label", MISSING)
    if reader.word(key + "label", label, ("rolling", "sliding"), "label it by its slip velocity") is None:
        pass
    elif slip is not None and (np.linalg.norm(slip) > AT_REST) != (label == "sliding"):
        speed = float(np.linalg.norm(slip))
        if label == "rolling":
            reader.fault(key + "slip", "is not zero at a rolling contact", speed, "label it sliding, or set the slip to zero")
        else:
            reader.fault(key + "slip", "is zero at a sliding contact", speed, "label it rolling, or give its slip velocity")
    if rows[0] is not None and abs(rows[0]).max(initial=0.0) < 1.0 / LARGEST:
        reader.fault(key + "W_N", "is zero: nothing moves along this normal", 0.0, "leave the contact out, or correct its normal row")
    name = reader.name(key, contact, str(i + 1))
    return None if len(reader.faults) > before else (rows, mu, bias, slip, label == "sliding", name)


def _read_joint(reader: _Reader, i: int, joint: object, nv: int | None) -> tuple[Any, ...] | None:
    key, before = f"joints[{i}].", len(reader.faults)
    if not isinstance(joint, Mapping):
        reader.fault(key[:-1], "must be an object", joint, "give kind and W")
        return None
    reader.known(key, joint, "joint")
    kind = reader.word(key + "kind", joint.get("kind", MISSING), JOINT_KINDS, "name the kind of joint row")
    row = reader.numbers(key + "W", joint.get("W", MISSING), (nv,), _as_many(nv))
    if row is not None and abs(row).max(initial=0.0) < 1.0 / LARGEST:
        reader.fault(key + "W", "is zero", 0.0, "leave the joint row out, or correct it")
    bias = reader.number(key + "bias", joint.get("bias", 0.0))
    bound = reader.number(key + "bound", joint.get("bound", MISSING if kind == "dry_friction" else 0.0), 0.0)
    rate = reader.number(key + "rate", joint.get("rate", 0.0))
    name = reader.name(key, joint, str(i + 1))
    return None if len(reader.faults) > before else (kind, row, bias, bound, rate, name)


def read_problem(document: object) -> ContactProblem:
    """A checked problem from the document of CONTRACT 3; InputError with its faults, the first twenty, otherwise."""
    try:
        return checked_problem(document)
    except InputError as error:
        first, more = error.faults[:MAX_FAULTS], len(error.faults) - MAX_FAULTS
        if more > 0:
            first[-1] = replace(first[-1], todo=f"{first[-1].todo or 'correct it'} (and {more} more faults)")
        raise InputError(first) from None


def checked_problem(document: object) -> ContactProblem:
    """The same; InputError with every fault."""
    reader = _Reader()
    if not isinstance(document, Mapping):
        reader.fault("", "a contact problem is an object with M, h and contacts", document if document is None else type(document).__name__,
                     "see `knuckle solve --help`")
        raise InputError(reader.faults)
    reader.known("", document, "problem")
    contacts, joints = _list(reader, document, "contacts"), _list(reader, document, "joints")
    nv = _columns(document)
    inertia = _read_inertia(reader, document, nv)
    dim = 3 if any(isinstance(contact, Mapping) and "W_U" in contact for contact in contacts) else 2
    read = [_read_contact(reader, i, contact, nv, dim) for i, contact in enumerate(contacts)]
    rows = [_read_joint(reader, i, joint, nv) for i, joint in enumerate(joints)]
    name = reader.name("", document, "")
    if reader.faults or inertia is None:
        raise InputError(reader.faults)
    good, extra = [c for c in read if c is not None], [j for j in rows if j is not None]
    return ContactProblem(
        M=0.5 * (inertia[0] + inertia[0].T), h=inertia[1], dim=dim, name=name,
        W=np.array([row for c in good for row in c[0]] + [j[1] for j in extra]).reshape(-1, len(inertia[1])),
        bias=np.array([b for c in good for b in c[2]] + [j[2] for j in extra]),
        sliding=np.array([c[4] for c in good], bool), mu=np.array([c[1] for c in good], float),
        slip=np.array([c[3] for c in good], float).reshape(-1, dim - 1),
        joint_kind=tuple(j[0] for j in extra), bound=np.array([j[3] for j in extra], float), rate=np.array([j[4] for j in extra], float),
        contact_names=tuple(c[5] for c in good), joint_names=tuple(j[5] for j in extra))
