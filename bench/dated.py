#!/usr/bin/env python3
"""A population with two dates for bench/unseen.py: the year of birth differs by group, the day of the visit does not.

usage: bench/dated.py ROWS SEED > FILE"""
import datetime, random, sys

rows, dice = int(sys.argv[1]), random.Random(int(sys.argv[2]))
YEAR = {"A": 1958, "B": 1972, "C": 1984}
TOWN = {"A": (4, 3, 2, 1), "B": (2, 3, 3, 2), "C": (2, 2, 3, 3)}
print("group,town,height,born,visited")
for _ in range(rows):
    group = dice.choices("ABC", (70, 20, 10))[0]
    born = datetime.date(YEAR[group], 1, 1) + datetime.timedelta(dice.gauss(0, 5000))
    visited = datetime.date(2019, 1, 1) + datetime.timedelta(dice.randrange(1400))
    print(f"{group},{dice.choices('nsew', TOWN[group])[0]},{dice.gauss(170, 10):.0f},{born:%d.%m.%Y},{visited}")
