"""tests/apps/schema.py -- checks a value against a JSON schema, as far as our schemas need it.

For: description_test.py. Knows type, enum, const, pattern, minimum, required, properties,
additionalProperties, items, anyOf and $ref to $defs; any other key is an error.
"""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$defs", "title", "description", "type", "enum", "const", "pattern",
         "minimum", "maximum", "required", "properties", "additionalProperties", "items", "anyOf",
         "$ref"}


def has_type(value, name):
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def validate(root, value, rule=None, path=""):
    """The problems of `value`, as a list of texts."""
    rule = root if rule is None else rule
    assert not set(rule) - KNOWN, set(rule) - KNOWN
    if "$ref" in rule:
        return validate(root, value, root["$defs"][rule["$ref"].removeprefix("#/$defs/")], path)
    if "anyOf" in rule:
        tries = [validate(root, value, option, path) for option in rule["anyOf"]]
        return [] if [] in tries else [f"{path}: fits none: {tries}"]
    problems = []
    types = rule.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(has_type(value, name) for name in types):
        return [f"{path}: not {types}"]
    if "enum" in rule and value not in rule["enum"] or "const" in rule and value != rule["const"]:
        problems.append(f"{path}: {value!r} is not allowed")
    if isinstance(value, str) and not re.search(rule.get("pattern", ""), value):
        problems.append(f"{path}: {value!r} does not match {rule['pattern']}")
    if has_type(value, "number") and not rule.get("minimum", value) <= value <= rule.get("maximum", value):
        problems.append(f"{path}: {value} is out of bounds")
    if isinstance(value, dict):
        properties = rule.get("properties", {})
        problems += [f"{path}: lacks {key}" for key in rule.get("required", []) if key not in value]
        for key, part in value.items():
            if key in properties:
                problems += validate(root, part, properties[key], f"{path}.{key}")
            elif rule.get("additionalProperties", True) is False:
                problems.append(f"{path}: unknown key {key}")
    if isinstance(value, list) and "items" in rule:
        for index, part in enumerate(value):
            problems += validate(root, part, rule["items"], f"{path}[{index}]")
    return problems
