"""Our simplex beside scipy's HiGHS: the same outcome, the same optimum, and a point that keeps the program."""
import os, pathlib, subprocess

import numpy
import pytest
from scipy.optimize import linprog

SOLVE = pathlib.Path(os.environ.get("EQUIPOISE_PROGRAM", "build/equipoise")).parent / "tests/property/solve-programs"
OUTCOMES = {0: "optimal", 2: "infeasible", 3: "unbounded"}


def feasible(random, whole):
    """A program with a feasible point; bounded or not."""
    rows, columns = random.integers(2, 15), random.integers(2, 40)
    draw = (lambda *shape: numpy.round(random.normal(size=shape))) if whole else lambda *shape: random.normal(size=shape)
    matrix = draw(rows, columns) * (random.random((rows, columns)) < random.uniform(0.3, 1))
    point = abs(draw(columns)) * (random.random(columns) < 0.5)
    equal = random.random(rows) < 0.2
    right = matrix @ point + numpy.where(equal | (random.random(rows) < 0.5), 0, abs(draw(rows)))
    upper = numpy.where(random.random(columns) < 0.5, point + abs(draw(columns)), numpy.inf)
    return matrix, equal, right, upper, draw(columns)


def infeasible(random, whole):
    matrix, equal, right, upper, cost = feasible(random, whole)
    weight = random.random(len(right)) + 0.1
    matrix = numpy.vstack([matrix, -weight @ matrix])
    return matrix, numpy.append(equal, False), numpy.append(right, -weight @ right - 0.1), upper, cost


def badly_scaled(random, whole):
    matrix, equal, right, upper, cost = feasible(random, whole)
    by_row, by_column = 10 ** random.uniform(-3, 3, len(right)), 10 ** random.uniform(-3, 3, len(cost))
    return matrix * by_row[:, None] * by_column, equal, right * by_row, upper / by_column, cost * by_column


def text(program):
    matrix, equal, right, upper, cost = program
    numbers = numpy.concatenate([equal.astype(float), right, upper, cost, matrix.T.ravel()])
    return f"{len(right)} {len(cost)} " + " ".join(float(number).hex() if numpy.isfinite(number) else "inf" for number in numbers)


def by_highs(program):
    matrix, equal, right, upper, cost = program
    return linprog(cost, matrix[~equal], right[~equal], matrix[equal], right[equal], list(zip(numpy.zeros(len(cost)), upper)),
                   method="highs", options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})


def check(program, line):
    matrix, equal, right, upper, cost = program
    outcome, *numbers = line.split()
    x, found = numpy.array([float.fromhex(number) for number in numbers]), by_highs(program)
    if found.status == 4:  # HiGHS cannot tell
        return
    assert outcome == OUTCOMES[found.status]
    if outcome != "optimal":
        return
    size = abs(matrix) @ abs(x) + abs(right) + abs(matrix).max(axis=1)
    off = matrix @ x - right
    assert (off <= 1e-9 * size).all() and (abs(off[equal]) <= 1e-9 * size[equal]).all()
    assert (x >= -1e-9 * max(1, x.max())).all() and (x <= upper + 1e-9 * max(1, x.max())).all()
    assert abs(cost @ x - found.fun) <= 1e-8 * (1 + abs(cost) @ abs(x))


@pytest.mark.skipif(not SOLVE.exists(), reason="the program that solves is not built")
@pytest.mark.parametrize("kind", [feasible, infeasible, badly_scaled])
@pytest.mark.parametrize("whole", [False, True])
def test_answers_are_those_of_highs(kind, whole):
    random = numpy.random.default_rng(7)
    programs = [kind(random, whole) for _ in range(400)]
    done = subprocess.run([SOLVE], input="\n".join(map(text, programs)), text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(programs)
    for program, line in zip(programs, lines):
        check(program, line)
