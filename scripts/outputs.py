"""The outputs that scripts/determinism and scripts/same-bytes compare: every command on one made-up population.

`collect` gives the bytes of each output by name; times are taken out, since no two runs share them."""
import re, subprocess

TIMES = re.compile(rb'"seconds": *(\{[^}]*\}|[0-9.e+-]+)|"(read|learn|total)": *[0-9.e+-]+|[0-9.]+ m?s\b'
                   rb'|<td class="r">[0-9]+\.[0-9]{2}</td></tr>')  # the seconds of a comparison, last in its table
# A certificate and a commitment hold the time of their making, a certificate also a salt; so do their digests.
DATES = re.compile(rb'"(date|time|salt)": *"[^"]*"|[0-9a-f]{64}')
DATED = ("audit text", "certificate", "commit", "draw", "verify")
# The last column of a comparison's table is the time that learning took.
SECONDS_LAST = {"report.html": re.compile(rb'<td class="r">[0-9.]+</td></tr>')}
# Each way of learning, with the options that select it.
LEARN = {
    "direct": "--method direct",
    "direct certified": "--method direct --confidence 0.95 --min-yield 0.1",
    "direct strict": "--method direct --strict",
    "publishable": "--method publishable",
    "direct stump": "--method direct --oracle stump",
    "direct boost": "--method direct --oracle boost --min-yield 0.1",
    "direct budget 0": "--method direct --max-disclosure 0",
    "direct imbalance": "--method direct --max-imbalance 0.5",
    "tree": "--method tree",
    "tree prc": "--method tree --oracle prc",
    "tree stump": "--method tree --oracle stump",
    "tree game": "--method tree --solver game --max-height 2",
    "tree boost": "--method tree --oracle boost --max-height 2",
    "paper": "--method paper",
    "paper weights": "--method paper --oracle prc-weights",
    "tree relaxed": "--method tree --relaxed",
    "tree support": "--method tree --min-leaf 0",
    "cart": "--method qp-cart",
    "logit": "--method qp-logit",
    "logit alone": "--method naive-logit",
    "cart alone": "--method naive-cart",
    "proxy": "--proxy region",
    "margins": "--method direct --sensitive language",
    "combinations": "--method direct --sensitive language --intersect --min-yield 0.2",
}
# What is tried with every model, and what with one alone.
EVERY_MODEL = {
    "filter": "filter -m a.model -k key --id record -q --append candidates.csv",
    "select": "select -m a.model -k key --id record -q -n 50 --alternates 9 candidates.csv",
    "audit": "audit -m a.model -s group labelled-later.csv --json --report b.html",
    "show": "show a.model",
}
DIALECTS = "postgresql duckdb sqlite clickhouse spark bigquery c json".split()
ONE_MODEL = {
    "by content": "filter -m a.model -k key --by-content -q candidates.csv",
    "plan": "plan -m a.model -n 50 --json",
    "audit text": "audit -m a.model -s group labelled-later.csv --certificate c.json",
    "certificate": "verify --certificate c.json --model a.model labelled-later.csv --json",
    "part": "select -m a.model -k key --id record -n 20 --parts one.part candidates.csv",
    "merge": "merge -k key one.part",
    "commit": "commit -m a.model -k key --id record -n 20 --no-randomness candidates.csv -o commitment.json",
    "draw": "select --commitment commitment.json -k key --selected panel.csv candidates.csv",
    "verify": "verify -k key --commitment commitment.json --result panel.csv candidates.csv",
    "frontier": "frontier labelled.csv -s group --budgets 0.1,0.2,0.4 --yields 0.1,0.3 --json --report b.html",
    "frontier tree": "frontier labelled.csv -s group --method tree --budgets 0.1,0.3 --json",
    "frontier text": "frontier labelled.csv -s group --pick 1 -o b.model",
    "compare": "compare labelled.csv -s group --seeds 2 --budgets 0,0.2,0.5 --json -o study",
    "compare label": "compare labelled.csv -s group --label admitted --seeds 2 --budgets 0.2 --methods direct,smote --json",
    "compare text": "compare labelled.csv -s group --seeds 2 --budgets 0.2",
    "reference": "help --markdown",
} | {f"export {name}": f"export -m a.model --id record --to {name}" for name in DIALECTS}
WRITTEN = ["a.model", "a.html", "b.html", "b.model", "c.json", "commitment.json", "one.part", "panel.csv"]


def prepare(program, folder):
    """A population of 4,000 and a key."""
    subprocess.run([program, *"demo --only-data --rows 4000 --dir . -q".split()], cwd=folder, check=True)
    (folder / "key").write_text("00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321\n")
    (folder / "key").chmod(0o600)


def clean(name, data):
    if name.startswith(DATED):
        data = DATES.sub(b"", data)
    for ending, seconds in SECONDS_LAST.items():
        if name.endswith(ending):
            data = seconds.sub(b"", data)
    return TIMES.sub(b"", data)


def collect(program, folder, threads=1, environment=None):
    """Bytes of every output, by name."""
    found = {}
    (folder / "equipoise-attempts.log").unlink(missing_ok=True)  # a second attempt at a certificate is tested more strictly

    def run(name, arguments):
        takes_threads = arguments.split()[0] in ("learn", "filter", "select", "audit", "frontier", "compare")
        done = subprocess.run([program, *arguments.split(), *(["--threads", str(threads)] if takes_threads else [])],
                              cwd=folder, capture_output=True, env=environment)
        found[name] = clean(name, b"%d\n%s\n%s" % (done.returncode, done.stdout, done.stderr))
        written = [path for path in WRITTEN if path in arguments.split() and (folder / path).exists()]
        if "-o study" in arguments:
            written += sorted(str(path.relative_to(folder)) for path in (folder / "study").iterdir())
        for path in written:
            found[f"{name}: {path}"] = clean(f"{name}: {path}", (folder / path).read_bytes())

    for name, options in LEARN.items():
        run(name, f"learn labelled.csv -s group {options} -o a.model --report a.html --json")
        for command, arguments in EVERY_MODEL.items():
            run(f"{name}: {command}", arguments)
    run("learn text", "learn labelled.csv -s group -o a.model")
    for name, arguments in ONE_MODEL.items():
        run(name, arguments)
    return found
