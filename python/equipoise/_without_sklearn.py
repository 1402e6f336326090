"""What BalancedFilter takes from scikit-learn, for those who do without it: parameters by name."""
from __future__ import annotations

import inspect
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """The filter has not learned a rule yet."""


class BaseEstimator:
    """Parameters are the arguments of ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **parameters: Any) -> Any:
        """Sets parameters by name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"unknown parameter {name!r} of {type(self).__name__}")
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"
