"""Contact sets of paper 000: the matrix A of a choice of signs, and its principal minors."""
import math

from knuckle.compiled.kernel import inner, kernel
from knuckle.complementarity import minor_kernels
from knuckle.instant import mode_kernels
from knuckle.instant.mode_kernels import DRY, MODE_TOLERANCE, PLANAR, PYRAMID, SLIDING, UNILATERAL
from knuckle.instant.space_kernels import Problem, Work

MOST_AXES, MOST_ROWS = 8, 12        # contact sets of more signs, and matrices of more rows, are not tested
ROUND_OFF = 1e-10                   # of a minor of A with unit diagonal: below it the minor is zero
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
def axis_in_set(f: float, a: float, sign: float, tolerance: float) -> bool:
    """Whether (f, a) of one axis lies in the branch a^s >= 0, f = -s (bound - Delta) of the sign."""
    if abs(a) > tolerance:
        return sign * a > 0.0
    return sign * f <= tolerance


@inner
def set_holds_answer(problem: Problem, work: Work, units: int) -> bool:
    """Whether the contact set of `work.signs` holds one of the answers."""
    for k in range(work.counts[0]):
        inside = True
        for i in range(units):
            first = problem.first[i]
            dry = problem.kind[i] == DRY
            if dry or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
                for r in range(first if dry else first + 1, problem.first[i + 1]):
                    inside = inside and axis_in_set(work.answers[k, r], work.accelerations[k, r], work.signs[r], MODE_TOLERANCE)
        if inside:
            return True
    return False


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
def least_minor(work: Work, n: int) -> int:
    """Bits of the index set of the smallest principal minor of D A D with unit diagonal; its value in work.p[4]."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(work.A[i, i]))
    for i in range(n):
        if not work.A[i, i] > ROUND_OFF * largest:
            work.p[4] = -math.inf if work.A[i, i] <= ROUND_OFF * largest else math.nan
            return 1 << i
    least = minor_kernels.principal_minors(work.A, n, work.level, work.following, work.minors)
    work.p[4] = work.minors[least]
    if not abs(work.minors[least]) > ROUND_OFF:            # zero up to round-off, or NaN after a zero: the first such set says it
        work.p[4] = 0.0
        for bits in range(1, 1 << n):
            if not abs(work.minors[bits]) > ROUND_OFF:
                return bits
    return least


@kernel
def p_test(problem: Problem, work: Work, units: int) -> None:
    """P in every contact set that holds an answer, in all sets if there is none (PHYSICS 3, item 4)."""
    for r in range(problem.first[units]):
        work.signs[r] = 1.0
    axes = signed_rows(problem, work, units)
    work.p[0], work.p[1], work.p[2], work.p[3], work.p[5] = math.inf, 0.0, 0.0, 0.0, axes
    if axes < 0 or axes > MOST_AXES:
        return
    for signs in range(1 << axes):
        for k in range(axes):
            work.signs[work.signed[k]] = -1.0 if signs >> k & 1 else 1.0
        if work.counts[0] > 0 and not set_holds_answer(problem, work, units):
            continue
        n = contact_set(problem, work, units)
        if n > MOST_ROWS:
            return
        bits = 0 if n == 0 else least_minor(work, n)
        margin = 1.0 if n == 0 else work.p[4]
        if margin < work.p[0]:
            work.p[0], work.p[1], work.p[2] = margin, bits, signs
    work.p[3] = 1.0
