"""README runs as written: every `python` block, in order, in one namespace; a `text` block after it is its output."""

import contextlib
import io
import re

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_python_blocks_print_what_they_say(root):
    blocks = FENCE.findall((root / "README.md").read_text())
    assert any(language == "python" for language, _ in blocks)
    names: dict = {}
    printed = None
    for language, text in blocks:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, "README.md", "exec"), names)
            printed = output.getvalue()
        elif language == "text":
            assert printed == text
            printed = None


def test_ten_lines_are_ten_lines(root):
    (python,) = [text for language, text in FENCE.findall((root / "README.md").read_text()) if language == "python"]
    assert len(python.splitlines()) <= 12


def test_make_commands_exist(root):
    targets = set(re.findall(r"^(\w+):", (root / "Makefile").read_text(), re.MULTILINE))
    wanted = set(re.findall(r"^make (\w+)$", (root / "README.md").read_text(), re.MULTILINE))
    assert {"demo", "test"} <= wanted <= targets


def test_linked_files_exist(root):
    for target in re.findall(r"\]\(([^)#:]+)\)", (root / "README.md").read_text()):
        assert (root / target).exists(), target
