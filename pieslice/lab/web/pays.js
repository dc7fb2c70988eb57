// Who pays for a change: users, groups, slots and reasons, the worst first.

import {arrows, byId, make, number, signed, tabs} from "./dom.js";
import {holderOf} from "./map.js";

const AT_ONCE = 200;
const KINDS = [["users", "Users"], ["groups", "Groups"], ["slots", "Slots"], ["rejections", "Reasons"]];
let kind = "users", changes = null, short = new Map(), ask = () => {};

const name = user => short.get(user) || user || "nobody";
const net = ({before, after}, lost) => [before - (lost.before || 0), after - (lost.after || 0)];

function bar(value, most) {
  const part = most ? Math.abs(value) / most * 50 : 0;
  const piece = make("i", {class: value < 0 ? "less" : "more"});
  piece.style.width = `${part}%`;
  piece.style[value < 0 ? "right" : "left"] = "50%";
  return make("span", {class: "balance", "aria-hidden": "true"}, piece);
}

function weightRow(whose, what, label, change, value, most) {
  const [before, after] = net(change.matched, change.lost);
  return row({what, name: whose}, [
    make("td", {title: whose}, label),
    make("td", {class: "right"}, before === after ? number(after) : `${number(before)} \u2192 ${number(after)}`),
    make("td", {class: "wide"}, bar(value, most)),
    make("td", {class: value < 0 ? "right less" : value > 0 ? "right more" : "right"}, signed(value)),
  ]);
}

function row(question, cells) {
  const asked = event => ask(question, event.currentTarget);
  return make("tr", {tabindex: "0", "data-name": question.name, click: asked, keydown: event => { if (event.key === "Enter") asked(event); }}, ...cells);
}

const match = (one, slot, only) => {
  if (one) return `${name(one.submitter)} ${one.job}${one.preempted ? ` \u2715 ${name(one.preempted)}` : ""}`;
  const holder = holderOf(slot);
  return only ? "not in this pool" : holder < 0 ? "not matched" : `stays with ${holderName(holder)}`;
};
let holderName = () => "";

const makers = {
  users: one => ({most: Math.max(...one.map(it => Math.abs(it.net))), titles: ["user", "slot weight", "", "change"],
    of: (it, most) => weightRow(it.change.user, "user", name(it.change.user), it.change, it.net, most)}),
  groups: one => ({most: Math.max(...one.map(it => Math.abs(it.net))), titles: ["group", "slot weight", "", "change"],
    of: (it, most) => weightRow(it.change.group, it.change.group === "<none>" ? "" : "group", it.change.group, it.change, it.net, most)}),
  slots: () => ({titles: ["slot", "before", "after"], of: it => {
    const job = (it.before || it.after)?.job;
    return row({what: "job", name: job, slot: it.slot}, [make("td", {}, it.slot),
      make("td", {}, match(it.before, it.slot)), make("td", {}, match(it.after, it.slot))]);
  }}),
  rejections: () => ({titles: ["user", "requests", "reason"], of: it => row({what: "user", name: it.user}, [
    make("td", {title: it.user}, name(it.user)),
    make("td", {class: "right"}, `${number(it.requests.before)} \u2192 ${number(it.requests.after)}`),
    make("td", {}, it.reason)])}),
};

function show() {
  const counts = KINDS.map(([key, label]) => [key, `${label} ${changes ? changes[key].length : ""}`]);
  tabs(byId("kinds"), counts, kind, showKind);
  byId("kinds").hidden = !changes;
  if (!changes) return;
  const items = changes[kind], {titles, of, most} = makers[kind](items);
  const body = make("tbody"), head = make("tr", {}, ...titles.map(one => make("th", {}, one)));
  let shown = 0;
  const more = () => { body.append(...items.slice(shown, shown += AT_ONCE).map(it => of(it, most))); };
  more();
  const panel = byId("rows");
  panel.replaceChildren(items.length ? make("table", {}, make("thead", {}, head), body) : make("p", {class: "soft"}, "none"));
  panel.onscroll = () => {
    if (shown < items.length && panel.scrollTop + panel.clientHeight > panel.scrollHeight - 400) more();
  };
}

// What is said is said of a later cycle.
export const ofCycle = number => number > 1 ? make("span", {class: "soft"}, `cycle ${number}: `) : "";

export function setChanges(found, users) {
  changes = found;
  short = new Map(users.map(one => [one.name, one.short]));
  holderName = holder => users[holder].short;
  show();
}

export function suggest(found, take) {
  changes = null;
  show();
  byId("rows").replaceChildren(make("p", {}, found.length ? "Change something: try" : "Change something in the policy."),
    make("ul", {class: "suggestions"}, ...found.map(({line, slots}) => make("li", {}, make("button", {click: () => take(line)}, make("code", {}, line)),
      make("span", {class: "soft"}, slots == null ? "" : ` ${slots} slot${slots === 1 ? " differs" : "s differ"}`)))));
}

// A pool without jobs.
export function lack({part, command, claims}, makeUp) {
  changes = null;
  show();
  byId("rows").replaceChildren(make("p", {class: "heading"}, `No ${part}: nothing can be matched.`),
    make("p", {}, "The pool shows who holds what. To see who gains and who pays, add what this prints:"), make("pre", {}, command),
    ...(claims ? [make("p", {}, "Or try a policy with the jobs that run now, and one more like each that waits: ",
      make("button", {click: makeUp}, "Make jobs up from what runs"))] : []));
}

export const shownKind = () => kind;

export function showKind(key) {
  if (!KINDS.some(([one]) => one === key)) return;
  kind = key;
  show();
}

export function begin(whenAsked) {
  ask = whenAsked;
  arrows(byId("rows"), "tbody tr");
}
