// The answer of `pieslice why`, before and after.

import {byId, make, tabs} from "./dom.js";
import {expressions} from "./expressions.js";
import {named, nameOf} from "./map.js";

const JOB = /^\d+\.\d+$/;
// What may be a name, and what stands before the number of a job.
const BEFORE_JOB = /\b(job|first) $/;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_@.+<>-]*[\p{L}\p{N}_>]/gu;
const MACRO = /^[A-Z][A-Z0-9_]{2,}$/;
// What is shown of a job: the answer, the candidates, what is asked of it and a slot.
const VIEWS = [["answer", "Answer"], ["rank", "Rank list"], ["tree", "Expressions"]];
let more = {}, viewed = "answer";
let answerTo = () => null, placeOf = () => null, whenShown = () => {}, origin = null, last = null;
const past = [], ahead = [];
let showing = 0;

const link = (text, go) => make("button", {class: "link", click: go}, text);

const jobLink = job => link(job, () => ask({what: "job", name: job}));

// A word as a link to what it is the name of, or as it is.
function linked(word, before) {
  if (JOB.test(word)) return BEFORE_JOB.test(before) ? jobLink(word) : word;
  const place = MACRO.test(word) && placeOf(word);
  if (place) return make("button", {class: "link", title: `${place.file}:${place.line + 1}`, click: place.go}, word);
  const found = named(word);
  if (!found || found.name === last?.name) return word;
  if (found.what !== "slot") return link(word, () => ask(found));
  return last?.what === "job" && last.slot !== word ? link(word, () => ask({...last, slot: word})) : word;
}

function words(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    parts.push(text.slice(end, found.index), linked(found[0], text.slice(0, found.index)));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

function bar(text, whole) {
  const piece = make("i");
  piece.style.width = `${whole ? Math.min(100, Number(text) / whole * 100) : 0}%`;
  return make("span", {class: "part", "aria-hidden": "true"}, piece);
}

function table({columns, right, bar: bars, name: names, rows}) {
  const look = at => ({class: right[at] ? "right" : names[at] ? "named" : ""});
  const titles = columns.flatMap((title, at) => [make("th", look(at), title), ...(bars[at] ? [make("td")] : [])]);
  const content = (cell, at) => names[at] && JOB.test(cell) ? [jobLink(cell)] : right[at] ? [cell] : words(cell);
  const cells = (cell, at) => [make("td", look(at), ...content(cell, at)),
    ...(bars[at] ? [make("td", {class: "bars"}, bar(cell, Number(rows[0][at])))] : [])];
  return make("table", {}, make("thead", {}, make("tr", {}, ...titles)),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.flatMap(cells)))));
}

export function block(one) {
  if (one.columns) return table(one);
  if (one.drawn) return make("pre", {}, one.drawn.join("\n"));
  if (one.words) return make("p", {class: "indent"}, make("b", {}, one.label), ...one.words.flatMap(word => [" ", ...words(word)]));
  return make("p", {class: `${one.level || ""} ${one.indent ? "indent" : ""}`}, ...(one.line ? words(one.line) : ["\u00a0"]));
}

const side = (title, content) => make("div", {class: "side"}, make("h3", {}, title), ...content);

// One text for a question.
export const keyOf = ({what, name, slot}) => [what, name, slot || ""].join("\n");

// Names a question in a few words.
function titled({what, name, slot, short}) {
  return `Why ${what === "job" ? "job " : ""}${short || name}${slot ? ` on ${slot}` : ""}`;
}

export async function ask(question, from = null) {
  if (from) origin = from;
  if (!question.name || !question.what) return;
  if (question.what === "machine") return tellMachine(question, from);
  if (last && keyOf(last) !== keyOf(question)) {
    past.push(last);
    ahead.length = 0;
  }
  await show(question);
}

// While an answer is waited for, the one before stands there, and its links are about to go.
const wait = busy => byId("answer").setAttribute("aria-busy", String(busy));

async function show(question) {
  const number = ++showing, isNewest = () => number === showing;
  last = question;
  whenShown(question);
  byId("why-title").replaceChildren(titled(question));
  wait(true);
  showViews();
  try {
    const found = await shownOf(question);
    // The answer that another view waits for may come first.
    if (found && isNewest()) byId("answer").replaceChildren(...found);
  } catch (problem) {
    if (isNewest()) byId("answer").replaceChildren(make("p", {class: "bad"}, problem.message));
  } finally {
    if (isNewest()) wait(false);
  }
}

const hasViews = () => last?.what === "job" && Object.keys(more).length > 0;

function showViews() {
  byId("why-views").hidden = !hasViews();
  if (hasViews()) tabs(byId("why-views"), VIEWS.filter(([key]) => key === "answer" || more[key]), viewed, key => {
    viewed = key;
    show(last);
  });
}

const pairOf = ({same, before, after}, blocks) => same ? [side("the same before and after", blocks(after))]
  : [side("before", blocks(before, after)), side("after", blocks(after, before))];

// What is shown of a question; null if a newer one has come.
async function shownOf(question) {
  const view = hasViews() ? viewed : "answer";
  if (view === "rank") {
    const found = await more.rank(question);
    return found && pairOf(found, one => one.answer.map(block));
  }
  if (view === "tree") {
    const found = await more.tree(question);
    return found && pairOf(found, (one, other) => expressions(one, other, words));
  }
  const found = await answerTo(question);
  return found && pairOf(found, one => one.map(block));
}

// Through what was looked at: `from` and `to` are `past` and `ahead`, or the other way.
function go(from, to) {
  const question = from.pop();
  if (!question) return;
  if (last) to.push(last);
  show(question);
}

// What is said of a slot that no job is matched to.
export function tell(title, text, from) {
  origin = from;
  showing += 1;
  if (last) past.push(last);
  last = null;
  wait(false);
  showViews();
  byId("why-title").replaceChildren(title);
  byId("answer").replaceChildren(make("p", {}, text));
}

export const question = () => last;

export const view = () => viewed;

export function setView(key) {
  if (VIEWS.some(([one]) => one === key)) viewed = key;
}

export const again = () => { if (last) show(last); };

// The slots of a machine, each with a link to what is asked of it.
function tellMachine({name, slots}, from) {
  tell(name, "", from);
  byId("answer").replaceChildren(make("ul", {class: "parts"}, ...slots.map(one => make("li", {},
    one.job ? link(one.said, () => ask({what: "job", name: one.job, slot: one.name}, from)) : one.said))));
}

// What there is to say of a cell of the map.
export function askOfCell(cell, slot, from) {
  if (cell.parts) tellMachine(cell, from);
  else if (cell.job) ask({what: "job", name: cell.job, slot}, from);
  else if (cell.user >= 0) tell(slot, `${slot} stays with ${nameOf(cell.user)}: the cycle gives it to nobody else.`, from);
  else tell(slot, `${slot}: ${cell.state || "what is left of it"}; the cycle gives it to nobody.`, from);
}

// `answer`: gives the answer to a question, or null if a newer one has come; `place`: where the
// texts define a macro, and how to go there, or null.
// `shown`: called with each question; `views`: what gives the candidates (`rank`) of a job, and what
// is asked of it and a slot (`tree`).
export function begin(answer, place = () => null, shown = () => {}, views = {}) {
  [answerTo, placeOf, whenShown, more] = [answer, place, shown, views];
  addEventListener("keydown", event => {
    const way = event.altKey && {ArrowLeft: [past, ahead], ArrowRight: [ahead, past]}[event.key];
    if (!way || byId("editor")?.contains(event.target)) return;
    event.preventDefault();
    go(...way);
  });
  byId("why").addEventListener("keydown", event => { if (event.key === "Escape") origin?.focus(); });
}
