/** The only style; the page loads no other resource. */
export const style = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #171a1f; --quiet: #586070; --line: #dfe3e8;
  --good: #11683a; --good-ground: #e0f3e7; --bad: #a3121f; --bad-ground: #fde8e9; --warn: #7a4b00; --warn-ground: #fdf0d5;
  --busy: #1b4f9c; --busy-ground: #e3edfb; --link: #1b4f9c; }
@media (prefers-color-scheme: dark) { :root { --ground: #101318; --card: #191d24; --ink: #e8ebf0; --quiet: #a0a9b8;
  --line: #2c323c; --good: #7fdba4; --good-ground: #143524; --bad: #ff9aa2; --bad-ground: #451a1e; --warn: #f3c677;
  --warn-ground: #3c2c0d; --busy: #9cc4ff; --busy-ground: #17304f; --link: #9cc4ff; } }
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
.box li, .verdict li { border: 0; padding: 0; }
section > ul > li.hurt, .box.hurt { border-color: var(--bad); border-left-width: 4px; }
dl { margin: .2rem 0; display: grid; gap: .15rem 1.2rem; grid-template-columns: minmax(0, 1fr); }
dl > div { display: grid; grid-template-columns: 7.2rem minmax(0, 1fr); gap: .6rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
small, .quiet { color: var(--quiet); font-size: .9rem; font-weight: 400; }
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
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); border-radius: .25rem; padding: 0 .25rem; }
footer { color: var(--quiet); font-size: .9rem; margin: 2rem 0 1rem; }
@media (min-width: 40rem) { body { padding: 1.5rem; } dl { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
`;
