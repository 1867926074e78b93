"""The shape of one definition. Knows no term itself."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["request", "run", "compared"]
Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """One term of the glossary.

    Attributes:
        key: The name in code, in run files and in the database.
        title: The short name on charts and in tables.
        long: The name written out; "" where the title is that already.
        unit: What the stored value counts: "s" is shown as milliseconds below 10 s, "share" as %.
        formula: One line; "" for terms that are not computed.
        caution: What the number does not say.
        better: Which direction is good, None where neither is.
        others: What other tools call it, or what else they mean by the word.
        group: A single request, a whole run, or what is compared.
    """

    key: str
    title: str
    long: str = ""
    unit: str = ""
    definition: str
    formula: str = ""
    caution: str = ""
    better: Better | None = None
    others: str = ""
    group: Group

    @property
    def anchor(self) -> str:
        """The place on the glossary page: the key without its unit, so that TTFT is at #ttft."""
        bare = self.key.removesuffix("_s") if self.unit == "s" else self.key
        return bare.replace("_", "-")

    @property
    def name(self) -> str:
        """Short and long name together, for headings."""
        return f"{self.title}, {self.long}" if self.long else self.title
