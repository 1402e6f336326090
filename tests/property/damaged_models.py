#!/usr/bin/env python3
"""Damages three learned models (direct, tree, boosted tree) in one place at a time (damage_model.c says what must hold).

usage: damaged_models.py [--whole] PROGRAM DAMAGE_MODEL

Every length is tried and a bit of every byte flipped; of the largest model, the boosted one, few bytes are.  With --whole
all of its bytes are, and in the others every bit of every byte."""
import pathlib, subprocess, sys, tempfile

MODELS = {"direct": "--method direct --oracle linear", "tree": "--method tree", "boost": "--method tree --oracle boost --max-height 1"}


def main():
    whole = "--whole" in sys.argv
    program, damage = [str(pathlib.Path(word).resolve()) for word in sys.argv[1:] if word != "--whole"]
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        subprocess.run([program, *"demo --only-data --rows 300 --dir . -q".split()], cwd=folder, check=True)
        rows = (folder / "labelled.csv").read_text().splitlines(keepends=True)
        (folder / "few.csv").write_text("".join(rows[:81]))
        (folder / "fewer.csv").write_text("".join(rows[:9]))
        for name, options in MODELS.items():
            learn = f"learn few.csv -s group --features age,region,score -q -o {name}.model {options}"
            subprocess.run([program, *learn.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            large = name == "boost"
            stride, bits = 97 if large and not whole else 1, 8 if whole and not large else 1
            done = subprocess.run([damage, f"{name}.model", "fewer.csv", str(stride), str(bits)], cwd=folder,
                                  capture_output=True, text=True)
            print(f"{name:8}{done.stdout.strip()}{done.stderr}", flush=True)
            bad += done.returncode != 0
    sys.exit(bad > 0)


main()
