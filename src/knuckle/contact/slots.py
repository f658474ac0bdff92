"""Storage for the geometry kernels, and the one way to call them from Python."""
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from knuckle.contact import closest_kernels, kinematics_kernels
from knuckle.contact.closest_kernels import FULL
from knuckle.contact.kinematics import make_linear
from knuckle.contact.manifold_kernels import MOST_POINTS, Contacts, Search
from knuckle.contact.normal_kernels import ROWS
from knuckle.contact.rows_kernels import RowSpace
from knuckle.contact.shape_kernels import ShapeTable
from knuckle.contact.shapes import check_pair
from knuckle.errors import GeometryError
from knuckle.model.kernels import Plant
from knuckle.model.structure import Shape

# m; contacts farther apart than this are not looked for unless a caller asks. Millimetres ahead of touch-down.
REACH = 1e-3


def make_contacts(capacity: int, nv: int) -> Contacts:
    """Slots for `capacity` contacts. find_contacts needs one slot more than it fills."""
    def integers() -> np.ndarray:
        return np.zeros(capacity, dtype=np.int64)

    def table(width: int) -> np.ndarray:
        return np.zeros((capacity, width))

    return Contacts(
        pair=integers(), body_A=integers(), body_B=integers(), feature_A=integers(), feature_B=integers(), point_A=table(3), point_B=table(3),
        n=table(3), t=table(3), u=table(3), gap=np.zeros(capacity), K_A=table(9), K_B=table(9), E_A=table(6), E_B=table(6),
        rank_A=integers(), rank_B=integers(), W=np.zeros((3 * capacity, nv)), bias=np.zeros(3 * capacity), velocity=np.zeros(3 * capacity),
        residual=np.zeros(capacity), motion=table(kinematics_kernels.OUT_SIZE), work=np.zeros((ROWS, 3)))


def make_row_space(nv: int) -> RowSpace:
    return RowSpace(make_linear(), np.zeros((3, nv)), np.zeros((3, nv)), np.zeros((6, 3)))


def make_search(pairs: Sequence[tuple[int, int]], shapes: Sequence[Shape], plane: ArrayLike | None = None, reach: float = REACH,
                tangents: dict[int, ArrayLike] | None = None, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Search:
    """Pairs as rows of `shapes` (A, B). `plane`: normal of the plane of motion. `tangents`: what t follows, by number of the pair.
    `gravity`: its direction places the points of a cylinder's cap."""
    for a, b in pairs:
        check_pair(shapes[a], shapes[b])
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    wishes = np.zeros((len(table), 3))
    for pair, direction in (tangents or {}).items():
        wishes[pair] = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    w = np.zeros(3) if plane is None else np.asarray(plane, dtype=float) / np.linalg.norm(plane)
    down = np.array(gravity, dtype=float)
    down /= np.linalg.norm(down) or 1.0
    return Search(table, np.zeros((len(table), 3)), wishes, w, down, float(reach))


def capacity_for(search: Search) -> int:
    return 2 + MOST_POINTS * len(search.pairs)


def find_contacts(plant: Plant, table: ShapeTable, search: Search, contacts: Contacts, shapes: Sequence[Shape]) -> int:
    """closest_kernels.find_contacts with its refusals in words."""
    count = closest_kernels.find_contacts(plant, table, search, contacts)
    if count >= 0:
        return count
    if count == FULL:
        raise GeometryError(f"more than {len(contacts.gap) - 1} contact points: make more slots")
    a, b = (shapes[row] for row in search.pairs[contacts.pair[0]])
    raise GeometryError(f"no common normal found between '{a.name}' ({a.kind}) and '{b.name}' ({b.kind}): they overlap deeply, or two "
                        "sharp features meet")
