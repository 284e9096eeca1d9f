#pragma once

namespace acceld::observability {

// The style of the page, in light and dark, for small and large screens.
inline constexpr char kStyle[] = R"(
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #fff; --line: #dfe4e9; --text: #1a232d; --muted: #566270;
  --track: #e6eaee; --fill: #2b7a9b; --good: #1c6e46; --good-back: #e2f2e9;
  --warn: #7d5200; --warn-back: #fbf0d9; --bad: #a8241c; --bad-back: #fbe6e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1419; --card: #171d24; --line: #28313b; --text: #e3e9ef; --muted: #9aa7b5;
    --track: #252e38; --fill: #58a6c6; --good: #6fcf9f; --good-back: #14301f;
    --warn: #e5b95c; --warn-back: #352a11; --bad: #f4938a; --bad-back: #3c1a18;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.75rem 1.25rem 2.5rem; max-width: 68rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
header { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .85rem; }
h1 { margin: 0; font-size: 1.6rem; font-weight: 650; letter-spacing: -.02em; }
h2 { margin: 2.1rem 0 .7rem; font-size: 1.1rem; font-weight: 620; }
h3 { margin: 0; font-size: 1rem; font-weight: 620; }
p { margin: 0; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
.push { margin-left: auto; }
.note { margin-top: .7rem; }
.pill {
  display: inline-flex; align-items: center; gap: .4rem; padding: .08rem .65rem; white-space: nowrap;
  border-radius: 1rem; font-size: .875rem; font-weight: 600; overflow-wrap: normal;
}
.pill::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: currentColor; }
.pill.warn::before { border-radius: 0; transform: rotate(45deg); }
.pill.bad::before { border-radius: 0; }
.good { color: var(--good); background: var(--good-back); }
.warn { color: var(--warn); background: var(--warn-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.tiles, .cards { display: grid; gap: .85rem; }
.tiles { grid-template-columns: repeat(6, 1fr); margin: 1.35rem 0 0; }
.cards { grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); }
.card {
  padding: .95rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
}
.tiles .card { display: flex; flex-direction: column; }
.tiles dt { font-size: .875rem; color: var(--muted); }
.tiles dd { margin: 0; }
.big { white-space: nowrap; font-size: 1.5rem; font-weight: 600; line-height: 1.35; letter-spacing: -.01em; }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem .75rem; }
.bar { display: block; margin: .85rem 0 .4rem; border-radius: .25rem; }
.bar .track { fill: var(--track); }
.bar .fill { fill: var(--fill); }
.bar .full { fill: var(--bad); }
.bar .peak { fill: var(--muted); }
.facts {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(7.75rem, 1fr)); gap: .6rem 1rem;
  margin: .9rem 0 0; padding-top: .9rem; border-top: 1px solid var(--line);
}
.facts dt { font-size: .8125rem; color: var(--muted); }
.facts dd { margin: 0; font-weight: 550; }
.facts .alert { color: var(--bad); }
.facts .none { color: var(--muted); font-weight: 400; }
.lines {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr));
  gap: .8rem 1.5rem;
}
.facts + .lines { margin-top: .9rem; padding-top: .9rem; border-top: 1px solid var(--line); }
.lines .row { flex-wrap: nowrap; overflow-wrap: normal; }
figure { margin: 0; }
.line {
  display: block; margin: .3rem 0 .1rem; overflow: visible; border-bottom: 1px solid var(--track);
  fill: none; stroke: var(--fill); stroke-width: 1.5px; stroke-linejoin: round; stroke-linecap: round;
}
.line path { vector-effect: non-scaling-stroke; }
.axis { font-size: .75rem; }
.error { margin-top: .7rem; padding: .5rem .75rem; border-radius: .45rem; font-size: .875rem; }
.scroll { overflow-x: auto; padding: .35rem 1.1rem; }
.scroll:focus-visible, button:focus-visible, a:focus-visible {
  outline: 2px solid var(--fill); outline-offset: 2px;
}
table { width: 100%; border-collapse: collapse; overflow-wrap: normal; }
th, td { padding: .5rem 0 .5rem 1.1rem; text-align: right; white-space: nowrap; }
thead th { font-size: .8125rem; font-weight: 500; color: var(--muted); }
th:first-child { padding-left: 0; text-align: left; white-space: normal; font-weight: 550; }
tbody th { min-width: 7rem; overflow-wrap: anywhere; }
tbody tr > * { border-top: 1px solid var(--line); }
td.zero { color: var(--muted); }
.trouble { margin: 0; padding: .35rem 1.1rem; list-style: none; }
.trouble li { padding: .65rem 0; display: flex; flex-wrap: wrap; gap: .2rem .75rem; align-items: baseline; }
.trouble li + li { border-top: 1px solid var(--line); }
.trouble .pill { min-width: 6.25rem; }
.trouble p { flex: 1 1 14rem; white-space: pre-wrap; }
footer {
  display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.25rem; margin-top: 2.2rem;
  font-size: .875rem; color: var(--muted);
}
a { color: inherit; }
button {
  padding: .25rem .8rem; border: 1px solid var(--line); border-radius: .45rem; font: inherit;
  color: var(--text); background: var(--card); cursor: pointer;
}
#stale { margin: 0 0 1.1rem; padding: .55rem .9rem; border-radius: .45rem; font-weight: 550; }
[hidden] { display: none !important; }
@media (max-width: 60rem) {
  .tiles { grid-template-columns: repeat(3, 1fr); }
}
@media (max-width: 34rem) {
  body { padding: 1.1rem .85rem 2rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .65rem; }
  .card { padding: .8rem .9rem; }
  .scroll, .trouble { padding: .25rem .9rem; }
  th, td { padding-left: .8rem; }
  .push { margin-left: 0; width: 100%; }
}
)";

// Replaces the main part of the page by that of a newer page, unless the page is paused or hidden
// or has text selected. Shows a notice when the daemon does not answer.
inline constexpr char kScript[] = R"(
"use strict";
const seconds = 5;
const pause = document.getElementById("pause");
const stale = document.getElementById("stale");
let paused = false;
async function renew() {
  if (paused || document.hidden || !document.getSelection().isCollapsed) return;
  try {
    const answer = await fetch(location.href, {
      cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(1000 * seconds)});
    if (!answer.ok) throw answer.status;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const at = [...document.querySelectorAll(".scroll")];
    const kept = at.map((e) => e.scrollLeft), focused = at.indexOf(document.activeElement);
    document.querySelector("main").replaceWith(page.querySelector("main"));
    document.title = page.title;
    document.querySelectorAll(".scroll").forEach((e, i) => {
      e.scrollLeft = kept[i] || 0;
      if (i === focused) e.focus({preventScroll: true});
    });
    stale.hidden = true;
  } catch {
    stale.hidden = false;
  }
}
pause.addEventListener("click", () => {
  paused = !paused;
  pause.textContent = paused ? "Resume" : "Pause";
  renew();
});
document.getElementById("live").hidden = false;
document.addEventListener("visibilitychange", renew);
setInterval(renew, 1000 * seconds);
)";

}  // namespace acceld::observability
