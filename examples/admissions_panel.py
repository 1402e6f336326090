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
    plan = rule.plan(SIZE, alternates=ALTERNATES)
    print(f"{plan['candidates']:.0f} candidates are needed (95 %: up to {plan['candidates_high']:.0f}); there are 8000")

    # Publish the commitment, then draw.
    key = equipoise.Key.create(folder / "panel.key")
    commitment = folder / "commitment.json"
    rule.commit(applicants, commitment, key=key, id="record", size=SIZE, alternates=ALTERNATES, log=folder / "draws.log",
                randomness="the six numbers of the lottery of 1 June", randomness_form="numbers:6")
    numbers = "3 17 22 31 40 44"  # drawn on 1 June: whoever made the key could not foresee them
    counts = rule.select_committed(commitment, applicants, folder / "panel.csv", key=key, randomness=numbers,
                                   alternates_file=folder / "alternates.csv")
    print(f"{counts['selected']} selected, {counts['alternates']} alternates of {counts['read']} applicants")

    # An auditor who is given pool and key checks the whole draw; everybody else checks the page.
    checked = rule.verify(commitment, applicants, folder / "panel.csv", key=key, randomness=numbers,
                          alternates_file=folder / "alternates.csv")
    assert checked["pass"], checked["difference"]
    print("the draw is the one committed to")
    rule.publish(commitment, applicants, folder / "draw.html", key=key, randomness=numbers)


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "admissions")
    place.mkdir(exist_ok=True)
    main(place)
