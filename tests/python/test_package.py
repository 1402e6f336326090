"""The package as a package: everything public is described and typed, and NumPy is all that it needs."""
import ast
import importlib.metadata
import importlib.resources
import inspect
import subprocess
import sys

import equipoise
from equipoise import _core


def described():
    """Every public name and every public member that is ours."""
    for name in equipoise.__all__:
        thing = getattr(equipoise, name)
        if isinstance(thing, str):
            continue
        yield name, thing
        for member in vars(thing) if inspect.isclass(thing) else ():
            value = inspect.getattr_static(thing, member)
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if not member.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{member}", function


def test_the_wheel_is_what_is_tested():
    """Installed, for any Linux, with every licence of what is inside."""
    wheel = importlib.metadata.distribution("equipoise")
    assert "site-packages" in equipoise.__file__ and "manylinux" in wheel.read_text("WHEEL") and "abi3" in wheel.read_text("WHEEL")
    inside = [str(file) for file in wheel.files]
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    libraries = [name for name in inside if ".libs/" in name]
    notices = " ".join(name for name in inside if "licenses/third-party/" in name)
    assert len(libraries) >= 5
    for library in libraries:
        assert library.split("/")[1].split("-")[0].split(".")[0] in notices, library


def test_every_public_name_is_described():
    found = dict(described())
    assert {"BalancedFilter.fit_resample", "Audit.passed", "Key.create", "frontier"} <= set(found)
    assert [name for name, thing in found.items() if not (thing.__doc__ or "").strip()] == []


def test_every_public_function_is_annotated():
    for name, thing in described():
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(given.annotation is not inspect.Parameter.empty for place, given in signature.parameters.items()
                       if place not in ("self", "cls")), name


def test_the_stub_names_what_the_extension_has():
    package = importlib.resources.files("equipoise")
    assert (package / "py.typed").is_file()
    stub = ast.parse((package / "_core.pyi").read_text(encoding="utf-8"))
    named = {item.name for item in stub.body if isinstance(item, ast.FunctionDef)}
    assert named == {name for name, thing in vars(_core).items() if callable(thing) and not name.startswith("_")}


def test_numpy_alone_is_enough():
    """Without pandas, pyarrow, scikit-learn and matplotlib: learn, decide, save, load, and say what is missing."""
    code = """if True:
        import sys
        for name in ("pandas", "polars", "pyarrow", "duckdb", "sklearn", "scipy", "matplotlib", "imblearn", "fairlearn"):
            sys.modules[name] = None
        import numpy as np, equipoise, warnings
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        groups = rng.integers(0, 3, 900)
        X = np.column_stack([rng.normal(size=900) + groups, rng.normal(size=900)])
        words = {"number": X[:, 0], "word": np.array(["one", "two", "three"])[groups]}
        for frame in (X, words):
            rule = equipoise.BalancedFilter(0.2, random_state=1).fit(frame, groups)
            accepted = rule.select(frame, np.arange(900), "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321")
            kept, own = rule.fit_resample(frame, groups)
            assert 0 < accepted.sum() < 900 and type(kept) is type(frame) and len(own) == len(rule.sample_indices_)
        assert len(rule.report_.to_frame()["value"]) == 3 and rule.get_params()["max_disclosure"] == 0.2
        try:
            rule.report_.plot()
        except ImportError as missing:
            print(missing)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "matplotlib" in done.stdout


def test_names_come_from_the_library():
    """Every name that the library lists is one that it takes."""
    assert list(equipoise.choices("method"))[0] == equipoise.BalancedFilter().method
    assert equipoise.BalancedFilter().oracle is None
    assert equipoise.BalancedFilter().solver is None
    assert {"sqlite", "c", "json"} <= set(equipoise.choices("dialect")) and equipoise.choices("colour") == {}
    X, group = [[float(i % 7), float(i % 3)] for i in range(90)], ["a" if i % 3 else "b" for i in range(90)]
    for method in equipoise.choices("method"):
        try:
            equipoise.BalancedFilter(0.5, method=method, random_state=1).fit(X, group)
        except equipoise.UsageError as error:
            assert "gives no rule" in str(error), method
