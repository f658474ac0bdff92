"""Which contacts of a two-finger hand roll or slide, and does the object rise? One scenario, four pairs of torques."""

import numpy as np

import knuckle as kn

scenario = kn.load("two-finger-lift")
system = scenario.compile()  # loaded once, then asked many times
state, ordinary = system.state, system.torque.copy()
second = [system.dof_names.index(name) for name in ("finger 1 second", "finger 2 second")]


def ask(tau1, tau2):
    """The answer when the second joints push with tau1 and tau2 (N m)."""
    tau = ordinary.copy()
    tau[second] = tau1, tau2
    return system.modes(state.q, state.v, tau)


rises = {}
for tau1, tau2 in [(2.0, 2.0), (5.0, 5.0), (1.0, 4.0), (4.0, 1.0)]:
    answer = ask(tau1, tau2)
    solution = answer.solution
    rises[tau1, tau2] = float(solution.vdot[[k for k, name in enumerate(system.dof_names) if "ellipse" in name][1]])
    forces = ", ".join(f"{force:.2f} N" for force in solution.f[:, 0])
    print(f"tau {tau1:g}, {tau2:g} N m: {answer.verdict.value}, modes {' '.join(solution.modes)}, f_N {forces}, "
          f"object up {rises[tau1, tau2]:+.3f} m/s^2")

print("P-matrix, so one answer for every torque:", ask(2.0, 2.0).p_matrix.holds)
mirror_difference = abs(rises[1.0, 4.0] - rises[4.0, 1.0])
margin = float(np.min(np.abs(ask(2.0, 2.0).margins.reach)))
print(f"mirror symmetry: {mirror_difference:.1e}; some mode changes first after {margin:.3f} N m")
