#!/usr/bin/env python3
"""Polluted CSV files, every kind of the Pollock taxonomy (Vitagliano et al., VLDB 2023): read as the clean table, refused,
or read as another table, which nobody would notice.

    polluted.py DUMP-CELLS [TABLES] [--compare]      beside Python's csv, pandas and DuckDB with --compare

A file is one clean table with one kind of pollution, at one or several places.  Fails when our reader gives a wrong table."""
import csv, io, pathlib, random, subprocess, sys, tempfile

WORDS = ["Bath", "Leeds, North", 'the "Dome"', "Köln", "", "O'Hara", "12 High St", "a;b", "tab\tbed", "York"]


def clean_table(dice):
    columns, rows = dice.randrange(3, 8), dice.randrange(4, 30)
    kinds = [dice.choice("nnt") for _ in range(columns)]
    kinds[0] = "n"
    kinds[-1] = "t"
    table = [[f"{dice.choice(['age', 'town', 'score', 'name'])} {i}" for i in range(columns)]]
    for row in range(rows):
        table.append([str(dice.randrange(1, 999)) if kind == "n" else dice.choice(WORDS) for kind in kinds])
    return table


def write(table, delimiter=",", quote='"', end="\n", escape=None, always=False, final=True):
    def cell(text):
        special = [delimiter, quote, "\n", "\r", end]
        if not always and not any(s in text for s in special):
            return text
        inner = text.replace(quote, (escape or quote) + quote)
        return quote + inner + quote
    text = end.join(delimiter.join(map(cell, row)) for row in table)
    return text + end if final else text


def lines(table):
    return write(table).split("\n")[:-1]


def plain(table):
    """Without cells that need quotes, for pollutions that would otherwise hit several things at once."""
    return [[c.replace(",", "").replace('"', "").replace(";", "").replace("\t", " ") for c in row] for row in table]


def edited(table, row, edit):
    text = lines(table)
    text[row] = edit(text[row])
    return "\n".join(text) + "\n"


def pollutions(table, dice):
    """(kind, bytes, table that is meant)"""
    row, column = dice.randrange(1, len(table)), dice.randrange(len(table[0]))
    simple = plain(table)
    yield "as it is", write(table), table
    yield "empty file", "", None
    yield "no line end at the end", write(table, final=False), table
    yield "several line ends at the end", write(table) + "\n\n\n", table
    yield "header alone", write(table[:1]), table[:1]
    yield "no header", write(table[1:]), None
    yield "header of two lines", write([[f"part {i // 2}" for i in range(len(table[0]))]] + table), None
    yield "preamble of one line", "Report of the year\n" + write(table), table
    yield "preamble of several lines", "Report\nmade by,someone\n\n" + write(table), table
    yield "footnote", write(table) + "Source: somebody\n", table
    yield "several tables", write(table) + "\n" + write([r[:2] for r in table]), None
    yield "several tables, as wide", write(simple) + "\n" + write([[c + "x" for c in simple[0]]] + simple[1:]), None
    for delimiter in ";", "\t", "|", "^", "~":
        yield f"delimiter {delimiter!r}", write(table, delimiter), table
    yield "delimiter ' '", write(simple, " "), simple
    yield "delimiter ', '", write(simple, ", "), simple
    yield "delimiter '||'", write(simple, "||"), simple
    yield "quotes ''", write(table, quote="'"), table
    yield "quotes everywhere", write(table, always=True), table
    yield "escape \\", write(table, escape="\\"), table
    yield "line ends CRLF", write(table, end="\r\n"), table
    yield "line ends CR", write(table, end="\r"), table
    yield "mixed line ends", "".join(l + ("\r\n" if i % 3 else "\n") for i, l in enumerate(lines(table))), table
    yield "encoding UTF-8 with a mark", "\ufeff" + write(table), table
    yield "encoding UTF-16", write(table).encode("utf-16"), table
    yield "encoding Latin-1", write(table).encode("latin-1"), table
    yield "a cell missing in a row", edited(simple, row, lambda l: l.rpartition(",")[0]), None
    yield "a cell too many in a row", edited(simple, row, lambda l: l + ",extra"), None
    yield "a cell too many in the header", edited(simple, 0, lambda l: l + ",extra"), None
    yield "a cell missing in the header", edited(simple, 0, lambda l: l.rpartition(",")[0]), None
    yield "delimiter at the end of each line", "\n".join(l + "," for l in lines(simple)) + "\n", simple
    yield "a blank line within", edited(table, row, lambda l: l + "\n"), table
    yield "a line torn in two", edited(simple, row, lambda l: l[:len(l) // 2] + "\n" + l[len(l) // 2:]), None
    yield "two lines joined", "\n".join(lines(simple)[:row]) + lines(simple)[row] + "\n" + "".join(
        l + "\n" for l in lines(simple)[row + 1:]), None
    yield "a delimiter not in quotes", edited(simple, row, lambda l: l.replace(",", ",a,", 1)), None
    yield "a quote within a cell", edited(simple, row, lambda l: l + 'a"b'), None
    yield "a quote that is not closed", edited(simple, row, lambda l: '"' + l), None
    yield "text behind a quote", edited(simple, row, lambda l: '"12"x' + l), None
    yield "blanks around cells", "\n".join(" , ".join(r) for r in simple) + "\n", simple
    yield "blanks before quotes", "\n".join(", ".join(f'"{c}"' for c in r) for r in simple) + "\n", simple
    yield "a byte zero", edited(simple, row, lambda l: l + "\x00"), None
    yield "one row", write(table[:2]), table[:2]
    yield "header of three lines", write([["x"] * len(table[0]), ["y"] * len(table[0])]) + write(table), None
    yield "header repeated within", write(table[:row + 1] + table[:1] + table[row + 1:]), None
    yield "comments before the header", "# from a register, 2024\n# kept by hand\n" + write(table), table
    yield "a comment within", edited(table, row, lambda l: l + "\n# checked up to here"), table
    yield "footnote behind a blank line", write(table) + "\nSource: somebody\n", table
    yield "quotes '' everywhere", write(table, quote="'", always=True), table
    yield "delimiter '::'", write(simple, "::"), simple
    yield "another delimiter in a row", edited(simple, row, lambda l: l.replace(",", ";")), None
    yield "columns aligned by blanks", "\n".join("".join(f"{c:16}" for c in r) for r in simple) + "\n", simple
    yield "preamble, ';' and CR", "Report\r" + write(simple, ";", end="\r"), simple
    yield "quotes '' and '|'", write(table, "|", quote="'", always=True), table
    yield "UTF-16 with tabs and CRLF", write(table, "\t", end="\r\n").encode("utf-16"), table
    yield "a lone carriage return", edited(simple, row, lambda l: l + "\rx" if "," in l else l), None


# ---- readers: a table, or None when refused ------------------------------------------------------------------

def by_us(path, dump, names):
    """Cells as read; every command names columns, so a table without those names is refused."""
    done = subprocess.run([dump, path, "", "65536"], capture_output=True, text=True)
    if done.returncode:
        return None
    found = [[bytes.fromhex(c).decode("utf-8", "replace") for c in line.split(",")] for line in done.stdout.splitlines()]
    return found if names <= set(found[0]) else None


def by_csv(path, *_):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return [row for row in csv.reader(file, strict=True) if row]
    except (csv.Error, UnicodeError):
        return None


def by_pandas(path, *_):
    import pandas
    try:
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    except Exception:
        return None
    named = frame.reset_index() if not isinstance(frame.index, pandas.RangeIndex) else frame
    return [list(map(str, named.columns))] + [["" if c != c else str(c) for c in row] for row in named.values.tolist()]


def by_duckdb(path, *_):
    import duckdb
    try:
        found = duckdb.connect().execute("SELECT * FROM read_csv(?, all_varchar = true)", [str(path)])
        names = [column[0] for column in found.description]
        return [names] + [["" if c is None else c for c in row] for row in found.fetchall()]
    except Exception:
        return None


def equal(found, meant):
    """Blanks around a name do not matter: a column is asked for by its name, and a wrong one is refused."""
    if not found or not meant:
        return False
    if found[1:] and all(len(row) == len(meant[0]) + 1 and not row[-1] for row in found[1:]):  # an empty column behind the last
        found = [row[:-1] for row in found]
    return [c.strip() for c in found[0]] == [c.strip() for c in meant[0]] and found[1:] == meant[1:]


def judge(found, meant):
    if found is None:
        return "refused"
    return "same" if equal(found, meant) else "wrong"


def main():
    compare = "--compare" in sys.argv
    dump, *more = [word for word in sys.argv[1:] if word != "--compare"]
    tables = int(more[0]) if more else 10
    readers = {"equipoise": by_us}
    if compare:
        readers.update({"Python csv": by_csv, "pandas": by_pandas, "DuckDB": by_duckdb})
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "polluted.csv")
        for seed in range(tables):
            table = clean_table(random.Random(seed))
            names = {table[0][0], table[0][-1]}
            for kind, text, meant in pollutions(table, random.Random(seed)):
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
                for name, read in readers.items():
                    verdict = judge(read(path, dump, names), meant)
                    counts.setdefault(kind, {}).setdefault(name, []).append(verdict)
    report(counts, readers, tables)
    sys.exit(any(verdict == "wrong" for kind in counts.values() for verdict in kind["equipoise"]))


def report(counts, readers, tables):
    print(f"{'':36}" + "".join(f"{name:>26}" for name in readers))
    print(f"{'of ' + str(tables) + ' files: same / refused / wrong':36}")
    sums = {name: [0, 0, 0] for name in readers}
    for kind, by_reader in counts.items():
        line = f"{kind:36}"
        for name in readers:
            tally = [by_reader[name].count(v) for v in ("same", "refused", "wrong")]
            sums[name] = [a + b for a, b in zip(sums[name], tally)]
            line += f"{tally[0]:>12} /{tally[1]:>4} /{tally[2]:>4}  "
        print(line)
    print(f"{'all, per cent':36}" + "".join(
        f"{100 * s[0] / sum(s):>12.1f} /{100 * s[1] / sum(s):>4.0f} /{100 * s[2] / sum(s):>4.0f}  " for s in sums.values()))


if __name__ == "__main__":
    main()
