/** How the page looks, by day and by night. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2330, #e6e9ef); --soft: light-dark(#5b6475, #9aa4b5);
  --paper: light-dark(#fbfbfd, #12151c); --card: light-dark(#ffffff, #191d27);
  --line: light-dark(#e3e6ee, #2a303d); --mark: light-dark(#eef1f8, #222836);
  --accent: light-dark(#4b3fd1, #a49bff);
  --get: light-dark(#0b6b4f, #6fdcb4); --post: light-dark(#2456c4, #8db4ff);
  --patch: light-dark(#8a5200, #f0bd70); --delete: light-dark(#b3261e, #ff9c93);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif;
  display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, .path { font-family: var(--mono); font-size: .875em; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1.5rem;
  border-right: 1px solid var(--line); }
nav .name { display: block; font-weight: 700; font-size: 1.2rem; color: var(--ink); }
nav small { color: var(--soft); }
nav ul { list-style: none; margin: 1.5rem 0 0; padding: 0; }
nav li a { display: block; padding: .2rem 0; color: var(--soft); }
nav li a:hover { color: var(--ink); }
main { padding: 2.5rem clamp(1rem, 5vw, 4rem) 6rem; max-width: 62rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .75rem; letter-spacing: -.02em; }
h2 { font-size: 1.35rem; margin: 3.5rem 0 .25rem; letter-spacing: -.01em; }
.lead { font-size: 1.05rem; color: var(--soft); margin: 0 0 1.5rem; max-width: 44rem; }
pre { background: var(--mark); border-radius: 8px; padding: 1rem 1.25rem; overflow-x: auto;
  font-family: var(--mono); font-size: .85rem; line-height: 1.6; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  margin: .75rem 0; }
summary { padding: .8rem 1.1rem; }
summary { cursor: pointer; list-style: none; border-radius: 10px; }
summary::-webkit-details-marker { display: none; }
summary { position: relative; padding-right: 2.6rem; }
summary::after { content: '+'; position: absolute; right: 1.1rem; top: .7rem; color: var(--soft); }
[open] > summary::after { content: '\u2212'; }
details:not([open]) > summary:hover { background: var(--mark); }
.call { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .8rem; }
.verb { font: 700 .72rem/1 var(--mono); letter-spacing: .04em; width: 3.6rem; }
.get { color: var(--get); } .post { color: var(--post); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.path { font-weight: 600; overflow-wrap: anywhere; }
.who { margin-left: auto; display: flex; gap: .35rem; }
.who span { font-size: .72rem; color: var(--soft); border: 1px solid var(--line);
  border-radius: 99px; padding: .05rem .55rem; }
.about { display: block; margin: .35rem 0 0; color: var(--soft); }
.fields { padding: 0 1.1rem 1rem; }
h3 { font-size: .78rem; font-weight: 600; color: var(--soft); margin: 1rem 0 .2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td { border-top: 1px solid var(--line); padding: .4rem .8rem .4rem 0; vertical-align: top;
  overflow-wrap: anywhere; }
td:first-child { width: 14rem; }
td:last-child { color: var(--soft); }
.must { color: var(--accent); margin-left: .5rem; font-size: .75rem; white-space: nowrap; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line);
    padding: 1.25rem clamp(1rem, 5vw, 4rem); }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin-top: .5rem; }
  main { padding-top: 1.75rem; }
  .who { margin-left: 0; }
  td:first-child { width: 45%; }
}
`;
