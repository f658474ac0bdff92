"""The house rules that no linter knows: sizes, names, the purity of kernels, and where heavy libraries are touched."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "knuckle"
FILES = sorted(SOURCE.rglob("*.py"))
KERNELS = [file for file in FILES if file.name == "kernels.py" or file.name.endswith("_kernels.py")]

MOST_LINES = 400
MOST_BODY = 60
REPORTED_BODY = 40
MOST_NESTING = 5
# Names that say nothing about what is inside.
FORBIDDEN_NAMES = re.compile(r"(^|_)(utils?|commons?|helpers?|managers?|misc|stuff)(_|$)", re.IGNORECASE)
# Where a room may be imported from: only earlier lines, and not from its own line.
ROOMS = [
    ["errors"], ["store"], ["compiled"], ["complementarity", "integration", "jobs"], ["scenario"], ["model"],
    ["contact"], ["instant"], ["motion", "quasistatic"], ["atlas"], ["planning"], ["plots", "viewer"], ["report"],
    ["tasks"], ["cli"],
]  # fmt: skip
ORDER = {room: number for number, line in enumerate(ROOMS) for room in line}
KERNEL_LIBRARIES = {"numpy", "math", "typing", "__future__"}
COMPILED = ("knuckle.compiled.dense", "knuckle.compiled.libmujoco")
# A library and the only modules that may import it.
TOUCHED_IN = {
    "mujoco": ("model", "compiled.libmujoco"),
    "matplotlib": ("plots",),
    "viser": ("viewer",),
    "dask": ("jobs",),
    "distributed": ("jobs",),
    "numba": ("compiled",),
    "llvmlite": ("compiled",),
    "typer": ("cli",),
    "rich": ("cli",),
    "ruamel": ("scenario",),
    "pydantic": ("scenario",),
}


def module_name(file):
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree_of(file):
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def imports(file):
    """(module, names, line) of every import, also those inside functions."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, [], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}:{node.lineno}: relative import"
            yield node.module or "", [alias.name for alias in node.names], node.lineno


def functions(file):
    for node in ast.walk(tree_of(file)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def body_length(function):
    """Lines from the first statement after the docstring to the last."""
    body = function.body
    if (
        isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def nesting(node, depth=0):
    """Blocks inside blocks; `elif` counts as its `if`, and a nested function starts anew."""
    deepest = depth
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        opens = isinstance(child, (ast.If, ast.For, ast.While, ast.With, ast.Try))
        chained = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deepest = max(deepest, nesting(child, depth + (opens and not chained)))
    return deepest


def identified(files):
    return pytest.mark.parametrize("file", files, ids=[module_name(file) or "knuckle" for file in files])


@identified(FILES)
def test_a_file_is_a_page_or_two(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@identified(FILES)
def test_bodies_and_nesting(file):
    long = [f"{f.name}: {body_length(f)} lines" for f in functions(file) if body_length(f) > MOST_BODY]
    deep = [f"{f.name}: nesting {nesting(f)}" for f in functions(file) if nesting(f) > MOST_NESTING]
    assert not long + deep


def test_report_of_long_bodies(record_property):
    """No failure: the list of what is worth another look."""
    long = [(body_length(f), f"{module_name(file)}.{f.name}") for file in FILES for f in functions(file)]
    for length, name in sorted(long, reverse=True):
        if length > REPORTED_BODY:
            record_property(name, length)
            print(f"{length:4d} lines {name}")


@identified(FILES)
def test_names_say_what_is_inside(file):
    names = [module_name(file).rpartition(".")[2]]
    names += [node.name for node in ast.walk(tree_of(file)) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    names = [name for name in names if "common_normal" not in name]  # a term of geometry
    snake = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name) for name in names]
    assert not [name for name in snake if FORBIDDEN_NAMES.search(name)]


@identified(FILES)
def test_rooms_import_earlier_rooms_only(file):
    """The law of import-linter once more, in the plain order that a person reads; a new room must be put in it."""
    room = module_name(file).partition(".")[0]
    if room in ("", "__main__"):
        return
    assert room in ORDER, f"room {room} has no place in the order"
    for module, names, line in imports(file):
        wanted = [name.split(".")[1] for name in [module] if name.startswith("knuckle.")]
        wanted += [name for name in names if module == "knuckle" and name in ORDER]
        for other in wanted:
            assert other == room or ORDER[other] < ORDER[room], f"line {line}: {room} imports {other}"


@identified(FILES)
def test_libraries_are_touched_in_their_room_alone(file):
    name = module_name(file)
    for module, _, line in imports(file):
        rooms = TOUCHED_IN.get(module.partition(".")[0])
        assert rooms is None or any(name == room or name.startswith(room + ".") for room in rooms), (
            f"line {line}: {module}"
        )


@identified(KERNELS)
def test_kernels_import_only_numpy_compiled_and_earlier_kernels(file):
    own_room = module_name(file).partition(".")[0]
    for module, names, line in imports(file):
        if module.partition(".")[0] in KERNEL_LIBRARIES:
            continue
        where = f"line {line}: {module}"
        assert module.startswith("knuckle."), where
        if module.startswith("knuckle.compiled"):
            continue
        imported = [module] if is_kernel_module(module) else [f"{module}.{name}" for name in names]
        assert all(is_kernel_module(one) for one in imported), where
        assert all(ORDER[one.split(".")[1]] <= ORDER[own_room] for one in imported), where


def is_kernel_module(name):
    last = name.rpartition(".")[2]
    return last == "kernels" or last.endswith("_kernels")


@identified(KERNELS)
def test_kernels_of_other_modules_are_called_by_module_attribute(file):
    """A process is promoted to compiled code by rebinding module attributes: a copied name would stay behind."""
    for module, names, line in imports(file):
        if not is_kernel_module(module) and module not in COMPILED:
            continue
        path = SOURCE.parent / (module.replace(".", "/") + ".py")
        compiled = {f.name for f in functions(path) if f.decorator_list}
        assert not compiled & set(names), (
            f"line {line}: import the module and call by attribute: {compiled & set(names)}"
        )


@identified(KERNELS)
def test_kernels_never_raise_and_stay_plain(file):
    for node in ast.walk(tree_of(file)):
        where = f"line {getattr(node, 'lineno', 0)}"
        assert not isinstance(node, (ast.Raise, ast.Assert, ast.Try, ast.With)), where
        if isinstance(node, ast.Attribute):
            assert node.attr != "linalg", f"{where}: np.linalg costs seconds of compile time"


@identified(FILES)
def test_no_assert_and_no_broad_except(file):
    for node in ast.walk(tree_of(file)):
        assert not isinstance(node, ast.Assert), f"line {node.lineno}"
        if isinstance(node, ast.ExceptHandler):
            kinds = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else {"all"}
            assert not kinds & {"all", "Exception", "BaseException"}, f"line {node.lineno}"


@identified(FILES)
def test_every_module_says_what_it_is(file):
    assert ast.get_docstring(tree_of(file)) or not file.read_text().strip(), "a docstring"


def test_lint_exceptions_carry_their_reason():
    bare = re.compile(r"#\s*(noqa(:\s*[A-Z0-9, ]+)?|type:\s*ignore(\[[\w, -]+\])?)\s*$")
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in FILES
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert not found


def test_what_a_visitor_expects_is_there():
    for name in (
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "CITATION.cff",
        "requirements.lock",
        ".ci/run",
    ):
        assert (ROOT / name).is_file(), name


def test_the_version_is_the_same_everywhere():
    import knuckle

    assert f"version: {knuckle.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {knuckle.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [ROOT / line for line in listed.stdout.splitlines()] or [*FILES, *(ROOT / "tests").rglob("*.py")]


def test_no_path_of_one_machine():
    # Put together so that this file does not contain what it looks for.
    homes = re.compile(
        "|".join(["/" + "work/", "/" + "home/" + r"\w", "/" + "root/", "/" + r"Users/\w", r"C:\\" + "Users"])
    )
    found = []
    for file in tracked_files():
        if file.suffix in (".py", ".md", ".yaml", ".toml", ".xml", ".lock", ".cff", ".svg", "") and file.is_file():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [
                f"{file.relative_to(ROOT)}:{number}" for number, line in enumerate(lines, 1) if homes.search(line)
            ]
    assert not found


def test_locks_name_no_registry():
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text
        assert "--hash=sha256:" in text


def test_python_versions_agree():
    assert sys.version_info >= (3, 11)
    assert 'requires-python = ">=3.11,<3.15"' in (ROOT / "pyproject.toml").read_text()
