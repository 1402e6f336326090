"""Exported C, compiled with every warning an error, against `equipoise filter` on a million records."""
import ast, pathlib, re, subprocess

import pools

ROWS = 1_000_000
HERE = pathlib.Path(__file__).resolve().parent
END = "\x1e"


def columns(source, kind):
    body = re.search(rf"equipoise_{kind}_columns\[\] = \{{(.*?)0\}};", source, re.S)[1]
    texts = re.findall(r'"(?:[^"\\]|\\.)*"', body)
    return [ast.literal_eval("b" + text).decode() for text in texts]


def compiled(source, folder):
    (folder / "rule.c").write_text(source)
    subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", folder / "rule.c", "-o", folder / "rule.o"],
                   check=True)
    subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", f'-DRULE="{folder / "rule.c"}"',
                    HERE / "decide_rows.c", "-o", folder / "decide-rows"], check=True)
    return folder / "decide-rows"


def decide(workshop, model, pool):
    """The ids that the exported C accepts."""
    source = workshop.export(model, "c")
    numbers, texts = columns(source, "number"), columns(source, "text")
    places = [pool.columns.index(name) for name in (pools.ID, *numbers, *texts)]
    lines = []
    for row in pool.rows:
        for place in places:
            lines.append(row[place])
            lines.append(END)
    done = subprocess.run([compiled(source, workshop.folder), workshop.key], input="".join(lines), stdout=subprocess.PIPE,
                          text=True, check=True)
    place = places[0]
    return [row[place] for row, accepted in zip(pool.rows, done.stdout.split("\n")) if accepted == "1"]


def check(workshop, models):
    compared = 0
    for model in models:
        if decide(workshop, model, model.pool) != model.filtered:
            raise RuntimeError(f"{model.pool.name} {model.name} differs")
        compared += len(model.pool.rows)
    demo = workshop.folder / "million"
    pools.run(workshop.program, "demo", "--only-data", "--rows", ROWS, "--dir", demo, "--quiet")
    numbers = pools.disturb(demo / "candidates.csv", workshop.folder / "million.csv", 3, ROWS, True)
    many = pools.Pool("million", workshop.folder / "million.csv", numbers, "million", "admitted")
    model = pools.Model(models[0].name, many, models[0].path, 0)
    if decide(workshop, model, many) != workshop.filtered(model):
        raise RuntimeError(f"{ROWS:,} rows differ")
    return f"c: {len(models) + 1} cases, {compared + len(many.rows):,} rows, equal"
