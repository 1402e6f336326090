#!/usr/bin/env python3
"""What limits beside the budget cost, on Adult; and what protecting the label does for later models.

usage: bench/limits.py [--build build] [--data data] [--seeds 10] [--page docs/results.md]

Every row is `equipoise compare` with the options that it names: learned from half of the rows, measured on three tenths
(imbalance, disclosure, yield, shares), means over the seeds; downstream is the accuracy of a model for the label trained on the accepted,
less that of one trained on as many at random. Chances are those of `equipoise learn` on all rows. The label within groups: learned
from half, the other half filtered with so many keys. With --page the part between its marks is written anew."""
import argparse, collections, csv, json, math, pathlib, random, subprocess, sys, tempfile

BEGIN, END = "<!-- limits -->", "<!-- end of limits -->"
SETTINGS = ["", "--max-ratio 5", "--max-ratio 3", "--max-ratio 2", "--min-chance 0.2", "--min-chance 0.5",
            "--protect income --max-distortion 0.1", "--protect income --max-distortion 0.02",
            "--max-ratio 3 --min-chance 0.2 --protect income --max-distortion 0.1"]
KEYS, ENOUGH = 8, 300  # of filtering; rows of a group that say something of its label


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def learn(o, table, setting, more=()):
    return run([o.build / "equipoise", "learn", table, "--sensitive", "race", "--ignore", "income", "--max-disclosure", 0.2,
                *setting.split(), *more])


def worst_ratio(shares, rates, accepted):
    """Of a share to its base rate or the other way round, among the accepted and among the rejected."""
    ratios = [1]
    for share, rate in zip(shares, rates):
        rejected = (rate - accepted * share) / (1 - accepted)
        ratios += [share / rate, rate / share, rejected / rate, rate / rejected]
    return max(ratios)


def compare(o, setting):
    found = json.loads(run([o.build / "equipoise", "compare", o.data / "adult.csv", "--sensitive", "race", "--label", "income",
                            "--methods", "direct", "--budgets", 0.2, "--seeds", o.seeds, "--sdc", "none", "--json", "--quiet",
                            *setting.split()]))
    method = found["methods"][0]
    test, rates = method["points"][0]["test"], [group["base_rate"] for group in found["groups"]]
    effect = sum(rate * entry["difference"]["mean"] for rate, entry in zip(rates, method["downstream"]))
    return {figure: test[figure]["mean"] for figure in ("imbalance", "disclosure", "yield")} | {
        "ratio": worst_ratio(method["composition"][0]["test"], rates, test["yield"]["mean"]), "downstream": effect}


def label_shares(rows):
    count, rich = collections.Counter(), collections.Counter()
    for row in rows:
        count[row["race"]] += 1
        rich[row["race"]] += row["income"].startswith(">")
    return count, {group: rich[group] / count[group] for group in count}


def label_moves(o, setting, folder):
    """The largest move of the label's share within a group, in standard deviations."""
    head, *lines = open(o.data / "adult.csv", encoding="utf-8")
    random.Random(5).shuffle(lines)
    half, accepted = len(lines) // 2, []
    for name, part in (("train", lines[:half]), ("test", lines[half:])):
        (folder / name).write_text(head + "".join(part), encoding="utf-8")
    learn(o, folder / "train", setting, ["-o", folder / "model", "--quiet"])
    _, before = label_shares(csv.DictReader(open(folder / "test", encoding="utf-8")))
    for number in range(KEYS):
        (folder / "key").unlink(missing_ok=True)
        run([o.build / "equipoise", "key", "new", folder / "key"])
        accepted += csv.DictReader(run([o.build / "equipoise", "filter", "--model", folder / "model", "--key-file", folder / "key",
                                        "--by-content", "--quiet", folder / "test"]).splitlines())
    count, after = label_shares(accepted)
    moves = {group: (after[group] - before[group]) / math.sqrt(before[group] * (1 - before[group]))
             for group in before if count[group] >= ENOUGH * KEYS}
    return max(moves.items(), key=lambda move: abs(move[1]))


def table(o):
    yield "| options beside `--max-disclosure 0.2` | imbalance | price | disclosure | yield | worst ratio | least chance ÷ yield | Gini | label within a group | downstream |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    free = None
    for setting in SETTINGS:
        figures = compare(o, setting)
        free = figures["imbalance"] if free is None else free
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            group, move = label_moves(o, setting, folder)
            said = json.loads(learn(o, o.data / "adult.csv", setting, ["-o", folder / "model", "--json", "--quiet", "--sdc", "none"]))
        chances = said["chances"]
        yield (f"| {'`' + setting + '`' if setting else 'none'} | {figures['imbalance']:.3f} | {figures['imbalance'] - free:+.3f} | "
               f"{figures['disclosure']:.3f} | {100 * figures['yield']:.1f} % | {figures['ratio']:.2f} | "
               f"{chances['least'] / said['train']['yield']:.2f} | {chances['gini']:.2f} | {move:+.2f} ({group}) | "
               f"{100 * figures['downstream']:+.2f} points |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--data", type=pathlib.Path, default="data")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--page", type=pathlib.Path)
    o = parser.parse_args()
    lines = list(table(o))
    print("\n".join(lines))
    if o.page is None:
        return
    text = f"""{BEGIN}
## Limits besides the budget: what they cost

`bench/limits.py --seeds {o.seeds} --page docs/results.md`, Adult by race at a budget of 0.2. Imbalance, disclosure, yield and ratio: means
over {o.seeds} random halves, on three tenths that were not learned from, budgets in expectation (`compare`). Chances: `learn` on all rows. The
label within a group: `learn` on one half, the share of incomes above 50,000 among the accepted of the other half, in standard
deviations, for the group of at least {ENOUGH} accepted rows where it moves most. Downstream: accuracy of a model for the label trained
on the accepted, minus that of one trained on as many at random, mean over people.

""" + "\n".join(lines) + f"\n{END}\n"
    page = o.page.read_text()
    if BEGIN in page:
        page = page[:page.index(BEGIN)] + text + page[page.index(END) + len(END) + 1:]
    else:
        page += "\n" + text
    o.page.write_text(page)


if __name__ == "__main__":
    main()
