#!/usr/bin/env python3
"""Times `equipoise filter` against mawk and DuckDB: CSV to CSV in memory, interleaved runs, least CPU time of each.

usage: bench/filter.py [--mb 1000] [--rounds 3] [--program build/equipoise] [--data adult.csv --sensitive race --ignore income]
       [--stream GB]

Without data the synthetic population is used, grown to the size with an id for every record. The direct model accepts half
of it, by linear scores; the boosted one is a direct model of the usual size with boosted scores. Learned trees are seldom
deep, so the splits of one are hung below each other to a depth of 15, the larger side going on and every leaf accepting
half. mawk evaluates one expression of six columns; DuckDB, where the Python module is there, runs the exported rule on one
thread. --stream pipes so many gigabytes through the direct model and prints the memory used.
Files lie in /dev/shm and are removed at the end."""
import argparse, hashlib, json, os, re, shutil, subprocess, sys, tempfile, time

MAWK = ("mawk -F, '{s=0.01*$2+0.1*$6-0.02*$14; if($3==\"Private\")s+=1; if($5==\"Bachelors\")s-=1; "
        "if($11==\"Male\")s+=0.3; if(s>0.9)print}'")
DUCKDB = """import duckdb, sys
rule, key, source, target = open(sys.argv[1]).read(), open(sys.argv[2]).read().strip(), sys.argv[3], sys.argv[4]
base = duckdb.connect()
base.execute("SET threads = 1")
base.execute(f"CREATE VIEW records AS SELECT * FROM read_csv('{source}', all_varchar = true, header = true)")
body = rule.replace("$1", f"'{key}'").rstrip().rstrip(";")
base.execute(f"COPY ({body}) TO '{target}' (HEADER)")
"""
DEPTH = 15


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="build/equipoise", type=os.path.abspath)
    parser.add_argument("--data")
    parser.add_argument("--sensitive", default="group")
    parser.add_argument("--ignore", default="admitted")
    parser.add_argument("--stream", type=int, default=0, metavar="GB")
    return parser.parse_args()


def call(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def grow(source, target, size):
    """The records of a file again and again, each with a number of its own, up to `size` bytes."""
    header, *records = open(source).read().splitlines()
    with open(target, "w") as out:
        written, number = out.write(f"number,{header}\n"), 0
        while written < size:
            for record in records:
                written += out.write(f"{number},{record}\n")
                number += 1
    return written


def share_of(rule, child):
    """Share of the candidates that come through a child."""
    if "leaf" in child:
        return rule["leaves"][child["leaf"]]["share"]
    node = rule["nodes"][child["node"]]
    return share_of(rule, node["yes"]) + share_of(rule, node["no"])


def deepen(source, target):
    """Hangs the splits of a tree below each other; docs/model-format.md says how a model is written."""
    text = open(source).read()
    rule = json.loads(text)["rule"]
    head, rest = text.split('"nodes": [\n')
    splits = re.findall(r'(\{"components": \[.*?\]), "yes": \{[^}]*\}, "no": \{[^}]*\}\}', rest, re.S)
    nodes = []
    for depth in range(DEPTH):
        learned = rule["nodes"][depth % len(splits)]
        on = "yes" if share_of(rule, learned["yes"]) > share_of(rule, learned["no"]) else "no"
        ends = {"yes": f'{{"leaf": {depth}}}', "no": f'{{"leaf": {depth}}}'}
        ends[on] = f'{{"node": {depth + 1}}}' if depth + 1 < DEPTH else f'{{"leaf": {DEPTH}}}'
        nodes.append(f'{splits[depth % len(splits)]}, "yes": {ends["yes"]}, "no": {ends["no"]}}}')
    leaves = ['{"accept": 0.5, "share": 0.0625}'] * (DEPTH + 1)
    body = head + '"nodes": [\n' + ",\n".join(nodes) + '],\n"leaves": [\n' + ",\n".join(leaves) + "]}"
    digest = hashlib.sha256((body + "\n}\n").encode()).hexdigest()
    open(target, "w").write(f'{body},\n"digest": "{digest}"\n}}\n')


def run(command, target):
    """CPU seconds, wall seconds."""
    begun = time.monotonic()
    with open(target, "w") as out:
        child = subprocess.Popen(command, shell=True, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"failed: {command}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun


def prepare(options, folder):
    program, labelled = options.program, options.data
    if labelled is None:
        call(program, "demo", "--only-data", "--rows", 30000, "--dir", folder, "--quiet")
        labelled = f"{folder}/labelled.csv"
    learn = [program, "learn", labelled, "--sensitive", options.sensitive, "--ignore", options.ignore, "--quiet"]
    call(*learn, "--max-disclosure", 0.2, "--min-yield", 0.5, "--oracle", "linear", "-o", f"{folder}/direct.model")
    call(*learn, "--max-disclosure", 0.5, "--oracle", "boost", "-o", f"{folder}/boosted.model")
    call(*learn, "--max-disclosure", 0.2, "--method", "tree", "-o", f"{folder}/learned.model")
    deepen(f"{folder}/learned.model", f"{folder}/tree.model")
    call(program, "key", "new", f"{folder}/key")
    return labelled


def commands(options, folder):
    big, key = f"{folder}/big.csv", f"{folder}/key"
    filters = f"exec {options.program} filter --id number --key-file {key} --quiet"
    found = {f"{name}, {threads} thread{'s' if threads > 1 else ''}":
             f"{filters} --model {folder}/{name}.model --threads {threads} {big}"
             for name in ("direct", "boosted", "tree") for threads in (1, 2)}
    if shutil.which("mawk"):
        found["mawk"] = f"exec {MAWK} {big}"
    try:
        import duckdb
        open(f"{folder}/run_rule.py", "w").write(DUCKDB)
        for name in ("direct", "tree"):
            call(options.program, "export", "--model", f"{folder}/{name}.model", "--to", "duckdb", "--id", "number",
                 "-o", f"{folder}/{name}.sql")
            found[f"DuckDB {duckdb.__version__}, {name}"] = \
                f"exec {sys.executable} {folder}/run_rule.py {folder}/{name}.sql {key} {big} {folder}/other.csv"
    except ImportError:
        print("without DuckDB: no Python module duckdb")
    return found


def measure(options, folder):
    size = grow(prepare(options, folder), f"{folder}/big.csv", options.mb * 1_000_000)
    chosen = commands(options, folder)
    runs = {name: [] for name in chosen}
    for _ in range(options.rounds):
        for name, command in chosen.items():
            runs[name].append(run(command, f"{folder}/out.csv"))
    least = {name: tuple(min(column) for column in zip(*found)) for name, found in runs.items()}
    mawk = least.get("mawk", (float("nan"), 0))[0]
    print(f"{size / 1e6:.0f} MB, least of {options.rounds} interleaved runs")
    print(f"{'':22}{'CPU s':>8}{'MB/CPU s':>10}{'wall s':>8}{'mawk':>7}{'DuckDB':>8}   times as fast, by CPU")
    for name, (cpu, wall) in least.items():
        duck = next((t[0] for other, t in least.items() if other.startswith("DuckDB") and
                     other.endswith(name.split(",")[0])), float("nan"))
        print(f"{name:22}{cpu:8.2f}{size / cpu / 1e6:10.0f}{wall:8.2f}{mawk / cpu:7.1f}{duck / cpu:8.1f}")


def peak(process):
    """Resident megabytes at most, of a process that still runs."""
    text = open(f"/proc/{process.pid}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) / 1024


def stream(options, folder):
    """Pipes gigabytes of records through the filter and watches its memory."""
    header, *records = open(prepare(options, folder)).read().splitlines()
    words = [options.program, "filter", "--id", "number", "--key-file", f"{folder}/key", "--quiet", "--model",
             f"{folder}/direct.model", "-"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(f"number,{header}\n".encode())
    block = "".join(f"#####{i:05d},{record}\n" for i, record in enumerate(records)).encode()
    sent, number, most = 0, 0, 0.0
    while sent < options.stream * 10**9:
        sent += process.stdin.write(block.replace(b"#####", b"%05d" % (number // len(records))))
        number += len(records)
        most = max(most, peak(process))
    process.stdin.close()
    if process.wait():
        sys.exit("the filter failed")
    print(f"{sent / 1e9:.1f} GB, {number:,} records through a pipe: {most:.1f} MB resident at most")


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="equipoise-bench-", dir="/dev/shm")
    try:
        stream(options, folder) if options.stream else measure(options, folder)
    finally:
        shutil.rmtree(folder)


main()
