// The pool: who has which slot after the cycle, by holder or by machine; the area is the slot weight.

import {byId, make, number, shown} from "./dom.js";

const MOST_UNITS = 40000;
const MOST_MACHINES = 150;
const ORDERS = [["holder", "by holder"], ["machine", "by machine"]];
const LOOKS = [["user", "user"], ["group", "group"], ["state", "state"]];
// `sides`: cycles, each with its slots, which are those of the pool in the first one.
let pool, sides = {}, users = [], touched = new Set(), ask = () => {}, drawn = [];
let slotNames = new Set();
let side = "after", order = "holder", colour = "user";

// --- what there is to see ------------------------------------------------------------------------

// Cells of a cycle: a part of a slot, who has it, how much it weighs.
function cellsOf(cycle) {
  const {name, holder, weight, state, split} = cycle.slots;
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

const hasQuota = section => section.quota > 0 && section.name !== "<none>";

function byHolder(cycle) {
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

const counted = new Intl.Collator("en", {numeric: true});

// Machines in their racks; of very many those of a rack stand in one section, with a gap between two.
function byMachine(cycle) {
  const {name, rack, racks} = pool.machines, many = name.length > MOST_MACHINES;
  const found = new Map();
  for (const cell of cellsOf(cycle)) {
    const machine = cycle.slots.machine[cell.slot], at = many ? rack[machine] : machine;
    if (!found.has(at)) found.set(at, {name: many ? racks[at] || "no rack" : name[at], rack: racks[rack[machine]], machine: !many, place: machine, cells: []});
    found.get(at).cells.push({...cell, machine});
  }
  const order = (a, b) => a.machine - b.machine || counted.compare(cycle.slots.name[a.slot], cycle.slots.name[b.slot]);
  const sections = [...found.values()].sort((a, b) => racks.indexOf(a.rack) - racks.indexOf(b.rack) || a.place - b.place);
  for (const one of sections) one.cells.sort(order);
  return sections;
}

// --- drawing -------------------------------------------------------------------------------------

// The slots of the side that is shown.
const here = () => sides[side].slots;

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What cells are coloured by: the kind of a cell, and what each kind is called and looks like.
const USERS = 8;
const colours = {
  user: {
    of: cell => cell.user < 0 ? "unused" : users[cell.user].colour < 0 ? "others" : `c${users[cell.user].colour}`,
    legend: () => [...users.filter(one => one.colour >= 0).map(one => [`c${one.colour}`, one.short]),
      ...(users.some(one => one.colour < 0) ? [["others", "others"]] : []), ["unused", "unclaimed"]],
  },
  group: {
    of: cell => cell.user < 0 ? "unused" : groupLook(users[cell.user].group),
    legend: () => [...groupNames().slice(0, USERS).map((name, at) => [`c${at}`, groupTitle(name)]),
      ...(groupNames().length > USERS ? [["others", "other groups"]] : []), ["unused", "unclaimed"]],
  },
  state: {
    of: cell => cell.job ? "c0" : cell.user >= 0 ? "c1" : cell.state && cell.state !== "Unclaimed" ? "others" : "unused",
    legend: () => [["c0", "matched in the cycle"], ["c1", "stays claimed"],
      ...(here().state.some((state, at) => here().holder[at] < 0 && state && state !== "Unclaimed") ? [["others", "Owner, Matched and other states"]] : []),
      ["unused", "unclaimed"]],
  },
};

const groupTitle = name => name === "<none>" ? "no group" : name;
const groupNames = () => [...new Set(users.map(one => one.group))];

function groupLook(name) {
  const at = groupNames().indexOf(name);
  return at < USERS ? `c${at}` : "others";
}

function draw(canvas, section, size, palette) {
  const width = canvas.parentElement.clientWidth || 300, ratio = devicePixelRatio || 1;
  const across = Math.max(1, Math.floor(width / size));
  const unit = canvas.unit, boxes = [];
  let at = 0;
  let machine = section.cells[0]?.machine;
  for (const cell of section.cells) {
    if (cell.machine !== machine) at += 1;
    machine = cell.machine;
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
    pen.fillStyle = palette[colours[colour].of(box.cell)];
    eachRow(box, across, (row, first, last, isFirst, isLast) => {
      const x = first * size, y = row * size, w = (last - first) * size - (isLast ? gap : 0), h = size - gap;
      pen.fillRect(x, y, w, h);
      if (isLast && touched.has(here().name[box.cell.slot])) corner(pen, x + w, y, size, palette);
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
    ...Object.fromEntries(Array.from({length: USERS}, (_, place) => [`c${place}`, css(`--c${place}`)])),
    others: css("--others"), unused: css("--unused"), ink: css("--ink"), soft: css("--soft"), paper: css("--paper"),
  };
  for (const {canvas, section, size} of drawn) draw(canvas, section, size, palette);
}

// --- the page ------------------------------------------------------------------------------------

export const nameOf = user => user < 0 ? "nobody" : users[user].short;

export function holderOf(name) {
  const {slots} = sides.before, at = slots.name.indexOf(name);
  return at < 0 ? -1 : slots.holder[at];
}

function said(cell) {
  const slot = here().name[cell.slot];
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
  if (cell) ask(cell, here().name[cell.slot], canvas);
}

// The cell `step` units away, in this section or in the one beside it.
function away(canvas, at, key) {
  const {boxes, across} = canvas;
  if (at < 0) return [canvas, 0];
  if (key === "Home" || key === "End") return [canvas, key === "Home" ? 0 : boxes.length - 1];
  const ahead = key === "ArrowRight" || key === "ArrowDown";
  const unit = boxes[at].from + (ahead ? across : -across);
  const next = key === "ArrowRight" || key === "ArrowLeft" ? at + (ahead ? 1 : -1)
    // Between two machines is a gap.
    : ahead ? boxes.findIndex(one => unit < one.to) : boxes.findLastIndex(one => one.from <= unit);
  if (next >= 0 && next < boxes.length) return [canvas, next];
  const others = drawn.map(one => one.canvas).filter(one => one.boxes.length);
  const beside = others[others.indexOf(canvas) + (ahead ? 1 : -1)];
  return beside ? [beside, ahead ? 0 : beside.boxes.length - 1] : [canvas, at];
}

function onKey(canvas, event) {
  const at = canvas.boxes.findIndex(one => one.cell === canvas.focused);
  if (event.key === "Enter" && at >= 0) choose(canvas, canvas.focused);
  if (!["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"].includes(event.key) || !canvas.boxes.length) return;
  event.preventDefault();
  const [next, place] = away(canvas, at, event.key);
  if (next !== canvas) next.focus();
  next.focused = next.boxes[place].cell;
  byId("said").textContent = shown(said(next.focused));
  paint();
}

// One section is in the order of Tab; arrows go to the others.
function hold(canvas) {
  for (const one of drawn) one.canvas.tabIndex = one.canvas === canvas ? 0 : -1;
}

function canvasOf(section, isFirst) {
  return make("canvas", {
    tabindex: isFirst ? "0" : "-1", role: "img", "aria-label": `slots of ${section.name}; arrows go through them, Enter asks why`,
    mousemove(event) {
      const cell = cellAt(this, event);
      this.title = cell ? shown(said(cell)) : "";
    },
    click(event) { choose(this, cellAt(this, event)); },
    keydown(event) { onKey(this, event); },
    focus() { hold(this); },
    blur() { this.focused = null; paint(); },
  });
}

function heading(section) {
  const weight = section.cells.reduce((sum, one) => sum + one.weight, 0);
  const of = hasQuota(section) ? ` of quota ${number(section.quota)}` : "";
  return make(section.machine ? "span" : "h3", {class: section.machine ? "name" : ""}, groupTitle(section.name),
    make("span", {class: "soft"}, ` ${number(weight)}${of}`));
}

function show() {
  const found = (order === "machine" ? byMachine : byHolder)(sides[side]);
  const total = here().weight.reduce((sum, one) => sum + one, 0);
  const unit = Math.max(1, total / MOST_UNITS);
  const units = found.reduce((sum, one) => sum + one.cells.reduce((n, it) => n + Math.max(1, it.weight / unit), 0), 0);
  const room = Math.max(200, byId("groups").clientWidth) * 420;
  const size = Math.max(2, Math.min(22, Math.floor(Math.sqrt(room / Math.max(1, units)))));
  drawn = [];
  let rack;
  byId("groups").replaceChildren(...found.flatMap((section, at) => {
    const canvas = canvasOf(section, at === 0);
    canvas.unit = unit;
    drawn.push({canvas, section, size});
    const head = section.machine && section.rack !== rack ? [make("h3", {}, section.rack || "no rack")] : [];
    rack = section.rack;
    return [...head, make("div", {class: section.machine ? "group machine" : "group"}, heading(section), make("div", {class: "strip"}, canvas))];
  }));
  paint();
  showLegend();
  (order === "machine" ? showMachines : showHolders)();
  for (const button of byId("map-bar").querySelectorAll("[data-side]"))
    button.setAttribute("aria-pressed", String(button.dataset.side === side));
  byId("map-order").value = order;
  byId("map-colour").value = colour;
}

function showLegend() {
  byId("legend").replaceChildren(
    ...colours[colour].legend().map(([look, name]) => make("span", {}, make("i", {class: `swatch ${look}`}), name)),
    ...(order === "holder" ? [make("span", {}, make("i", {class: "swatch room"}), "left of the quota")] : []),
    make("span", {}, make("i", {class: "swatch cut"}), "goes another way"));
}

function table(titles, rows) {
  const heads = titles.map(one => make("th", {scope: "col"}, one));
  byId("holders").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}

// Who has how much of each machine.
function showMachines() {
  const {name, rack, racks} = pool.machines;
  const count = cycle => {
    const found = name.map(() => new Map());
    for (const cell of cellsOf(cycle)) {
      const of = found[cycle.slots.machine[cell.slot]];
      of.set(cell.user, (of.get(cell.user) || 0) + cell.weight);
    }
    return found;
  };
  const words = of => [...of].sort((a, b) => b[1] - a[1]).map(([user, weight]) => `${user < 0 ? "unclaimed" : users[user].short} ${number(weight)}`).join(", ");
  const before = count(sides.before), after = count(sides.after);
  table([...(racks.length ? ["rack"] : []), "machine", "before", "after"], name.map((one, at) => make("tr", {},
    ...(racks.length ? [make("td", {}, racks[rack[at]] || "")] : []),
    make("td", {}, one), make("td", {}, words(before[at])), make("td", {}, words(after[at])))));
}

function showHolders() {
  const count = cycle => {
    const found = new Map();
    for (const cell of cellsOf(cycle)) found.set(cell.user, (found.get(cell.user) || 0) + cell.weight);
    return found;
  };
  const before = count(sides.before), after = count(sides.after);
  table(["user", "group", "before", "after"], [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b).map(user => make("tr", {},
    make("td", {}, user < 0 ? "unclaimed" : users[user].name), make("td", {}, user < 0 ? "" : users[user].group),
    make("td", {class: "right"}, number(before.get(user) || 0)), make("td", {class: "right"}, number(after.get(user) || 0)))));
}

const withSlots = cycle => ({slots: pool.slots, ...cycle});

// The cycle of an edit, and that of the running policy, which is the first one if it has no other.
export function setEdit(edit) {
  sides = {before: withSlots(edit.before || pool.base), after: withSlots(edit.cycle)};
  slotNames = new Set([...sides.before.slots.name, ...sides.after.slots.name]);
  users = edit.users;
  touched = new Set(edit.changes.slots.map(one => one.slot));
  show();
}

// What a word is the name of: a question, without the job where it is a slot.
export function named(word) {
  if (slotNames.has(word)) return {what: "slot", name: word};
  if (users.some(one => one.name === word)) return {what: "user", name: word};
  return sides.before.groups.some(one => one.name === word && word !== "<none>") ? {what: "group", name: word} : null;
}

export const view = () => ({side, order, colour});

export function setView(wanted) {
  if (wanted.side in sides) side = wanted.side;
  if (ORDERS.some(([one]) => one === wanted.order)) order = wanted.order;
  if (wanted.colour in colours) colour = wanted.colour;
  show();
}

function showBar() {
  const choice = (name, label, options) => [make("label", {for: `map-${name}`}, label),
    make("select", {id: `map-${name}`, change: event => setView({[name]: event.target.value})},
      ...options.map(([value, text]) => make("option", {value}, text)))];
  byId("map-bar").replaceChildren(
    make("span", {role: "group", "aria-label": "side"}, ...Object.keys(sides).map(one =>
      make("button", {"data-side": one, click: () => setView({side: one})}, one))),
    make("span", {}, ...choice("order", "order: ", ORDERS)),
    make("span", {}, ...choice("colour", "colour: ", LOOKS)));
}

export function begin(overview, whenAsked) {
  pool = overview;
  users = overview.users;
  slotNames = new Set(pool.slots.name);
  sides = {before: withSlots(pool.base), after: withSlots(pool.base)};
  ask = whenAsked;
  showBar();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  new ResizeObserver(() => paint()).observe(byId("groups"));
  show();
}
