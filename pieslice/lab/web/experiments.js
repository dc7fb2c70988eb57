// Experiments with the policy: what takes longer than a key.

import {ask} from "./api.js";
import {byId, make, number as shownNumber, shown, signed, tabs} from "./dom.js";
import {begin as beginRun, follow} from "./runs.js";
import {block} from "./why.js";

const SVG = "http://www.w3.org/2000/svg";
const KINDS = [["simulate", "Simulate days"], ["sweep", "Sweep"], ["fuzz", "Break it"]];
// Where the page keeps for its next load which counterexample is open, and what was searched.
const VISIT = "pieslice-lab-visit";
let texts = () => ({}), macro = () => "", take = () => {}, kind = "simulate", after = 0;
const panels = {};

// Elements of values that the server makes of its own charts; styles are set, not written.
function build(parts, space = null) {
  return parts.map(part => {
    if (typeof part === "string") return shown(part);
    const [tag, attributes, ...content] = part, own = tag === "svg" ? SVG : space;
    const made = own ? document.createElementNS(own, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
      if (name === "style") made.style.cssText = value;
      else made.setAttribute(name, shown(value));
    // Data are no text for people.
    made.append(...(tag === "script" ? content : build(content, own)));
    return made;
  });
}

// The script of charts looks at all that are there when it begins.
function enliven() {
  byId("charts-script")?.remove();
  const script = make("script", {id: "charts-script", src: `/web/charts.js?${after += 1}`});
  document.body.append(script);
}

// --- one experiment -----------------------------------------------------------------------------

// A form whose answer comes later: `question` of the form, `show` gives elements for the answer.
function panel(name, about, fields, question, show) {
  const bar = make("progress", {max: "1", "aria-label": "how far it is"}), words = make("span", {role: "status"});
  const running = make("p", {hidden: true}, bar, " ", words, " ", make("button", {type: "button", click: () => stop()}, "Stop"));
  const outcome = make("div", {class: "outcome", tabindex: "0", "aria-label": "what came of it"});
  const start = make("button", {class: "main"}, "Run");
  let stop = () => {}, number = 0, run = 0;

  const told = mine => state => {
    if (mine !== number) return;
    running.hidden = state.state !== "running";
    start.disabled = state.state === "running";
    if (state.state === "running") {
      if (state.part) bar.value = state.part;
      else bar.removeAttribute("value");
      words.textContent = shown(state.words);
    } else if (state.state === "done") {
      outcome.replaceChildren(...show(state.answer, run));
      if (outcome.querySelector("figure.chart")) enliven();
    } else outcome.replaceChildren(make("p", {class: state.state === "stopped" ? "soft" : "bad"}, state.problem || "Stopped."));
  };

  const form = make("form", {async submit(event) {
    event.preventDefault();
    const mine = number += 1;
    outcome.replaceChildren();
    told(mine)({state: "running", part: 0, words: "starting"});
    try {
      ({run, stop} = await beginRun({kind: name, ...texts(), ...question(new FormData(form))}, told(mine)));
    } catch (problem) {
      told(mine)({state: "refused", problem: problem.message});
    }
  }}, ...fields, start);
  const element = make("div", {class: "experiment", id: `experiment-${name}`, role: "tabpanel"}, make("p", {class: "soft"}, about), form, running, outcome);
  // Takes up one that was begun before the page was loaded.
  element.resume = before => { run = before; stop = follow(run, told(number += 1)); };
  return element;
}

const field = (label, input, wide) => make("label", {class: wide ? "wide" : ""}, label, input);
const numeric = (name, value, least, step) => make("input", {type: "number", name, value, min: least, step, required: true});

// --- simulate -----------------------------------------------------------------------------------

const WORKLOAD = `[[stream]]
user = "alice@campus.example"
group = "group_physics.hep"
backlog = 60
per_hour = 15
run_time = 3600`;

function simulated({sentences, numbers, charts, notes}) {
  return [
    make("ul", {}, ...sentences.map(one => make("li", {}, one))),
    make("div", {class: "two"}, ...build(charts)),
    make("details", {}, make("summary", {}, "Numbers"), ...numbers.map(block)),
    ...(notes.length ? [make("details", {}, make("summary", {}, `Notes ${notes.length}`), make("ul", {}, ...notes.map(one => make("li", {}, one))))] : []),
  ];
}

const simulate = () => panel("simulate",
  "The pool over days, from its priorities on and with all slots unclaimed: A is the running policy, B the edited one. The charts are those of `pieslice report`.",
  [field("days", numeric("days", "1", "0.01", "any")),
    field("jobs come again after hours (0: never)", numeric("every", "0", "0", "any")),
    field("mean run time in s", numeric("run_time", "3600", "1", "1")),
    field("other jobs than those of the pool: streams of a workload, TOML", make("textarea", {name: "workload", rows: "2", placeholder: WORKLOAD, spellcheck: "false"}), true)],
  form => ({days: Number(form.get("days")), every: Number(form.get("every")), run_time: Number(form.get("run_time")), workload: form.get("workload")}),
  simulated);

// --- sweep --------------------------------------------------------------------------------------

const MOST_USERS = 8;

// A point of a sweep: a bar for each user, those of all points in one order and on one scale.
function pointChart(point, users, most) {
  const nets = new Map(point.users);
  const bars = users.map(({name, short, look, heavy}) => {
    const net = nets.get(name) || 0, piece = make("i", {class: heavy ? `c${look}` : "others"});
    piece.style.width = `${most ? Math.abs(net) / most * 50 : 0}%`;
    piece.style[net < 0 ? "right" : "left"] = "50%";
    return make("span", {class: "gain", title: `${short} ${signed(net)}`},
      make("span", {class: "name"}, short), make("span", {class: "balance"}, piece), make("span", {class: "right"}, net ? signed(net) : "0"));
  });
  return make("span", {class: "gains"}, ...bars, make("span", {class: "soft"}, `${shownNumber(point.slots)} slots`));
}

function swept({axes, points, users}) {
  const weight = new Map();
  for (const point of points)
    for (const [name, net] of point.users || []) weight.set(name, Math.max(weight.get(name) || 0, Math.abs(net)));
  const order = [...weight].sort((a, b) => b[1] - a[1]).slice(0, MOST_USERS).map(([name]) => users.find(one => one.name === name) || {name, short: name, heavy: false});
  const most = Math.max(0, ...weight.values()), [first, second] = axes, across = second?.values || [""];
  const cell = point => make("td", {}, point.starts ? make("button", {class: "point", title: "take these lines over", click() { take(point.lines); }},
    pointChart(point, order, most)) : make("p", {class: "bad"}, "would not start: ", point.problem));
  const rows = first.values.map((value, at) => make("tr", {}, make("th", {scope: "row"}, value),
    ...across.map((_, column) => cell(points[at * across.length + column]))));
  return [
    make("p", {}, order.length ? "Who gains and loses against the running policy, in slot weight; a click takes the lines over into the overlay." : "No value changes anything."),
    ...(weight.size > order.length ? [make("p", {class: "soft"}, `The ${order.length} of ${weight.size} users with the greatest change.`)] : []),
    make("table", {class: "sweep"}, make("thead", {},
      ...(second ? [make("tr", {}, make("td"), make("th", {colspan: across.length, scope: "colgroup"}, second.name))] : []),
      make("tr", {}, make("th", {scope: "col"}, first.name), ...across.map(value => make("th", {scope: "col"}, value)))), make("tbody", {}, ...rows)),
  ];
}

const macroField = name => make("input", {name, autocomplete: "off", spellcheck: "false", size: "34"});
const valuesField = (name, example) => make("input", {name, autocomplete: "off", spellcheck: "false", placeholder: example});

const sweep = () => panel("sweep",
  "One cycle for each value of a macro, or for each pair of values of two, which are read after the text of the page.",
  [field("macro", macroField("first")), field("values, with commas", valuesField("first-values", "0.1, 0.3, 0.5"), true),
    field("a second one, or nothing", macroField("second")), field("its values", valuesField("second-values", "true, false"), true)],
  form => ({axes: ["first", "second"].map(name => [form.get(name).trim(), form.get(`${name}-values`)]).filter(([name]) => name)}),
  swept);

// --- break it -----------------------------------------------------------------------------------

function values(title, found) {
  return Object.entries(found).map(([name, value]) => make("tr", {}, make("td", {class: "soft"}, title), make("td", {}, make("code", {}, `${name} = ${value}`))));
}

function counterexample(one, at, run) {
  const open = async () => {
    sessionStorage.setItem(VISIT, JSON.stringify({run, back: location.hash}));
    await ask("see", {run, place: at});
    history.replaceState(null, "", "/");
    location.reload();
  };
  return make("section", {class: "finding"},
    make("h3", {}, `${one.property}: ${one.says}`),
    make("p", {class: "soft"}, `${one.macro}, ${one.place}`),
    ...(one.clause ? [make("pre", {}, one.clause)] : []),
    make("table", {}, make("tbody", {}, ...one.steps.flatMap(step => [
      make("tr", {}, make("th", {colspan: "2"}, `${step.at ? `after ${step.at} s: ` : ""}${step.sentence}`)),
      ...values(step.side, step.my), ...values("job", step.job), ...values("cycle", step.cycle)]))),
    make("p", {}, make("button", {click: open}, "Open it as a pool")));
}

function fuzzed({pairs, tested, findings}, run) {
  const sound = tested.filter(one => !findings.some(it => it.property === one.name));
  return [
    make("p", {class: findings.length ? "bad heading" : "good heading"}, findings.length
      ? `Broken: ${[...new Set(findings.map(one => one.property))].join(", ")}.` : "No counterexample."),
    make("p", {class: "soft"}, `${shownNumber(pairs)} pairs of a slot and a request were tried.`),
    ...findings.map((one, at) => counterexample(one, at, run)),
    ...(sound.length ? [make("h3", {}, "Not broken"), make("ul", {}, ...sound.map(one => make("li", {}, `${one.name}: ${one.says}`)))] : []),
  ];
}

const fuzz = () => panel("fuzz",
  "Searches for a slot, its holder and a request with which the policy does what no policy should: see `pieslice fuzz`.",
  [field("macro (empty: all that are set)", macroField("macro")), field("pairs at most", numeric("pairs", "200000", "1", "1"))],
  form => ({macro: form.get("macro").trim(), pairs: Number(form.get("pairs"))}),
  fuzzed);

// A counterexample is open: say why, and the way back.
function visiting({home, says}) {
  const back = async () => {
    await ask("back", {});
    const before = JSON.parse(sessionStorage.getItem(VISIT) || "{}");
    sessionStorage.setItem(VISIT, JSON.stringify({run: before.run, home: true}));
    history.replaceState(null, "", `/${before.back || ""}`);
    location.reload();
  };
  byId("visit").replaceChildren(make("b", {}, "A counterexample: "), `${says}. `, make("button", {click: back}, `Back to ${home}`));
  byId("visit").hidden = false;
}

// Back from a counterexample: what was found is there again.
function returned() {
  const {run, home} = JSON.parse(sessionStorage.getItem(VISIT) || "{}");
  sessionStorage.removeItem(VISIT);
  if (!home || !run) return;
  choose("fuzz");
  panels.fuzz.resume(run);
  byId("experiments-dialog").showModal();
}

// --- the dialog ---------------------------------------------------------------------------------

function choose(name) {
  kind = name;
  tabs(byId("experiment-kinds"), KINDS, kind, choose);
  for (const [key, one] of Object.entries(panels)) one.hidden = key !== kind;
}

function showDialog() {
  const here = macro();
  for (const name of ["first", "macro"]) {
    const input = byId("experiments-dialog").querySelector(`input[name=${name}]`);
    if (here && !input.value) input.value = here;
  }
  byId("experiments-dialog").showModal();
}

// `now`: the texts of the policy; `atCursor`: the macro there; `insert`: takes lines into the overlay.
export function begin(now, atCursor, insert, visit) {
  [texts, macro] = [now, atCursor];
  take = lines => { byId("experiments-dialog").close(); insert(lines.join("").trimEnd()); };
  Object.assign(panels, {simulate: simulate(), sweep: sweep(), fuzz: fuzz()});
  byId("experiment-panels").replaceWith(...Object.values(panels));
  choose(kind);
  byId("experiments").addEventListener("click", showDialog);
  byId("experiments-close").addEventListener("click", () => byId("experiments-dialog").close());
  if (visit) visiting(visit);
  else returned();
}
