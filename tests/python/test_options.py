"""Options of the program that Python has too: all of them, and with the same result."""
import inspect
import json
import os
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

import equipoise
from conftest import KEY

PROGRAM = os.environ.get("EQUIPOISE_PROGRAM", "equipoise")
LEARN = {  # what the program is told, and Python
    "ratio": (["--max-ratio", "3"], {"max_ratio": 3}),
    "chance": (["--min-chance", "0.3"], {"min_chance": 0.3}),
    "protect": (["--protect", "age,household", "--max-distortion", "0.2"], {"protect": ["age", "household"], "max_distortion": 0.2}),
    "prefer": (["--prefer", "yield"], {"prefer": "yield"}),
    "min_group": (["--min-group", "110"], {"min_group": 110}),
    "levels": (["--as", "household=levels"], {"kinds": {"household": "levels"}}),
    "identifier": (["--as", "age=identifier"], {"kinds": {"age": "identifier"}}),
    "features": (["--features", "age,region"], {"features": ["age", "region"]}),
    "ignore": (["--ignore", "record,admitted,age"], {"ignore": "age"}),
    "missing": (["--missing", "Brook,NA"], {"missing": ["Brook", "NA"]}),
    "release": (["--publishable", "--check-release"], {"method": "publishable", "check_release": True}),
    "sdc": (["--sdc-threshold", "30", "--sdc-base", "7"], {"sdc_threshold": 30, "sdc_base": 7})}


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("options") / "people.csv"
    equipoise.write_population(path, 1500)
    return path, pd.read_csv(path)


def features(frame):
    return frame.drop(columns=["record", "group", "admitted"])


def learned(path, output, options):
    oracle = [] if "--publishable" in options else ["--oracle", "linear"]
    ignore = [] if "--ignore" in options else ["--ignore", "record,admitted"]
    report = json.loads(run("learn", path, "-s", "group", *ignore, *oracle, *options, "-q", "--json", "-o", output))
    return output.read_text(), report


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LEARN)
def test_learning_is_that_of_the_program(name, sample, tmp_path):
    path, frame = sample
    options, parameters = LEARN[name]
    text, report = learned(path, tmp_path / "theirs", options)
    rule = equipoise.BalancedFilter(oracle=None if "method" in parameters else "linear", **parameters)
    rule.fit(features(frame), frame["group"]).save(tmp_path / "ours")
    assert (tmp_path / "ours").read_text() == text
    for field in ("groups", "train", "limit", "release", "protected"):
        assert rule.report_.get(field) == report.get(field), field
    if name not in ("release", "sdc", "missing"):  # those change the report, the file's marks, and what is refused
        assert text != learned(path, tmp_path / "plain", [])[0]
    assert equipoise.BalancedFilter.load(tmp_path / "theirs").min_group == parameters.get("min_group", 0)


@pytest.mark.filterwarnings("ignore")
def test_limits_come_back_with_a_model(sample, tmp_path):
    _, frame = sample
    given = {"max_ratio": 3.0, "min_chance": 0.3, "protect": ["age"], "max_distortion": 0.5, "missing": ["x", "NA"]}
    equipoise.BalancedFilter(oracle="linear", **given).fit(features(frame), frame["group"]).save(tmp_path / "m")
    loaded = equipoise.BalancedFilter.load(tmp_path / "m")
    assert {name: getattr(loaded, name) for name in given} == given


@pytest.mark.filterwarnings("ignore")
def test_columns_that_triage_leaves_out_can_be_kept(sample, tmp_path):
    path, frame = sample
    frame = frame.assign(copy=frame["group"].str.lower())
    frame.to_csv(tmp_path / "copied.csv", index=False)
    X = frame.drop(columns=["record", "group", "admitted"])
    fit = lambda **more: equipoise.BalancedFilter(oracle="linear", **more).fit(X, frame["group"])
    assert "copy" not in fit()._columns_read()
    kept = fit(keep="copy")
    assert "copy" in kept._columns_read()
    text, _ = learned(tmp_path / "copied.csv", tmp_path / "m", ["--keep", "copy"])
    kept.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_text() == text


@pytest.mark.filterwarnings("ignore")
def test_texts_can_be_called_numbers(sample):
    _, frame = sample
    X = features(frame)
    fit = lambda given, **more: equipoise.BalancedFilter(oracle="linear", **more).fit(given, frame["group"])
    called = fit(X.assign(age=X["age"].astype(str)), kinds={"age": "number"})
    assert called._description["features"] == fit(X)._description["features"]
    assert fit(X.assign(age=X["age"].astype(str)))._description["features"] != fit(X)._description["features"]


@pytest.mark.filterwarnings("ignore")
def test_frontiers_take_the_same_parameters(sample):
    path, frame = sample
    ours = equipoise.frontier(features(frame), frame["group"], budgets=[0.2], yields=[0.1], oracle="linear", max_ratio=2.5,
                              labels=True)
    theirs = json.loads(run("frontier", path, "-s", "group", "--ignore", "record,admitted", "--budgets", "0.2", "--yields", "0.1",
                            "--oracle", "linear", "--max-ratio", "2.5", "--labels", "-q", "--json"))
    assert ours["points"] == theirs["points"] and len(theirs["points"]) == 1
    assert ours["labels"] == theirs["labels"] and len(theirs["labels"]["curve"]) > 1


# ---- groups of few people ----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("named", [True, False])
def test_small_groups_are_pooled_also_in_audits(named, sample):
    _, frame = sample
    groups = frame["group"].mask(np.arange(len(frame)) % 40 == 0, "Elder").mask(np.arange(len(frame)) % 50 == 1, "Fir")
    X, labels = features(frame), groups if named else groups.to_numpy()
    rule = equipoise.BalancedFilter(oracle="linear", min_group=60, random_state=1).fit(X[:1000], labels[:1000])
    assert "other" in rule.groups_ and "Elder" not in rule.groups_
    audit = rule.audit(X[1000:], labels[1000:], sdc="none")
    found = {group["value"]: group["base_rate"] for group in audit["groups"]}
    assert found["other"] == pytest.approx(np.mean(~groups[1000:].isin(rule.groups_)), abs=1e-5)
    assert np.isfinite(rule.score(X[1000:], labels[1000:]))
    with pytest.raises(equipoise.UsageError, match="another attribute"):
        rule.audit(X[1000:], frame["admitted"][1000:].to_numpy())


# ---- audits and draws --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audited(sample, tmp_path_factory):
    """A model of the sample and a file of others, with households and a second attribute."""
    folder = tmp_path_factory.mktemp("audited")
    equipoise.write_population(folder / "people.csv", 1500, seed=5)
    frame = pd.read_csv(folder / "people.csv")
    frame["home"] = [f"h{place // 2}" for place in range(len(frame))]
    frame["side"] = np.where(np.arange(len(frame)) % 3 == 0, "left", "right")
    frame.to_csv(folder / "others.csv", index=False)
    learned(sample[0], folder / "a.model", [])
    return folder, frame


AUDITS = {
    "about": (["--about", "side"], {"about": "side"}, False),
    "cluster": (["--cluster", "home"], {"cluster": "home"}, True),
    "sdc": (["--sdc-threshold", "40", "--sdc-base", "20"], {"sdc_threshold": 40, "sdc_base": 20}, True),
    "quotas": (["--quotas", "quotas.csv", "--size", "60"], {"quotas": "quotas.csv", "size": 60}, True)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", AUDITS)
def test_audits_are_those_of_the_program(name, audited, monkeypatch):
    folder, frame = audited
    monkeypatch.chdir(folder)
    (folder / "quotas.csv").write_text("feature,value,min,max\nside,left,10,60\nside,right,10,60\n")
    options, parameters, labelled = AUDITS[name]
    done = subprocess.run([PROGRAM, "audit", "-m", "a.model", "others.csv", "-q", "--json", *options], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    labels = {"sensitive_features": "group"} if labelled else {}
    ours = equipoise.BalancedFilter.load("a.model").audit(frame, **labels, **parameters)
    theirs = json.loads(done.stdout)
    assert theirs.keys() == dict(ours).keys()
    for field in ("groups", "disclosure", "imbalance", "quotas", "verdict", "pass"):
        assert ours.get(field) == theirs.get(field), field


@pytest.mark.filterwarnings("ignore")
def test_clusters_beside_the_frame_are_those_within(audited):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    within = rule.audit(frame, "group", cluster="home")
    beside = rule.audit(frame.drop(columns="home"), "group", cluster=frame["home"].tolist())
    assert within["disclosure"] == beside["disclosure"] != rule.audit(frame, "group")["disclosure"]


@pytest.mark.filterwarnings("ignore")
def test_who_holds_the_labels_is_in_the_certificate(audited, tmp_path):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    rule.audit(frame, "group", max_disclosure=0.9, certificate=tmp_path / "c", held_by="Data office", delete_by="2027-03-31")
    stated = (tmp_path / "c").read_text()
    assert '"Data office"' in stated and '"2027-03-31"' in stated


@pytest.mark.filterwarnings("ignore")
def test_permanent_draws_outlive_a_rule(audited, tmp_path):
    """With the same decisions as the program, and other ones than draws of the model."""
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    (tmp_path / "key").write_text(KEY + "\n")
    os.chmod(tmp_path / "key", 0o600)
    accepted = rule.select(frame, "record", KEY, permanent=True)
    run("filter", "-m", folder / "a.model", "-k", tmp_path / "key", "--id", "record", "--draws", "permanent", "-q", "-o",
        tmp_path / "out.csv", folder / "others.csv")
    assert list(pd.read_csv(tmp_path / "out.csv")["record"]) == list(frame["record"][accepted])
    assert not np.array_equal(accepted, rule.select(frame, "record", KEY))


@pytest.mark.filterwarnings("ignore")
def test_a_shift_is_refused_until_it_is_allowed(audited, tmp_path):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    moved = frame.assign(region="elsewhere")
    moved.to_csv(tmp_path / "moved.csv", index=False)
    with pytest.raises(equipoise.DataError) as refused:
        rule.select(moved, "record", KEY)
    assert "allow_shift=" in refused.value.hint and "--" not in str(refused.value)
    accepted = rule.select(moved, "record", KEY, allow_shift="region")
    assert len(rule.selection_probability(moved, allow_shift=["region"])) == len(moved)
    counts = rule.filter_file(tmp_path / "moved.csv", tmp_path / "out.csv", id="record", key=KEY, allow_shift=["region"])
    assert counts["accepted"] == accepted.sum()
    for call in (lambda: rule.select(moved, "record", KEY), lambda: rule.selection_probability(moved)):
        with pytest.raises(equipoise.DataError):  # the rule itself was not changed
            call()
    with pytest.raises(equipoise.UsageError, match='no column "shoe"'):
        rule.select(moved, "record", KEY, allow_shift="shoe")


@pytest.mark.filterwarnings("ignore")
def test_files_of_other_countries(audited, tmp_path):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    frame.to_csv(tmp_path / "others.csv", sep=";", decimal=",", index=False, na_rep="n/a")
    accepted = rule.select(frame, "record", KEY)
    said = {"delimiter": ";", "decimal": ",", "missing": "n/a"}
    counts = rule.filter_file(tmp_path / "others.csv", tmp_path / "out.csv", id="record", key=KEY, **said)
    assert counts["accepted"] == accepted.sum()
    cohort = rule.select_file(tmp_path / "others.csv", tmp_path / "panel.csv", id="record", key=KEY, size=20, **said)
    assert cohort["selected"] == 20
    with pytest.raises(ValueError, match="one character"):
        rule.filter_file(tmp_path / "others.csv", tmp_path / "out.csv", id="record", key=KEY, delimiter=";;")


# ---- what is handed on, and labels to collect -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_a_pack_holds_what_that_of_the_program_does(audited, tmp_path):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    equipoise.create_signing_key(tmp_path / "officer.key")
    told = {"held_by": "Data office", "delete_by": "2027-03-31", "signing_key": tmp_path / "officer.key"}
    audit = rule.audit(frame, "group", pack=tmp_path / "ours", attempt_log=tmp_path / "our.log", **told)
    subprocess.run([PROGRAM, "audit", "-q", "-m", folder / "a.model", folder / "others.csv", "--pack", tmp_path / "theirs",
                    "--held-by", "Data office", "--delete-by", "2027-03-31", "--signing-key", tmp_path / "officer.key"],
                   capture_output=True)  # fails where the budget is not kept, with the pack written
    ours, theirs = ({path.name for path in (tmp_path / name).iterdir()} for name in ("ours", "theirs"))
    assert ours == theirs and {"answers.html", "audit.certificate", "report.html", "shares.svg"} < ours
    assert (tmp_path / "our.log").exists()
    figures = [json.loads((tmp_path / name / "audit.json").read_text())["disclosure"] for name in ("ours", "theirs")]
    assert figures[0] == figures[1] == audit["disclosure"]
    made = json.loads((tmp_path / "ours" / "report.html.json").read_text())["command"]
    assert made.startswith("BalancedFilter.audit(X, groups, ") and "held_by='Data office'" in made
    with pytest.raises(equipoise.UsageError, match="is not empty"):
        rule.audit(frame, "group", pack=tmp_path / "ours")
    with pytest.raises(equipoise.UsageError, match="leave out certificate"):
        rule.audit(frame, "group", pack=tmp_path / "third", certificate=tmp_path / "c")


@pytest.mark.filterwarnings("ignore")
def test_certificates_are_verified(audited, tmp_path):
    folder, frame = audited
    rule = equipoise.BalancedFilter.load(folder / "a.model")
    for name in ("officer.key", "other.key"):
        equipoise.create_signing_key(tmp_path / name)
    with pytest.raises(equipoise.UsageError, match="exists already"):
        equipoise.create_signing_key(tmp_path / "officer.key")
    rule.audit(frame, "group", max_disclosure=0.9, certificate=tmp_path / "c", signing_key=tmp_path / "officer.key")
    signed = rule.verify_certificate(tmp_path / "c", folder / "others.csv", signer=tmp_path / "officer.key.pub")
    assert signed["pass"] is True
    assert rule.verify_certificate(tmp_path / "c", signer=tmp_path / "officer.key.pub")["pass"] is True
    assert rule.verify_certificate(tmp_path / "c", signer=tmp_path / "other.key.pub")["pass"] is False
    (tmp_path / "c").write_text((tmp_path / "c").read_text().replace('"rows": 1500', '"rows": 1600'))
    changed = rule.verify_certificate(tmp_path / "c", signer=tmp_path / "officer.key.pub")
    assert changed["pass"] is False and changed["difference"]


@pytest.mark.filterwarnings("ignore")
def test_labels_to_collect_are_those_of_the_program(sample):
    path, frame = sample
    asked = {"imbalance": 0.4, "max_disclosure": 0.5, "oracle": "linear", "random_state": 1}
    ours = equipoise.plan_labels(frame, "group", ignore=["record", "admitted"], **asked)
    theirs = json.loads(run("plan", "--imbalance", "0.4", path, "-s", "group", "-d", "0.5", "--oracle", "linear", "--ignore",
                            "record,admitted", "--json", "-q"))
    assert ours == theirs and len(ours["curve"]) > 1 and ours["labels"]["rows"] > 0
    with pytest.raises(equipoise.UsageError, match="above 0"):
        equipoise.plan_labels(frame, "group", imbalance=0)


# ---- all of them -------------------------------------------------------------------------------------------------------

ANOTHER_NAME = {"sensitive": "sensitive_features", "weight": "sample_weight", "as": "kinds", "seed": "random_state", "threads": "n_jobs",
                "key_file": "key", "draws": "permanent", "model": "further", "publishable": "method", "text": "kinds"}
ELSEWHERE = {  # and what does it in Python
    "output": equipoise.BalancedFilter.save, "json": equipoise.Learned.__getitem__, "report": equipoise.Learned.save,
    "stats": equipoise.BalancedFilter.select_file, "from_frontier": equipoise.Frontier.filter, "point": equipoise.Frontier.filter,
    "pick": equipoise.Frontier.filter, "fresh_key": equipoise.Key.create, "commitment": equipoise.BalancedFilter.select_committed,
    "quiet": equipoise.EquipoiseWarning, "progress": equipoise.BalancedFilter, "help": help, "threads": equipoise.BalancedFilter}
OF_FILES = {"decimal", "delimiter"}  # frames have none
OF_THE_RULE = {"missing", "text"}  # which remembers how its sample was read
RULE = equipoise.BalancedFilter


@pytest.mark.parametrize("command, calls, not_needed", [
    ("learn", [RULE, RULE.fit], OF_FILES),
    ("frontier", [RULE, equipoise.frontier], OF_FILES),
    ("compare", [RULE, equipoise.compare], OF_FILES),
    ("inspect", [RULE, equipoise.inspect], OF_FILES),
    ("audit", [RULE.audit, equipoise.audit], OF_FILES | OF_THE_RULE),
    ("plan", [RULE, RULE.plan, equipoise.plan_labels], OF_FILES | {"model"}),
    ("verify", [RULE.verify, RULE.verify_certificate], OF_FILES | OF_THE_RULE | {"model"}),
    ("filter", [RULE.filter_file], {"model"}),
    ("select", [RULE.select_file, RULE.select_committed], {"model"})])
def test_python_has_every_option(command, calls, not_needed):
    options = {name.replace("-", "_") for name in re.findall(r"^(?:  -\w, |      )--([a-z-]+)", run(command, "--help"), re.M)}
    assert len(options) > 10
    known = {name for call in calls for name in inspect.signature(call).parameters}
    assert {name for name in options - not_needed - set(ELSEWHERE) if ANOTHER_NAME.get(name, name) not in known} == set()


@pytest.mark.filterwarnings("ignore")
def test_a_label_beside_the_frame_whose_column_is_the_group(sample):
    _, frame = sample
    X = frame.drop(columns=["record", "admitted"])
    study = {"seeds": 2, "methods": ["naive-logit"], "budgets": [0.5]}
    beside = equipoise.compare(X, "group", label=frame["admitted"].to_numpy(), **study)
    within = equipoise.compare(X.assign(label=frame["admitted"]), "group", label="label", **study)
    figures = [re.sub(r'"seconds": [^,}]*', "", json.dumps(found["methods"])) for found in (beside, within)]
    assert figures[0] == figures[1] and beside["label"] == "label"
    with pytest.raises(ValueError, match='"label" 3'):
        equipoise.compare(X.drop(columns="group"), frame["group"], label=[1, 2, 3], **study)
