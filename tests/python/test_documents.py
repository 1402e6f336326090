"""Every example of the guide runs, block after block."""
import re

import pytest

from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


@pytest.mark.filterwarnings("ignore::equipoise.EquipoiseWarning")
def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    names = {}
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], "docs/python.md", "exec"), names)
    assert names["audit"].passed in (True, False)
