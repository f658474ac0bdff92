"""Velocity level on the two-finger hand: forward and inverse problem invert each other, and dependent rows are named (004, section 2.2)."""
import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError


@pytest.fixture(scope="module")
def hand():
    return kn.load("two-finger-lift").compile()


def parts(hand):
    objects = [name for i, name in enumerate(hand.dof_names) if int(hand.system.model.dof_bodyid[i]) in hand.system.objects]
    return objects, [name for name in hand.dof_names if name not in objects]


def test_inverse_then_forward(hand):
    objects, joints = parts(hand)
    lift = dict(zip(objects, [0.01, 0.05, 0.2], strict=True))
    inverse = hand.velocities(known=lift)
    assert inverse.unique and not inverse.dependent_rows
    named = dict(zip(hand.dof_names, inverse.v, strict=True))
    forward = hand.velocities(known={name: named[name] for name in joints})
    assert forward.unique
    np.testing.assert_allclose(forward.v, inverse.v, atol=1e-12)
    # two fingers of two joints roll on the object: four rows for three unknowns of the object, so one row follows from the others
    assert len(forward.dependent_rows) == 1 and not forward.contradicting_rows


def test_joint_rates_that_no_rolling_allows_are_named(hand):
    _, joints = parts(hand)
    wrong = hand.velocities(known=dict.fromkeys(joints, 1.0))
    assert not wrong.consistent and wrong.contradicting_rows
    assert not hand.velocities(known=dict.fromkeys(joints, 1.0), modes=["R", "R"]).unique


def test_a_sliding_contact_has_the_slip_that_is_asked_for(hand):
    objects, _ = parts(hand)
    still = dict.fromkeys(objects, 0.0)
    moved = hand.velocities(known=still, modes=["S", "R"], slips=np.array([[0.03], [0.0]]))
    assert moved.unique
    answer = hand.modes(v=moved.v, tau=hand.torque)
    assert [contact["label"] for contact in answer.to_dict()["contacts"]] == ["sliding", "rolling"]
    np.testing.assert_allclose(answer.moment.contacts.velocity[:, 1], [0.03, 0.0], atol=1e-12)


def test_wrong_names_and_lengths(hand):
    with pytest.raises(InputError, match="no such degree of freedom"):
        hand.velocities(known={"nobody": 1.0})
    with pytest.raises(InputError, match="one mode for each contact"):
        hand.velocities(modes=["R"])
