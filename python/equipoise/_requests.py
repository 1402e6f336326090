"""Requests of metadata for ``fit_resample``, which scikit-learn knows of only once imbalanced-learn is imported."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_METHOD = "fit_resample"


def with_resampling(requests: Any, owner: type) -> None:
    """Gives the requests an entry for ``fit_resample``, where the other packages ask for one."""
    from sklearn.utils import _metadata_requests as routing

    if _METHOD in routing.SIMPLE_METHODS and _METHOD not in vars(requests):
        entry = routing.MethodMetadataRequest(owner=requests.owner, method=_METHOD)
        for name, wish in owner._get_class_level_metadata_request_values(_METHOD).items():  # type: ignore[attr-defined]
            entry.add_request(param=name, alias=wish)
        setattr(requests, _METHOD, entry)


def request_resampling(estimator: Any, wishes: Mapping[str, Any]) -> None:
    """Notes what ``fit_resample`` of the estimator wants."""
    try:
        import imblearn.base  # noqa: F401  teaches scikit-learn the method
        from sklearn import get_config
    except ImportError as missing:
        raise ImportError("requests for fit_resample need imbalanced-learn, whose pipelines call it") from missing
    if not get_config()["enable_metadata_routing"]:
        raise RuntimeError("This method is only available when metadata routing is enabled. "
                           "You can enable it using sklearn.set_config(enable_metadata_routing=True).")
    requests = estimator._get_metadata_request()
    for name, wish in wishes.items():
        getattr(requests, _METHOD).add_request(param=name, alias=wish)
    estimator._metadata_request = requests
