"""Numbers as the figures of a drawn page hold them."""

import base64
import json

import numpy as np

from tests.pages.seen import figures


def numbers(values):
    """The numbers of a figure, which packs them where they came as an array."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return list(values)


def drawn(page, text):
    """The first figure that says this."""
    return next(figure for figure in figures(page) if text in json.dumps(figure, ensure_ascii=False))
