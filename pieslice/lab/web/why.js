// The answer of `pieslice why`, before and after.

import {byId, make} from "./dom.js";
import {nameOf} from "./map.js";

const JOB = /^\d+\.\d+$/;
let answerTo = () => null, origin = null, last = null;

function block(one) {
  if (one.columns) {
    const titles = one.columns.map((title, at) => make("th", {class: one.right[at] ? "right" : ""}, title));
    const rows = one.rows.map(row => make("tr", {}, ...row.map((cell, at) => make("td", {class: one.right[at] ? "right" : ""},
      JOB.test(cell) ? make("button", {class: "link", click: () => ask({what: "job", name: cell})}, cell) : cell))));
    return make("table", {}, make("thead", {}, make("tr", {}, ...titles)), make("tbody", {}, ...rows));
  }
  if (one.drawn) return make("pre", {}, one.drawn.join("\n"));
  if (one.words) return make("p", {class: "indent"}, make("b", {}, one.label), ` ${one.words.join(" ")}`);
  return make("p", {class: `${one.level || ""} ${one.indent ? "indent" : ""}`}, one.line || "\u00a0");
}

const column = (title, blocks) => make("div", {class: "side"}, make("h3", {}, title), ...blocks.map(block));

// One text for a question.
export const keyOf = ({what, name, slot}) => [what, name, slot || ""].join("\n");

// Names a question in a few words.
function titled({what, name, slot, short}) {
  return `Why ${what === "job" ? "job " : ""}${short || name}${slot ? ` on ${slot}` : ""}`;
}

export async function ask(question, from = null) {
  if (from) origin = from;
  if (!question.name || !question.what) return;
  last = question;
  byId("why-title").replaceChildren(titled(question));
  try {
    const found = await answerTo(question);
    if (!found) return;
    byId("answer").replaceChildren(...(found.same
      ? [column("the same before and after", found.after)]
      : [column("before", found.before), column("after", found.after)]));
  } catch (problem) {
    byId("answer").replaceChildren(make("p", {class: "bad"}, problem.message));
  }
}

// What is said of a slot that no job is matched to.
export function tell(title, text, from) {
  origin = from;
  last = null;
  byId("why-title").replaceChildren(title);
  byId("answer").replaceChildren(make("p", {}, text));
}

export const question = () => last;

export const again = () => { if (last) ask(last); };

// What there is to say of a cell of the map.
export function askOfCell(cell, slot, from) {
  if (cell.job) ask({what: "job", name: cell.job, slot}, from);
  else if (cell.user >= 0) tell(slot, `${slot} stays with ${nameOf(cell.user)}: the cycle gives it to nobody else.`, from);
  else tell(slot, `${slot}: ${cell.state || "what is left of it"}; the cycle gives it to nobody.`, from);
}

// `answer`: gives the answer to a question, or null if a newer one has come.
export function begin(answer) {
  answerTo = answer;
  byId("why").addEventListener("keydown", event => { if (event.key === "Escape") origin?.focus(); });
}
