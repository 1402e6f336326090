"""A second reader of model files, written from docs/model-format.md alone: scores, leaves, acceptance."""
import numpy as np


def is_missing(value):
    return value is None or value != value


def terms_of(feature, value):
    """Which entry of a term's list a cell takes, and by what it is multiplied."""
    if feature["kind"] == "number":
        return (1, 1.0) if is_missing(value) else (0, float(value))
    if feature["kind"] == "bins":
        return (len(feature["cuts"]) + 2, 1.0) if is_missing(value) else (int(np.searchsorted(feature["cuts"], value, "right")), 1.0)
    levels = feature["levels"]
    if is_missing(value):
        return len(levels) + 1, 1.0
    return (levels.index(value), 1.0) if value in levels else (len(levels), 1.0)


def scores(model, frame):
    """Every linear score of every row."""
    features = model["features"]
    cells = [[terms_of(feature, value) for value in frame[feature["column"]].astype(object)] for feature in features]
    found = np.zeros((len(frame), len(model["rule"]["scores"])))
    for place, score in enumerate(model["rule"]["scores"]):
        total = np.full(len(frame), score["intercept"], dtype=float)
        for term, column in zip(score["terms"], cells):
            total = total + np.array([term[entry] * factor for entry, factor in column])
        found[:, place] = total
    return found


def leaves(model, frame):
    """The leaf of every row under a rule without draws: argmax, or a tree of single components."""
    rule, found = model["rule"], scores(model, frame)
    if rule["router"] == "argmax":
        return found.argmax(axis=1)
    at = np.zeros(len(frame), dtype=int)
    for row in range(len(frame)):
        place = {"node": 0}
        while "leaf" not in place:
            node = rule["nodes"][place["node"]]
            (component,) = node["components"]
            below = component["score"] == "always" or (
                component["score"] != "never" and found[row, component["score"]] < component["below"])
            place = node["yes" if below else "no"]
        at[row] = place["leaf"]
    return at
