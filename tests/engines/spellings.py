"""Numbers and ids mean the same to every executor: decided alike, or refused alike.

usage: spellings.py BUILD FOLDER COUNT [ENGINE…]      all engines, C, Python and the program without a name

Writes COUNT spellings of numbers, about half of them proper, and some ids that are none.  A rule whose leaves accept all
or none tells where a number fell.  What the grammar (src/base/number.h) says is written here a second time, as a regular
expression; every executor must agree with it, and on the decision.  The last line is the tally."""
import csv, json, math, pathlib, random, re, subprocess, sys, time

import c_source, pools
from engines import ENGINES
from pools import ID

NUMBER = re.compile(r"[ \t]*[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?0?[0-9]{1,2})?[ \t]*")
MISSING = ("", "?", "NA")
ALONE = 200  # records that the program and Python are asked about one by one: they stop at the first they refuse
WORDS = """inf -inf +inf Infinity infinity INF nan NaN NAN -nan null NULL none None true false t f 0x10 0X1P3 0x1p-2 0b101 0o17
1_000 1,000 1.000,5 1'000 1e400 -1e400 1e-400 1e308 1e309 2e-324 1d5 1D5 1f 1F 1L 12u 12% $5 (5) 5- 1/2 1:2 1e5.0 1e 1e+ e5 . -
+ +- .e1 -.e5 +.5 -.5 5. 5.e1 9007199254740993 9223372036854775807 9223372036854775808 18446744073709551616 -9223372036854775809
00 -0 -0.0 0e0 0e-99 0e99 0e100 1e99 1e100 1e-99 1e-100 1e099 1e0099 1e+005 1e-005 4.9e-324 1.7976931348623157e308
٣ ３ 一 ½ ² − −5 ＋5 1e５ 12٫5 NA ? n/a N/A #N/A""".split()
BLANKS = [" ", "\t", "\n", "\r", "\v", "\f", "\u00a0", "\u2003", "\ufeff", "\x1f", "\x00"[:0]]


def digits(dice, longest):
    length = dice.choice([0, 1, 1, 2, 3, 5, 9, 15, 16, 17, 18, 19, 20, dice.randrange(longest)])
    return "".join(dice.choice("0123456789") for _ in range(length))


def spelling(dice):
    """A number as the grammar would write it, and in half of the cases one change to it."""
    text = dice.choice(["", "", "", "+", "-"]) + digits(dice, 44) + dice.choice(["", ".", "."])
    text += digits(dice, 44) if "." in text else ""
    if dice.random() < 0.4:
        text += dice.choice("eE") + dice.choice(["", "+", "-"]) + digits(dice, 5)[:dice.choice([1, 1, 2, 2, 3, 4])]
    if dice.random() < 0.2:
        text = dice.choice(BLANKS[:2]) + text + dice.choice(["", " ", "\t "])
    if dice.random() < 0.4:
        at = dice.randrange(len(text) + 1)
        change = dice.choice([dice.choice(BLANKS), dice.choice("+-.,_eEdDxXpPfL%$()'\"/\\:;"), dice.choice(WORDS), "0" * 30])
        text = text[:at] + change + text[at + dice.randrange(2):]
    return text


class Spelled:
    """Records with the columns id and x; some ids are none."""
    columns, numbers, table, name = [ID, "x"], ["x"], "spelled", "spelled"

    def __init__(self, folder, count):
        dice = random.Random(count)
        texts = [*WORDS, *MISSING] + [spelling(dice) for _ in range(count - len(WORDS) - len(MISSING))]
        ids = [f"r{i}" for i in range(len(texts))]
        self.rows = [list(row) for row in zip(ids, texts)]
        self.bad_ids = [["", "5"], ["?", "5"], ["NA", "5"], ["", "x"]]
        self.path = pathlib.Path(folder, "spelled.csv")

    def parquet(self, typed):
        return self.path.with_suffix(".parquet")

    def write(self):
        import duckdb, pandas
        frame = pandas.DataFrame(self.rows + self.bad_ids, columns=self.columns, dtype="string")
        connection = duckdb.connect()
        connection.register("frame", frame)
        connection.execute(f"COPY (SELECT * FROM frame) TO '{self.parquet(False)}' (FORMAT parquet)")
        connection.close()


def make_rule(workshop, stamp):
    """A tree over x alone whose 64 leaves accept all or none by turns."""
    cuts = sorted(random.Random(5).choice([-1, 1]) * 10 ** random.Random(i).uniform(-20, 40) for i in range(63))
    nodes, scores = [], [{"intercept": 0.0, "terms": [[1.0, -1e60]]}]
    def grow(low, high):
        if low == high:
            return {"leaf": low}
        here, middle = len(nodes), (low + high) // 2
        nodes.append(None)
        yes = grow(low, middle)
        nodes[here] = {"components": [{"weight": 1.0, "score": 0, "below": cuts[middle]}], "yes": yes,
                       "no": grow(middle + 1, high)}
        return {"node": here}
    grow(0, 63)
    model = {"format": "equipoise-model", "version": 1,
             "provenance": {"version": "0.1.0", "method": "tree", "oracle": "linear", "solver": "exact", "max_disclosure": 0.2,
                            "spread": 1.0, "confidence": None, "strict": False, "seed": "1", "data": ""},
             "input": {"missing": "?,NA", "decimal": "."},
             "features": [{"column": "x", "kind": "number", "mean": 0.0, "scale": 1.0, "missing_share": 0.0}],
             "sensitive": {"columns": ["g"], "intersect": False,
                           "groups": [{"attribute": "g", "value": v, "target": 0.5} for v in "ab"]},
             "rule": {"router": "tree", "noise": 0.0, "scores": scores, "nodes": nodes,
                      "leaves": [{"accept": float(i % 2), "share": 0.0} for i in range(64)]}, "digest": ""}
    raw = workshop.folder / "spelled.json"
    raw.write_text(json.dumps(model))
    path = workshop.folder / "spelled.model"
    subprocess.run([stamp, raw, path], check=True)
    return pools.Model("spelled", None, path, 0), cuts


def expected(text, cuts):
    """What must come out, from the regular expression and Python's correctly rounded float alone."""
    if text not in MISSING and not NUMBER.fullmatch(text):
        return "refused"
    value = -1e60 if text in MISSING else float(text)
    leaf = sum(cut <= value for cut in cuts)
    return "yes" if leaf % 2 else "no"


# ---- executors: each gives {id: verdict} ------------------------------------------------------------------

def by_sql(kind, workshop, model, pool):
    text = pools.run(workshop.program, "export", "--model", model.path, "--to", kind.name, "--id", ID, "--as", "predicate",
                     "-k", workshop.key_file)
    engine = kind(workshop.folder, workshop.key)
    try:
        rows = pool.rows + pool.bad_ids
        if kind.name in ("postgresql", "sqlite"):
            pool.rows, before = rows, pool.rows
            engine.load(pool, False)
            pool.rows = before
        else:
            engine.load(pool, False)
        query = (f"SELECT {ID}, CASE WHEN p IS NULL THEN 'refused' WHEN p THEN 'yes' ELSE 'no' END AS v "
                 f"FROM (SELECT {ID}, {text} AS p FROM {engine.quote(pool.table)}) AS q")
        if kind.name == "postgresql":
            return [tuple(row) for row in csv.reader(engine.psql(query).splitlines(keepends=True))][1:]
        if kind.name == "clickhouse":
            answer = str(engine.session.query(query, "JSONEachRow")).splitlines()
            return [(row[ID], row["v"]) for row in map(json.loads, filter(None, answer))]
        if kind.name == "spark":
            return [(row[0], row[1]) for row in engine.session.sql(query).collect()]
        return [tuple(row) for row in engine.run(query).fetchall()]
    finally:
        engine.close()


def by_c(workshop, model, pool):
    rows = pool.rows + pool.bad_ids
    program = c_source.compiled(workshop.export_c(model), workshop.folder)
    data = "".join(f"{name}{c_source.END}{text}{c_source.END}" for name, text in rows)
    done = subprocess.run([program, workshop.key], input=data.encode(), stdout=subprocess.PIPE, check=True)
    verdicts = {"1": "yes", "0": "no", "-1": "refused"}
    return [(row[0], verdicts[line]) for row, line in zip(rows, done.stdout.decode().split())]


def write_quoted(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(rows)


def alone(pool, dice):
    refused = [row for row in pool.rows if row[1] not in MISSING and not NUMBER.fullmatch(row[1])]
    return dice.sample(refused, min(ALONE, len(refused))) + pool.bad_ids


def by_program(workshop, model, pool):
    """All proper records in one file; the decoder's function about every text; the program about some refused ones."""
    reader = workshop.program.parent / "tests/engines/read-numbers"
    data = "".join(text + c_source.END for _, text in pool.rows)
    verdicts = subprocess.run([reader], input=data.encode(), stdout=subprocess.PIPE, check=True).stdout.decode().split()
    proper = [row for row, verdict in zip(pool.rows, verdicts) if verdict == "1" or row[1] in MISSING]
    write_quoted(pool.path, pool.columns, proper)
    filtering = ("filter", "--model", model.path, "--id", ID, "-k", workshop.key_file, "--quiet")
    accepted = set(workshop.ids(pools.run(workshop.program, *filtering, pool.path)))
    found = {row[0]: "yes" if row[0] in accepted else "no" for row in proper}
    answers = [(row[0], found.get(row[0], "refused")) for row in pool.rows]
    for row in alone(pool, random.Random(1)):
        write_quoted(pool.path, pool.columns, [row])
        done = subprocess.run([workshop.program, *map(str, filtering), pool.path], capture_output=True, text=True)
        if done.returncode != 3:
            raise RuntimeError(f"the program decides {row}: {done.returncode} {done.stderr}")
    return answers + [(row[0], "refused") for row in pool.bad_ids]


def by_python(workshop, model, pool):
    import equipoise, pandas
    rule, key = equipoise.BalancedFilter.load(model.path), equipoise.Key.read(workshop.key_file)
    proper = [row for row in pool.rows if row[1] in MISSING or NUMBER.fullmatch(row[1])]
    def select(rows):
        return rule.select(pandas.DataFrame(rows, columns=pool.columns, dtype="string"), ids=ID, key=key)
    found = {row[0]: "yes" if accepted else "no" for row, accepted in zip(proper, select(proper))}
    for row in alone(pool, random.Random(2)):
        try:
            select([row])
        except equipoise.DataError:
            continue
        raise RuntimeError(f"Python decides {row}")
    return [(row[0], found.get(row[0], "refused")) for row in pool.rows + pool.bad_ids]


def check(workshop, count, wanted=()):
    workshop.export_c = lambda model: pools.run(workshop.program, "export", "--model", model.path, "--to", "c")
    model, cuts = make_rule(workshop, workshop.program.parent / "tests/hostile/stamp-model")
    pool = Spelled(workshop.folder, count)
    pool.write()
    should = {row[0]: expected(row[1], cuts) for row in pool.rows}
    text_of = dict(pool.rows)
    executors = {kind.name: lambda kind=kind: by_sql(kind, workshop, model, pool) for kind in ENGINES}
    executors.update(c=lambda: by_c(workshop, model, pool), program=lambda: by_program(workshop, model, pool),
                     python=lambda: by_python(workshop, model, pool))
    lines, wrong = [], 0
    for name in wanted or executors:
        started = time.monotonic()
        answers = executors[name]()
        bad = [(text_of.get(i), v, should.get(i, "refused")) for i, v in answers if v != should.get(i, "refused")]
        wrong += len(bad) + (len(answers) != len(pool.rows) + len(pool.bad_ids))
        lines.append(f"{name}: {len(answers):,} asked, {len(bad)} otherwise ({time.monotonic() - started:.0f} s)"
                     + "".join(f"\n    {text!r}: {found}, not {must}" for text, found, must in bad[:12]))
        print(lines[-1], flush=True)
    refused = sum(verdict == "refused" for verdict in should.values())
    if wrong:
        raise RuntimeError(f"{wrong} verdicts differ")
    return f"spellings: {len(pool.rows):,} of numbers, {refused:,} of them refused, and {len(wanted or executors)} executors agree"


if __name__ == "__main__":
    build, folder, count, *wanted = sys.argv[1:]
    print(check(pools.Workshop(build, folder), int(count), wanted))
