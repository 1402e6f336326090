"""A panel of exact size with alternates, and a draw that others can check.

A foundation invites 120 of 8,000 applicants. A consented survey of earlier applicants knows their group; the applicants of
this year are not asked. Everything that is published before and after the draw is written to the folder.

    python examples/admissions_panel.py [FOLDER]
"""
import pathlib
import sys

import pandas as pd

import equipoise

SIZE, ALTERNATES = 120, 30


def main(folder: pathlib.Path) -> None:
    survey, applicants = folder / "survey.csv", folder / "applicants.csv"
    equipoise.write_population(survey, 6000, seed=11)
    equipoise.write_population(applicants, 8000, seed=12, with_group=False)

    # Learn once from the survey, look at what the rule does on people it has not seen, keep it as a file.
    people = pd.read_csv(survey)
    learned_from, kept_apart = people[::2], people[1::2]
    features = people.columns.drop(["record", "group", "admitted"])
    rule = equipoise.BalancedFilter(max_disclosure=0.25, confidence=0.95, random_state=1).fit(learned_from[features], learned_from["group"])
    audit = rule.audit(kept_apart[features], kept_apart["group"])
    print(audit)
    rule.save(folder / "panel.model")

    # Enough applicants for the panel and its alternates?
    plan = rule.plan(SIZE + ALTERNATES)
    print(f"{plan['candidates']:.0f} candidates are needed (95 %: up to {plan['candidates_high']:.0f}); there are 8000")

    # Publish the commitment, then draw.
    key = equipoise.Key.create(folder / "panel.key")
    rule.commit(applicants, folder / "commitment.json", key=key, randomness="the lottery of 1 June")
    numbers = "3 17 22 31 40 44"  # drawn on 1 June: whoever made the key could not foresee them
    counts = rule.select_file(applicants, folder / "panel.csv", size=SIZE, alternates=ALTERNATES,
                              alternates_file=folder / "alternates.csv", id="record", key=key,
                              randomness=numbers)
    print(f"{counts['selected']} selected, {counts['alternates']} alternates of {counts['read']} applicants")

    # Anyone who is given the key afterwards can check the draw.
    checked = rule.verify(folder / "commitment.json", applicants, folder / "panel.csv", key=key, size=SIZE,
                          alternates=ALTERNATES, id="record", randomness=numbers)
    assert checked["pass"], checked["difference"]
    print("the draw is the one committed to")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "admissions")
    place.mkdir(exist_ok=True)
    main(place)
