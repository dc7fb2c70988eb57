// Puts the parts of the page together: a text changes, the pool answers.

import * as api from "./api.js";
import * as editor from "./editor.js";
import * as experiments from "./experiments.js";
import * as knobs from "./knobs.js";
import * as map from "./map.js";
import * as pays from "./pays.js";
import * as saving from "./saving.js";
import * as sharing from "./sharing.js";
import * as time from "./time.js";
import * as why from "./why.js";
import {byId, make, shown, tabs} from "./dom.js";

const PAUSE = {edit: 40, check: 150, remember: 400, watch: 5000};
const COLUMNS = ["policy", "map", "pays"];
const timers = {};
let overview, last = {edit: null, texts: {overlay: "", files: {}}};

const soon = (name, run) => { clearTimeout(timers[name]); timers[name] = setTimeout(run, PAUSE[name]); };
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const isChanged = ({overlay, files}) => Boolean(overlay.trim() || Object.keys(files).length);

api.trouble.say = text => {
  byId("trouble").textContent = text;
  byId("trouble").hidden = !text;
};

// --- the difference ------------------------------------------------------------------------------

function stale(text) {
  for (const note of document.querySelectorAll(".stale-note")) {
    note.textContent = shown(text);
    note.hidden = !text;
  }
  document.body.classList.toggle("stale", Boolean(text));
}

async function edit() {
  const texts = editor.texts(), cycle = time.cycle();
  const busy = setTimeout(() => document.body.classList.add("busy"), 300);
  try {
    if (!await follow(texts, cycle)) return;
    const found = await api.ask("edit", {...texts, cycle});
    if (!found) return;
    document.body.classList.remove("busy");
    if (found.starts) difference(found, texts);
    else refused(found.problems);
    why.again();
  } catch (problem) {
    document.body.classList.remove("busy");
    stale(`not this text: ${problem.message}`);
    if (problem.gone) soon("edit", edit);  // another one is started
    time.stop();
  } finally {
    clearTimeout(busy);
  }
}

// A drag changes the text faster than it is answered: one edit runs, one waits.
let dragging = false, waiting = false;
async function dragged() {
  waiting = true;
  if (dragging) return;
  dragging = true;
  while (waiting) {
    waiting = false;
    await edit();
  }
  dragging = false;
}

// Cycles until the one that is shown, one request each, so that the page can say how far it is.
let followed = {of: "", to: 1};
async function follow(texts, cycle) {
  const of = JSON.stringify(texts);
  if (followed.of !== of) followed = {of, to: 1};
  while (followed.to < cycle) {
    const number = followed.to + 1;
    time.reach(number);
    const found = await api.ask("follow", {...texts, cycle: number});
    if (!found || followed.of !== of) return false;
    if (!found.starts) return true;
    followed.to = number;
  }
  return true;
}

function refused(problems) {
  stale("not this text: the daemons would not start with it");
  time.stop();
  verdict(false, "does not start");
  if (!overview.checkable) showFindings(problems);
}

function difference(found, texts) {
  last = {edit: found, texts};
  stale("");
  map.setEdit(found);
  time.reached(found.number);
  byId("sentence").replaceChildren(pays.ofCycle(found.number), shown(found.sentence),
    make("span", {class: "soft"}, ` ${Math.round(found.seconds * 1000)} ms`));
  pays.setNotes(found.notes);
  if (isChanged(texts)) pays.setChanges(found.changes, found.users);
  else {
    byId("sentence").replaceChildren(pays.ofCycle(found.number), "no difference: this is the running policy");
    if (found.number === 1) suggest();
    else pays.setChanges(found.changes, found.users);
  }
  if (!overview.checkable) { verdict(true, "starts"); showFindings([]); }
}

// --- the check -----------------------------------------------------------------------------------

async function check() {
  if (!overview.checkable) return;
  try {
    const found = await api.ask("check", editor.texts());
    if (!found) return;
    const bad = found.verdicts.filter(one => !one.starts);
    const all = bad.map(one => one.text).join("\n");
    verdict(found.starts, found.starts ? "starts" : bad.length > 1 ? `${bad.length} daemons would not start` : all.split(":")[0], all);
    showFindings(found.findings);
    const rows = await knobs.refresh(editor.texts());
    if (rows) editor.setKnobs(rows);
  } catch (problem) {
    showFindings([{severity: "error", message: problem.message}]);
  }
}

function verdict(starts, text, all = "") {
  byId("verdict").title = shown(all);
  byId("verdict").className = starts ? "good" : "bad";
  byId("verdict").textContent = shown(`${starts ? "\u25cf" : "\u2715"} ${text}`);
}

const WORST = ["error", "warning", "note"];

function showFindings(findings) {
  const found = findings.slice().sort((a, b) => WORST.indexOf(a.severity) - WORST.indexOf(b.severity));
  editor.setFindings(found.filter(one => one.file));
  findingCount = found.length;
  showBeneath();
  byId("findings").replaceChildren(...found.map(one => make("li", {class: one.severity},
    make("button", {class: "link", click: () => { if (one.file) editor.show(one); }},
      `${one.severity}${one.id ? ` ${one.id}` : ""}: ${one.message}`),
    make("span", {class: "soft"}, one.file ? ` ${one.file}:${one.from[0] + 1}` : one.where ? ` ${one.where}` : ""),
    ...(one.help ? [make("p", {class: "help"}, one.help)] : []),
    ...(one.fix ? [make("button", {class: "fix", click: () => editor.repair(one)}, "Fix")] : []))));
}

let findingCount = 0, beneath = "findings";

// What stands below the text: findings, or knobs.
function showBeneath() {
  const found = [["findings", findingCount ? `Findings ${findingCount}` : "Findings: none"], ...(overview.checkable ? [["knobs", "Knobs"]] : [])];
  tabs(byId("beneath"), found, beneath, key => {
    beneath = key;
    showBeneath();
  });
  for (const [key] of found) byId(key).hidden = key !== beneath;
}

// --- going about ---------------------------------------------------------------------------------

function column(name) {
  document.body.dataset.column = name;
  showColumns();
  const places = {
    policy: () => editor.focus(),
    map: () => document.querySelector("#groups canvas")?.focus(),
    pays: () => (document.querySelector("#rows tbody tr[tabindex], #rows button") || byId("rows")).focus(),
  };
  places[name]();
}

// Below 1100 pixels the columns are tabs.
function showColumns() {
  const names = {policy: "Policy", map: "Pool", pays: "Who pays"};
  tabs(byId("columns"), COLUMNS.map(one => [one, names[one]]), document.body.dataset.column, name => {
    document.body.dataset.column = name;
    showColumns();
    if (name === "map") map.setView({});
  });
}

const here = () => {
  const at = COLUMNS.findIndex(name => byId(name).contains(document.activeElement));
  return Math.max(0, at);
};

function onKey(event) {
  if (event.key === "F6") {
    event.preventDefault();
    const step = event.shiftKey ? COLUMNS.length - 1 : 1;
    column(COLUMNS[(here() + step) % COLUMNS.length]);
  } else if ((event.ctrlKey || event.altKey) && ["1", "2", "3"].includes(event.key)) {
    event.preventDefault();
    column(COLUMNS[event.key - 1]);
  } else if (event.ctrlKey && event.shiftKey && ["ArrowLeft", "ArrowRight"].includes(event.key) && !byId("editor").contains(event.target)) {
    event.preventDefault();
    time.step(event.key === "ArrowLeft" ? -1 : 1);
  } else if (event.ctrlKey && ["z", "y", "Z"].includes(event.key) && !event.target.closest(".cm-editor, input:not([type=range]), textarea")) {
    event.preventDefault();
    (event.key === "z" ? editor.undo : editor.redo)();
  } else if (event.key === "?" && !byId("editor").contains(event.target)) byId("keys").showModal();
}

// --- what a link has ----------------------------------------------------------------------------

const content = () => ({
  ...editor.texts(), view: {file: editor.opened(), kind: pays.shownKind(), cycle: String(time.cycle()), why: why.view(), ...map.view()}, question: why.question(),
});

function openContent({overlay, files, view, question}) {
  time.set(Number(view.cycle));
  editor.setTexts({overlay, files});
  soon("edit", edit);
  editor.open(view.file);
  map.setView(view);
  pays.showKind(view.kind);
  why.setView(view.why);
  if (question) why.ask(question);
}

function definition(name) {
  const place = editor.definition(name);
  return place && {...place, go: () => editor.show({file: place.file, from: [place.line, 0]})};
}

// --- the head, and what to begin with ------------------------------------------------------------

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// `2026-11-27T14:03:00Z` is 27 Nov 14:03 UTC, with the year if it is another one.
function moment(iso) {
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(iso) || [];
  if (!time) return iso;
  const years = Number(year) === new Date().getUTCFullYear() ? "" : ` ${year}`;
  return `${Number(day)} ${MONTHS[month - 1]}${years} ${time} UTC`;
}

function head() {
  const {name, time, counts, agreement, version} = overview;
  const whole = Object.entries(counts).map(([what, count]) => plural(count, what.slice(0, -1))).join(", ");
  byId("pool").replaceChildren(make("b", {}, name), `, ${moment(time)}: ${whole}.`);
  byId("made-up").hidden = !overview.made_up;
  byId("pool").title = shown(`${name}, ${time}, HTCondor ${version}`);
  if (agreement) {
    byId("agreement").className = agreement.agreeing === agreement.decisions ? "good" : "bad";
    byId("agreement").textContent = `${agreement.agreeing} of ${agreement.decisions} decisions agree with the real negotiator`;
  }
  document.title = shown(`${name} - pieslice lab`);
  byId("leave").hidden = !document.body.dataset.again;
  byId("leave").addEventListener("click", async () => {
    await api.ask("leave", {});
    location.assign("/");
  });
}

// Opens another capture; its page begins with the text of this one.
async function openCapture(number) {
  const kept = JSON.stringify({...content(), files: {}});
  try {
    await api.ask("capture", {number});
  } catch (problem) {
    return api.trouble.say(problem.message);
  }
  sessionStorage.setItem(KEPT, kept);
  history.replaceState(null, "", "/");
  location.reload();
}

const KEPT = "pieslice-text";

// What the page of the capture before had; null without one.
function keptContent() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept && JSON.parse(kept);
}

// The pool is opened anew; the texts of the page stay.
async function anew(kind, question = {}) {
  try {
    await api.ask(kind, question);
    sharing.keepForNextLoad();
    location.reload();
  } catch (problem) {
    api.trouble.say(problem.message);
  }
}

const makeUp = () => anew("make_up");

// What is wrong with the files of the pool, and weakens answers about it.
function showGaps(problems) {
  const gaps = problems.filter(one => !one.file);
  byId("gaps").hidden = !gaps.length;
  byId("gaps").querySelector("summary").textContent = `${plural(gaps.length, "gap")} in what is known of the pool`;
  byId("gaps").querySelector("ul").replaceChildren(...gaps.map(one => make("li", {},
    one.message, ...(one.help ? [make("span", {class: "soft"}, ` ${one.help}`)] : []))));
}

// Of several negotiators one is looked at.
function choice({names, chosen}) {
  const label = byId("negotiator"), select = label.querySelector("select");
  label.hidden = names.length < 2;
  select.replaceChildren(...names.map(one => make("option", {value: one}, one || "no local name")));
  select.value = chosen;
  select.addEventListener("change", () => anew("choose", {name: select.value}));
}

// Whether the files of the pool are what they were; said once for each change.
async function watch() {
  if (document.hidden) return;
  const {files} = await api.ask("changed", {}).catch(() => null) || {files: []};
  const bar = byId("changed");
  if (!files.length || bar.dataset.files === files.join()) return;
  bar.dataset.files = files.join();
  bar.replaceChildren(`The pool has changed on the disk: ${files.join(", ")}. The page shows what it was. `,
    make("button", {click: () => anew("reread")}, "Read it again"));
  bar.hidden = false;
}

// The candidates of a job, which the map and the answer ask for alike.
let candidates = {of: "", found: null};
function ranked(job) {
  const asked = {...editor.texts(), cycle: time.cycle(), job}, of = JSON.stringify(asked);
  if (candidates.of !== of) candidates = {of, found: api.ask("rank", asked)};
  return candidates.found;
}

let worth = null;
async function suggest() {
  if (overview.lacking) return pays.lack(overview.lacking, makeUp);
  pays.suggest(worth || [], editor.insert);
  worth ||= await api.ask("suggest", {}).catch(() => null);
  if (worth && !isChanged(editor.texts())) pays.suggest(worth, editor.insert);
}

async function begin() {
  overview = await api.pool();
  head();
  const listed = sharing.keeping("rank", ({name}) => ranked(name));
  why.begin(sharing.keeping("answer", question => api.ask("why", {...editor.texts(), cycle: time.cycle(), ...question})), definition, map.select, {
    rank: ({name}) => listed({what: "job", name}),
    tree: sharing.keeping("tree", ({name, slot}) => api.ask("tree", {...editor.texts(), cycle: time.cycle(), job: name, slot})),
  });
  map.begin(overview, why.askOfCell, why.ask, ranked);
  time.begin(overview.cycles, edit);
  time.beginCaptures(overview.captures, openCapture);
  pays.begin(why.ask);
  suggest();
  knobs.begin(check);
  showBeneath();
  editor.begin(overview.files, isDrag => { (isDrag ? dragged : () => soon("edit", edit))(); soon("check", check); soon("remember", sharing.remember); });
  editor.onHistory((canUndo, canRedo) => { byId("undo").disabled = !canUndo; byId("redo").disabled = !canRedo; });
  byId("undo").addEventListener("click", editor.undo);
  byId("redo").addEventListener("click", editor.redo);
  addEventListener("keydown", onKey);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  showColumns();
  experiments.begin(editor.texts, editor.macro, editor.insert, overview.visit);
  saving.begin(editor.texts);
  sharing.begin(overview, content, openContent, () => last);
  choice(overview.negotiators);
  showGaps(overview.problems);
  setInterval(watch, PAUSE.watch);
  const given = sharing.kept() || await sharing.linked();
  const kept = keptContent();
  if (given) openContent(given);
  else if (kept) {
    openContent(kept);
    byId(time.isPlaying() ? "capture-play" : "capture")?.focus();
  }
  else if (overview.overlay) editor.setTexts({overlay: overview.overlay, files: {}});
  check();
}

begin().catch(problem => api.trouble.say(problem.message));
