// The pool: who has which slot after the cycle, group by group; the area is the slot weight.

import {byId, make, number, shown} from "./dom.js";

const MOST_UNITS = 40000;
let pool, sides = {}, users = [], touched = new Set(), side = "after", ask = () => {}, drawn = [];

// --- what there is to see ------------------------------------------------------------------------

// Cells of a cycle: a part of a slot, who has it, how much it weighs.
function cellsOf(cycle) {
  const {name, holder, weight, state, split} = pool.slots;
  const given = new Map();
  for (const [slot, user, job, kind, cost] of cycle.matches)
    if (slot >= 0) given.set(slot, [...(given.get(slot) || []), {user, job, kind, cost}]);
  const cells = [];
  for (let slot = 0; slot < name.length; slot++) {
    const matches = given.get(slot) || [];
    let left = weight[slot];
    for (const one of matches) {
      const size = split[slot] ? Math.min(one.cost, left) : weight[slot];
      left -= size;
      cells.push({slot, user: one.user, job: one.job, kind: one.kind, weight: size});
    }
    if (!matches.length || (split[slot] && left > 1e-9))
      cells.push({slot, user: matches.length ? -1 : holder[slot], weight: left, state: state[slot]});
  }
  return cells;
}

function sections(cycle) {
  const groups = new Map(cycle.groups.map(one => [one.name, {...one, cells: []}]));
  const idle = {name: "unclaimed", cells: []};
  for (const cell of cellsOf(cycle)) {
    const group = cell.user < 0 ? idle : groups.get(users[cell.user].group) || idle;
    group.cells.push(cell);
  }
  const order = (a, b) => a.user - b.user || a.slot - b.slot;
  const found = [...groups.values(), idle].filter(one => one.cells.length || hasQuota(one));
  for (const one of found) one.cells.sort(order);
  return found;
}

// --- drawing -------------------------------------------------------------------------------------

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function colourOf(user, palette) {
  if (user < 0) return palette.unused;
  const place = users[user].colour;
  return place < 0 ? palette.others : palette.users[place];
}

function draw(canvas, section, size, palette) {
  const width = canvas.parentElement.clientWidth || 300, ratio = devicePixelRatio || 1;
  const across = Math.max(1, Math.floor(width / size));
  const unit = canvas.unit, boxes = [];
  let at = 0;
  for (const cell of section.cells) {
    const units = Math.max(1, Math.round(cell.weight / unit));
    boxes.push({cell, from: at, to: at + units});
    at += units;
  }
  const rows = Math.ceil(Math.max(at, hasQuota(section) ? section.quota / unit : 0) / across);
  canvas.width = across * size * ratio;
  canvas.height = rows * size * ratio;
  canvas.style.width = `${across * size}px`;
  canvas.style.height = `${rows * size}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const gap = size > 5 ? 1 : 0;
  for (const box of boxes) {
    pen.fillStyle = colourOf(box.cell.user, palette);
    eachRow(box, across, (row, first, last, isFirst, isLast) => {
      const x = first * size, y = row * size, w = (last - first) * size - (isLast ? gap : 0), h = size - gap;
      pen.fillRect(x, y, w, h);
      if (isLast && touched.has(pool.slots.name[box.cell.slot])) corner(pen, x + w, y, size, palette);
      if (canvas.focused === box.cell) frame(pen, x, y, w, h, palette.ink, 2);
    });
  }
  if (hasQuota(section)) quota(pen, Math.round(section.quota / unit), at, across, size, palette);
  canvas.boxes = boxes;
  canvas.across = across;
  canvas.cell = size;
}

function eachRow({from, to}, across, each) {
  for (let at = from; at < to;) {
    const row = Math.floor(at / across), end = Math.min(to, (row + 1) * across);
    each(row, at - row * across, end - row * across, at === from, end === to);
    at = end;
  }
}

// A change is a shape: the corner is cut.
function corner(pen, x, y, size, palette) {
  const cut = Math.max(3, size * 0.55);
  pen.fillStyle = palette.paper;
  pen.beginPath();
  pen.moveTo(x - cut, y);
  pen.lineTo(x, y);
  pen.lineTo(x, y + cut);
  pen.fill();
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x - cut, y + 0.5);
  pen.lineTo(x - 0.5, y + cut);
  pen.stroke();
}

function frame(pen, x, y, w, h, colour, line) {
  pen.strokeStyle = colour;
  pen.lineWidth = line;
  pen.strokeRect(x + line / 2, y + line / 2, w - line, h - line);
}

const hasQuota = section => section.quota > 0 && section.name !== "<none>";

// The quota is a line where it ends in what is used, or the outline of what is left of it.
function quota(pen, units, filled, across, size, palette) {
  if (units > filled) {
    eachRow({from: filled, to: units}, across, (row, first, last) =>
      frame(pen, first * size, row * size, (last - first) * size - 1, size - 1, palette.soft, 1));
    return;
  }
  const row = Math.floor((units - 1) / across);
  pen.fillStyle = palette.ink;
  pen.fillRect((units - row * across) * size - 2, row * size - 1, 3, size + 1);
}

function paint() {
  const palette = {
    users: Array.from({length: 8}, (_, place) => css(`--c${place}`)),
    others: css("--others"), unused: css("--unused"), ink: css("--ink"), soft: css("--soft"), paper: css("--paper"),
  };
  for (const {canvas, section, size} of drawn) draw(canvas, section, size, palette);
}

// --- the page ------------------------------------------------------------------------------------

export const nameOf = user => user < 0 ? "nobody" : users[user].short;

export function holderOf(name) {
  const at = pool.slots.name.indexOf(name);
  return at < 0 ? -1 : pool.slots.holder[at];
}

function said(cell) {
  const slot = pool.slots.name[cell.slot];
  const how = cell.user < 0 ? cell.state || "left of a partitionable slot"
    : `${users[cell.user].short}${cell.job ? `, matched, job ${cell.job}` : ", running"}`;
  return `${slot}: ${how}, weight ${number(cell.weight)}${touched.has(slot) ? ", goes another way" : ""}`;
}

function cellAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / canvas.cell);
  const unit = Math.floor((event.clientY - box.top) / canvas.cell) * canvas.across + column;
  return canvas.boxes.find(one => one.from <= unit && unit < one.to)?.cell;
}

function choose(canvas, cell) {
  if (cell) ask(cell, pool.slots.name[cell.slot], canvas);
}

function onKey(canvas, event) {
  const boxes = canvas.boxes, at = boxes.findIndex(one => one.cell === canvas.focused);
  const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: canvas.across, ArrowUp: -canvas.across}[event.key];
  if (event.key === "Enter" && at >= 0) choose(canvas, canvas.focused);
  if (!step || !boxes.length) return;
  event.preventDefault();
  let next = at < 0 ? 0 : at + Math.sign(step);
  if (at >= 0 && Math.abs(step) > 1) {
    const unit = boxes[at].from + step;
    next = boxes.findIndex(one => one.from <= unit && unit < one.to);
    if (next < 0) return;
  }
  canvas.focused = boxes[Math.max(0, Math.min(boxes.length - 1, next))].cell;
  byId("said").textContent = shown(said(canvas.focused));
  paint();
}

function canvasOf(section) {
  return make("canvas", {
    tabindex: "0", role: "img", "aria-label": `slots of ${section.name}; arrows go through them`,
    mousemove(event) {
      const cell = cellAt(this, event);
      this.title = cell ? shown(said(cell)) : "";
    },
    click(event) { choose(this, cellAt(this, event)); },
    keydown(event) { onKey(this, event); },
    blur() { this.focused = null; paint(); },
  });
}

function heading(section) {
  const weight = section.cells.reduce((sum, one) => sum + one.weight, 0);
  const name = section.name === "<none>" ? "no group" : section.name;
  const of = hasQuota(section) ? ` of quota ${number(section.quota)}` : "";
  return make("h3", {}, name, make("span", {class: "soft"}, ` ${number(weight)}${of}`));
}

function show() {
  const found = sections(sides[side]);
  const total = pool.slots.weight.reduce((sum, one) => sum + one, 0);
  const unit = Math.max(1, total / MOST_UNITS);
  const units = found.reduce((sum, one) => sum + one.cells.reduce((n, it) => n + Math.max(1, it.weight / unit), 0), 0);
  const room = Math.max(200, byId("groups").clientWidth) * 420;
  const size = Math.max(2, Math.min(22, Math.floor(Math.sqrt(room / Math.max(1, units)))));
  drawn = [];
  byId("groups").replaceChildren(...found.map(section => {
    const canvas = canvasOf(section);
    canvas.unit = unit;
    drawn.push({canvas, section, size});
    return make("div", {class: "group"}, heading(section), make("div", {class: "strip"}, canvas));
  }));
  paint();
  showLegend();
  showTable();
  for (const button of byId("sides").children)
    button.setAttribute("aria-pressed", String(button.dataset.side === side));
}

function showLegend() {
  const named = users.filter(one => one.colour >= 0);
  byId("legend").replaceChildren(
    ...named.map(one => make("span", {}, make("i", {class: `swatch c${one.colour}`}), one.short)),
    ...(named.length < users.length ? [make("span", {}, make("i", {class: "swatch others"}), "others")] : []),
    make("span", {}, make("i", {class: "swatch unused"}), "unclaimed"),
    make("span", {}, make("i", {class: "swatch room"}), "left of the quota"),
    make("span", {}, make("i", {class: "swatch cut"}), "goes another way"));
}

function showTable() {
  const count = cycle => {
    const found = new Map();
    for (const cell of cellsOf(cycle)) found.set(cell.user, (found.get(cell.user) || 0) + cell.weight);
    return found;
  };
  const before = count(sides.before), after = count(sides.after);
  const rows = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b).map(user => make("tr", {},
    make("td", {}, user < 0 ? "unclaimed" : users[user].name), make("td", {}, user < 0 ? "" : users[user].group),
    make("td", {class: "right"}, number(before.get(user) || 0)), make("td", {class: "right"}, number(after.get(user) || 0))));
  const titles = ["user", "group", "before", "after"].map(one => make("th", {}, one));
  byId("holders").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...titles)), make("tbody", {}, ...rows)));
}

export function setCycle(cycle, names, slots) {
  sides.after = cycle;
  users = names;
  touched = slots;
  show();
}

export const view = () => ({side});

export function setView(wanted) {
  if (wanted.side in sides) side = wanted.side;
  show();
}

export function begin(overview, whenAsked) {
  pool = overview;
  users = overview.users;
  sides = {before: overview.base, after: overview.base};
  ask = whenAsked;
  for (const button of byId("sides").children)
    button.addEventListener("click", () => setView({side: button.dataset.side}));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  new ResizeObserver(() => paint()).observe(byId("groups"));
  show();
}
