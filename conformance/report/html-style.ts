/** The page's style sheet: light and dark, from a phone's width up, and on paper. */
export const style = `
:root {
  --paper: #fcfcfa; --raised: #fff; --sunk: #f3f3ef; --ink: #1d2025; --quiet: #5d636c; --line: #dfdfd9; --accent: #2456a6;
  --pass: #236b41; --fail: #b3261e; --warn: #8a5a00; --unverified: #7440a8; --blocked: #94480c; --error: #b3261e; --not_applicable: #646a73;
  --pass-wash: #dcefe3; --fail-wash: #f9dedb; --warn-wash: #f8e9c8; --unverified-wash: #ecdff8; --blocked-wash: #f8e1d0;
  --error-wash: #f9dedb; --not_applicable-wash: #ececea;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --raised: #1b1e23; --sunk: #111317; --ink: #e4e5e7; --quiet: #9ba1aa; --line: #30343b; --accent: #8db7f5;
    --pass: #7cc797; --fail: #f2938b; --warn: #e0b35c; --unverified: #c7a2ee; --blocked: #eaa473; --error: #f2938b; --not_applicable: #a2a8b1;
    --pass-wash: #1d3527; --fail-wash: #4a1f1d; --warn-wash: #3d3013; --unverified-wash: #362648; --blocked-wash: #45290f;
    --error-wash: #4a1f1d; --not_applicable-wash: #2a2d32;
  }
}
.pass { --tone: var(--pass); --wash: var(--pass-wash); }
.fail { --tone: var(--fail); --wash: var(--fail-wash); }
.warn { --tone: var(--warn); --wash: var(--warn-wash); }
.unverified { --tone: var(--unverified); --wash: var(--unverified-wash); }
.blocked { --tone: var(--blocked); --wash: var(--blocked-wash); }
.error { --tone: var(--error); --wash: var(--error-wash); }
.not_applicable { --tone: var(--not_applicable); --wash: var(--not_applicable-wash); }

*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { color-scheme: light dark; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 62rem; padding: 3.5rem 1.5rem 5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4, h5, p, ul, dl, dd, pre, fieldset { margin: 0; padding: 0; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 5vw, 2.6rem); font-weight: 650; letter-spacing: -.02em; }
h2 { font-size: 1.4rem; font-weight: 650; letter-spacing: -.01em; }
h3 { font-size: 1.05rem; font-weight: 600; }
h4 { font-size: 1rem; font-weight: 600; }
h5 { font-size: .8rem; font-weight: 600; color: var(--quiet); margin-top: .9rem; }
ul { list-style: none; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
code, pre, .id { font-family: var(--mono); font-size: .875em; }
code { background: var(--sunk); border-radius: 3px; padding: .08em .3em; }
.id { font-weight: 600; white-space: nowrap; }
.quiet, .source, .note, .lead, .nothing, .kept, footer { color: var(--quiet); }
.source, .note, footer { font-size: .875rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
section:focus, article:focus:not(:focus-visible) { outline: none; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; z-index: 3; background: var(--raised); padding: .5rem .9rem; }
body > .skip:focus { top: 1rem; }

.eyebrow { color: var(--quiet); font-size: .875rem; margin-bottom: .5rem; }
.target { font-family: var(--mono); font-size: .95rem; margin-top: .6rem; overflow-wrap: anywhere; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem 2.2rem; margin: 2rem 0 1.4rem; }
.counts b { display: block; font-size: 1.7rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; color: var(--tone); }
.counts span { font-size: .875rem; }
.counts i, .mark i, .headers i { font-style: normal; }
.counts i { color: var(--tone); }
.proportions { display: block; width: 100%; height: .5rem; border-radius: .25rem; }
.proportions rect { fill: var(--tone); }
.kept { font-size: .875rem; margin-top: .5rem; }
.kept b { color: var(--ink); }
.run { display: flex; flex-wrap: wrap; gap: .8rem 2.6rem; margin-top: 2rem; font-size: .9rem; }
.run dt { color: var(--quiet); }
.run dd { font-variant-numeric: tabular-nums; }
.hashes { margin-top: 1rem; font-size: .875rem; color: var(--quiet); }
.hashes dt { margin-top: .5rem; }
.hashes code { overflow-wrap: anywhere; }
.points { display: flex; flex-wrap: wrap; gap: .5rem 2.2rem; margin-top: 1.4rem; }
.points b { display: block; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.points span { font-size: .875rem; color: var(--quiet); }
#spec details { margin-top: 1.1rem; }
.choices > div { margin-top: 1rem; }
.choices dd { margin: .25rem 0 0 1.2rem; }
.choices dd .quiet { font-size: .875rem; }
#spec details li { margin-top: .4rem; font-size: .925rem; }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.6rem; margin-top: 2rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }

main > section { margin-top: 4rem; }
h2 + * { margin-top: .9rem; }
h2 .count { font-weight: 400; color: var(--quiet); margin-left: .2em; font-variant-numeric: tabular-nums; }
.lead { max-width: 42rem; }
.mark { color: var(--tone); font-weight: 600; white-space: nowrap; font-size: .875rem; }
.mark i { display: inline-block; min-width: 1.1em; text-align: center; }

.filter { margin-top: 2.5rem; padding: 1.1rem 1.3rem 1.2rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px;
  display: grid; grid-template-columns: 1fr 1fr; gap: .9rem 1.4rem; font-size: .9rem; }
.filter > label { display: grid; gap: .25rem; color: var(--quiet); }
.filter input[type=search], .filter select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet);
  border-radius: 5px; padding: .45rem .6rem; width: 100%; min-width: 0; min-height: 2.5rem; }
fieldset { border: 0; grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; }
legend { padding: 0; color: var(--quiet); }
.pick { display: inline-flex; align-items: center; gap: .4rem; min-height: 2rem; cursor: pointer; }
.pick input { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; margin: 0; }
.found { grid-column: 1 / -1; color: var(--quiet); }
.filter:not(.active) .found { display: none; }
.filter.active { border-color: var(--accent); }
button { font: inherit; font-size: .85rem; color: var(--accent); background: var(--raised); border: 1px solid currentColor; border-radius: 5px;
  padding: .25rem .8rem; min-height: 2rem; cursor: pointer; }
button:hover { background: var(--sunk); }
.found button { margin-left: .7rem; }

.group { margin-top: 2.4rem; }
.clause-text { max-width: 46rem; margin-top: .35rem; }
.level { font-weight: 400; color: var(--quiet); }
.card { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 8px;
  padding: 1.2rem 1.4rem 1.3rem; margin-top: 1.1rem; }
.card > h4, .card > h3 { display: flex; flex-wrap: wrap; gap: .1rem .8rem; align-items: baseline; }
.card > .note { margin-top: .4rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .45rem 1.2rem; margin-top: .9rem; }
.facts dt { color: var(--quiet); }
.facts dd, .text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
.received { color: var(--tone); }
.command { position: relative; margin-top: 1.1rem; }
.command p { font-size: .8rem; font-weight: 600; color: var(--quiet); line-height: 2rem; margin-bottom: .25rem; padding-right: 6rem; }
.command .copy { position: absolute; top: 0; right: 0; }
pre { background: var(--sunk); border-radius: 5px; padding: .7rem .9rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.body, pre.lines { max-height: 26rem; overflow: auto; }
pre.headers { color: var(--quiet); margin-top: .3rem; }
.headers i { color: var(--ink); }
pre.body { margin-top: .4rem; }
.exchange .note { margin-top: .4rem; }
details.trace, details.also { margin-top: 1.1rem; }
summary { cursor: pointer; }
details.exchange { margin-top: .6rem; padding-left: 1rem; border-left: 2px solid var(--line); }
details.exchange > summary { font-family: var(--mono); font-size: .85rem; overflow-wrap: anywhere; }
.this { color: var(--tone); }
.checks { margin-top: .9rem; }
.checks li { margin-top: .3rem; font-size: .925rem; }
.checks pre, .checks .text { margin-top: .5rem; }
.unasked { margin-top: 1.6rem; }
.unasked li { margin-top: .5rem; font-size: .925rem; }

.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin-top: .6rem; }
.map { display: grid; grid-template-columns: minmax(11rem, max-content) 1fr; gap: .9rem 1.8rem; margin-top: 1.6rem; }
.row { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; align-items: start; }
.row h3 { font-size: .9rem; font-weight: 500; line-height: 1.4; max-width: 15rem; }
.row h3 a { color: inherit; text-decoration-color: var(--line); }
.row h3 .quiet { font-weight: 400; font-size: .8rem; white-space: nowrap; }
.row p { display: flex; flex-wrap: wrap; gap: 3px; }
.cell { width: 1.45rem; height: 1.45rem; display: grid; place-items: center; border-radius: 4px; text-decoration: none; font-size: .75rem;
  line-height: 1; font-weight: 600; color: var(--tone); background: var(--wash); }
.cell.fail, .cell.error { background: var(--tone); color: var(--raised); }
.cell.unverified, .cell.blocked { box-shadow: inset 0 0 0 1.5px var(--tone); }
.cell.out { opacity: .22; }
.cell:hover { box-shadow: 0 0 0 2px var(--tone); }
.cell:is(:hover, :focus-visible)::after { content: attr(aria-label); position: fixed; z-index: 2; pointer-events: none; left: 50%; bottom: 1rem;
  transform: translateX(-50%); width: max-content; max-width: min(46rem, calc(100vw - 2rem)); padding: .7rem 1rem; border-radius: 8px; background: var(--ink); color: var(--paper);
  font-size: .9rem; line-height: 1.45; font-weight: 400; }

.area { margin-top: 1rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.area > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .8rem; list-style: none; }
.area > summary::-webkit-details-marker { display: none; }
.area > summary::before { content: "▸"; color: var(--quiet); width: .8em; }
.area[open] > summary::before { content: "▾"; }
.area > summary .quiet { font-size: .875rem; }
.clause { margin: 1.5rem 0 0 1.6rem; padding-left: 1.1rem; border-left: 2px solid var(--line); }
.clause:is(.fail, .error, .warn, .blocked, .unverified) { border-color: var(--tone); }
.clause > h4 { display: flex; gap: .8rem; align-items: baseline; }
.clause .checks { margin-top: .5rem; }
:target { scroll-margin-top: 1rem; }
.clause:target, .card:target { box-shadow: 0 0 0 3px var(--paper), 0 0 0 5px var(--accent); border-radius: 4px; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }

@media (max-width: 40rem) {
  body { padding: 2rem 1.1rem 4rem; }
  .filter { grid-template-columns: 1fr; }
  .counts { gap: .8rem 1.6rem; }
  .run { gap: .7rem 2rem; }
  .card { padding: 1rem; }
  .facts { grid-template-columns: 1fr; gap: .1rem; }
  .facts dd { margin-bottom: .5rem; }
  .map { display: block; }
  .row { display: block; margin-top: 1.2rem; }
  .row p { margin-top: .4rem; gap: 4px; }
  .cell { width: 1.75rem; height: 1.75rem; }
  .row h3 { max-width: none; }
  .clause { margin-left: 0; padding-left: .9rem; }
  details.exchange { padding-left: .7rem; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }

@media print {
  @page { margin: 16mm 15mm; }
  :root { --paper: #fff; --raised: #fff; --sunk: #f5f5f3; --ink: #000; --quiet: #444; --line: #ccc; --accent: #000;
    --pass: #1f6a3d; --fail: #a01c15; --warn: #7a4e00; --unverified: #63329a; --blocked: #833d06; --error: #a01c15; --not_applicable: #555;
    --pass-wash: #fff; --warn-wash: #fff; --unverified-wash: #fff; --blocked-wash: #fff; --not_applicable-wash: #fff; }
  html { color-scheme: light; font-size: 9.5pt; }
  body { max-width: none; padding: 0; }
  nav, .filter, .skip, .copy, footer { display: none !important; }
  main > section { margin-top: 2rem; }
  h1, h2, h3, h4, h5, .facts dt { break-after: avoid; }
  .card > h4, .card > h3, .facts, .command, .clause, .row { break-inside: avoid; }
  pre.body, pre.lines { max-height: none; overflow: visible; }
  pre { font-size: 8pt; }
  details[data-print]::details-content { content-visibility: visible; display: block; height: auto; }
  .cell { width: 13pt; height: 13pt; font-size: 7.5pt; border: .5pt solid var(--tone); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .cell.fail, .cell.error, .proportions, .counts b { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .clause { margin: .7rem 0 0; }
  .clause.pass .checks, .clause.not_applicable .checks, .clause .source { display: none; }
  .clause.pass h4, .clause.not_applicable h4 { float: left; margin-right: .8em; }
  .clause:target, .card:target { box-shadow: none; }
  a { text-decoration: none; color: inherit; }
}
`;
