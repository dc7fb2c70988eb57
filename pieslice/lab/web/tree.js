// The group tree beside the map: quotas, usage, surplus and limits; what is full is marked.

import {byId, make, number} from "./dom.js";

const SURPLUS = {no: "none", byquota: "by quota", regroup: "with all"};
const change = (before, after) => before === after ? number(after) : `${number(before)} \u2192 ${number(after)}`;
const full = one => make("td", {class: "full"}, one.full ? "\u25a0 full" : "");

// The groups and the limits of a cycle: in use before it and after it; `ask`: of a group.
export function showTree({groups, limits}, ask) {
  const tables = [];
  const head = titles => make("thead", {}, make("tr", {}, ...titles.map((one, at) => make("th", {scope: "col", class: at && at < 4 ? "right" : ""}, one))));
  if (groups.length > 1) tables.push(make("table", {}, head(["group", "quota", "in use", "wants", "surplus", ""]), make("tbody", {}, ...groups.map(one => make("tr", {class: one.full ? "at-quota" : ""},
    make("td", {class: `depth${Math.min(4, one.depth)}`}, one.name === "<none>" ? "no group" : make("button", {class: "link", click: event => ask({what: "group", name: one.name}, event.currentTarget)}, one.depth > 1 ? one.name.split(".").pop() : one.name)),
    make("td", {class: "right"}, number(one.quota)), make("td", {class: "right"}, change(one.usage, one.after)),
    make("td", {class: "right"}, number(one.requested)), make("td", {}, SURPLUS[one.surplus]), full(one))))));
  if (limits.length) tables.push(make("table", {}, head(["concurrency limit", "of", "in use", ""]), make("tbody", {}, ...limits.map(one => make("tr", {class: one.full ? "at-quota" : ""},
    make("td", {}, one.name), make("td", {class: "right"}, number(one.maximum)), make("td", {class: "right"}, change(one.before, one.after)), full(one))))));
  byId("tree").replaceChildren(...tables);
  byId("tree").hidden = !tables.length;
}
