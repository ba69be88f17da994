# SPDX-License-Identifier: GPL-2.0-or-later
"""validate.py SCHEMA DOCUMENT...: does each follow the schema? Says what and where not.

It knows the words of JSON Schema that our schema uses and refuses others. Beyond the
schema it checks what that can't say: counts are the sums of buckets, which only rise.
"""

import json
import re
import sys

KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "properties",
         "patternProperties", "items", "prefixItems", "minItems", "maxItems", "minLength", "pattern",
         "const", "enum", "anyOf", "minimum", "maximum"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
         "boolean": bool, "null": type(None)}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def faults(value, schema, root, at="$"):
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{at}: the schema has words that are not known here: {unknown}"
    if "$ref" in schema:
        yield from faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{at}: {value!r:.60} should be {' or '.join(types)}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r:.60} should be {schema.get('const', schema.get('enum'))}"
    if "anyOf" in schema and all(list(faults(value, one, root)) for one in schema["anyOf"]):
        yield f"{at}: {value!r:.60} is none of what it may be"
    yield from {dict: of_object, list: of_array, str: of_text}.get(type(value), of_number)(value, schema, root, at)


def of_object(value, schema, root, at):
    yield from (f"{at}: '{name}' is missing" for name in schema.get("required", []) if name not in value)
    for name, member in value.items():
        known = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        known += [one for pattern, one in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
        for one in known:
            yield from faults(member, one, root, f"{at}.{name}")


def of_array(value, schema, root, at):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{at}: has {len(value)} items"
    first = schema.get("prefixItems", [])
    for place, item in enumerate(value):
        rule = first[place] if place < len(first) else schema.get("items", {})
        yield from faults(item, rule, root, f"{at}[{place}]")


def of_text(value, schema, _root, at):
    if len(value) < schema.get("minLength", 0) or not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} is too short or not of the form {schema.get('pattern', '')}"


def of_number(value, schema, _root, at):
    if is_of(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: {value} is out of range"


def contradictions(document):
    for series in document["series"]:
        rows, counts = series["histogram"]["buckets"], series["counts"]
        held = sum(row[2] for row in rows) + series["histogram"].get("unkept", 0)
        if held != counts["samples"]:
            yield f"{series['name']}: {counts['samples']} samples, but {held} in the buckets"
        if sum(row[2] for row in rows if row[0] is None) != counts["early"]:
            yield f"{series['name']}: early samples are not those below zero"
        lows = [-1 if row[0] is None else row[0] for row in rows]
        if lows != sorted(set(lows)) or any(row[1] is not None and row[1] <= low for row, low in zip(rows, lows)):
            yield f"{series['name']}: buckets do not rise"


def main(schema_name, *names):
    with open(schema_name, encoding="utf-8") as file:
        schema = json.load(file)
    found = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        mine = list(faults(document, schema, schema))
        found += [f"{name}: {fault}" for fault in mine or contradictions(document)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
