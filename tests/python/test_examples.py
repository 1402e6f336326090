"""Every example runs as its users run it."""
import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT

SCRIPTS = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted(path.name for path in (ROOT / "examples").glob("*.ipynb"))


def run(path, folder):
    done = subprocess.run([sys.executable, "-W", "ignore", path], cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name, tmp_path):
    assert run(ROOT / "examples" / name, tmp_path).strip()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name, tmp_path):
    """The cells in order, each followed by the display of its last line's value, as a kernel would do it."""
    notebook = json.loads((ROOT / "examples" / name).read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = """
import ast
def display(code, names):
    *body, last = ast.parse(code).body
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return exec(compile(ast.Module([last], []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    print(value._repr_html_()[:80] if hasattr(value, "_repr_html_") else value)
names = {}
"""
    (tmp_path / "notebook.py").write_text(shown + "".join(f"display({cell!r}, names)\n" for cell in cells))
    assert "<" in run(tmp_path / "notebook.py", tmp_path)
