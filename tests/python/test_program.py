"""The direct learner's program (M9) against an interior-point solver that knows nothing of it.

With one column of levels, rules are thresholds of any value a level, so a mixture of rules is any acceptance a level, and
the whole program is a small convex one in these acceptances. Columns, prices, cross-fitting and duals must lead there. With a
confidence the learner keeps some of the budget free; without, it has the whole of it. Linear scores tell all levels apart; boosted ones
are few and need not."""
import numpy as np
import pandas as pd
import pytest
from cvxopt import matrix, solvers

import equipoise

LEVELS, GROUPS, ROWS = 8, 3, 6000
KAPPA = 0.0  # without spread labels alone count, and the optimum is known
EXACT = {"show_progress": False, "abstol": 1e-9, "reltol": 1e-9, "feastol": 1e-9}


class Sample:
    """Rows of random levels and groups; `joint` has the share of the rows of each level and group."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        counts = np.round(ROWS * rng.dirichlet(np.ones(LEVELS))[:, None] * rng.dirichlet(np.full(GROUPS, 0.7), LEVELS)).astype(int) + 5
        rows = [(f"level {place}", f"group {group}") for (place, group), count in np.ndenumerate(counts) for _ in range(count)]
        self.frame = pd.DataFrame(rows, columns=["level", "group"]).sample(frac=1, random_state=seed, ignore_index=True)
        self.joint, self.rows = counts / counts.sum(), counts.sum()
        self.rates, self.target = self.joint.sum(0), np.full(GROUPS, 1 / GROUPS)

    def measure(self, accept):
        """Objective, imbalance and disclosure of an acceptance a level, by their definitions."""
        mass, given = self.joint.sum(1), self.joint.T @ accept
        share = mass @ accept
        cohort, rest = given / share, (self.rates - given) / (1 - share)
        spread = KAPPA * (mass @ accept**2) / (self.rows * share**2)
        return {"yield": share, "objective": ((cohort - self.target) ** 2).sum() + spread,
                "imbalance": np.linalg.norm(cohort - self.target),
                "disclosure": max(np.abs(cohort - self.rates).max(), np.abs(rest - self.rates).max())}

    def optimum(self, share, budget):
        """The best acceptance a level at this yield."""
        mass, cohort, rest = self.joint.sum(1), self.joint.T / share, -self.joint.T / (1 - share)
        square = 2 * (cohort.T @ cohort + KAPPA * np.diag(mass) / (self.rows * share**2))
        left = np.vstack([np.eye(LEVELS), -np.eye(LEVELS), cohort, -cohort, rest, -rest])
        right = np.concatenate([np.ones(LEVELS), np.zeros(LEVELS), self.rates + budget, budget - self.rates,
                                self.rates + budget - self.rates / (1 - share), budget - self.rates + self.rates / (1 - share)])
        found = solvers.qp(matrix(square), matrix(-2 * cohort.T @ self.target), matrix(left), matrix(right),
                           matrix(mass[None, :]), matrix([share]), options=EXACT)
        assert found["gap"] < 1e-7 and found["primal infeasibility"] < 1e-7
        return np.array(found["x"]).ravel()


@pytest.mark.filterwarnings("ignore::equipoise.EquipoiseWarning")
@pytest.mark.parametrize("seed", [0, 3, 4])
@pytest.mark.parametrize("budget", [0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("least", [0.1, 0.3])
def test_direct_program(seed, budget, least):
    sample = Sample(seed)
    rule = equipoise.BalancedFilter(budget, min_yield=least, oracle="linear", spread=KAPPA, confidence="off", sdc="none", random_state=1)
    rule.fit(sample.frame[["level"]], sample.frame["group"])
    ours = sample.measure(rule.selection_probability(pd.DataFrame({"level": [f"level {place}" for place in range(LEVELS)]})))
    best = sample.measure(sample.optimum(ours["yield"], ours["disclosure"]))
    freest = sample.measure(sample.optimum(ours["yield"], budget))
    assert ours["yield"] >= least - 1e-6
    assert ours["disclosure"] <= budget + 1e-6
    assert -1e-7 <= ours["objective"] - best["objective"] < 1e-4
    assert ours["imbalance"] == pytest.approx(best["imbalance"], abs=1e-3)
    assert ours["disclosure"] == pytest.approx(freest["disclosure"], abs=1e-4)
    for name in ("imbalance", "disclosure", "yield"):
        assert rule.train_[name] == pytest.approx(ours[name], abs=1e-6), name


def test_the_optimum_is_one():
    """The other solver's answer keeps the constraints, and no small step that keeps them as well improves it."""
    sample, budget, share = Sample(0), 0.1, 0.3
    accept = sample.optimum(share, budget)
    best = sample.measure(accept)
    assert best["disclosure"] <= budget + 1e-7 and best["yield"] == pytest.approx(share)
    rng = np.random.default_rng(1)
    for _ in range(2000):
        step = rng.normal(size=LEVELS) * 0.01
        step -= sample.joint.sum(1) * (sample.joint.sum(1) @ step) / (sample.joint.sum(1) ** 2).sum()
        other = np.clip(accept + step, 0, 1)
        measured = sample.measure(other)
        if measured["disclosure"] <= budget and abs(measured["yield"] - share) < 1e-9:
            assert measured["objective"] >= best["objective"] - 1e-8
