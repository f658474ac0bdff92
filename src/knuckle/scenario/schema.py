"""The scenario file as data: every key, its unit and what is allowed.

Lengths in m, angles in rad, masses in kg, forces in N, torques in N m; quaternions are (w, x, y, z).
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

VERSION = 1

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
MOST_FRICTION = 1e6  # beyond it forces lose their digits, and nothing slips anyway
Friction = Annotated[float, Field(ge=0, le=MOST_FRICTION)]
# YAML has lists; strictness is kept for the numbers inside.
Numbers = Annotated[tuple[float, ...], Field(strict=False)]
Sizes = Annotated[tuple[Positive, ...], Field(strict=False, min_length=1, max_length=3)]


def wrong(message: str, at: str | None = None, got: Any = None, todo: str | None = None) -> PydanticCustomError:
    """A fault of a section; `at` names the key inside it."""
    return PydanticCustomError("knuckle", "{message}", {"message": message, "at": at, "got": got, "todo": todo})


def _printable(text: str) -> str:
    if not text.isprintable():
        raise wrong("must not hold control characters", got=text)
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]


def _form(value: Any) -> str | None:
    if isinstance(value, dict):
        return "mapping"
    if isinstance(value, (list, tuple)):
        return "list"
    return "text" if isinstance(value, str) else "number"


def _either(wanted: str, *words: str) -> Discriminator:
    """A value of several forms is judged by the form it has, so that each fault is reported once; text may be limited to some words."""

    def form(value: Any) -> str | None:
        found = _form(value)
        return None if words and found == "text" and value not in words else found

    return Discriminator(form, custom_error_type="form", custom_error_message=f"must be {wanted}")


NamedNumbers = Annotated[
    Annotated[Numbers, Tag("list")] | Annotated[dict[str, float], Tag("mapping")],
    _either("a list of numbers or a mapping from names to numbers"),
]
JointValue = Annotated[
    Annotated[float, Tag("number")] | Annotated[Numbers, Tag("list")],
    _either("a number, or a list of numbers for a joint of several degrees of freedom"),
]
Settle = Annotated[
    Annotated[NotNegative, Tag("number")] | Annotated[Literal["no"], Tag("text")],
    _either("`no` or a largest displacement in mm", "no"),
]
Notes = Annotated[
    Annotated[str, Tag("text")]
    | Annotated[Annotated[tuple[str, ...], Field(strict=False)], Tag("list")]
    | Annotated[dict[str, str], Tag("mapping")],
    _either("text, a list of texts or a mapping to texts"),
]

def _whole(value: Any) -> Any:
    if isinstance(value, bool):  # which is 1 for Python
        raise wrong("must be 1", got=value)
    return value


Version = Annotated[Literal[1], BeforeValidator(_whole)]

# What `size` means, in MuJoCo's order.
SIZE_MEANING = {
    "sphere": ("radius",),
    "capsule": ("radius", "half length"),
    "cylinder": ("radius", "half length"),
    "ellipsoid": ("semi-axis x", "semi-axis y", "semi-axis z"),
    "box": ("half size x", "half size y", "half size z"),
}


def _exactly(count: int) -> BeforeValidator:
    """One fault for a wrong length instead of one per entry."""

    def check(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and len(value) != count:
            raise wrong(f"must have {count} entries", None, list(value))
        return value

    return BeforeValidator(check)


Three = Annotated[tuple[float, float, float], Field(strict=False), _exactly(3)]
Four = Annotated[tuple[float, float, float, float], Field(strict=False), _exactly(4)]


class Section(BaseModel):
    """One mapping of the file: no other keys, no text for numbers, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, protected_namespaces=())


class Placed(Section):
    """Something that stands somewhere."""

    position: Three = Field((0.0, 0.0, 0.0), description="origin in the frame of its parent, m")
    quaternion: Four | None = Field(None, description="orientation (w, x, y, z), unit length")
    euler: Three | None = Field(None, description="rotations about x, then the new y, then the new z, rad")

    @model_validator(mode="after")
    def _one_orientation(self) -> Placed:
        if self.quaternion is not None and self.euler is not None:
            raise wrong("cannot stand beside `quaternion`", "euler", todo="keep one of the two")
        if self.quaternion is not None and abs(math.hypot(*self.quaternion) - 1.0) > 1e-6:
            raise wrong("must have unit length", "quaternion", list(self.quaternion), "divide it by its length")
        return self


def _check_size(kind: str, size: tuple[float, ...] | None) -> None:
    meaning = SIZE_MEANING.get(kind)
    if meaning is None:
        return
    wanted = f"a {kind} takes [{', '.join(meaning)}]"
    if size is None:
        raise wrong("is missing", "size", todo=wanted)
    if len(size) != len(meaning):
        raise wrong("has the wrong length", "size", list(size), wanted)


class AddedObject(Placed):
    """An object that is put into the model."""

    name: Name
    kind: Literal["sphere", "box", "ellipsoid", "cylinder", "capsule", "mesh"]
    size: Sizes | None = Field(None, description="radius; radius, half length; or three half sizes, m")
    file: str | None = Field(None, description="mesh file, for kind mesh; its convex hull is the shape")
    mass: Positive | None = Field(None, description="kg")
    density: Positive | None = Field(None, description="kg/m^3")
    inertia: Three | None = Field(None, description="moments about the object's axes, kg m^2; default: of the solid")
    friction: Friction | None = Field(None, description="mu of this object's contacts")
    joint: Literal["free", "planar", "fixed"] = "free"
    axis: Three = Field((0.0, 0.0, 1.0), description="normal of the plane of motion, for joint planar")

    @model_validator(mode="after")
    def _complete(self) -> AddedObject:
        _check_size(self.kind, self.size)
        if (self.kind == "mesh") != (self.file is not None):
            raise wrong("belongs to kind mesh, and only there", "file", self.file, "give a mesh file or another kind")
        if self.mass is not None and self.density is not None:
            raise wrong("cannot stand beside `mass`", "density", self.density, "keep one of the two")
        if self.joint != "fixed" and self.mass is None and self.density is None:
            raise wrong("is missing", "mass", todo="give mass (kg) or density (kg/m^3)")
        if self.joint == "planar" and not any(self.axis):
            raise wrong("must not be zero", "axis", list(self.axis), "give the normal of the plane of motion")
        self._check_inertia()
        return self

    def _check_inertia(self) -> None:
        if self.inertia is None:
            return
        if self.mass is None:
            raise wrong("needs `mass` beside it", "inertia", list(self.inertia), "give the mass in kg")
        small, middle, large = sorted(self.inertia)
        if small <= 0:
            raise wrong("must be positive", "inertia", list(self.inertia), "give three moments in kg m^2")
        if large > (small + middle) * (1 + 1e-9):
            todo = "no moment may exceed the sum of the other two"
            raise wrong("breaks the triangle rule", "inertia", list(self.inertia), todo)


class AddedShape(Placed):
    """A contact shape that is put on a body that exists (`world`: fixed)."""

    name: Name
    kind: Literal["plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "segment"]
    body: Name = "world"
    start: Three | None = Field(None, alias="from", description="one end, in the body's frame, m")
    end: Three | None = Field(None, alias="to", description="the other end, in the body's frame, m")
    size: Sizes | None = Field(None, description="as for objects; with `from` and `to` the radius alone")
    friction: Friction | None = Field(None, description="mu of this shape's contacts")

    @model_validator(mode="after")
    def _complete(self) -> AddedShape:
        if (self.start is None) != (self.end is None):
            raise wrong("is missing", "to" if self.end is None else "from", todo="`from` and `to` go together")
        if self.start is not None:
            self._check_ends()
        elif self.kind == "segment":
            raise wrong("is missing", "from", todo="a segment takes `from` and `to`")
        else:
            _check_size(self.kind, self.size)
        if self.kind == "plane" and self.size is not None and len(self.size) != 2:
            raise wrong("has the wrong length", "size", list(self.size), "a plane takes two half sizes, or none")
        return self

    def _check_ends(self) -> None:
        if self.kind not in ("segment", "capsule", "cylinder"):
            raise wrong(f"does not belong to a {self.kind}", "from", todo="use position and size")
        if self.start == self.end:
            raise wrong("must differ from `from`", "to", list(self.end or ()), "give the other end")
        if self.kind == "segment" and self.size is not None:
            raise wrong("does not belong to a segment", "size", list(self.size), "take it out")
        if self.kind != "segment" and (self.size is None or len(self.size) != 1):
            raise wrong("has the wrong length", "size", todo=f"a {self.kind} with `from` and `to` takes [radius]")


class State(Section):
    """The state in question; what is not given comes from the keyframe or the model's rest position."""

    q: Numbers | None = Field(None, description="all of qpos, in MuJoCo's order")
    v: Numbers | None = Field(None, description="all of qvel, in MuJoCo's order")
    joints: dict[str, JointValue] = Field({}, description="joint or object name: value(s) of its qpos")
    rates: dict[str, JointValue] = Field({}, description="joint or object name: value(s) of its qvel")

    @model_validator(mode="after")
    def _one_way(self) -> State:
        if self.q is not None and self.joints:
            raise wrong("cannot stand beside `q`", "joints", todo="keep one of the two")
        if self.v is not None and self.rates:
            raise wrong("cannot stand beside `v`", "rates", todo="keep one of the two")
        return self


class NamedContact(Section):
    """One contact of the question: a pair of shapes, its friction and how it moves."""

    name: Name | None = None
    object: Name = Field(description="shape, geom or body A; forces are reported on it")
    link: Name = Field(description="shape, geom or body B; the normal points from B into A")
    mu: Friction | None = Field(None, description="default: `friction` of the scenario, else of the shapes, mixed as MuJoCo mixes it")
    label: Literal["auto", "rolling", "sliding"] = Field("auto", description="auto: from the slip velocity")
    tangent: Three | None = Field(None, description="direction of T, projected on the tangent plane")

    @model_validator(mode="after")
    def _sound(self) -> NamedContact:
        if self.tangent is not None and not any(self.tangent):
            raise wrong("must not be zero", "tangent", list(self.tangent), "give a direction in the tangent plane")
        if self.object == self.link:
            raise wrong("is the same as `object`", "link", self.link, "name two different bodies or shapes")
        return self


class MovingBody(Section):
    """Prescribed motion of a body that no joint moves: a belt, a turntable, a palm."""

    velocity: Three = Field((0.0, 0.0, 0.0), description="of the body's origin, world axes, m/s")
    angular_velocity: Three = Field((0.0, 0.0, 0.0), description="world axes, rad/s")
    acceleration: Three = Field((0.0, 0.0, 0.0), description="m/s^2")
    angular_acceleration: Three = Field((0.0, 0.0, 0.0), description="rad/s^2")


class Tolerances(Section):
    """Physical tolerances of the labels; a key left out keeps the default of `knuckle.contact`."""

    gap: Positive | None = Field(None, description="largest |gap| of a touching contact, m")
    drift: Positive | None = Field(None, description="largest |normal velocity| of a touching contact, m/s")
    slip: Positive | None = Field(None, description="largest slip that counts as rolling, m/s")
    creep: NotNegative | None = Field(None, description="with `settle`: slower slips, and rates of dry joints, are taken out as creep, m/s, rad/s")
    residual: Positive | None = Field(None, description="above it a contact is about to tip on its face, rad/s")
    stop: Positive | None = Field(None, description="distance at which a joint is at its limit, rad or m")
    rate: Positive | None = Field(None, description="largest joint rate that counts as rest, rad/s or m/s")


Contacts = Annotated[
    Annotated[Literal["found"], Tag("text")]
    | Annotated[Annotated[tuple[NamedContact, ...], Field(strict=False)], Tag("list")],
    _either("`found` or a list of contacts", "found"),
]


class ScenarioFile(Section):
    """A Knuckle scenario: what exists, in which state, and what is asked."""

    knuckle: Version = Field(description="version of this format")
    name: Name | None = Field(None, description="default: the file's name")
    title: str = ""
    description: str = ""
    notes: Notes | None = Field(None, description="choices that a source leaves open, and why")
    model: str | None = Field(None, description="MJCF or URDF file, relative to this file")
    keyframe: Name | None = Field(None, description="keyframe of the model that gives the state and ctrl")
    gravity: Three | None = Field(None, description="m/s^2; default: the model's, without a model (0, 0, -9.81)")
    objects: Annotated[tuple[AddedObject, ...], Field(strict=False)] = ()
    shapes: Annotated[tuple[AddedShape, ...], Field(strict=False)] = ()
    state: State = State()
    ctrl: NamedNumbers | None = Field(None, description="actuator controls, by number or name")
    torque: NamedNumbers | None = Field(None, description="generalised actuator forces instead of `ctrl`, N m or N")
    friction: Friction | None = Field(None, description="mu of every contact that has no own")
    contacts: Contacts = Field("found", description="`found`: all pairs that touch; or the pairs by name")
    moving: dict[str, MovingBody] = Field({}, description="body name: prescribed motion")
    law: Literal["cone", "pyramid"] = "cone"
    settle: Settle = Field("no", description="`no`: the state must touch exactly; or the largest displacement, mm")
    tolerances: Tolerances = Tolerances()

    @model_validator(mode="after")
    def _something_exists(self) -> ScenarioFile:
        if self.model is None and not self.objects:
            raise wrong("is missing", "model", todo="name an MJCF or URDF file, or list objects")
        if self.model is None and self.keyframe is not None:
            raise wrong("needs a model", "keyframe", self.keyframe, "name the MJCF file as `model`")
        return self


def json_schema() -> dict[str, Any]:
    """JSON schema of scenario files."""
    schema = ScenarioFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Knuckle scenario"}
