"""The look of a page: type, colour, light and dark."""

from knuckle.plots import style

# Colours of the picture that follow the reader's light or dark setting: name on the page, value in the SVG.
DARK = (
    ("paper", style.PAPER), ("ink", style.INK), ("soft", style.SOFT), ("line", style.LINE), ("link", style.LINK),
    ("ground", style.GROUND), ("object", style.OBJECT), ("object-edge", style.OBJECT_EDGE),
    ("rolls", style.MODE_COLOURS["R"]), ("slides", style.MODE_COLOURS["S"]), ("breaks", style.MODE_COLOURS["B"]),
)  # fmt: skip
_LIGHT = "; ".join(f"--{name}: {value}" for name, value in DARK)

CSS = (
    f":root {{ color-scheme: light dark; {_LIGHT}; --good: #00724f; --doubt: #a35a00; --none: #b0252c; }}\n"
    """@media (prefers-color-scheme: dark) { :root {
  --paper: #14171c; --ink: #e8eaee; --soft: #a3abb8; --line: #3a414c; --link: #2b313a; --ground: #1e2229; --object: #3a3522;
  --object-edge: #d3b96a; --rolls: #56b4e9; --slides: #f28e4c; --breaks: #9aa1ab; --good: #4fc39b; --doubt: #f0ae5c; --none: #ff8f8f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55; -webkit-text-size-adjust: 100%;
  font-family: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; font-size: 16px; }
main, footer { max-width: 54rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
.eyebrow { margin: 0; color: var(--soft); font-size: .85rem; letter-spacing: .02em; }
h1 { margin: .1rem 0 1rem; font-size: 1.9rem; line-height: 1.2; font-weight: 650; text-wrap: balance; }
h2 { margin: 2.4rem 0 .6rem; font-size: 1.15rem; font-weight: 650; }
h2 code { font-weight: 400; color: var(--soft); }
p { margin: .5rem 0; max-width: 44rem; }
.verdict { margin: 0; padding: .8rem 1rem; border-left: .3rem solid var(--tone); background: var(--ground); font-size: 1.05rem; max-width: none; }
.verdict strong { color: var(--tone); margin-right: .4em; }
.verdict { --tone: var(--doubt); }
.verdict.determinate { --tone: var(--good); }
.verdict.inconsistent { --tone: var(--none); }
.reason { color: var(--soft); }
.chips { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; padding: 0; margin: .8rem 0 0; list-style: none; color: var(--soft); font-size: .9rem; }
figure { margin: 1.6rem 0 0; }
figure svg { display: block; width: 100%; height: auto; max-height: 80vh; }
figcaption { color: var(--soft); font-size: .85rem; margin-top: .4rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .82rem; white-space: nowrap; }
th, td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
td { white-space: nowrap; }
td:last-child, td small { white-space: normal; }
.scroll td:first-child { min-width: 9rem; }
td:first-child small { display: inline-block; max-width: 15rem; }
.num { text-align: right; }
small, .fine { color: var(--soft); font-size: .82rem; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .92em; }
.mark { display: inline-block; min-width: 1.45em; padding: 0 .3em; border-radius: 1em; text-align: center; font-weight: 700; font-size: .82em;
  color: var(--paper); background: var(--rolls); }
.mark.S { background: var(--slides); border-radius: .25em; }
.mark.B, .mark.F { color: var(--breaks); background: none; box-shadow: inset 0 0 0 .12em var(--breaks); }
.bar { display: inline-block; width: 4.5rem; height: .5rem; margin-right: .6rem; background: var(--line); border-radius: .25rem; overflow: hidden; }
.bar span { display: block; height: 100%; background: var(--soft); }
.yes { color: var(--good); font-weight: 600; }
.no { color: var(--none); font-weight: 600; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0; max-width: 44rem; }
details { margin: .8rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .92rem; }
.values { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .2rem 2rem; list-style: none; padding: 0;
  font-size: .9rem; font-variant-numeric: tabular-nums; }
.values li { display: flex; justify-content: space-between; gap: 1rem; }
.values span { color: var(--soft); }
section ul:not(.values) { padding-left: 1.2rem; max-width: 44rem; }
li { margin: .25rem 0; }
footer { margin-top: 3rem; padding-top: 1rem; padding-bottom: 2.5rem; color: var(--soft); font-size: .82rem; border-top: 1px solid var(--line); }
@media print { body { background: #fff; } details > * { display: block; } }
"""
)
