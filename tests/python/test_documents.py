"""Every example of the guide runs, block after block."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

GUIDE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```(python|py)\n(.*?)^```", re.M | re.S)  # "py": with the package `balance`, in an environment of its own


@pytest.mark.filterwarnings("ignore::equipoise.EquipoiseWarning")
def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text(encoding="utf-8")
    names, kinds = {}, []
    for block in BLOCK.finditer(text):
        kinds.append(block[1])
        code = "\n" * text[: block.start(2)].count("\n") + block[2]
        if block[1] == "python":
            exec(compile(code, "docs/python.md", "exec"), names)
        else:
            run_with_balance(code)
    assert names["audit"].passed in (True, False) and kinds.count("py") == 1


def run_with_balance(code):
    python = os.environ.get("EQUIPOISE_BALANCE_PYTHON")
    assert python, "EQUIPOISE_BALANCE_PYTHON names a Python with the packages of tests/python/balance.txt; make check-python sets it"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_cell_of_the_table_has_its_line():
    """Each cell says yes or no, or more, by a number, and each number is an assertion."""
    text = GUIDE.read_text(encoding="utf-8")
    rows = [line.strip("|").split("|")[1:] for line in text.splitlines() if line.startswith("|") and re.search(r"\(\d+\)", line)]
    cells = [cell for row in rows for cell in row]
    assert len(cells) == 32 and all(re.search(r"\(\d+\)", cell) for cell in cells), cells
    lines = set(re.findall(r"^(?:assert|reduced).*# (\d+)$", text, re.M))
    assert {number for cell in cells for number in re.findall(r"\((\d+)\)", cell)} == lines
