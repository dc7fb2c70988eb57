// Who pays for a change: users, groups, slots and reasons, the worst first.

import {byId, make, number, signed, tabs} from "./dom.js";
import {holderOf} from "./map.js";
import {showRows} from "./rows.js";

const KINDS = [["users", "Users"], ["groups", "Groups"], ["machines", "Machines"], ["slots", "Slots"], ["rejections", "Reasons"]];
let kind = "users", changes = null, short = new Map(), ask = () => {};

// The end of names that all share, from a sign between their parts on; said once.
function shared(names) {
  if (names.length < 2) return "";
  let [end] = names;
  for (const one of names) while (end && !one.endsWith(end)) end = end.slice(1);
  const at = end.search(/[@.]/);
  return at < 0 || names.some(one => one.length === end.length - at) ? "" : end.slice(at);
}

const named = (text, end) => end ? [text.slice(0, -end.length), make("span", {class: "unseen"}, end)] : [text];

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

const largest = values => values.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
const beforeAfter = ({before, after}) => before === after ? number(after) : `${number(before)} \u2192 ${number(after)}`;

// What is asked of a machine: its slots that go another way.
const machineOf = machine => ({what: "machine", name: machine, slots: changes.slots.filter(it => it.machine === machine).map(it => ({
  name: it.slot, job: (it.before || it.after)?.job, said: `${it.slot}: ${match(it.before, it.slot)} \u2192 ${match(it.after, it.slot)}`,
}))});

const makers = {
  users: one => ({most: largest(one.map(it => it.net)), end: one.every(it => it.change.user !== name(it.change.user)) ? shared(one.map(it => it.change.user)) : "", titles: ["user", "slot weight", "", "change"],
    of: (it, most) => weightRow(it.change.user, "user", name(it.change.user), it.change, it.net, most)}),
  groups: one => ({most: largest(one.map(it => it.net)), titles: ["group", "slot weight", "", "change"],
    of: (it, most) => weightRow(it.change.group, it.change.group === "<none>" ? "" : "group", it.change.group, it.change, it.net, most)}),
  machines: one => {
    const end = shared(one.map(it => it.machine)), gains = it => it.matched.after - it.matched.before;
    return {most: largest(one.map(gains)), end, titles: ["machine", "slot weight", "", "change", "slots"], of: (it, most) => row(machineOf(it.machine), [
      make("td", {title: it.machine}, ...named(it.machine, end)),
      make("td", {class: "right"}, beforeAfter(it.matched)),
      make("td", {class: "wide"}, bar(gains(it), most)),
      make("td", {class: gains(it) < 0 ? "right less" : gains(it) > 0 ? "right more" : "right"}, signed(gains(it))),
      make("td", {class: "right"}, number(it.slots))])};
  },
  slots: (one, end = shared(one.map(it => it.slot))) => ({end, titles: ["slot", "before", "after"], of: it => {
    const job = (it.before || it.after)?.job;
    return row({what: "job", name: job, slot: it.slot}, [make("td", {title: it.slot}, ...named(it.slot, end)),
      make("td", {}, match(it.before, it.slot)), make("td", {}, match(it.after, it.slot))]);
  }}),
  rejections: () => ({titles: ["user", "requests", "reason"], of: it => row({what: "user", name: it.user}, [
    make("td", {title: it.user}, name(it.user)),
    make("td", {class: "right"}, `${number(it.requests.before)} \u2192 ${number(it.requests.after)}`),
    make("td", {}, it.reason)])}),
};

function show() {
  const counts = KINDS.filter(([key]) => !changes || changes[key]).map(([key, label]) => [key, `${label} ${changes ? changes[key].length : ""}`]);
  tabs(byId("kinds"), counts, kind, showKind);
  byId("kinds").hidden = !changes;
  if (!changes) return;
  const items = changes[kind] || [], {titles, of, most, end} = makers[kind](items);
  if (!items.length) byId("rows").replaceChildren(make("p", {class: "soft"}, "none"));
  else showRows(byId("rows"), titles.map(one => make("th", {scope: "col"}, one)), items, it => of(it, most), end ? `all names end in ${end}` : "");
}

// What is said is said of a later cycle.
export const ofCycle = number => number > 1 ? make("span", {class: "soft"}, `cycle ${number}: `) : "";

export function setChanges(found, users) {
  changes = found;
  short = new Map(users.map(one => [one.name, one.short]));
  holderName = holder => users[holder].short;
  show();
}

// What of a change is not followed.
export function setNotes(notes) {
  byId("notes").replaceChildren(...(notes || []).map(one => make("li", {}, one)));
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
}
