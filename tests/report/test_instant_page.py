"""The page: self-contained, true to the answer, well-formed, and the CLI prints its path last."""

import re
from html.parser import HTMLParser

import pytest

import knuckle as kn
from knuckle import tasks
from knuckle.cli import run
from knuckle.errors import InputError, StoreError
from knuckle.report import words
from knuckle.report.instant import instant_page

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Reader(HTMLParser):
    """Balanced tags, every address, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.words, self.tags = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.words.append(text)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    return reader


@pytest.mark.parametrize("name", ["two-finger-lift", "painleve-rod", "painleve-rod-inconsistent", "v-groove"])
def test_page_is_well_formed_and_fetches_nothing(name):
    page = instant_page(kn.modes(name), name)
    reader = read(page)
    assert all(address.startswith("#") for address in reader.addresses)
    assert not {"script", "link", "img", "iframe"} & set(reader.tags)
    assert "url(" not in re.sub(r"url\(#", "", page)
    assert "@import" not in page


def test_page_says_what_the_answer_says():
    answer = kn.modes("two-finger-lift")
    text = " ".join(read(instant_page(answer, "Lift")).words)
    assert "determinate" in text
    assert answer.verdict.sentence in text
    for force in answer.solution.f:
        assert words.number(float(force[0])) in text
    for name in (*answer.contact_names, "Definition 4", "P-matrix", "Certificate", "How to read this page"):
        assert name in text


def test_every_answer_has_its_table():
    text = " ".join(read(instant_page(kn.modes("painleve-rod"), "rod")).words)
    assert "Answer 1 of 2" in text
    assert "Answer 2 of 2" in text


def test_no_answer_is_said():
    text = " ".join(read(instant_page(kn.modes("painleve-rod-inconsistent"), "rod")).words)
    assert "No choice of modes" in text


def test_same_bytes_every_time():
    assert instant_page(kn.modes("painleve-rod"), "rod") == instant_page(kn.modes("painleve-rod"), "rod")


def test_titles_are_text_and_no_markup():
    page = instant_page(kn.modes("painleve-rod"), "<script>alert(1)</script>")
    assert "script" not in read(page).tags


def test_a_bare_problem_has_a_page_without_picture():
    problem = {"M": [[1.0, 0.0], [0.0, 1.0]], "h": [3.0, -9.81],
               "contacts": [{"label": "rolling", "mu": 0.5, "W_N": [0, 1], "W_T": [1, 0], "bias": [0, 0], "slip": [0]}]}  # fmt: skip
    reader = read(instant_page(kn.solve(problem), "block"))
    assert "svg" not in reader.tags


def test_cli_prints_the_path_last(tmp_path, capsys):
    path = tmp_path / "new" / "page.html"
    assert run(["modes", "two-finger-lift", "--html", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_that_cannot_be_written_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("")
    question = kn.load("painleve-rod")
    with pytest.raises(StoreError, match="cannot be written"):
        tasks.modes_page(question, tasks.modes(question), tmp_path / "file" / "page.html")


def test_without_matplotlib_the_page_says_what_to_install(tmp_path, monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.startswith(("knuckle.report.instant", "knuckle.plots", "matplotlib"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    question = kn.load("painleve-rod")
    with pytest.raises(InputError, match=r"knuckle\[plot\]"):
        tasks.modes_page(question, tasks.modes(question), tmp_path / "page.html")


@pytest.mark.parametrize(("value", "text"), [(None, "unbounded"), (0.0, "0.0000"), (-1.5, "-1.5000"), (1e-7, "1.000e-07"), (123456.0, "1.235e+05")])
def test_numbers_as_people_read_them(value, text):
    assert words.number(value) == text


def test_every_certificate_has_its_words(root):
    kinds = set(re.findall(r'"kind": "(\w+)"', (root / "src" / "knuckle" / "instant" / "solve.py").read_text()))
    assert kinds == set(words.CERTIFICATES)
