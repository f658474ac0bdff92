"""The kinds of units a contact problem is made of, and the modes each can be in (PHYSICS 3).

A unit is a contact or a joint row. Its kind says which rows it owns and which law ties its force to its acceleration.
The numbers are those of complementarity.cone_kernels, which solves all of them but the pyramid.
"""
UNILATERAL = 0    # one row, frictionless: a joint at its stop                        modes: open, closed
SLIDING = 1       # rows N, T(, U): friction opposes the known slip                   modes: break, contact
CONE = 2          # rows N, T, U at zero slip, circular cone                          modes: break, stick, slide (direction unknown)
PLANAR = 3        # rows N, T at zero slip                                            modes: break, stick, slide +, slide -
DRY = 4           # one row at zero rate: |f| <= bound                                modes: stick, +, -
PYRAMID = 6       # rows N, T, U at zero slip, the two axes apart (paper 000)         modes: break, then 1 + 3 t + u, t and u in stick, +, -

MODE_COUNT = {UNILATERAL: 2, SLIDING: 2, CONE: 3, PLANAR: 4, DRY: 3, PYRAMID: 10}
