"""Throughput of an exported rule in engines that hold the data, as a Markdown table for docs/at-scale.md.

usage: build-engines/venv/bin/python bench/engines.py BUILD [ROWS] [ENGINE…]     (`make check-engines` makes the venv)

A direct rule learned from the demonstration's labelled records counts the accepted of ROWS candidates, typed columns,
data loaded and warm; the best of three runs counts.  Spark runs with one and with two workers of one core."""
import pathlib, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "engines"))
import engines, pools

RUNS = 3
NUMBERS = ["age", "hours", "income", "household", "distance", "score"]


def counting(statement):
    body = statement.rstrip().rstrip(";")
    return f"SELECT count(*) FROM (\n{body}\n) AS accepted"


def best(run):
    times, answer = [], None
    for _ in range(RUNS):
        started = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - started)
    return min(times), int(answer)


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
    yield "PostgreSQL, 2 parallel workers", best(lambda: engine.psql(script).split()[-1])
    engine.close()


def spark(folder, pool, text, key):
    for workers in (1, 2):
        engine = engines.Spark(folder, key, workers)
        engine.load(pool, True)
        session = engine.session
        run = lambda: session.sql(text, args={"equipoise_key": key}).collect()[0][0]
        run()
        yield f"Spark, {workers} worker{'s' if workers > 1 else ''} of one core, Parquet", best(run)
        engine.close()


def filtered(workshop, model):
    run = lambda: len(pools.run(workshop.program, "filter", "--model", model.path, "--id", pools.ID, "-k", workshop.key_file,
                                "--quiet", model.pool.path).splitlines()) - 1
    return best(run)


def report(name, rows, seconds, accepted):
    print(f"| {name} | {seconds:.2f} | {rows / seconds:,.0f} | {accepted:,} |", flush=True)
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
        print(f"| {rows:,} records | seconds | records a second | accepted |\n|---|---|---|---|")
        counts = {report("`equipoise filter` from CSV, 2 threads", rows, *filtered(workshop, model))}
        for measure in (duckdb, clickhouse, postgresql, spark):
            if not rest[1:] or measure.__name__ in rest[1:]:
                text = counting(workshop.export(model, measure.__name__))
                for name, (seconds, accepted) in measure(folder, pool, text, workshop.key):
                    counts.add(report(name, rows, seconds, accepted))
        if len(counts) != 1:
            sys.exit("the engines accept different numbers of records")


main()
