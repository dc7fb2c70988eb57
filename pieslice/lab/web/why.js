// The answer of `pieslice why`, before and after.

import {ask as askServer} from "./api.js";
import {byId, make} from "./dom.js";

const JOB = /^\d+\.\d+$/;
let texts = () => ({}), origin = null, last = null;

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
    const found = await askServer("why", {...texts(), ...question});
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

export function begin(textsNow) {
  texts = textsNow;
  byId("why").addEventListener("keydown", event => { if (event.key === "Escape") origin?.focus(); });
}
