"""The text form of filters, for people.

    split = train and (class = car or boxes >= 10) and not meta.weather = rain
    boxes(class = car and area < 1024 and attributes.occluded = true) >= 2
    key glob "night/*.png" and tag in (blurry, "lens flare") and meta.gps exists
    prediction(model = signs@production, class = cyclist, confidence < 0.4)

`not` binds closest, then `and`, then `or`. Texts need quotation marks only where they have spaces or signs of the
grammar in them; in metadata and attributes also where they would read as a number, true or false.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from catalog.filtering.expressions import (
    CHOICE,
    CONFIDENCE,
    CORRECT,
    COUNTS,
    FLAG,
    IDS,
    MAX_NESTING,
    NUMBER,
    OBJECT_FIELDS,
    OBJECTS,
    OPERATORS,
    ORDERS,
    PREDICTION,
    SAMPLE_FIELDS,
    TEXT_OPERATORS,
    All,
    Compare,
    Expression,
    Field,
    Objects,
    Prediction,
    all_of,
    any_of,
    negated,
    one_of,
)
from catalog.filtering.faults import Faults, meant

MAX_LENGTH = 300_000
KEYWORDS = ("and", "or", "not")
NUMERAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_SPACE = re.compile(r"\s*")
_SYMBOL = re.compile(r"<=|>=|!=|==|<|>|=")
_NAME = re.compile(r"[\w-]+")
_WORD = re.compile(r"[^\s()=<>!,\"']+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUOTED = re.compile(r"'[^']*'")
_BOOLEANS = {"true": True, "false": False}
Fields = Mapping[str, Field]


def read_text(text: str, faults: Faults) -> Expression:
    """Parse a filter in text form. Raises Invalid (`filter_malformed`) naming the character."""
    if len(text) > MAX_LENGTH:
        raise faults.at(0, f"a filter has at most {MAX_LENGTH} characters, this one has {len(text)}")
    return _Parser(text, faults).whole()


class _Parser:
    """Parses the text in one pass, from left to right."""

    def __init__(self, text: str, faults: Faults) -> None:
        self.text = text
        self.faults = faults
        self.place = 0
        self.skip()

    def whole(self) -> Expression:
        found = self.either(SAMPLE_FIELDS, 1)
        if self.place < len(self.text):
            self.fail("expected `and`, `or` or the end")
        return found

    def either(self, fields: Fields, level: int) -> Expression:
        if level > MAX_NESTING:
            self.fail(f"parentheses are nested more than {MAX_NESTING} deep")
        parts = [self.both(fields, level)]
        while self.keyword("or"):
            parts.append(self.both(fields, level))
        return any_of(parts)

    def both(self, fields: Fields, level: int) -> Expression:
        parts = [self.unary(fields, level)]
        while self.keyword("and"):
            parts.append(self.unary(fields, level))
        return all_of(parts)

    def unary(self, fields: Fields, level: int) -> Expression:
        denied = False
        while self.keyword("not"):
            denied = not denied
        if self.sign("("):
            found = self.either(fields, level + 1)
            self.close()
        else:
            found = self.term(fields, level)
        return negated(found) if denied else found

    def term(self, fields: Fields, level: int) -> Expression:
        at = self.place
        name = self.match(_NAME)
        outside = fields is SAMPLE_FIELDS
        known = [*fields, *((*OBJECTS, "prediction") if outside else ())]
        if name is None or name.lower() in KEYWORDS:
            self.fail("expected a condition like `split = train`", at)
        if name not in known:
            self.fail(f"there is no field {name!r}: {meant(name, known)}", at)
        if outside and name in OBJECTS:
            return self.objects(name, at, level)
        if outside and name == "prediction":
            return self.prediction(at)
        path = (name, *self.below(fields[name])) if fields[name].nested else (name,)
        if fields[name].nested and len(path) == 1:
            self.fail(f"name what is meant, like `{name}.weather`", at)
        self.skip()
        return self.comparison(path, fields[name], at)

    def below(self, field: Field) -> list[str]:
        """Parse the names after the dots."""
        names: list[str] = []
        while self.text.startswith(".", self.place):
            self.place += 1
            quoted = self.text.startswith('"', self.place)
            name = self.string() if quoted else self.match(_NAME)
            if not name or any(sign in name for sign in ('"\\' if field.flat else '."\\')) or not name.isprintable():
                self.fail("expected a name behind the dot, without quotation marks, backslashes or dots in it")
            names.append(name)
        return [".".join(names)] if field.flat and names else names

    def comparison(self, path: tuple[str, ...], field: Field, at: int) -> Expression:
        if (denied := self.keyword("not")) and not self.ahead("in"):
            self.fail("expected `in` behind `not`")
        if self.keyword("in"):
            found: Expression = one_of(path, self.listed(field), at)
            return negated(found) if denied else found
        if field.nested and self.keyword("exists"):
            return Compare(path, "exists", operand=True, at=at)
        for operator in TEXT_OPERATORS:
            if operator in OPERATORS[field.kind] and self.keyword(operator):
                return Compare(path, operator, self.value(field, operator), at)
        here = self.place
        symbol = self.symbol()
        if symbol is None:
            if field.kind == FLAG:
                return Compare(path, "=", operand=True, at=at)
            self.fail(f"expected one of {self.operators(field)} behind `{'.'.join(path)}`", here)
        if symbol not in OPERATORS[field.kind] and symbol != "!=" and not (field.kind == IDS and symbol == "="):
            self.fail(f"`{path[0]}` can't be compared by {symbol}; there are {self.operators(field)}", here)
        value = self.value(field, symbol)
        if symbol == "!=" and symbol not in OPERATORS[field.kind]:
            return negated(one_of(path, (value,), at))
        return one_of(path, (value,), at) if symbol == "=" else Compare(path, symbol, value, at)

    def operators(self, field: Field) -> str:
        shared = [one for one in ("=", "!=") if one not in OPERATORS[field.kind]]
        return ", ".join(dict.fromkeys([*OPERATORS[field.kind], *shared]))

    def objects(self, kind: str, at: int, level: int) -> Expression:
        where: Expression = All()
        if self.sign("("):
            where = self.either(OBJECT_FIELDS, level + 1)
            self.close()
        operator = self.symbol()
        if operator is None:
            return Objects(kind, where, ">=", 1, at)
        here = self.place
        count = self.match(_WORD)
        if operator not in COUNTS or count is None or not count.isdecimal() or len(count) > 9:
            self.fail(f"expected a whole number behind `{kind} {operator}`", here)
        return Objects(kind, where, operator, int(count), at)

    def prediction(self, at: int) -> Expression:
        told: dict[str, Any] = {}
        bounds: list[tuple[str, float]] = []
        if not self.sign("("):
            self.fail("expected `(` behind `prediction`, like `prediction(model = signs@production, class = car)`")
        while True:
            here, name = self.place, self.match(_NAME)
            if name not in PREDICTION or (name in told and name != CONFIDENCE):
                self.fail(f"expected one of {', '.join(PREDICTION)}, once each", here)
            if name == "class" and self.keyword("in"):
                told[name] = self.listed(SAMPLE_FIELDS["class"])
            else:
                operator = self.symbol()
                if (operator not in ORDERS) if name == CONFIDENCE else (operator != "="):
                    self.fail(f"expected {'one of ' + ', '.join(ORDERS) if name == CONFIDENCE else '='}", here)
                value = self.value(Field({CONFIDENCE: NUMBER, CORRECT: FLAG}.get(name, CHOICE), ""), "=")
                told[name] = (value,) if name == "class" else value
                bounds += [(str(operator), value)] if name == CONFIDENCE else []
            if not (self.sign(",") or self.keyword("and")):
                break
        self.close()
        if "model" not in told or len(told) == 1:
            self.fail("prediction needs a `model` and a `class`, a `confidence`, `correct` or several of them", at)
        return Prediction(told["model"], told.get("class"), tuple(bounds), at, told.get(CORRECT))

    def listed(self, field: Field) -> tuple[Any, ...]:
        """Parse a list of values in parentheses."""
        if not self.sign("("):
            self.fail("expected `(` behind `in`, like `in (a, b)`")
        values = [self.value(field, "in")]
        while self.sign(","):
            values.append(self.value(field, "in"))
        self.close()
        return tuple(values)

    def value(self, field: Field, operator: str) -> Any:
        """Parse the value at this place, by the kind of the field."""
        at = self.place
        if self.text.startswith(('"', "'"), at):
            return self.string()
        word = self.match(_WORD)
        if word is None:
            self.fail("expected a value: texts with spaces or signs in them need quotation marks", at)
        if field.kind in (NUMBER, IDS) or (field.nested and operator not in TEXT_OPERATORS):
            if NUMERAL.fullmatch(word):
                return float(word) if set(word) & set(".eE") else int(word) if len(word) < 20 else float(word)
            if field.kind != NUMBER and field.kind != IDS:
                return _BOOLEANS.get(word.lower(), word)
            self.fail(f"expected a number, not {word!r}", at)
        if field.kind == FLAG:
            if word.lower() not in _BOOLEANS:
                self.fail(f"expected true or false, not {word!r}", at)
            return _BOOLEANS[word.lower()]
        return word

    def string(self) -> str:
        at = self.place
        pattern = _STRING if self.text[at] == '"' else _QUOTED
        found = pattern.match(self.text, at)
        if found is None:
            self.fail("this quotation mark is never closed", at)
        self.place = found.end()
        try:
            read = found[0][1:-1] if pattern is _QUOTED else json.loads(found[0], strict=False)
        except json.JSONDecodeError:
            self.fail("a backslash stands before a quotation mark or a backslash only", at)
        # Half of a pair of code units is not a character that a database can hold.
        if any("\ud800" <= sign <= "\udfff" for sign in read):
            self.fail("there is half of a character in this text", at)
        if not self.text.startswith(".", self.place):
            self.skip()
        return str(read)

    def keyword(self, word: str) -> bool:
        """Consume this word if it comes next; return whether it did."""
        if not self.ahead(word):
            return False
        self.place += len(word)
        self.skip()
        return True

    def ahead(self, word: str) -> bool:
        found = _NAME.match(self.text, self.place)
        return found is not None and found[0].lower() == word

    def symbol(self) -> str | None:
        found = self.match(_SYMBOL)
        return "=" if found == "==" else found

    def sign(self, sign: str) -> bool:
        """Consume this sign if it comes next; return whether it did."""
        if not self.text.startswith(sign, self.place):
            return False
        self.place += len(sign)
        self.skip()
        return True

    def close(self) -> None:
        if not self.sign(")"):
            self.fail("expected `)`")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.place)
        if found is None:
            return None
        self.place = found.end()
        if not self.text.startswith(".", self.place):
            self.skip()
        return found[0]

    def skip(self) -> None:
        space = _SPACE.match(self.text, self.place)
        self.place = space.end() if space else self.place

    def fail(self, words: str, at: int | None = None) -> NoReturn:
        """Raise Invalid with the place of the error."""
        place = self.place if at is None else at
        seen = self.text[place:][:20]
        if words.startswith("expected"):
            words += f", found {seen!r}" if seen else ", found the end"
        raise self.faults.at(place, words)
