// The expressions that a cycle asks of a job and a slot, as trees with the value of every part.

import {make} from "./dom.js";

const OPEN = 3;
const LOOKS = {true: "good", false: "bad", undefined: "odd", error: "odd"};

const short = text => text.length > 90 ? `${text.slice(0, 87)}...` : text;

function line(part, other) {
  const changed = other !== undefined && (!other || other.value !== part.value || other.text !== part.text);
  return [make("code", {title: part.text.length > 90 ? part.text : null}, short(part.text)), " ",
    make("span", {class: `value ${LOOKS[part.value] || ""}${changed ? " differs" : ""}`}, part.value),
    ...(changed ? [make("span", {class: "unseen"}, " (differs)")] : []),
    ...(part.remark ? [make("span", {class: "soft"}, ` ${part.remark}`)] : [])];
}

// A part and what is below it; `other`: the same part on the other side, undefined where nothing is compared.
function tree(part, other, depth = 0) {
  if (!part.below.length) return make("div", {class: "leaf"}, ...line(part, other));
  const differs = other !== undefined && (!other || JSON.stringify(part) !== JSON.stringify(other));
  return make("details", {open: depth < OPEN || differs}, make("summary", {}, ...line(part, other)),
    ...part.below.map((one, at) => tree(one, other && (other.below[at] || null), depth + 1)));
}

// The expressions of a side; `other`: the other side, if it says something else; `words`: text with links.
export function expressions(side, other, words) {
  if (side.none) return [make("p", {}, side.none)];
  const known = other && new Map(other.expressions.map(one => [one.name, one.root]));
  const slot = make("p", {class: "heading"}, ...words(`on ${side.slot}`));
  return [slot, ...side.expressions.map(({name, test, root}) => {
    const verdict = test ? root.value === "true" ? "true" : "not true" : root.value;
    return make("div", {class: "expression"}, make("h4", {}, ...words(name), ": ",
      make("span", {class: test ? verdict === "true" ? "good" : "bad" : ""}, verdict)), tree(root, known && (known.get(name) || null)));
  })];
}
