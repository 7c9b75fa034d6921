"""What nothing in the product uses, by vulture (`make lint`): tests are not looked at, and what
templates, settings, strings and frameworks name is used. More is ignored in pyproject.toml."""

import ast
import re
import sys
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path

from vulture import Vulture
from vulture.config import make_config

DECLARED = re.compile(r"(models|forms|serializers)\.|.*Choices\b")
MODULE_PATH = re.compile(r"(benchmarks|judging|leaderboard)\.[\w.]+:?\w+")


def names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and MODULE_PATH.fullmatch(str(node.value)):
            yield from re.split(r"\W", str(node.value))
        if isinstance(node, ast.ClassDef):
            for line in (one for one in node.body if isinstance(one, ast.Assign)):
                yield from re.findall(r"'(\w+)'", ast.unparse(line.value))
                if any(DECLARED.match(ast.unparse(one)) for one in (line.value, *node.bases)):
                    yield ast.unparse(line.targets[0])


def main() -> int:
    config = make_config(["--config", "pyproject.toml"])
    names = set(re.findall(r"\b[A-Z]\w+", Path("leaderboard/settings.py").read_text()))
    tags = re.compile(r"{[{%].+?[%}]}", re.DOTALL)
    for template in Path("templates").rglob("*.*"):
        names.update(re.findall(r"\w+", " ".join(tags.findall(template.read_text()))))
    for source in (path for root in config["paths"] for path in Path(root).rglob("*.py")):
        names.update(names_in(ast.parse(source.read_text())))
    found = Vulture(False, config["ignore_names"], config["ignore_decorators"])
    found.scan("\n".join(name for name in names if name.isidentifier() and not iskeyword(name)))
    found.scavenge(config["paths"], config["exclude"])
    return int(found.report(config["min_confidence"]))


sys.exit(main())
