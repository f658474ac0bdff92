"""Contact geometry of one system: table, pairs and slots together, updated for a state."""
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from knuckle.compiled import kernel
from knuckle.contact import rows_kernels, slots
from knuckle.contact.manifold_kernels import Contacts, Search
from knuckle.contact.rows_kernels import RowSpace
from knuckle.contact.shape_kernels import ShapeTable
from knuckle.contact.shapes import shape_table
from knuckle.model.structure import Shape
from knuckle.model.system import System

INTERPRETED = 4e-7      # s, of one vertex for one face


@dataclass(frozen=True)
class Geometry:
    """What the contact kernels need beside the plant. The arrays inside are working storage: each update overwrites them."""

    system: System
    shapes: tuple[Shape, ...]
    table: ShapeTable
    search: Search
    contacts: Contacts
    rows: RowSpace

    @cached_property
    def interpreted_seconds(self) -> float:
        """About what the faces of all pairs would take without machine code: each looks for the support points of both shapes."""
        faces, vertices = np.diff(self.table.face_at), np.diff(self.table.vertex_at)
        A, B = self.search.pairs[:, 0], self.search.pairs[:, 1]
        return float(((faces[A] + faces[B]) * (vertices[A] + vertices[B])).sum()) * INTERPRETED

    def update(self, q: ArrayLike, v: ArrayLike) -> int:
        """Moves the system to (q, v), finds contacts, writes their rows; returns how many."""
        kernel.spend_seconds(0.0, ahead=self.interpreted_seconds)
        start = time.process_time()
        v = np.ascontiguousarray(v, dtype=float)
        self.system.terms(np.ascontiguousarray(q, dtype=float), v)
        count = slots.find_contacts(self.system.plant, self.table, self.search, self.contacts, self.shapes)
        rows_kernels.contact_rows(self.system.plant, v, self.contacts, self.rows, count)
        kernel.spend_seconds(time.process_time() - start)
        return count


def contact_geometry(system: System, pairs: Sequence[tuple[int, int]], reach: float = slots.REACH,
                     tangents: dict[int, ArrayLike] | None = None) -> Geometry:
    """`pairs` are rows (A, B) of system.shapes, see pairs.py."""
    shapes = tuple(system.shapes)
    search = slots.make_search(pairs, shapes, system.plane, reach, tangents, system.model.opt.gravity)
    used = {row for pair in pairs for row in pair}
    table = shape_table([shape if row in used else _stand_in(shape) for row, shape in enumerate(shapes)])
    return Geometry(system, shapes, table, search, slots.make_contacts(slots.capacity_for(search), system.nv),
                    slots.make_row_space(system.nv))


def _stand_in(shape: Shape) -> Shape:
    """For a shape that is in no pair: meshes that are only seen have no hull, and nothing is to be moved along with the state."""
    return replace(shape, kind="sphere", size=np.ones(3), vertices=np.zeros((0, 3)), polygons=())
