"""Three PUMA arms around a sphere: one answer by paper 002's route and all answers, and how the answer follows torque and friction."""

import numpy as np

import knuckle as kn

MU = 0.4
ready = kn.load("three-puma-sphere", {"friction": MU}).compile()
answer = ready.modes()
print(answer.verdict.value, *answer.solution.modes, "f_N =", answer.solution.f[:, 0].round(4), "N")

# The same instant as a mixed nonlinear complementarity problem (paper 002, equations 25 to 36).
one = kn.solve_as_mncp(answer.problem)
apart = np.abs(one.f - answer.solution.f).max()
print(f"as an MNCP: {one.outcome} in {one.iterations} Newton steps, merit {one.merit:.0e}, forces {apart:.0e} N apart")

# Inside its modes the answer is differentiable: the second joint of the first arm, pushed a little harder.
rates, j = answer.sensitivities, ready.actuator_names.index("arm 1 joint 2")
down, up = rates.actuators.reach[j]
print(f"{ready.actuator_names[j]}: these modes hold from {down:+.3f} to {up:+.3f} N m, then {rates.actuators.limiting[j][1]}")
step = 0.5 * up
tau = ready.torque + step * ready.system.actuator_moment(ready.state.q)[j]
predicted = answer.solution.f + step * rates.actuators.f[..., j]
error = np.abs(ready.modes(tau=tau).solution.f - predicted).max()
print(f"half way up the forces are as predicted to {error:.0e} N")
beyond = ready.modes(tau=ready.torque + 1.01 * up * ready.system.actuator_moment(ready.state.q)[j])
print("just beyond:", *beyond.solution.modes)

# Friction alone, on a matrix of one's own: a heavy ball on a light one, on the ground.
light, heavy, g = 1.0, 1e6, 9.81
W = np.zeros((6, 6))
W[:3, :3] = np.eye(3) * np.array([1, 3.5, 3.5]) / light
W[3:, 3:] = np.eye(3) * np.array([1, 3.5, 3.5]) * (1 / light + 1 / heavy)
W[0, 3] = W[3, 0] = -1 / light
W[1, 4] = W[4, 1] = W[2, 5] = W[5, 2] = 1.5 / light
stack = kn.solve_cone(W, [-g, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.5])
weight = abs(stack.r[0] / ((light + heavy) * g) - 1)
print(f"stack: {stack.outcome}, residual {stack.residual:.0e}, force on the ground right to {weight:.0e}")
