"""Throughput of an exported rule in engines that hold the data, as a Markdown table for docs/at-scale.md.

usage: build-engines/venv/bin/python bench/engines.py BUILD [ROWS] [ENGINE…]     (`make check-engines` makes the venv)

A direct rule learned from the demonstration's labelled records counts the accepted of ROWS candidates, typed columns,
data loaded and warm; of several runs the least wall time and the least processor time are given, the latter over all
processes of the engine.  Spark runs with one and with two workers of one core."""
import os, pathlib, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "engines"))
import engines, pools

RUNS = 3
NUMBERS = ["age", "hours", "income", "household", "distance", "score"]


def counting(statement):
    body = statement.rstrip().rstrip(";")
    return f"SELECT count(*) FROM (\n{body}\n) AS accepted"


def ticks(pid):
    """Processor time of a process and its descendants, the ended ones too."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = " ".join(path.read_text() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) + sum(ticks(int(child)) for child in children.split())


def timed(run, process):
    wall, before = time.perf_counter(), ticks(process)
    answer = run()
    return time.perf_counter() - wall, (ticks(process) - before) / os.sysconf("SC_CLK_TCK"), int(answer)


def best(run, process=os.getpid()):
    runs = [timed(run, process) for _ in range(RUNS)]
    return min(r[0] for r in runs), min(r[1] for r in runs), runs[0][2]


def duckdb(folder, pool, text, key):
    engine = engines.DuckDB(folder, key)
    engine.load(pool, True)
    yield "DuckDB, 2 threads", best(lambda: engine.connection.execute(text, [key]).fetchone()[0])
    engine.close()


def clickhouse(folder, pool, text, key):
    engine = engines.ClickHouse(folder, key)
    engine.load(pool, True)
    yield "ClickHouse, 2 threads", best(lambda: str(engine.session.query(text, "TSV")))
    engine.close()


def postgresql(folder, pool, text, key):
    engine = engines.PostgreSQL(folder, key)
    engine.load(pool, True)
    engine.psql(f"ANALYZE {engine.quote(pool.table)}")
    script = f"PREPARE q(text) AS {text};\nEXECUTE q('{key}');"
    server = int((engine.folder / "data" / "postmaster.pid").read_text().split()[0])
    yield "PostgreSQL, 2 parallel workers", best(lambda: engine.psql(script).split()[-1], server)
    engine.close()


def spark(folder, pool, text, key):
    """One cluster after the other; each is warm before it counts."""
    for workers in (1, 2):
        engine = engines.Spark(folder, key, workers, "-XX:+UseParallelGC")
        engine.load(pool, True)
        session = engine.session
        run = lambda: session.sql(text, args={"equipoise_key": key}).collect()[0][0]
        for _ in range(2):
            run()
        yield f"Spark, {workers} worker{'s' if workers > 1 else ''} of one core, Parquet", best(run)
        engine.close()


def filtered(workshop, model):
    run = lambda: len(pools.run(workshop.program, "filter", "--model", model.path, "--id", pools.ID, "-k", workshop.key_file,
                                "--quiet", model.pool.path).splitlines()) - 1
    return best(run)


def report(name, rows, wall, processor, accepted):
    print(f"| {name} | {wall:.2f} | {rows / wall:,.0f} | {processor:.2f} | {rows / processor:,.0f} | {accepted:,} |", flush=True)
    return accepted


def main():
    build, *rest = sys.argv[1:]
    rows = int(rest[0]) if rest else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o711)
        workshop = pools.Workshop(build, folder)
        demo = workshop.folder / "demo"
        pools.run(workshop.program, "demo", "--only-data", "--rows", rows, "--dir", demo, "--quiet")
        pool = pools.Pool("pool", demo / "candidates.csv", NUMBERS, "pool", "admitted")
        engines.write_parquet(pool)
        model = workshop.learn("direct", pool, demo / "labelled.csv", "--sensitive", "group", "--max-disclosure", 0.2,
                               "--min-yield", 0.1)
        print(f"| {rows:,} records | seconds | records a second | processor seconds | records a processor second | accepted |\n"
              "|---|---|---|---|---|---|")
        counts = {report("`equipoise filter` from CSV, 2 threads", rows, *filtered(workshop, model))}
        for measure in (duckdb, clickhouse, postgresql, spark):
            if not rest[1:] or measure.__name__ in rest[1:]:
                text = counting(workshop.export(model, measure.__name__))
                for name, found in measure(folder, pool, text, workshop.key):
                    counts.add(report(name, rows, *found))
        if len(counts) != 1:
            sys.exit("the engines accept different numbers of records")


main()
