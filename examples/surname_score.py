"""Auditing a surname-based race score, and doing without it.

Scores in the manner of BISG combine how surnames and neighbourhoods spread over groups into a probability for each group.
They are built to predict the group, so whoever acts on them discloses it. The people, names and places here are made up;
the audit is the real one.

    python examples/surname_score.py
"""
import numpy as np
import pandas as pd

import equipoise

GROUPS = ["ash", "birch", "cedar", "dune"]
SHARES = [0.65, 0.18, 0.12, 0.05]
SURNAMES, TRACTS = 400, 60


def make_people(rows: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """People with a surname, a tract and what an application form holds; and their group."""
    group = rng.choice(len(GROUPS), rows, p=SHARES)
    names = rng.dirichlet(np.full(SURNAMES, 0.05), len(GROUPS))
    tracts = rng.dirichlet(np.full(TRACTS, 0.5), len(GROUPS))
    draw = lambda table: np.array([rng.choice(table.shape[1], p=table[own]) for own in group])
    people = pd.DataFrame({
        "surname": draw(names), "tract": draw(tracts),
        "age": rng.normal(np.take([46, 39, 37, 35], group), 12).round(),
        "commute": rng.gamma(2, np.take([12.0, 9.0, 8.0, 11.0], group)).round(1),
        "years_of_school": rng.normal(np.take([13.5, 12.5, 12.0, 14.5], group), 2.5).round(),
        "household": 1 + rng.poisson(np.take([1.2, 1.9, 2.3, 1.6], group)),
    })
    return people, pd.Series(np.take(GROUPS, group), name="group")


def surname_score(people: pd.DataFrame, group: pd.Series, reference: slice) -> np.ndarray:
    """P(group | surname, tract) by Bayes' rule with tables from a reference sample; returns the likeliest group."""
    known, labels = people[reference], group[reference]
    by_name = pd.crosstab(known["surname"], labels).reindex(range(SURNAMES), fill_value=0)[GROUPS] + 0.05
    by_tract = pd.crosstab(known["tract"], labels).reindex(range(TRACTS), fill_value=0)[GROUPS] + 0.5
    given_tract = by_tract.div(by_tract.sum(axis=0), axis=1)
    given_name = by_name.div(by_name.sum(axis=1), axis=0)
    joint = given_name.loc[people["surname"]].to_numpy() * given_tract.loc[people["tract"]].to_numpy()
    return np.take(GROUPS, joint.argmax(axis=1))


def main() -> None:
    people, group = make_people(9000, np.random.default_rng(5))
    people["score"] = surname_score(people, group, slice(0, 4000))
    learned_from, judged = slice(4000, 6500), slice(6500, 9000)

    proxy = equipoise.audit(people[judged], group[judged], proxy="score", max_disclosure=0.2)
    print(proxy)
    assert not proxy.passed

    # The same aim within a budget, without names and places.
    form = ["age", "commute", "years_of_school", "household"]
    rule = equipoise.BalancedFilter(max_disclosure=0.2, confidence=0.95, random_state=1)
    rule.fit(people[form][learned_from], group[learned_from])
    audit = rule.audit(people[form][judged], group[judged])
    print(audit)
    print(f"disclosure: {proxy['disclosure']['measured']:.2f} by the score, {audit['disclosure']['measured']:.2f} by the rule")
    assert audit.passed and audit["disclosure"]["measured"] < proxy["disclosure"]["measured"]


if __name__ == "__main__":
    main()
