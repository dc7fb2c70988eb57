// An exported page: what a laboratory had, without it.

import {byId, make, shown} from "./dom.js";
import * as map from "./map.js";
import * as pays from "./pays.js";
import * as why from "./why.js";

const {overview, edit, texts, view, question, answers, commands, exported} = JSON.parse(byId("data").textContent);
const keyed = (kind, question) => `${kind}\n${why.keyOf(question)}`;
const known = new Map(answers.map(one => [keyed(one.kind || "answer", one.question), one.answer]));

// The words of `pieslice why` for what the page has no answer to.
function command({what, name, slot}) {
  const words = what === "job" ? [name, ...(slot ? [slot] : [])] : [`--${what}`, name];
  return `This page has no answer to that; of the pool, with the change in change.config: pieslice why POOL ${words.join(" ")} --also change.config`;
}

const answer = asked => known.get(keyed("answer", asked)) || {same: true, before: [], after: [{line: command(asked), level: "", indent: 0}]};
const rank = ({name}) => known.get(keyed("rank", {what: "job", name}))
  || {same: true, before: null, after: {answer: [{line: command({what: "job", name}), level: "", indent: 0}]}};
const tree = asked => known.get(keyed("tree", asked)) || {same: true, before: null, after: {none: command(asked)}};

function showTexts() {
  const changed = Object.entries(texts.files);
  const all = [...(texts.overlay.trim() ? [["after all files", texts.overlay]] : []), ...changed];
  byId("texts").replaceChildren(...all.flatMap(([name, text]) => [make("h3", {}, name), make("pre", {}, text)]),
    ...(all.length ? [] : [make("p", {}, "The running policy; nothing is changed.")]));
  byId("commands").textContent = shown(commands.join("\n"));
}

function showHead() {
  const {name, time, version, counts, agreement} = overview;
  byId("pool").replaceChildren(make("b", {}, name), `, ${time}: ${counts.slots} slots, ${counts.jobs} jobs, ${counts.users} users, HTCondor ${version}`);
  if (agreement) byId("agreement").textContent = `${agreement.agreeing} of ${agreement.decisions} decisions agree with the real negotiator`;
  byId("made-up").hidden = !overview.made_up;
  document.title = shown(`${name} - pieslice lab`);
  byId("verdict").title = exported;
}

showHead();
showTexts();
why.begin(answer, undefined, undefined, answers.some(one => one.kind && one.kind !== "answer") ? {rank, tree} : {});
map.begin(overview, why.askOfCell, why.ask);
pays.begin(why.ask);
if (edit) {
  map.setEdit(edit);
  pays.setChanges(edit.changes, edit.users);
  byId("sentence").replaceChildren(pays.ofCycle(edit.number), shown(edit.sentence));
  pays.setNotes(edit.notes);
} else byId("sentence").textContent = "no difference: this is the running policy";
map.setView(view);
if (edit && view.kind) pays.showKind(view.kind);
if (question || answers.length) why.ask(question || answers[0].question);
for (const button of byId("columns").children)
  button.addEventListener("click", () => { document.body.dataset.column = button.dataset.column; });
