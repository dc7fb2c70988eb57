// The rows of a long table: only those that are seen are there, and arrows go through all of them.

import {make} from "./dom.js";

// As many rows as are always there, and as many beyond what is seen.
const FEW = 200, BEYOND = 20;

// Shows a table of `items` in `panel`: `titles` of columns, `row(item)` makes a row; `said` above it.
export function showRows(panel, titles, items, row, said = "") {
  const body = make("tbody"), head = make("tr", {}, ...titles);
  const table = make("table", {"aria-rowcount": items.length + 1}, ...(said ? [make("caption", {class: "soft"}, said)] : []), make("thead", {}, head), body);
  const made = at => {
    const found = row(items[at]);
    found.setAttribute("aria-rowindex", at + 2);
    found.at = at;
    return found;
  };
  let first = 0, height = 0, now = 0;
  panel.replaceChildren(table);
  panel.scrollTop = 0;
  panel.onscroll = null;

  function draw(from) {
    const count = Math.ceil(panel.clientHeight / height) + 2 * BEYOND;
    first = Math.max(0, Math.min(from - BEYOND, items.length - count));
    const to = Math.min(items.length, first + count), focused = body.contains(document.activeElement);
    const space = rows => { const one = make("tr", {class: "space", "aria-hidden": "true"}); one.style.height = `${rows * height}px`; return one; };
    body.replaceChildren(space(first), ...Array.from({length: to - first}, (_, at) => made(first + at)), space(items.length - to));
    if (focused) (rowAt(now) || panel).focus({preventScroll: true});
  }
  const rowAt = at => [...body.children].find(one => one.at === at);

  if (items.length <= FEW) body.append(...items.map((_, at) => made(at)));
  else {
    table.classList.add("long");
    body.append(made(0));
    height = body.firstChild.getBoundingClientRect().height || 24;
    draw(0);
    panel.onscroll = () => {
      const from = Math.floor(panel.scrollTop / height), seen = Math.ceil(panel.clientHeight / height);
      if (from < first + BEYOND / 2 && first > 0 || from + seen > first + body.children.length - 2 - BEYOND / 2) draw(from);
    };
  }

  table.addEventListener("focusin", event => { if (event.target.at !== undefined) now = event.target.at; });
  panel.onkeydown = event => {
    const page = height ? Math.max(1, Math.floor(panel.clientHeight / height) - 1) : 10;
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -items.length, End: items.length}[event.key];
    if (!step || !items.length || (!body.contains(document.activeElement) && document.activeElement !== panel)) return;
    event.preventDefault();
    now = Math.max(0, Math.min(items.length - 1, now + step));
    if (!rowAt(now)) {
      draw(now);
      panel.scrollTop = now * height;
    }
    rowAt(now).focus();
  };
}
