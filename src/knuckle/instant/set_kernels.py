"""Contact sets of paper 000: the matrix A of a choice of signs, and its principal minors."""
import math

from knuckle.compiled.kernel import inner, kernel
from knuckle.complementarity import minor_kernels
from knuckle.instant import mode_kernels
from knuckle.instant.mode_kernels import DRY, MODE_TOLERANCE, PLANAR, PYRAMID, SLIDING, UNILATERAL
from knuckle.instant.space_kernels import Problem, Work

MOST_AXES = 16                      # problems with more signs to choose are not tested
MOST_MINORS = 1 << 25               # nor are those whose contact sets have more minors in all: some 0.15 s of work, interpreted 2 s
MOST_ROWS = 13                      # room of `Work`: for all minors of 12 rows, and which pivots were moved
NO_DIAGONAL = 1e-13                 # of the terms of a diagonal entry: below it the entry is zero
ROUND_OFF, OF_ROWS = 1e-10, 1e-14   # of a minor of A with unit diagonal, and of the product of its rows: below both the minor is zero
SUSPECT = 1e-3                      # larger minors are not asked whether they are round-off
# work.p: 0 margin, 1 index set (bits), 2 signs (bits, 1 is minus), 3 whether it was tested, 4 the last minor, 5 signs in all


@kernel
def contact_set(problem: Problem, work: Work, units: int) -> int:
    """A of PHYSICS 3 for the signs of the axes in `work.signs` (paper 000, eq 27), into `work.A`; its size."""
    count = 0
    for i in range(units):                                 # columns: what each unknown adds, as in `mixed`
        first, mu = problem.first[i], problem.mu[i]
        if problem.kind[i] == SLIDING:
            count = mode_kernels.unknown(work, count, first, problem.factor[i, 0], problem.factor[i, 1])
        elif problem.kind[i] == PLANAR:
            count = mode_kernels.unknown(work, count, first, -mu * work.signs[first + 1], 0.0)
        elif problem.kind[i] == PYRAMID:
            count = mode_kernels.unknown(work, count, first, -mu * work.signs[first + 1], -mu * work.signs[first + 2])
        elif problem.kind[i] == UNILATERAL:
            count = mode_kernels.unknown(work, count, first, 0.0, 0.0)
    for i in range(units):
        axes = problem.first[i] + (0 if problem.kind[i] == DRY else 1)
        if problem.kind[i] == DRY or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
            for r in range(axes, problem.first[i + 1]):
                count = mode_kernels.unknown(work, count, r, 0.0, 0.0)
    for i in range(count):
        for k in range(count):
            work.A[i, k] = work.signs[work.row[i]] * mode_kernels.mixed(work, work.row[i], k) * work.signs[work.row[k]]
    return count


@inner
def axis_in_set(f: float, a: float, sign: float, size_f: float, size_a: float) -> bool:
    """Whether (f, a) of one axis lies in the branch a^s >= 0, f = -s (bound - Delta) of the sign."""
    if abs(a) > MODE_TOLERANCE * size_a:
        return sign * a > 0.0
    return sign * f <= MODE_TOLERANCE * size_f


@inner
def in_set(problem: Problem, work: Work, units: int, k: int) -> bool:
    """Whether answer k lies in the contact set of `work.signs`."""
    size_f, size_a = 1.0, 1.0
    for r in range(problem.first[units]):
        size_f, size_a = max(size_f, abs(work.answers[k, r])), max(size_a, abs(work.accelerations[k, r]))
    for i in range(units):
        first = problem.first[i]
        dry = problem.kind[i] == DRY
        if dry or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
            for r in range(first if dry else first + 1, problem.first[i + 1]):
                if not axis_in_set(work.answers[k, r], work.accelerations[k, r], work.signs[r], size_f, size_a):
                    return False
    return True


@inner
def choose_signs(work: Work, signs: int, axes: int) -> None:
    for k in range(axes):
        work.signs[work.signed[k]] = -1.0 if signs >> k & 1 else 1.0


@inner
def set_holds_answer(problem: Problem, work: Work, units: int) -> bool:
    """Whether the contact set of `work.signs` holds one of the answers; every set counts where there is none."""
    for k in range(work.counts[0]):
        if in_set(problem, work, units, k):
            return True
    return work.counts[0] == 0


@inner
def signed_rows(problem: Problem, work: Work, units: int) -> int:
    """Rows whose force has a sign that a contact set chooses, into work.row; their number, -1 with circular cones."""
    count = 0
    for i in range(units):
        if problem.kind[i] == mode_kernels.CONE:
            return -1
        if problem.kind[i] == DRY or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
            for r in range(problem.first[i] if problem.kind[i] == DRY else problem.first[i] + 1, problem.first[i + 1]):
                work.signed[count] = r
                count += 1
    return count


@inner
def diagonal_terms(work: Work, k: int) -> float:
    """Size of what A[k, k] is the sum of."""
    base, second, third = work.row[k], work.mix[k, 0], work.mix[k, 1]
    total = abs(work.B[base, base])
    if second != 0.0:
        total += abs(second * work.B[base, base + 1])
    if third != 0.0:
        total += abs(third * work.B[base, base + 2])
    return total


@inner
def is_round_off(work: Work, minor: float, bits: int, n: int) -> bool:
    """Whether a minor is zero as far as numbers can tell; `work.x` holds the lengths of the rows of D A D."""
    lengths = OF_ROWS
    for i in range(n):
        if bits >> i & 1:
            lengths *= work.x[i]
    return abs(minor) <= max(ROUND_OFF, lengths)


@inner
def least_minor(work: Work, n: int) -> int:
    """Bits of the index set of the smallest principal minor of D A D with unit diagonal; its value in work.p[4]."""
    for i in range(n):
        if not work.A[i, i] > NO_DIAGONAL * diagonal_terms(work, i):
            work.p[4] = -math.inf
            return 1 << i
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += work.A[i, j] * work.A[i, j] / (work.A[i, i] * work.A[j, j])
        work.x[i] = math.sqrt(total)
    minor_kernels.principal_minors(work.A, n, work.level, work.following, work.minors)
    least, smallest = 1, math.inf
    for bits in range(1, 1 << n):
        minor = work.minors[bits]
        if minor < SUSPECT and is_round_off(work, minor, bits, n):
            minor = 0.0
        if minor < smallest:
            least, smallest = bits, minor
    work.p[4] = smallest
    return least


@inner
def sets_to_test(problem: Problem, work: Work, units: int, axes: int, n: int) -> int:
    """How many contact sets hold an answer; -1 where they are too many."""
    chosen = 0
    for signs in range(1 << axes):
        choose_signs(work, signs, axes)
        chosen += 1 if set_holds_answer(problem, work, units) else 0
        if chosen << n > MOST_MINORS:
            return -1
    return chosen


@kernel
def p_test(problem: Problem, work: Work, units: int) -> None:
    """P in every contact set that holds an answer, in all sets if there is none (PHYSICS 3, item 4)."""
    for r in range(problem.first[units]):
        work.signs[r] = 1.0
    axes = signed_rows(problem, work, units)
    work.p[0], work.p[1], work.p[2], work.p[3], work.p[5] = math.inf, 0.0, 0.0, 0.0, axes
    if axes < 0 or axes > MOST_AXES:
        return
    n = contact_set(problem, work, units)
    if work.minors.size < 2 << n or sets_to_test(problem, work, units, axes, n) < 0:
        return
    for signs in range(1 << axes):
        choose_signs(work, signs, axes)
        if not set_holds_answer(problem, work, units):
            continue
        contact_set(problem, work, units)
        bits = 0 if n == 0 else least_minor(work, n)
        margin = 1.0 if n == 0 else work.p[4]
        if margin < work.p[0]:
            work.p[0], work.p[1], work.p[2] = margin, bits, signs
    work.p[3] = 1.0
