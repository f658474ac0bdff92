"""Which pairs of shapes may touch, and which of the two is body A."""
from collections.abc import Sequence

from knuckle.contact.shapes import KINDS, PLANE, check_pair
from knuckle.errors import InputError
from knuckle.model.structure import Shape


def ordered(shapes: Sequence[Shape], objects: Sequence[int], a: int, b: int) -> tuple[int, int]:
    """The pair with the object first (A); of two objects, or of none, the first in order, but never the plane, and the world last."""
    ranks = [objects.index(shapes[k].body) if shapes[k].body in objects else len(objects) + (shapes[k].body == 0) for k in (a, b)]
    planes = [KINDS.get(shapes[k].kind) == PLANE for k in (a, b)]
    first, second = ((planes[0], ranks[0], a), (planes[1], ranks[1], b))
    return (a, b) if first < second else (b, a)


def named_pairs(shapes: Sequence[Shape], names: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Pairs named by a scenario (A, B), as rows of `shapes`."""
    rows = {shape.name: k for k, shape in enumerate(shapes)}
    found = []
    for number, pair in enumerate(names):
        for name in pair:
            if name not in rows:
                raise InputError("no such shape", key=f"contacts.{number}.pair", got=name, todo=f"shapes: {', '.join(rows)}")
        a, b = rows[pair[0]], rows[pair[1]]
        if shapes[a].body == shapes[b].body:
            raise InputError("both shapes are on the same body", key=f"contacts.{number}.pair", got=list(pair))
        if (a, b) in found or (b, a) in found:
            raise InputError("this pair is named twice", key=f"contacts.{number}.pair", got=list(pair))
        check_pair(shapes[a], shapes[b])
        found.append((a, b))
    return found


def link_pairs(shapes: Sequence[Shape], objects: Sequence[int], may_touch: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Every pair that `may_touch` (geoms) lets through and that has no shape of an object: links with links and with the world."""
    row = {shape.geom: k for k, shape in enumerate(shapes) if shape.geom >= 0}
    couples = [(row[a], row[b]) for a, b in may_touch]
    return [ordered(shapes, objects, a, b) for a, b in couples if shapes[a].body not in objects and shapes[b].body not in objects]


def found_pairs(shapes: Sequence[Shape], objects: Sequence[int], may_touch: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Every pair with a shape of an object in it that `may_touch` (pairs of geom numbers: MuJoCo's own filters) lets through.

    A shape that is no geom of the model (geom -1) is not seen by those filters: it may touch every object but its own body. Raises
    GeometryError, by name, when a pair cannot be computed.
    """
    allowed = {frozenset(pair) for pair in may_touch}
    couples = []
    for a in range(len(shapes)):
        for b in range(a + 1, len(shapes)):
            geoms = frozenset((shapes[a].geom, shapes[b].geom))
            free = shapes[a].body != shapes[b].body and (-1 in geoms or geoms in allowed)
            if free and (shapes[a].body in objects or shapes[b].body in objects):
                couples.append(ordered(shapes, objects, a, b))
    for a, b in couples:
        check_pair(shapes[a], shapes[b])
    return couples

