"""Select a balanced cohort without knowing, or revealing, who belongs to which group.

>>> rule = BalancedFilter(max_disclosure=0.2).fit(X, race)      # a small labelled sample
>>> accepted = rule.select(applicants, ids="id", key=key)       # unlabelled records, one keyed outcome each

``frontier`` shows what can be had for which budget, ``compare`` every method side by side, ``audit`` what a column that
decided before discloses, ``plan_labels`` how many labels to collect.
"""
from ._balanced_filter import BalancedFilter
from ._core import choices
from ._core import version as __version__
from ._errors import DataError, EquipoiseError, EquipoiseWarning, InfeasibleError, UsageError
from ._files import merge_files
from ._inspect import Inspection, inspect
from ._keys import Key, create_signing_key
from ._results import Audit, Comparison, Frontier, Learned
from ._studies import audit, compare, frontier, plan_labels, write_population

__all__ = ["Audit", "BalancedFilter", "Comparison", "DataError", "EquipoiseError", "EquipoiseWarning", "Frontier",
           "InfeasibleError", "Inspection", "Key", "Learned", "UsageError", "__version__", "audit", "choices", "compare", "create_signing_key", "frontier", "inspect", "merge_files",
           "plan_labels", "write_population"]
