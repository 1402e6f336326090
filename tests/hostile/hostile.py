#!/usr/bin/env python3
"""Small inputs that are made to take long: every command must end, with a decision or a refusal, within SECONDS of
processor time per case.  hostile.py [--few] PROGRAM STAMP_MODEL [CASE…]      --few: exports in two dialects only

Each case once took minutes, or would if a check were quadratic.  The bound is generous for a sanitizer build; what it
must notice is growth: a quadratic check of these sizes takes hours."""
import json, os, pathlib, random, resource, subprocess, sys, tempfile

SECONDS = 40
GROUPS = [{"attribute": "g", "value": "a", "target": 0.5}, {"attribute": "g", "value": "b", "target": 0.5}]


def number(name):
    return {"column": name, "kind": "number", "mean": 0.0, "scale": 1.0, "missing_share": 0.0}


def levels(name, count):
    words = sorted(f"v{i}" for i in range(count))
    return {"column": name, "kind": "levels", "levels": words, "shares": [0.0] * (count + 2)}


def leaves(count):
    return [{"accept": 0.5, "share": 0.0} for _ in range(count)]


def node(score=0, yes=None, no=None):
    return {"components": [{"weight": 1.0, "score": score, "below": 0.0}], "yes": yes or {"leaf": 1}, "no": no or {"leaf": 0}}


def model(features, scores, nodes, leaf_count, router="tree", columns=("g",), groups=None):
    return {"format": "equipoise-model", "version": 1,
            "provenance": {"version": "0.1.0", "method": "tree", "oracle": "boost", "solver": "exact",
                           "max_disclosure": 0.2, "spread": 1.0, "confidence": None, "strict": False, "seed": "1",
                           "data": ""},
            "input": {"missing": "?,NA", "decimal": "."}, "features": features,
            "sensitive": {"columns": list(columns), "intersect": False, "groups": groups or GROUPS},
            "rule": {"router": router, "noise": 0.0, "scores": scores, "nodes": nodes, "leaves": leaves(leaf_count)},
            "digest": ""}


def linear(features):
    slots = {"number": lambda f: 2, "levels": lambda f: len(f["shares"]), "bins": lambda f: len(f["shares"])}
    return {"intercept": 0.0, "terms": [[0.25] * slots[f["kind"]](f) for f in features]}


def shared_branches():
    """Both children of a branch are the next one: 30 branches, 2^30 paths."""
    tree = [{"feature": 0, "below": float(i), "yes": i + 1, "no": i + 1, "missing": "yes"} for i in range(30)]
    return model([number("x")], [{"intercept": 0.0, "trees": [tree + [{"value": 1.0}]]}], [node()], 2)


def many_sensitive():
    names = [f"s{i}" for i in range(200000)]
    return model([number("x")], [linear([number("x")])], [node()], 2, columns=names)


def many_features():
    features = [number(f"x{i}") for i in range(100000)]
    return model(features, [linear(features)], [node()], 2)


def many_leaves():
    return model([levels("p", 9998)], [], [], 10000, router="levels")


def many_leaves_tree(count=10000):
    """A balanced tree, numbered in breadth."""
    features = [number("x")]
    child = lambda i: {"node": i} if i < count - 1 else {"leaf": i - count + 1}
    nodes = [node(0, child(2 * i + 1), child(2 * i + 2)) for i in range(count - 1)]
    return model(features, [linear(features)], nodes, count)


def argmax(count=3000):
    features = [number("x")]
    return model(features, [linear(features)] * count, [], count, router="argmax")


def many_scores(count=10000):
    features = [number("x"), levels("p", 50)]
    components = [{"weight": 1.0 / count, "score": i, "below": 0.0} for i in range(count)]
    return model(features, [linear(features)] * count,
                 [{"components": components, "yes": {"leaf": 1}, "no": {"leaf": 0}}], 2)


def many_components(count=100000):
    features = [number("x")]
    components = [{"weight": 1.0 / count, "score": 0, "below": float(i)} for i in range(count)]
    return model(features, [linear(features)], [{"components": components, "yes": {"leaf": 1}, "no": {"leaf": 0}}], 2)


def alike_levels(count=200000):
    """Levels that only differ behind their first 24 bytes."""
    feature = {"column": "p", "kind": "levels", "levels": [f"{'a' * 24}{i:06d}" for i in range(count)],
               "shares": [0.0] * (count + 2)}
    return model([feature], [linear([feature])], [node()], 2)


def deep_marks():
    made = model([number("x")], [linear([number("x")])], [node()], 2)
    made["input"]["missing"] = "," * 4000
    return made


MODELS = [shared_branches, many_sensitive, many_features, many_leaves, many_leaves_tree, argmax, many_scores,
          many_components, alike_levels, deep_marks]
DIALECTS = "postgresql duckdb sqlite clickhouse spark bigquery c json".split()


WALL = 300  # a command that waits for ever uses no processor time


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))


def run(what, words, folder, wrong):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          preexec_fn=limited, timeout=WALL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ended = done.returncode in (0, 1, 2, 3, 4, 5)
    if not ended:
        wrong.append(what)
    said = (done.stderr.strip().splitlines() or ["ok"])[0]
    print(f"{'ok' if ended else 'WRONG':6}{took:7.2f} s  {what}: {done.returncode} {said[:110]}", flush=True)
    return done.returncode


def flags_and_pipes(program, folder, wrong):
    small = model([number("x")], [linear([number("x")])], [node()], 2)
    (folder / "raw.json").write_text(json.dumps(small))
    subprocess.run([STAMP, "raw.json", "small"], cwd=folder, check=True)
    draw = ["--model", "small", "--key-file", "k", "--id", "id"]
    run("filter with a hundred million threads",
        [program, "filter", *draw, "--threads", "100000000", "pool.csv", "-o", "out.csv"], folder, wrong)
    os.mkfifo(folder / "pipe")
    subprocess.run([program, "commit", *draw, "--size", "5", "--no-randomness", "pool.csv", "-o", "c"], cwd=folder, check=True,
                   capture_output=True)
    asked = [program, "verify", *draw[:4], "--commitment", "c", "--result", "out.csv", "pipe"]
    if run("verify with a pipe as the pool", asked, folder, wrong) != 2:
        wrong.append("a pool that is read twice is a file")
    run("a proxy column of 900 values",
        [program, "audit", "--sensitive", "g", "--proxy", "p", "proxies.csv", "--json"], folder, wrong)
    run("a proxy column of 1,000 values and 500 groups",
        [program, "audit", "--sensitive", "h", "--proxy", "p", "proxies.csv", "--json"], folder, wrong)


def wide_tables(program, folder, wrong, columns=250000):
    """Headers of 250,000 names, all different or all alike: a look at all others for each would be too many."""
    for what, names in (("different", [f"c{i}" for i in range(columns)]), ("alike", ["c"] * columns)):
        rows = [[group, *[number] * columns] for group, number in ("a1", "a2", "b1", "b3")]
        (folder / "wide.csv").write_text("".join(",".join(line) + "\n" for line in [["g", *names], *rows]))
        for words in (["inspect", "wide.csv", "-s", "g"], ["learn", "wide.csv", "-s", "g", "-o", "wide.model"],
                      ["learn", "labelled.csv", "-s", "g", "--target", "wide.csv", "-o", "wide.model"]):
            run(f"{words[0]} with {columns} {what} columns", [program, *words], folder, wrong)


def commands_about(name):
    draw = ["--key-file", "k", "--id", "id"]
    yield "show", ["show", name]
    for dialect in ("sqlite", "c") if "--few" in sys.argv else DIALECTS:
        yield f"export to {dialect}", ["export", "--to", dialect, "--model", name, "--table", "t", "--id", "id", "-o", "out"]
    yield "filter", ["filter", "--model", name, *draw, "pool.csv", "-o", "out.csv"]
    yield "select", ["select", "--model", name, *draw, "--size", "5", "pool.csv", "--selected", "out.csv"]
    yield "audit", ["audit", "--model", name, "--sensitive", "g", "labelled.csv", "--json"]


def make_tables(folder):
    rnd = random.Random(1)
    rows = [(i, rnd.choice("ab"), rnd.randrange(100), f"v{rnd.randrange(50)}") for i in range(2000)]
    for name, columns in {"pool.csv": (0, 2, 3), "labelled.csv": (0, 1, 2, 3)}.items():
        table = [("id", "g", "x", "p")] + rows
        (folder / name).write_text("".join(",".join(str(row[c]) for c in columns) + "\n" for row in table))
    rows = [f"{rnd.choice('abcd')},w{i * 7 % 500},v{i % 1000}\n" for i in range(3000)]
    (folder / "proxies.csv").write_text("g,h,p\n" + "".join(rows))


def main():
    program, stamp, *only = [str(pathlib.Path(word).resolve()) if i < 2 else word for i, word in
                             enumerate(word for word in sys.argv[1:] if word != "--few")]
    wrong = []
    global STAMP
    STAMP = stamp
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        make_tables(folder)
        subprocess.run([program, "key", "new", "k"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        if not only:
            flags_and_pipes(program, folder, wrong)
            wide_tables(program, folder, wrong)
        for made in MODELS:
            if only and made.__name__ not in only:
                continue
            (folder / "raw.json").write_text(json.dumps(made()))
            subprocess.run([stamp, "raw.json", "m"], cwd=folder, check=True)
            size = (folder / "m").stat().st_size
            for what, words in commands_about("m"):
                if run(f"{made.__name__} ({size} bytes), {what}", [program, *words], folder, wrong) == 3 and what == "show":
                    break  # refused: every command loads a model in the same way
    print(f"{len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
