/** The only style; the page loads no other resource. */
export const style = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #171a1f; --quiet: #586070; --line: #dfe3e8;
  --good: #11683a; --good-ground: #e0f3e7; --bad: #a3121f; --bad-ground: #fde8e9; --warn: #7a4b00; --warn-ground: #fdf0d5;
  --busy: #1b4f9c; --busy-ground: #e3edfb; --link: #1b4f9c; --good-mark: #2f9e5f; --bad-mark: #d3343f; --warn-mark: #d9930d;
  --busy-mark: #4269d0; --spend: #b9c3d3; }
@media (prefers-color-scheme: dark) { :root { --ground: #101318; --card: #191d24; --ink: #e8ebf0; --quiet: #a0a9b8;
  --line: #2c323c; --good: #7fdba4; --good-ground: #143524; --bad: #ff9aa2; --bad-ground: #451a1e; --warn: #f3c677;
  --warn-ground: #3c2c0d; --busy: #9cc4ff; --busy-ground: #17304f; --link: #9cc4ff; --spend: #4a5568; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.4rem; margin: 0 0 .6rem; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .6rem; }
h3, h4 { font-size: 1rem; margin: 0 0 .35rem; line-height: 1.4; }
small { white-space: nowrap; }
h4.over { margin-top: .9rem; }
p { margin: .35rem 0; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem; grid-template-columns: minmax(0, 1fr); }
section > ul > li, .box { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem .9rem; }
li li { border-top: 1px solid var(--line); padding-top: .6rem; }
section > ul.plain > li { background: none; border: 0; padding: 0; }
.box li, .verdict li { border: 0; padding: 0; }
section > ul > li.hurt, .box.hurt { border-color: var(--bad); border-left-width: 4px; }
dl { margin: .2rem 0; display: grid; gap: .15rem 1.2rem; grid-template-columns: minmax(0, 1fr); }
dl > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .6rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
dl.tiles { gap: .6rem 1.2rem; margin: 0 0 .6rem; }
dl.tiles > div { display: block; }
.tiles strong { display: block; font-size: 1.5rem; line-height: 1.3; }
.tiles small { display: block; white-space: normal; }
small, .quiet { color: var(--quiet); font-size: .9rem; font-weight: 400; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: 0 0 .8rem; }
figure { margin: .8rem 0; }
figure [role] svg { display: block; overflow: visible; width: 100%; max-width: 38rem; height: auto; }
figure text { font-family: inherit; fill: var(--quiet); }
figcaption { display: flex; margin-top: .3rem; flex-wrap: wrap; gap: .2rem 1.2rem; color: var(--quiet); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; font-weight: 400; padding: .3rem .6rem .3rem 0; vertical-align: top; }
thead th { color: var(--quiet); font-size: .9rem; }
tbody tr { border-top: 1px solid var(--line); }
.meter { display: block; margin: .3rem 0; border-radius: .2rem; }
.strip svg, .meter { display: block; }
.strip { margin: .4rem 0; }
.track { fill: var(--line); }
.limit { fill: var(--ink); }
.s-spend { fill: var(--spend); }
.s-good { fill: var(--good-mark); }
.s-bad { fill: var(--bad-mark); }
.s-warn { fill: var(--warn-mark); }
.s-busy { fill: var(--busy-mark); }
.chip { display: inline-block; font-size: .8rem; font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; white-space: nowrap; }
.verdict { padding: .7rem .9rem; border-radius: .5rem; font-weight: 600; margin: 0 0 .8rem; }
.verdict ul { font-weight: 400; gap: .1rem; margin-top: .2rem; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.warn { color: var(--warn); background: var(--warn-ground); }
.busy { color: var(--busy); background: var(--busy-ground); }
.chip.quiet { background: var(--ground); color: var(--quiet); font-size: .8rem; font-weight: 600; }
i { font-style: normal; font-weight: 600; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.actions form { margin: .5rem 0 0; }
button, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .35rem;
  padding: .3rem .8rem; min-height: 2.2rem; max-width: 100%; }
button { cursor: pointer; }
summary { cursor: pointer; margin: .5rem 0; }
details li { padding-top: .4rem; }
label { display: block; margin: .5rem 0; }
label input { display: block; width: 22rem; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); border-radius: .25rem; padding: 0 .25rem; }
footer { color: var(--quiet); font-size: .9rem; margin: 2rem 0 1rem; }
.stale footer::before { content: "Tollkeeper does not answer: this page is out of date. "; color: var(--bad); font-weight: 600; }
@media (max-width: 39.99rem) { figure text { font-size: 16px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, th, td { display: block; }
  tbody tr { padding: .4rem 0; }
  th, td { padding: .1rem 0; }
  td { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .6rem; }
  td::before { content: attr(data-label); color: var(--quiet); }
  td:has(.none) { display: none; }
  dl > div { grid-template-columns: 5.4rem minmax(0, 1fr); gap: .4rem; } }
@media (min-width: 40rem) { body { padding: 1.5rem; } dl { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  dl.tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); } td { white-space: nowrap; } }
`;
