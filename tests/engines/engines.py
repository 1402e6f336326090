"""Five engines behind one face: load a pool into a table, run exported SQL, give the ids or counts that come back."""
import contextlib, csv, hashlib, json, os, pathlib, shutil, sqlite3, subprocess, tempfile

from pools import ID

POSTGRESQL = pathlib.Path("/usr/lib/postgresql/15/bin")


def quoted(name, quote='"'):
    return quote + name.replace(quote, quote + quote) + quote


class Engine:
    """`statement`, `view`, `function` and `predicate` are texts as equipoise exports them; each gives a list of ids.
    `answers` gives the rows of any text."""
    view_name = function_name = "accepted it's"
    create_view = "CREATE VIEW"
    plans_slowly = False  # most of its time is spent before it reads a row

    def close(self):
        pass

    def statements(self, pool, texts, key):
        return [self.statement(pool, text, key) for text in texts]

    def counts(self, text):
        """By column: records, cells that are missing, unseen, not readable; and whether it is shifted."""
        return {name: tuple(map(int, (*numbers, shifted))) for name, *numbers, _, shifted in self.answers(text)}

    def divide(self, pool):
        """Names of views that hold a third of the pool each, by the last digit of the number in the id."""
        names = []
        for i, digits in enumerate(("'0', '1', '2'", "'3', '4', '5', '6'", "'7', '8', '9'")):
            names.append(f"part {i}")
            self.run(f"{self.create_view} {self.quote(names[i])} AS SELECT * FROM {self.quote(pool.table)} "
                     f"WHERE substr({ID}, 7, 1) IN ({digits})")
        return names

    def predicate(self, pool, text, key):
        return self.statement(pool, f"SELECT * FROM {self.quote(pool.table)} WHERE {text}", key)

    @staticmethod
    def quote(name):
        return quoted(name)


class PostgreSQL(Engine):
    """A cluster of its own in a folder; the server refuses to run as root, so it runs as the user of the package."""
    name = "postgresql"

    def __init__(self, folder, key):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postgresql-", dir=folder))
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
            for path in (self.folder, *self.folder.resolve().parents):
                if path.stat().st_uid == 0 and path != pathlib.Path("/"):
                    path.chmod(path.stat().st_mode | 0o011)
        self.command(POSTGRESQL / "initdb", "-D", self.folder / "data", "-U", "check", "-E", "UTF8", "--locale=C.UTF-8",
                     "-A", "trust", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c max_parallel_workers_per_gather=2"
        self.command(POSTGRESQL / "pg_ctl", "-D", self.folder / "data", "-o", options, "-l", self.folder / "log", "-w",
                     "start")
        self.psql("CREATE TABLE y (a text)")

    def command(self, *words):
        done = subprocess.run([*self.user, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)

    def psql(self, script):
        done = subprocess.run(["psql", "-h", str(self.folder), "-U", "check", "-d", "postgres", "--csv", "-q", "-X", "-v",
                               "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        return done.stdout

    run = psql

    def answers(self, text):
        return list(csv.reader(self.psql(text).splitlines(keepends=True)))[1:]

    def ids(self, script):
        return [row[ID] for row in csv.DictReader(self.psql(script).splitlines(keepends=True))]

    def load(self, pool, typed):
        kinds = [("float8" if column in pool.numbers else pool.types.get(column, "text")) if typed else "text"
                 for column in pool.columns]
        columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in zip(pool.columns, kinds))
        table = quoted(pool.table)
        self.psql(f"DROP TABLE IF EXISTS {table} CASCADE; CREATE TABLE {table} ({columns});")
        rows = pool.typed_rows() if typed else pool.rows
        data = "\n".join(",".join("" if cell is None else quoted(cell if isinstance(cell, str) else repr(cell))
                                  for cell in row) for row in rows)
        self.psql(f"COPY {table} FROM STDIN (FORMAT csv);\n{data}\n\\.\n")

    def statement(self, pool, text, key):
        return self.ids(f"PREPARE q(text) AS {text};\nEXECUTE q('{key}');")

    def view(self, pool, text, key):
        return self.ids(f"{text}\nSET equipoise.key = '{key}';\nSELECT * FROM {quoted(self.view_name)};")

    def function(self, pool, text, key):
        self.psql(f"DROP VIEW {quoted(self.view_name)};")
        return self.ids(f"{text}\nSELECT * FROM {quoted(self.function_name)}('{key}');")

    def close(self):
        self.command(POSTGRESQL / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")


class SQLite(Engine):
    name = "sqlite"

    def __init__(self, folder, key):
        self.connection = sqlite3.connect(":memory:")
        self.connection.create_function("sha256", 1, lambda text: hashlib.sha256(text.encode()).hexdigest(),
                                        deterministic=True)
        self.connection.execute("CREATE TABLE y (a text)")
        self.connection.execute("CREATE TABLE equipoise_key (key text)")
        self.connection.execute("INSERT INTO equipoise_key VALUES (?)", (key,))
        self.run = self.connection.execute

    def load(self, pool, typed):
        table = quoted(pool.table)
        kinds = ["REAL" if typed and column in pool.numbers else "TEXT" for column in pool.columns]
        self.connection.execute(f"DROP TABLE IF EXISTS {table}")
        self.connection.execute(f"CREATE TABLE {table} ({', '.join(map(' '.join, zip(map(quoted, pool.columns), kinds)))})")
        rows = pool.typed_rows() if typed else ([cell or None for cell in row] for row in pool.rows)
        self.connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(pool.columns))})", rows)

    def answers(self, text):
        return self.run(text).fetchall()

    def ids(self, text, values=()):
        cursor = self.connection.execute(text, values)
        place = [column[0] for column in cursor.description].index(ID)
        return [row[place] for row in cursor]

    def statement(self, pool, text, key):
        return self.ids(text, {"key": key})

    def view(self, pool, text, key):
        self.connection.execute(text)
        return self.ids(f"SELECT * FROM {quoted(self.view_name)}")


def write_parquet(pool):
    """The pool as Parquet files for the engines that read them, one all text, one typed; read back to be sure."""
    import duckdb
    connection = duckdb.connect()
    connection.execute("CREATE TABLE pool AS SELECT * FROM read_csv(?, all_varchar = true, header = true, delim = ',', "
                       "quote = '\"', escape = '\"', nullstr = '', strict_mode = true)", [str(pool.path)])
    loaded = connection.execute("SELECT * FROM pool").fetchall()
    if [[cell or "" for cell in row] for row in loaded] != pool.rows:
        raise RuntimeError(f"{pool.path} is read differently")
    connection.execute(f"COPY pool TO '{pool.parquet(False)}' (FORMAT parquet)")
    for column in map(quoted, pool.numbers):
        connection.execute(f"ALTER TABLE pool ALTER {column} TYPE DOUBLE USING "
                           f"CAST(CASE WHEN {column} NOT IN ('?', 'NA') THEN {column} END AS DOUBLE)")
    for column, kind in pool.types.items():
        connection.execute(f"ALTER TABLE pool ALTER {quoted(column)} TYPE {kind}")
    connection.execute(f"COPY pool TO '{pool.parquet(True)}' (FORMAT parquet)")
    connection.close()


class DuckDB(Engine):
    name = "duckdb"

    def __init__(self, folder, key):
        import duckdb
        self.connection = duckdb.connect(config={"threads": 2})
        self.run = self.connection.execute
        self.run("CREATE TABLE y (a text)")

    def load(self, pool, typed):
        self.connection.execute(f"CREATE OR REPLACE TABLE {quoted(pool.table)} AS FROM '{pool.parquet(typed)}'")

    def answers(self, text):
        return self.run(text).fetchall()

    def ids(self, text, values=None):
        cursor = self.connection.execute(text, values)
        place = [column[0] for column in cursor.description].index(ID)
        return [row[place] for row in cursor.fetchall()]

    def statement(self, pool, text, key):
        return self.ids(text, [key])

    def view(self, pool, text, key):
        self.connection.execute(text)
        self.connection.execute(f"SET VARIABLE equipoise_key = '{key}'")
        return self.ids(f"SELECT * FROM {quoted(self.view_name)}")

    def function(self, pool, text, key):
        self.connection.execute(text)
        return self.ids(f"SELECT * FROM {quoted(self.function_name)}('{key}')")

    def close(self):
        self.connection.close()


class ClickHouse(Engine):
    name = "clickhouse"

    def __init__(self, folder, key):
        from chdb.session import Session
        self.session = Session(str(pathlib.Path(folder, "clickhouse")))
        self.run = self.session.query
        self.session.query("CREATE TABLE IF NOT EXISTS y (a String) ENGINE = Memory")
        self.session.query("SET max_query_size = 1048576, max_ast_elements = 500000")
        self.session.query(f"SET param_equipoise_key = '{key}'")

    @staticmethod
    def quote(name):
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"

    def load(self, pool, typed):
        table = self.quote(pool.table)
        self.session.query(f"DROP TABLE IF EXISTS {table}")
        self.session.query(f"CREATE TABLE {table} ENGINE = MergeTree ORDER BY tuple() AS "
                           f"SELECT * FROM file('{pool.parquet(typed)}', Parquet)")

    def answers(self, text):
        return [json.loads(line) for line in str(self.run(text, "JSONCompactEachRow")).split("\n") if line.strip()]

    def ids(self, text):
        answer = self.session.query(text, "JSONEachRow")
        return [json.loads(line)[ID] for line in str(answer).split("\n") if line.strip()]

    def statement(self, pool, text, key):
        return self.ids(text)

    def view(self, pool, text, key):
        self.session.query(text)
        return self.ids(f"SELECT * FROM {self.quote(self.view_name)}(equipoise_key = '{key}')")

    def function(self, pool, text, key):
        self.session.query(f"DROP VIEW {self.quote(self.view_name)}")
        return self.view(pool, text, key)

    def close(self):
        self.session.close()


class Spark(Engine):
    """Two workers, each a process of its own.  Short-lived: compiled quickly rather than well unless told otherwise."""
    name = "spark"
    create_view = "CREATE TEMPORARY VIEW"
    plans_slowly = True
    brief = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

    def __init__(self, folder, key, workers=2, java=brief):
        from pyspark.sql import SparkSession
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
        for name, value in {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                            "spark.sql.shuffle.partitions": "2",
                            "spark.sql.warehouse.dir": str(pathlib.Path(folder, "spark")),
                            "spark.sql.files.maxPartitionBytes": "262144",
                            "spark.executor.extraJavaOptions": java,
                            "spark.driver.extraJavaOptions": f"{java} -Dderby.system.home={folder}"}.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()
        self.run = self.session.sql
        self.session.sparkContext.setLogLevel("OFF")
        self.session.sql("CREATE TEMPORARY VIEW y AS SELECT 1 AS a")

    @staticmethod
    def quote(name):
        return quoted(name, "`")

    def load(self, pool, typed):
        self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {self.quote(pool.table)} USING parquet "
                         f"OPTIONS (path '{pool.parquet(typed)}')")

    def answers(self, text):
        return self.run(text.rstrip().rstrip(";")).collect()

    def ids(self, text, **options):
        return [row[0] for row in self.session.sql(text, **options).select(ID).collect()]

    def statement(self, pool, text, key):
        return self.ids(text, args={"equipoise_key": key})

    def statements(self, pool, texts, key):
        """All in one job: most of the time of a small one is the driver's."""
        bodies = [text.rstrip().rstrip(";") for text in texts]
        whole = "\nUNION ALL\n".join(f"SELECT {i} AS number, {ID} FROM (\n{body}\n)" for i, body in enumerate(bodies))
        found = [[] for _ in texts]
        for row in self.session.sql(whole, args={"equipoise_key": key}).collect():
            found[row[0]].append(row[1])
        return found

    def view(self, pool, text, key):
        self.session.sql(f"DECLARE OR REPLACE VARIABLE equipoise_key STRING DEFAULT '{key}'")
        self.session.sql(text)
        return self.ids(f"SELECT * FROM {self.quote(self.view_name)}")

    def function(self, pool, text, key):
        self.session.sql(text)
        return self.ids(f"SELECT * FROM {self.quote(self.function_name)}('{key}')")

    def close(self):
        with contextlib.suppress(Exception):
            self.session.stop()


ENGINES = [PostgreSQL, SQLite, DuckDB, ClickHouse, Spark]
