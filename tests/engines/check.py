"""make check-engines: every engine accepts exactly the records that `equipoise filter` accepts.

usage: check.py BUILD DATA FOLDER TOOLS [ENGINE…]

Starts the engines, loads pools of candidates as text and as typed tables, runs every form of exported SQL, compares
ids one by one, and stops the engines again.  The last line is the tally."""
import concurrent.futures, os, pathlib, subprocess, sys, time, traceback

import c_source, documented, pools, spellings
from engines import ENGINES, ClickHouse, Spark, write_parquet

LIMITS = {"postgresql": 1990, "duckdb": 890, "sqlite": 440, "clickhouse": 390, "spark": 290}
ALONE = (ClickHouse, Spark)  # one of each in a process
SPELLINGS = 20_000  # a million with `make spellings`
passed, failed = [], []


class Difference(Exception):
    pass


def compare(what, expected, found):
    missing, extra = set(expected) - set(found), set(found) - set(expected)
    if missing or extra or len(expected) != len(found):
        raise Difference(f"{what}: {len(missing)} missing, {len(extra)} too many of {len(expected)}: "
                         f"{sorted(missing)[:3]} {sorted(extra)[:3]}")


class EngineRun:
    """One engine at work; counts what it was asked."""

    def __init__(self, engine, workshop):
        self.engine, self.workshop, self.cases, self.rows = engine, workshop, 0, 0

    def count(self, model, what, expected, found):
        compare(f"{self.engine.name}, {model.pool.name} {model.name}, {what}", expected, found)
        self.cases += 1
        self.rows += len(model.pool.rows)

    def ask(self, what, expected, form, model, *arguments):
        text = self.workshop.export(model, self.engine.name, *arguments)
        self.count(model, what, expected, getattr(self.engine, form)(model.pool, text, self.workshop.key))

    def statement_and_size(self, models, kind):
        sized = models[:1] if self.engine.plans_slowly else models  # a size is put around whatever the rule is
        forms = [(model, "statement", model.filtered, ()) for model in models]
        forms += [(model, "size", model.selected, ("--size", model.size)) for model in sized]
        asked = [(model, what, expected, self.workshop.export(model, self.engine.name, *arguments))
                 for model, what, expected, arguments in forms]
        answers = self.engine.statements(models[0].pool, [text for *_, text in asked], self.workshop.key)
        for (model, what, expected, _), found in zip(asked, answers):
            self.count(model, f"{what} on {kind}", expected, found)

    def parts(self, model):
        """The best of each part, merged by rank, are the best of the whole."""
        texts = [self.workshop.export(model, self.engine.name, "--as", "part", "--size", model.size, table=name)
                 for name in self.engine.divide(model.pool)]
        union = " UNION ALL ".join(f"SELECT * FROM (\n{text.rstrip().rstrip(';')}\n) AS p{i}" for i, text in enumerate(texts))
        merged = f"SELECT * FROM ({union}) AS whole ORDER BY eqp_rank, eqp_id LIMIT {model.size}"
        self.count(model, "parts", model.selected, self.engine.statement(model.pool, merged, self.workshop.key))

    def cell_counts(self, model, kind):
        """The companion query counts the cells that filter counts, and missing ones as the pool itself has them."""
        pool, found = model.pool, self.engine.counts(self.workshop.export(model, self.engine.name, "--as", "counts"))
        missing, unseen, named = model.counted
        lacking = {name: sum(pool.lacks(name, row[c]) for row in pool.rows) for c, name in enumerate(pool.columns)}
        expected = [("missing cells", missing), ("unseen cells", unseen), *named.items()]
        expected += [(name, len(pool.rows), lacking[name], 0, 0) for name in found]
        got = [("missing cells", sum(count[1] for count in found.values())),
               ("unseen cells", sum(count[2] for count in found.values()))]
        got += [(name, found[name][2]) for name in named]
        got += [(name, *count[:2], *count[3:]) for name, count in found.items()]
        self.count(model, f"counts on {kind}", expected, got)

    def shifted(self, model, pool, refused):
        """Shifted are the columns for which filter refuses."""
        self.engine.load(pool, False)
        found = self.engine.counts(self.workshop.export(model, self.engine.name, "--as", "counts", table=pool.table))
        self.count(model, "counts of a shifted pool", refused, {name for name, count in found.items() if count[4]})

    def other_forms(self, model):
        for form in ("view", "function", "predicate"):
            if hasattr(self.engine, form):
                name = self.engine.view_name if form == "view" else self.engine.function_name
                self.ask(form, model.filtered, form, model, "--as", form, "--name", name)

    def largest(self, model):
        """A boosted rule just within the limits that the dialect states."""
        self.ask("largest rule", model.filtered, "statement", model)


def check_engine(kind, workshop, models, largest, shifted):
    started, run = time.monotonic(), None
    try:
        engine = kind(workshop.folder, workshop.key)
        try:
            run = EngineRun(engine, workshop)
            for pool in dict.fromkeys(model.pool for model in models):
                # These take minutes to plan a query that asks about a date hundreds of times (docs/at-scale.md).
                brief = kind.name in ("clickhouse", "spark") and pool.dates
                own = [model for model in models if model.pool is pool and not (brief and model.name in ("boost", "deep", "argmax"))]
                engine.load(pool, False)
                run.statement_and_size(own, "text")
                run.cell_counts(own[0], "text")
                if pool.name == "people":
                    run.other_forms(own[0])
                    run.parts(own[0])
                    run.largest(largest[kind.name])
                    run.shifted(own[0], *shifted)
                engine.load(pool, True)
                run.statement_and_size(own[:1], "typed columns")
                run.cell_counts(own[0], "typed columns")
        finally:
            engine.close()
        passed.append(kind.name)
        print(f"{kind.name}: {run.cases} cases, {run.rows:,} rows, equal ({time.monotonic() - started:.0f} s)", flush=True)
    except Exception as problem:
        failed.append(kind.name)
        print(f"{kind.name}: FAILED after {run.cases if run else 0} cases: {problem}", flush=True)
        if not isinstance(problem, Difference):
            traceback.print_exc()


def make_models(workshop, data):
    models = [*workshop.people(), *workshop.members(), *workshop.dated()]
    for name in ("adult", "marketing"):
        source = pathlib.Path(data, f"{name}.csv")
        if source.exists():
            models += getattr(workshop, name)(source)
    for pool in {model.pool for model in models}:
        write_parquet(pool)
    largest = {name: workshop.randomise(f"trees:{trees}", models[0]) for name, trees in LIMITS.items()}
    for model in [*models, *largest.values()]:
        model.filtered, model.selected = workshop.filtered(model), workshop.selected(model)
        model.counted = workshop.cell_counts(model)
    pool = workshop.shift(models[0].pool)
    write_parquet(pool)
    return models, largest, (pool, workshop.refused(models[0], pool))


def check_browser(workshop, tools):
    """Looks at reports of learning, auditing and comparing as a reader would; the screenshots stay in TOOLS/screens."""
    script = pathlib.Path(__file__).resolve().parent.parent / "browser" / "check.mjs"
    demo, labelled = workshop.labelled()
    folder, model = workshop.folder, workshop.folder / "any.model"
    about = ("--sensitive", "group", "--quiet")
    pools.run(workshop.program, "learn", labelled, *about, "--ignore", "admitted", "--max-disclosure", 0.2, "--min-yield", 0.1,
              "--report", folder / "learning.html", "-o", model)
    later = folder / "later.csv"
    pools.disturb(demo / "labelled-later.csv", later, 3, 8000, False)
    pools.run(workshop.program, "audit", later, *about, "--model", model, "--max-disclosure", 0.9,
              "--report", folder / "audit.html")
    pools.run(workshop.program, "compare", labelled, *about, "--label", "admitted", "--seeds", 2, "--budgets", "0.1,0.2,0.4",
              "--methods", "direct,tree,qp-logit,qp-cart", "-o", folder / "study")
    for report in ("learning.html", "audit.html", "study/report.html"):
        done = subprocess.run(["node", script, folder / report, "screens"], cwd=tools, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    return "browser: 3 reports at 1280 and 390 pixels, light and dark, with three fonts, work"


def check_site(tools):
    """The pages as a site: built, opened from its folder without a network, searched."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for command, place in (([root / "scripts" / "site"], root), (["node", root / "tests/site/check.mjs", root / "build-site/site"], tools)):
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    return f"site: {done.stdout.strip()}"


def check_draw_page(workshop, tools):
    """The public page of a draw in Chromium and Firefox: honest pages check out, forged ones do not, nothing is fetched."""
    script = pathlib.Path(__file__).resolve().parent.parent / "browser" / "check-draw"
    done = subprocess.run([script, workshop.program.resolve(), "screens"], cwd=tools, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout.rstrip()


def check_example(workshop):
    """Spark from Python as the example does it: it compares with the library itself, and must not have made do without."""
    script = pathlib.Path(__file__).resolve().parents[2] / "examples" / "spark_at_scale.py"
    done = subprocess.run([sys.executable, "-W", "ignore", script], cwd=workshop.folder, capture_output=True, text=True,
                          env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}, timeout=300)
    if done.returncode or not done.stdout.startswith("Spark accepted"):
        raise RuntimeError(done.stdout[-1000:] + done.stderr[-2000:])
    return f"example: {done.stdout.splitlines()[0]}"


def check_ui(build, tools):
    """The page of `equipoise ui` in browsers; a process of its own, because it cuts off its network."""
    script = pathlib.Path(__file__).resolve().parents[1] / "ui" / "check.py"
    done = subprocess.run(["python3", script, build, tools], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout.rstrip()


def check_other(name, check, *arguments):
    started = time.monotonic()
    try:
        print(f"{check(*arguments)} ({time.monotonic() - started:.0f} s)", flush=True)
        passed.append(name)
    except Exception as problem:
        failed.append(name)
        print(f"{name}: FAILED: {problem}", flush=True)


def check_files(workshop, data, tools, made, wanted):
    """Models for all engines; then databases, compiled C, pages that are opened from files, and the commands of the docs."""
    started = time.monotonic()
    try:
        made.set_result(make_models(workshop, data) if any(map(wanted, [*LIMITS, "c"])) else None)
    except Exception as problem:
        made.set_exception(problem)
    if made.result():
        print(f"{len(made.result()[0])} models ({time.monotonic() - started:.0f} s)", flush=True)
    for kind in ENGINES:
        if wanted(kind.name) and kind not in ALONE:
            check_engine(kind, workshop, *made.result())
    if wanted("c"):
        check_other("c", c_source.check, workshop, made.result()[0])
    if wanted("browser"):
        check_other("browser", check_browser, workshop, tools)
        check_other("draw page", check_draw_page, workshop, tools)
    if wanted("site"):
        check_other("site", check_site, tools)
    if wanted("documented"):
        check_other("documented", documented.check, workshop)
    if wanted("example"):
        check_other("example", check_example, workshop)


def check_served(workshop, build, tools, made, wanted):
    """The page that the program serves; then the engines of which a process has one, and spellings, which need these too."""
    if wanted("ui"):
        check_other("ui", check_ui, build, tools)
    for kind in ALONE:
        if wanted(kind.name):
            check_engine(kind, workshop, *made.result())
    if wanted("spellings"):
        check_other("spellings", spellings.check, pools.Workshop(build, workshop.folder / "spellings"), SPELLINGS)


def main():
    build, data, folder, tools, *names = sys.argv[1:]
    if names and names[0].startswith("spellings="):
        print(spellings.check(pools.Workshop(build, folder), int(names[0].partition("=")[2])))
        return

    def wanted(name):
        return not names or name in names

    # Engines and browsers often wait: two halves of about the same length run beside each other.
    workshop, made = pools.Workshop(build, folder), concurrent.futures.Future()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(check_files, workshop, data, tools, made, wanted),
                  pool.submit(check_served, workshop, build, tools, made, wanted)]
    for half in halves:
        half.result()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(bool(failed) or not passed)  # a name that is not here checks nothing


main()
