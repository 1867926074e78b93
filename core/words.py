"""The one function through which every word that a person reads passes. Knows the language, never the layout.

English is the key and the fallback; another language is a table from the English sentence to its own.
"""

TABLES: dict[str, dict[str, str]] = {"en": {}}
LANGUAGE = "en"


def say(text: str, /, **values: object) -> str:
    """`text` in the reader's language, with `{name}` places filled from `values`.

    Without `values` the text is taken as it is, so that braces in data need no care.
    """
    translated = TABLES[LANGUAGE].get(text, text)
    return translated.format(**values) if values else translated


def ended(words: str) -> str:
    """Somebody else's words as a sentence: with a full stop, unless they bring an end of their own."""
    return words if words.endswith((".", "!", "?")) else words + "."
