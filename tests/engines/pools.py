"""Pools of candidates, the models that select from them, and what `equipoise` itself decides."""
import csv, datetime, json, pathlib, random, re, subprocess

ID = "record"
NASTY = 'x"; DROP TABLE y; --'
SPELLINGS = {"region": NASTY, "education": "it's `quoted`", "income": "income\\net", "language": "Größe. 語",
             "hours": "select"}
LEVELS = {"Alder": "O'Hara \"the\" place", "Brook": "back\\slash\\'", "Cliff": "new\nline\tand tab",
          "Delta": "Việt 🙂", "Elmwood": "", "Ford": "?", "Grove": "NA", "Heath": " spaced ", "Isle": "${x} $1 :key {k:String}"}


A_DATE = "1800-01-28"  # that the pool of dates takes for a missing cell


class Pool:
    """A CSV file: what it holds as rows of texts, the names of its number columns, the table it is loaded into,
    the column that no rule may use, and the types of columns that are typed in another way."""

    def __init__(self, name, path, numbers, table, label, types=None, dates=None):
        self.name, self.path, self.numbers, self.table, self.label = name, pathlib.Path(path), numbers, table, label
        self.types, self.dates = types or {}, dates or {}
        with open(path, newline="", encoding="utf-8") as file:
            self.columns, *self.rows = csv.reader(file)

    def parquet(self, typed):
        return self.path.with_suffix(".typed.parquet" if typed else ".text.parquet")

    def typed_rows(self):
        """Number columns as floats, missing cells as None: the same records in a typed table."""
        numbers = [column in self.numbers for column in self.columns]
        for row in self.rows:
            yield [(None if cell in ("", "?", "NA") else float(cell)) if number else (None if cell == "" else cell)
                   for cell, number in zip(row, numbers)]


    def lacks(self, column, cell):
        """Whether the cell is missing: a text that is no date is, in a column of dates."""
        return cell in ("", "?", "NA", A_DATE) or (column in self.dates and day_of(cell, self.dates[column]) is None)


def day_of(text, order):
    """The day of a text, by a regular expression and Python's calendar."""
    found = re.match(r"(?:(\d{4})([-/.])(\d\d)\2(\d\d)|(\d\d?)([-/.])(\d\d?)\6(\d{4}))(?=[ T]|\Z)", text, re.ASCII)
    if not found or (order == "year-first" and not found[1]):
        return None
    year, month, day = found.group(1, 3, 4) if found[1] else found.group(8, 5, 7)
    if not found[1] and order == "day-first":
        month, day = day, month
    try:
        return datetime.date(int(year), int(month), int(day)) if 1800 <= int(year) <= 2199 else None
    except ValueError:
        return None


def spell_date(day, order, dice):
    """A date in one of its spellings, sometimes with a time, and sometimes with a change that often spoils it."""
    mark, wide = dice.choice("-/."), dice.choice((1, 2))
    first, second = (day.day, day.month) if order == "day-first" else (day.month, day.day)
    text = f"{day.year:04d}{mark}{day.month:02d}{mark}{day.day:02d}"
    if order != "year-first" and dice.random() < 0.8:
        text = f"{first:0{wide}d}{mark}{second:0{dice.choice((1, 2))}d}{mark}{day.year:04d}"
    if dice.random() < 0.2:
        text += dice.choice(("T08:30:00Z", " 23:59", " ", " noon", "T", "t", "x", "+01:00", "\t", "0"))
    if dice.random() < 0.2:
        at = dice.randrange(len(text))
        change = dice.choice(("", "0", "9", "-", "/", " ", "x", "٣", "00", "é", "'", "\n", "2"))
        text = text[:at] + change + text[at + dice.randrange(2):]
    return text


class Model:
    def __init__(self, name, pool, path, size):
        self.name, self.pool, self.path, self.size = name, pool, path, size


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def with_ids(source, target, letter):
    """The files of the paper's experiments name no records: number them.  A fourth of the rows has all kinds of cells."""
    with open(source, newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    write_csv(target, [ID] + columns, ([f"{letter}{i:05d}"] + row for i, row in enumerate(rows[::4])))
    return target


def spell_number(cell, dice):
    """The same number in another spelling, or a missing cell."""
    if cell in ("", "NA") or dice.random() < 0.6:
        return cell
    return dice.choice([f" {cell}\t", f"+{cell}", cell + ("0" if "." in cell else ".0"), f"{cell}e0", "", "?",
                        f"{float(cell) / 3:.6f}", f"{float(cell) / 7:.17g}"])


def disturb(source, target, seed, rows_at_most, spelled):
    """The synthetic population with columns and levels that no engine expects."""
    dice = random.Random(seed)
    numbers = ("age", "hours", "income", "household", "distance", "score")
    with open(source, newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    for i, row in enumerate(rows[:rows_at_most]):
        for c, column in enumerate(columns):
            if column in numbers and spelled:
                row[c] = spell_number(row[c], dice)
            elif column == "region":
                row[c] = LEVELS.get(row[c], row[c])
            elif column in ("language", "occupation") and spelled and dice.random() < 0.05:
                row[c] = dice.choice(["never seen", "英語", "", "english", "English ", "O'Neil\\"])
        if spelled and i % 50 == 0:
            row[0] = f"{row[0]} \"é\" 'x' \\"
    write_csv(target, [SPELLINGS.get(column, column) for column in columns], rows[:rows_at_most])
    return [SPELLINGS.get(column, column) for column in numbers]


def run(program, *arguments):
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


class Workshop:
    """Makes pools and models in a folder."""

    def __init__(self, build, folder):
        self.program = pathlib.Path(build, "equipoise")
        self.random_model = pathlib.Path(build, "tests/engines/random-model")
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.key_file = self.folder / "draw.key"
        run(self.program, "key", "new", self.key_file)
        self.key = self.key_file.read_text().strip()

    def learn(self, name, pool, labelled, *arguments, size=500):
        path = self.folder / f"{pool.name}-{name}.model"
        run(self.program, "learn", labelled, "-o", path, "--quiet", "--ignore", pool.label, *arguments)
        return Model(name, pool, path, size)

    def randomise(self, what, model, size=500):
        path = self.folder / f"{model.pool.name}-{what.replace(':', '-')}.model"
        run(self.random_model, model.path, what, path)
        return Model(what, model.pool, path, size)

    def export(self, model, dialect, *arguments, table=None):
        return run(self.program, "export", "--model", model.path, "--to", dialect, "--id", ID, "--table",
                   table or model.pool.table, *arguments)

    def ids(self, text):
        reader = csv.DictReader(text.splitlines(keepends=True))
        return [row[ID] for row in reader]

    def filtered(self, model):
        return self.ids(run(self.program, "filter", "--model", model.path, "--id", ID, "-k", self.key_file, "--quiet",
                            model.pool.path))

    def cell_counts(self, model):
        """What filter counts: the missing and the unseen cells of all columns, and the unseen ones of those it names."""
        stats = self.folder / "stats.json"
        run(self.program, "filter", "--model", model.path, "--id", ID, "-k", self.key_file, "--quiet", "--stats", stats,
            model.pool.path)
        said = json.loads(stats.read_text())
        named = re.findall(r"(.+?) \((\d+)\)(?:, |$)", said.get("unseen_columns", ""))
        return said["missing_cells"], said["unseen_levels"], {name: int(count) for name, count in named}

    def refused(self, model, pool):
        """The columns for which filter refuses the pool."""
        done = subprocess.run([self.program, "filter", "--model", model.path, "--id", ID, "-k", self.key_file, pool.path],
                              capture_output=True, text=True)
        columns = set(re.findall(r'"([^,]+?)" \(\d+ % missing, \d+ % unseen\)', done.stderr))
        if done.returncode != 3 or len(columns) != 2:
            raise RuntimeError(f"{pool.path} is not refused for two columns: {done.returncode}, {done.stderr}")
        return columns

    def shift(self, pool):
        """The first records of a pool with one column of levels spelled otherwise and one of numbers emptied."""
        path = self.folder / "shifted.csv"
        level, number = (pool.columns.index(SPELLINGS[name]) for name in ("language", "income"))
        rows = [[("x" + cell) if c == level else "" if c == number else cell for c, cell in enumerate(row)]
                for row in pool.rows[:500]]
        write_csv(path, pool.columns, rows)
        return Pool("shifted", path, pool.numbers, "shifted", pool.label)

    def selected(self, model):
        return self.ids(run(self.program, "select", "--model", model.path, "--id", ID, "-k", self.key_file, "--quiet",
                            "--size", model.size, model.pool.path))

    def labelled(self):
        """The folder of the synthetic population, and its labelled sample with names and levels that no engine expects."""
        demo, labelled = self.folder / "demo", self.folder / "labelled.csv"
        run(self.program, "demo", "--only-data", "--rows", 20000, "--dir", demo, "--quiet")
        disturb(demo / "labelled.csv", labelled, 1, 8000, False)
        return demo, labelled

    def people(self):
        """Returns the pool and models of the synthetic population."""
        demo, labelled = self.labelled()
        numbers = disturb(demo / "candidates.csv", self.folder / "people.csv", 2, 20000, True)
        pool = Pool("people", self.folder / "people.csv", numbers, NASTY, "admitted")
        common = ("--sensitive", "group", "--max-disclosure", 0.2, "--min-yield", 0.1)
        # Linear scores: a boosted rule is longer as a predicate than some engines take, and export says so.
        direct = self.learn("direct", pool, labelled, *common, "--oracle", "linear")
        yield direct
        yield self.learn("tree", pool, labelled, "--sensitive", "group", "--max-disclosure", 0.2, "--method", "tree")
        yield self.learn("qp-logit", pool, labelled, *common, "--method", "qp-logit")
        yield self.learn("qp-cart", pool, labelled, *common, "--method", "qp-cart")
        yield self.learn("several", pool, labelled, *common, "--sensitive", "occupation")
        yield self.learn("boost", pool, labelled, *common, "--oracle", "boost")
        yield self.randomise("deep", direct)
        yield self.randomise("argmax", direct)

    def members(self):
        """Truth, decimals and dates, which databases have types for; the file has their texts."""
        dice, rows = random.Random(4), []
        for i in range(3000):
            group = dice.choices(("a", "b", "c"), (6, 3, 1))[0]
            late = dice.random() < {"a": 0.2, "b": 0.5, "c": 0.7}[group]
            cells = [f"2024-{dice.randint(7 if late else 1, 12):02d}-28", "true" if dice.random() < (0.7 if late else 0.4) else "false",
                     f"{dice.randint(40, 400) / 4 + 30 * late:.2f}", f"{dice.randint(18, 80)}"]
            rows.append([f"t{i:05d}", *("" if dice.random() < 0.03 else cell for cell in cells), group])
        path = self.folder / "members.csv"
        write_csv(path, [ID, "joined", "member", "fee", "age", "group"], rows)
        pool = Pool("members", path, ["age"], "members", ID, {"joined": "date", "member": "boolean", "fee": "decimal(9, 2)"})
        yield self.learn("direct", pool, path, "--sensitive", "group", "--oracle", "linear", "--min-yield", 0.1,
                         size=200)

    def dated(self):
        """Dates in every order: proper ones to learn from, all manner of spellings to decide."""
        dice, learned, rows = random.Random(6), [], []
        orders = {"born": "day-first", "seen": "month-first", "joined": "year-first", "ended": "year-first"}
        formats = {"day-first": "%d.%m.%Y", "month-first": "%m/%d/%Y", "year-first": "%Y-%m-%d"}
        for i in range(6000):
            group = dice.choices(("a", "b", "c"), (6, 3, 1))[0]
            days = [datetime.date(1950, 1, 1) + datetime.timedelta(dice.randrange(9000) + 3000 * (group != "a")),
                    datetime.date(2020, 1, 1) + datetime.timedelta(dice.randrange(800)),
                    datetime.date(2019, dice.randint(1, 6 if group == "b" else 12), dice.randint(1, 28)),
                    datetime.date(dice.choice((1800, 1899, 1900, 1999, 2000, 2001, 2199)), dice.choice((1, 2, 3, 12)), 28)
                    + datetime.timedelta(dice.randrange(3))]
            if group == "c" and days[1].weekday() > 4:
                days[1] -= datetime.timedelta(2)
            if i % 2:
                learned.append([f"l{i:05d}", *(day.strftime(formats[order]) for day, order in zip(days, orders.values())), group])
            else:
                cells = [spell_date(day, order, dice) for day, order in zip(days, orders.values())]
                cells[2] = dice.choice(("", days[2].isoformat(), days[2].isoformat(), days[2].isoformat()))  # typed as a date
                rows.append([f"d{i:05d}", *(cell if dice.random() > 0.03 else dice.choice(("", "?", "NA")) for cell in cells[:2]),
                             *cells[2:]])
        write_csv(self.folder / "dated-labelled.csv", [ID, *orders, "group"], learned)
        write_csv(self.folder / "dated.csv", [ID, *orders], rows)
        pool = Pool("dated", self.folder / "dated.csv", [], "dated", ID, {"joined": "date"}, orders)
        common = (pool, self.folder / "dated-labelled.csv", "--sensitive", "group", "--min-yield", 0.1, "--missing", f"?,NA,{A_DATE}")
        direct = self.learn("direct", *common, "--oracle", "linear", size=200)
        yield direct
        yield self.learn("publishable", *common, "--publishable", size=200)
        yield self.learn("boost", *common, "--oracle", "boost", size=200)
        yield self.randomise("deep", direct, size=200)
        yield self.randomise("argmax", direct, size=200)

    def adult(self, source):
        path = with_ids(source, self.folder / "adult.csv", "a")
        numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
        pool = Pool("adult", path, numbers, "adult", "income")
        yield self.learn("direct", pool, path, "--sensitive", "race", "--max-disclosure", 0.2, "--min-yield", 0.1, "--oracle", "linear")
        yield self.learn("tree", pool, path, "--sensitive", "race", "--max-disclosure", 0.1, "--method", "tree",
                         "--oracle", "stump", "--max-height", 20, "--min-leaf", 10, size=200)
        yield self.learn("qp-cart", pool, path, "--sensitive", "race", "--max-disclosure", 0.2, "--method", "qp-cart")
        yield self.learn("several", pool, path, "--sensitive", "race", "--sensitive", "sex", "--max-disclosure", 0.2,
                         "--min-yield", 0.1, "--oracle", "linear")

    def marketing(self, source):
        path = with_ids(source, self.folder / "marketing.csv", "m")
        pool = Pool("marketing", path, ["age", "balance", "day", "duration", "campaign", "pdays", "previous"],
                    "marketing", "y")
        yield self.learn("direct", pool, path, "--sensitive", "job", "--max-disclosure", 0.3, "--min-yield", 0.05, "--oracle", "linear")
        yield self.learn("qp-logit", pool, path, "--sensitive", "job", "--max-disclosure", 0.3, "--method", "qp-logit")
