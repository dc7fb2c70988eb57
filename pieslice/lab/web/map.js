// The pool: who has which slot after the cycle, by holder or by machine; the area is the slot weight.

import {byId, make, number, shown} from "./dom.js";
import {HATCHES, corner, css, eachRow, frame, hatch} from "./pen.js";
import {showTree} from "./tree.js";

const MOST_UNITS = 40000;
const MOST_MACHINES = 150;
// Slots are cells where one has at least so many pixels; else cells are machines, of so many units.
const LEAST = 3, MACHINE_UNITS = 4000;
const ORDERS = [["holder", "by holder"], ["machine", "by machine"]];
const LOOKS = [["user", "user"], ["group", "group"], ["state", "state"], ["free", "cores free"], ["age", "age"], ["rank", "rank of the job"]];
// `sides`: cycles, each with its slots, which are those of the pool in the first one.
let pool, sides = {}, users = [], touched = new Set(), ask = () => {}, drawn = [];
let slotNames = new Set();
let side = "after", order = "holder", colour = "user", textured = false;
let askFor = () => {}, rankOf = null, job = null, ranks = null;

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

// The slots of a machine as one cell, in the order by holder those that one user has.
function merged(section, cycle) {
  const found = new Map();
  for (const {machine: _, ...cell} of section.cells) {
    const machine = cycle.slots.machine[cell.slot], key = order === "holder" ? `${machine} ${cell.user}` : machine;
    if (!found.has(key)) found.set(key, {...cell, at: machine, weight: 0, parts: []});
    const one = found.get(key);
    one.parts.push(cell);
    one.weight += cell.weight;
  }
  for (const one of found.values()) {
    const {user, job, state, slot} = heaviest(one.parts);
    Object.assign(one, {user, job, state, slot});
  }
  return {...section, cells: [...found.values()]};
}

// The part of who has most of it.
function heaviest(parts) {
  const weights = new Map();
  for (const {user, weight} of parts) weights.set(user, (weights.get(user) || 0) + weight);
  const [most] = [...weights].reduce((one, other) => other[1] > one[1] ? other : one);
  return parts.find(one => one.user === most);
}

const hasQuota = section => section.quota > 0 && section.name !== "<none>";

function byHolder(cycle) {
  const groups = new Map(cycle.groups.map(one => [one.name, {...one, cells: []}]));
  const idle = {name: "unclaimed", cells: []};
  for (const cell of cellsOf(cycle)) {
    const name = cell.user < 0 ? null : users[cell.user].group;
    if (name != null && !groups.has(name)) groups.set(name, {name, cells: []});
    (groups.get(name) || idle).cells.push(cell);
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


// What cells are coloured by: the kind of a cell, and what each kind is called and looks like.
const USERS = 8;
const STEPS = 5;
const MINUTE = 60, HOUR = 3600, DAY = 86400;
const CORES = [[1, "1 core free"], [2, "2 to 3"], [4, "4 to 7"], [8, "8 to 15"], [16, "16 and more"]];
const AGES = [[0, "under 10 min"], [10 * MINUTE, "10 min to 1 h"], [HOUR, "1 to 6 h"], [6 * HOUR, "6 h to 1 day"], [DAY, "a day and more"]];
const others = () => users.filter(one => !one.heavy).length;

// The step of a number: of those that begin at numbers up to it the last.
function step(value, starts) {
  const at = starts.findLastIndex(([start]) => start <= value + 1e-9);
  return at < 0 ? "unused" : `s${at}`;
}

const parts = cell => cell.parts || [cell];

function free(cell) {
  const {cpus, weight} = here();
  return parts(cell).filter(one => one.user < 0 && (!one.state || one.state === "Unclaimed"))
    .reduce((sum, one) => sum + (cpus[one.slot] || 0) * (weight[one.slot] ? one.weight / weight[one.slot] : 1), 0);
}

// Seconds in the state; those of the longest, null where no slot tells.
function age(cell) {
  const {since} = here(), now = sides[side].now;
  const ages = parts(cell).filter(one => one.job || since[one.slot] != null).map(one => one.job ? 0 : now - since[one.slot]);
  return ages.length ? Math.max(...ages) : null;
}

const placeOf = cell => Math.min(...parts(cell).map(one => ranks[side].get(here().name[one.slot]) ?? Infinity));

const colours = {
  user: {
    of: cell => cell.user < 0 ? "unused" : users[cell.user].heavy ? `c${users[cell.user].look}` : "others",
    texture: cell => cell.user < 0 ? 0 : users[cell.user].heavy ? users[cell.user].texture : textured ? 1 + cell.user % 3 : 0,
    legend: () => [...users.filter(one => one.heavy).map(one => [`c${one.look} t${one.texture}`, one.short]),
      ...(others() ? [["others", `${others()} others`]] : []), ["unused", "unclaimed"]],
  },
  free: {
    of: cell => step(free(cell), CORES),
    legend: () => [["unused", "none free"], ...CORES.map(([, name], at) => [`s${at}`, name])],
  },
  age: {
    of: cell => age(cell) == null ? "unused" : step(Math.max(0, age(cell)), AGES),
    legend: () => [...AGES.map(([, name], at) => [`s${at}`, `${at ? "" : "in its state "}${name}`]), ["unused", "unknown"]],
  },
  rank: {
    of: cell => {
      const place = ranks ? placeOf(cell) : Infinity;
      return place === Infinity ? "unused" : `s${STEPS - 1 - Math.floor(place * STEPS / ranks[side].size)}`;
    },
    legend: () => !ranks ? [["unused", job ? `candidates of job ${job} ...` : "choose a job: a slot with one, a row, or a name in an answer"]]
      : [["s4", `best fifth of ${plural(ranks[side].size, "candidate")} of job ${job}`], ["s3", "second"], ["s2", "third"], ["s1", "fourth"], ["s0", "last"], ["unused", "no candidate"]],
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
    const fill = palette[colours[colour].of(box.cell)], hatch = palette.hatches[colours[colour].texture?.(box.cell) || 0];
    const isTouched = parts(box.cell).some(one => touched.has(here().name[one.slot]));
    eachRow(box, across, (row, first, last, isFirst, isLast) => {
      const x = first * size, y = row * size, w = (last - first) * size - (isLast ? gap : 0), h = size - gap;
      pen.fillStyle = fill;
      pen.fillRect(x, y, w, h);
      if (hatch) { pen.fillStyle = hatch; pen.fillRect(x, y, w, h); }
      if (isLast && isTouched) corner(pen, x + w, y, size, palette);
      if (canvas.focused === box.cell) frame(pen, x, y, w, h, palette.ink, 2);
    });
  }
  if (hasQuota(section)) quota(pen, Math.round(section.quota / unit), at, across, size, palette);
  canvas.boxes = boxes;
  canvas.across = across;
  canvas.cell = size;
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
    ...Object.fromEntries(Array.from({length: STEPS}, (_, at) => [`s${at}`, css(`--s${at}`)])),
    hatches: HATCHES.map(hatch), others: css("--others"), unused: css("--unused"), ink: css("--ink"), soft: css("--soft"), paper: css("--paper"),
  };
  for (const {canvas, section, size} of drawn) draw(canvas, section, size, palette);
}

// --- the page ------------------------------------------------------------------------------------

export const nameOf = user => user < 0 ? "nobody" : users[user].short;

export function holderOf(name) {
  const {slots} = sides.before, at = slots.name.indexOf(name);
  return at < 0 ? -1 : slots.holder[at];
}

const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

// Who has how much of some cells, who has most first.
function shares(cells) {
  const of = new Map();
  for (const cell of cells) of.set(cell.user, (of.get(cell.user) || 0) + cell.weight);
  return [...of].sort((a, b) => b[1] - a[1]).map(([user, weight]) => `${user < 0 ? "unclaimed" : users[user].short} ${number(weight)}`).join(", ");
}

function said(cell) {
  if (cell.parts) return `${pool.machines.name[cell.at] || "another machine"}: ${plural(cell.parts.length, "slot")}, ${shares(cell.parts)}${cell.parts.some(one => touched.has(here().name[one.slot])) ? "; some go another way" : ""}`;
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
  if (cell?.parts) ask({...cell, name: pool.machines.name[cell.at] || "another machine",
    slots: cell.parts.map(one => ({name: here().name[one.slot], job: one.job, said: said(one)}))}, null, canvas);
  else if (cell) ask(cell, here().name[cell.slot], canvas);
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

// Pixels of a unit of weight, so that all sections have room.
function sizeOf(sections, unit) {
  const units = sections.reduce((sum, one) => sum + one.cells.reduce((n, it) => n + Math.max(1, Math.round(it.weight / unit)), 0), 0);
  const room = Math.max(200, byId("groups").clientWidth) * 420;
  return Math.max(2, Math.min(22, Math.floor(Math.sqrt(room / Math.max(1, units)))));
}

function show() {
  let found = (order === "machine" ? byMachine : byHolder)(sides[side]);
  const total = here().weight.reduce((sum, one) => sum + one, 0);
  let unit = Math.max(1, total / MOST_UNITS), size = sizeOf(found, unit);
  if (size < LEAST) {
    found = found.map(one => merged(one, sides[side]));
    unit = Math.max(1, total / MACHINE_UNITS);
    size = sizeOf(found, unit);
  }
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
  showTree(sides[side], askFor);
  (order === "machine" ? showMachines : showHolders)();
  for (const button of byId("map-bar").querySelectorAll("[data-side]"))
    button.setAttribute("aria-pressed", String(button.dataset.side === side));
  byId("map-texture").checked = textured;
  byId("map-texture").parentElement.hidden = colour !== "user" || !others();
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
    const found = name.map(() => []);
    for (const cell of cellsOf(cycle)) found[cycle.slots.machine[cell.slot]]?.push(cell);
    return found;
  };
  const before = count(sides.before), after = count(sides.after);
  table([...(racks.length ? ["rack"] : []), "machine", "before", "after"], name.map((one, at) => make("tr", {},
    ...(racks.length ? [make("td", {}, racks[rack[at]] || "")] : []),
    make("td", {}, one), make("td", {}, shares(before[at])), make("td", {}, shares(after[at])))));
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
  fetchRanks();
  show();
}

// The job that slots are coloured for.
export function select(question) {
  if (question?.what !== "job" || question.name === job) return;
  job = question.name;
  fetchRanks();
}

async function fetchRanks() {
  ranks = null;
  if (colour !== "rank" || !job || !rankOf) return;
  const found = await rankOf(job).catch(() => null);
  if (!found) return;
  const places = one => new Map(one.slots.map((name, at) => [name, at]));
  ranks = {before: places(found.before), after: places(found.after)};
  if (colour === "rank") { paint(); showLegend(); }
}

// What a word is the name of: a question, without the job where it is a slot.
export function named(word) {
  if (slotNames.has(word)) return {what: "slot", name: word};
  if (users.some(one => one.name === word)) return {what: "user", name: word};
  return sides.before.groups.some(one => one.name === word && word !== "<none>") ? {what: "group", name: word} : null;
}

export const view = () => ({side, order, colour, textured: textured ? "1" : ""});

export function setView(wanted) {
  if (wanted.side in sides) side = wanted.side;
  if (ORDERS.some(([one]) => one === wanted.order)) order = wanted.order;
  if (LOOKS.some(([one]) => one === wanted.colour) && (wanted.colour !== "rank" || rankOf)) colour = wanted.colour;
  if ("textured" in wanted) textured = Boolean(wanted.textured);
  if (colour === "rank" && !ranks) fetchRanks();
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
    make("span", {}, ...choice("colour", "colour: ", LOOKS.filter(([one]) => one !== "rank" || rankOf))),
    make("label", {}, make("input", {id: "map-texture", type: "checkbox", change: event => setView({textured: event.target.checked ? "1" : ""})}), " texture for the others"));
}

// `whenAsked`: of a cell; `asked`: of a question; `ranked`: gives the candidates of a job, or none.
export function begin(overview, whenAsked, asked, ranked = null) {
  [askFor, rankOf] = [asked, ranked];
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
