"""What the attacks on small leaves share: tables in which a few people make up a leaf and are all of one group."""
import collections, csv, json, math, random, subprocess

GROUPS, RATES = "Amber Birch Cedar Dune".split(), (0.4, 0.3, 0.2, 0.1)
PROXY = ["--proxy", "place", "-s", "group"]


def table(seed, path):
    """Three hundred people in four places, and few in a fifth, who share a group by the base rates; writes the table, gives that group."""
    choose = random.Random(seed)
    shared, few = choose.choices(GROUPS, RATES)[0], choose.randint(6, 9)
    people = [(choose.choice("NESW"), choose.choices(GROUPS, RATES)[0]) for _ in range(300)] + [("Z", shared)] * few
    choose.shuffle(people)
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("place", "group"), *people])
    return shared


def audit(program, path, control, *more):
    return subprocess.run([program, "audit", path, *PROXY, "--sdc", control, "--threads", "1", *more], capture_output=True, text=True)


def report(program, path, control):
    done = audit(program, path, control, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def nearest(figure, rates):
    """The group whose members make a leaf of this disclosure: 1 minus its base rate."""
    near = min(rates, key=lambda value: abs(1 - rates[value] - figure))
    return near if abs(1 - rates[near] - figure) < 0.02 else None


def verdict(what, bare, controlled, truth):
    """Prints how far the attack gets; true when it gets further than guessing, or does not work without control."""
    common = collections.Counter(truth).most_common(1)[0][1]
    allowed = common + 2.5 * math.sqrt(common * (1 - common / len(truth)))
    print(f"{what}: {len(truth)} leaves: {bare} groups found without control, {controlled} with it, {common} by guessing")
    return bare < 0.9 * len(truth) or controlled > allowed
