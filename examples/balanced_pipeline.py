"""A model trained on a balanced cohort: a pipeline of imbalanced-learn, judged with fairlearn's metrics.

The pipeline learns a rule, keeps the rows that it accepts and trains on them; predictions need no group. scikit-learn's
metadata routing brings the group to where it is wanted.

    python examples/balanced_pipeline.py
"""
import pathlib
import tempfile

import pandas as pd
import sklearn
from fairlearn.metrics import MetricFrame, selection_rate
from imblearn.pipeline import make_pipeline
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import equipoise


def people(folder: pathlib.Path, seed: int) -> pd.DataFrame:
    equipoise.write_population(folder / "people.csv", 4000, seed=seed)
    return pd.read_csv(folder / "people.csv")


def main() -> None:
    sklearn.set_config(enable_metadata_routing=True)
    with tempfile.TemporaryDirectory() as name:
        sample, later = people(pathlib.Path(name), 1), people(pathlib.Path(name), 2)
    columns = ["age", "household", "distance", "education", "region"]
    rule = equipoise.BalancedFilter(max_disclosure=0.3, random_state=1)
    rule.set_fit_resample_request(sensitive_features=True).set_fit_request(sensitive_features=True)
    encode = make_column_transformer((StandardScaler(), make_column_selector(dtype_include="number")),
                                     (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude="number")))
    pipe = make_pipeline(rule, encode, LogisticRegression())
    pipe.fit(sample[columns], sample["admitted"], sensitive_features=sample["group"])

    cohort = sample["group"].iloc[pipe[0].sample_indices_]
    print("trained on", len(cohort), "of", len(sample), "rows:", cohort.value_counts(normalize=True).round(2).to_dict())
    predicted = pipe.predict(later[columns]) == "yes"
    frame = MetricFrame(metrics={"accuracy": accuracy_score, "selected": selection_rate}, y_true=later["admitted"] == "yes",
                        y_pred=predicted, sensitive_features=later["group"])
    print(frame.by_group.round(3))
    print("difference between groups:", frame.difference().round(3).to_dict())


main()
