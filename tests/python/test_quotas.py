"""The lottery over panels beside HiGHS: nobody's smallest chance could be larger, every panel keeps every quota."""
import os, pathlib, subprocess

import numpy
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

DRAW = pathlib.Path(os.environ.get("EQUIPOISE_PROGRAM", "build/equipoise")).parent / "tests/property/draw-quotas"
NEAR = 1e-6


class Pool:
    """People merged into types: how many, the rule's acceptance, and the quota of each feature that they come under."""

    def __init__(self, size, values, quotas, types):
        self.size, self.values, self.quotas, self.types = size, values, quotas, types
        self.people = numpy.array([people for people, _, _ in types], float)
        self.weight = numpy.array([people * accept for people, accept, _ in types])
        self.member = numpy.zeros((len(quotas), len(types)))
        for t, (_, _, under) in enumerate(types):
            self.member[list(under), t] = 1
        self.low, self.high = numpy.array(quotas, float).T

    def text(self):
        words = [self.size, len(self.values), *self.values, *(n for quota in self.quotas for n in quota), len(self.types)]
        return " ".join(map(str, words + [word for people, accept, under in self.types for word in (people, accept, *under)]))

    def best_panel(self, prices, member=None):
        """The panel of largest worth, with this type in it; None where none keeps the quotas."""
        least = numpy.zeros(len(self.types))
        if member is not None:
            least[member] = 1
        rows = LinearConstraint(numpy.vstack([self.member, numpy.ones(len(self.types))]),
                                numpy.append(self.low, self.size), numpy.append(self.high, self.size))
        found = milp(-prices, constraints=rows, integrality=numpy.ones(len(self.types)), bounds=Bounds(least, self.people),
                     options={"mip_rel_gap": 0})
        return None if found.x is None else numpy.round(found.x)

    def relaxed(self):
        """max m over seats that need not be whole: no lottery has more."""
        types = len(self.types)
        rows = numpy.vstack([numpy.column_stack([side * self.member, numpy.zeros(len(self.quotas))]) for side in (1, -1)]
                            + [numpy.column_stack([-numpy.eye(types), self.weight])])
        found = linprog(numpy.append(numpy.zeros(types), -1), rows, numpy.concatenate([self.high, -self.low, numpy.zeros(types)]),
                        numpy.append(numpy.ones(types), 0)[None], [self.size],
                        bounds=[(0, people) for people in self.people] + [(0, None)], method="highs")
        return None if found.x is None else -found.fun

    def maximin(self):
        """max m over mixtures of panels with every type's expected seats at least m times its weight, by columns."""
        panel, panels = self.best_panel(numpy.zeros(len(self.types))), []
        while panel is not None:
            panels.append(panel)
            matrix = numpy.array(panels).T
            count = len(panels)
            found = linprog(numpy.append(numpy.zeros(count), -1), numpy.column_stack([-matrix / self.weight[:, None], numpy.ones(len(self.types))]),
                            numpy.zeros(len(self.types)), numpy.append(numpy.ones(count), 0)[None], [1],
                            bounds=[(0, None)] * count + [(None, None)], method="highs")
            prices = -found.ineqlin.marginals / self.weight
            panel = self.best_panel(prices)
            if prices @ panel <= -found.fun + 1e-9:
                return -found.fun
        return None


def random_pool(random, people, size, values, leaves, push):
    """People with skewed values; quotas around their shares, pushed towards equal ones."""
    table = numpy.column_stack([(random.random(people) ** 2 * count).astype(int) for count in values])
    leaf = random.integers(0, leaves, people)
    starts = numpy.concatenate([[0], numpy.cumsum(values)[:-1]])
    quotas = []
    for feature, count in enumerate(values):
        for value in range(count):
            share = (1 - push) * (table[:, feature] == value).mean() + push / count
            quotas.append((int(0.93 * share * size), int(numpy.ceil(1.05 * share * size))))
    kinds, counts = numpy.unique(numpy.column_stack([table + starts, leaf]), axis=0, return_counts=True)
    accept = [1.0, 0.35, 0.8][:leaves]
    return Pool(size, values, quotas, [(int(n), accept[kind[-1]], tuple(map(int, kind[:-1]))) for kind, n in zip(kinds, counts)])


def crossed_pool(random):
    """Half of the seats for either value of four features, exactly: corners of the linear program are no panels."""
    kinds = random.choice(16, random.integers(8, 17), replace=False)
    types = [(int(random.integers(1, 12)), float(random.choice([1.0, 0.4])), tuple(2 * f + int(kind >> f & 1) for f in range(4))) for kind in kinds]
    size = int(random.choice([2, 4, 6]))
    return Pool(size, [2] * 4, [(size // 2, size // 2)] * 8, types)


def exact_pool(random, people, size, values, leaves, push, slack):
    """The same with quotas that leave no room, or `slack` seats of it."""
    pool = random_pool(random, people, size, values, leaves, push)
    there, quotas, start = pool.member @ pool.people, [], 0
    for count in values:
        part = there[start:start + count]
        wanted = ((1 - push) * part / part.sum() + push / count) * size
        seats = numpy.floor(wanted)
        seats[numpy.argsort(seats - wanted)[:int(size - seats.sum())]] += 1
        quotas += [(int(max(0, n - slack)), int(n + slack)) for n in numpy.minimum(seats, part)]
        start += count
    return Pool(size, values, quotas, pool.types)


def fixture(size, features, people):
    """As sortition software publishes its examples: features with values and bounds, and people one by one."""
    names = [(feature, value) for feature, values in features.items() for value in values]
    counted = {}
    for person in people:
        under = tuple(names.index((feature, value)) for feature, value in zip(features, person))
        counted[under] = counted.get(under, 0) + 1
    return Pool(size, [len(values) for values in features.values()], [features[f][v] for f, v in names],
                [(n, 1.0, under) for under, n in counted.items()])


def assembly():
    """A town's assembly of 22: gender, age, education; graduates came in droves."""
    random = numpy.random.default_rng(3)
    features = {"gender": {"female": (11, 11), "male": (10, 11), "other": (0, 1)}, "age": {"16-29": (4, 6), "30-44": (5, 6), "45-64": (6, 8), "65+": (4, 6)},
                "education": {"none": (5, 7), "school": (8, 10), "degree": (6, 8)}}
    shares = [[0.52, 0.46, 0.02], [0.12, 0.25, 0.38, 0.25], [0.1, 0.3, 0.6]]
    people = [[random.choice(list(values), p=share) for values, share in zip(features.values(), shares)] for _ in range(180)]
    return fixture(22, features, people)


def scarce():
    """Hardly anybody for one value, exact quotas elsewhere."""
    random = numpy.random.default_rng(8)
    features = {"side": {"north": (10, 10), "south": (10, 10)}, "tenure": {"own": (9, 11), "rent": (9, 11)}, "age": {"young": (3, 3), "old": (17, 17)}}
    people = [[random.choice(["north", "south"], p=[0.2, 0.8]), random.choice(["own", "rent"], p=[0.85, 0.15]),
               random.choice(["young", "old"], p=[0.07, 0.93])] for _ in range(120)]
    return fixture(20, features, people)


def triangles():
    """Quotas whose linear program has a corner that no mixture of panels reaches: one seat of each pair of values."""
    features = {"a": {"0": (1, 1), "1": (1, 1)}, "b": {"0": (1, 1), "1": (1, 1)}, "c": {"0": (1, 1), "1": (1, 1)}}
    people = [["0", "0", "0"], ["1", "1", "0"], ["1", "0", "1"], ["0", "1", "1"], ["1", "1", "1"], ["0", "0", "1"]]
    return fixture(2, features, people)


def skewed_triangles():
    """The same with everybody in some panel, and types of very different size."""
    pool = triangles()
    under = lambda a, b, c: (a, 2 + b, 4 + c)
    types = [(n, 1.0, under(*map(int, f"{t:03b}"))) for t, n in enumerate([9, 1, 2, 7, 3, 8, 1, 4])]
    return Pool(2, pool.values, pool.quotas, types)


def many_triangles():
    """The same in 21 streets, a seat for at most one person of each: 168 types."""
    pool, streets = skewed_triangles(), 21
    types = [(1 + (people + street) % 3, 1.0, (*under, 6 + street)) for street in range(streets) for people, _, under in pool.types]
    return Pool(2, [*pool.values, streets], [*pool.quotas, *[(0, 1)] * streets], types)


def check(pool, line):
    """How far the lottery is from the best one.  The best one is that of the linear program where it gets there, and
    otherwise sought over all panels."""
    if line == "infeasible":
        assert pool.best_panel(numpy.zeros(len(pool.types))) is None
        return 0
    least, bound, count, *numbers = line.split()
    table = numpy.array([float.fromhex(word) if "x" in word else float(word) for word in numbers]).reshape(int(count), -1)
    chances, panels = table[:, 0], table[:, 1:]
    assert abs(chances.sum() - 1) < 1e-9 and (chances > 0).all()
    assert (panels.sum(axis=1) == pool.size).all() and (panels <= pool.people).all()
    seats = panels @ pool.member.T
    assert (seats >= pool.low).all() and (seats <= pool.high).all()
    out = panels.sum(axis=0) == 0  # they have no chance, because no panel has a place for them
    assert all(pool.best_panel(numpy.zeros(len(pool.types)), type) is None for type in numpy.flatnonzero(out))
    pool = Pool(pool.size, pool.values, pool.quotas, [kind for kind, none in zip(pool.types, out) if not none])
    best, found = pool.relaxed(), ((chances @ panels[:, ~out]) / pool.weight).min()
    assert abs(found - float.fromhex(least)) < 1e-9
    if best - found > NEAR / 2:
        best = pool.maximin()
    assert best - 1e-8 <= float.fromhex(bound) <= found + NEAR  # what the program proves is true
    return best - found


def lotteries(pools):
    done = subprocess.run([DRAW], input="\n".join(pool.text() for pool in pools), text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(pools)
    return lines


RANDOM = {"small": (60, 12, [2, 3], 1, 0.2), "leaves": (150, 30, [2, 4, 3], 3, 0.2), "pushed": (200, 40, [2, 5, 3], 2, 0.6),
          "many": (250, 50, [2, 5, 3, 4], 2, 0.3), "towns": (600, 80, [6, 6, 8], 2, 0.3), "five": (450, 60, [2, 3, 3, 3, 4], 2, 0.3)}
EXACT = {"three": (600, 60, [6, 6, 7], 2, 0.4, 0), "four": (400, 40, [2, 5, 4, 5], 2, 0.4, 0), "five": (450, 45, [2, 3, 4, 3, 3], 2, 0.4, 1)}
needs_program = pytest.mark.skipif(not DRAW.exists(), reason="the program that draws is not built")


def gaps(pools):
    return [check(pool, line) for pool, line in zip(pools, lotteries(pools))]


@needs_program
@pytest.mark.parametrize("make", [assembly, scarce, triangles, skewed_triangles, many_triangles])
def test_published_kinds_of_panels(make):
    assert max(gaps([make()])) <= NEAR


@needs_program
@pytest.mark.parametrize("kind", RANDOM)
def test_nobody_could_have_more_who_has_least(kind):
    random = numpy.random.default_rng(11)
    assert max(gaps([random_pool(random, *RANDOM[kind]) for _ in range(6)])) <= NEAR


@needs_program
@pytest.mark.parametrize("kind", EXACT)
def test_many_types_and_hardly_any_room(kind):
    random = numpy.random.default_rng(2)
    pools = [exact_pool(random, *EXACT[kind]) for _ in range(4)]
    assert min(len(pool.types) for pool in pools) >= 150
    assert max(gaps(pools)) <= NEAR


@needs_program
def test_crossed_quotas():
    random = numpy.random.default_rng(5)
    pools = [crossed_pool(random) for _ in range(60)]
    lines = lotteries(pools)
    assert max(check(pool, line) for pool, line in zip(pools, lines)) <= NEAR
    assert sum(line != "infeasible" for line in lines) > 30
