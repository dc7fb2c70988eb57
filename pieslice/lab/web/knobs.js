// The knobs that matter in this policy, each with what changes it.

import {ask} from "./api.js";
import {control, shows, update} from "./controls.js";
import * as editor from "./editor.js";
import {byId, make, shown} from "./dom.js";

let rows = [], every = false, filter = "", drawn = new Map();

const wanted = ({name, doc}) => !filter || `${name} ${doc}`.toLowerCase().includes(filter);

const brief = text => text?.length > 60 ? `${text.slice(0, 57)}...` : text;

function valueCell(knob) {
  const value = knob.value ?? knob.default ?? "";
  if (!shows(knob, value)) return [make("code", {title: value}, brief(value) || "not set")];
  const output = make("output", {}, value);
  const element = control(knob, value, text => { output.textContent = shown(text); editor.setMacro(knob.name, text); });
  drawn.set(knob.name, {element, output});
  return [element, " ", output, ...(knob.unit ? [make("span", {class: "soft"}, ` ${knob.unit}`)] : [])];
}

function row(knob) {
  const go = knob.file ? () => editor.show({file: knob.file, from: [knob.line, 0]}) : () => editor.insert(`${knob.name} = ${knob.value ?? knob.default ?? ""}`);
  return make("tr", {}, make("td", {}, make("button", {class: "link", title: knob.file ? `${knob.file}:${knob.line + 1}` : "write it into the overlay", click: go}, knob.name),
    make("div", {class: "soft"}, knob.doc, knob.acts ? "" : " Decides no cycle here.")),
  make("td", {class: "knob"}, ...valueCell(knob), make("div", {class: "soft"}, "default ", make("code", {title: knob.default}, brief(knob.default) || "none"))));
}

function show() {
  drawn = new Map();
  const head = ["knob", "value"].map(one => make("th", {scope: "col"}, one));
  const found = rows.filter(wanted);
  byId("knob-rows").replaceChildren(found.length ? make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...found.map(row)))
    : make("p", {class: "soft"}, "none"));
}

// Asks for the knobs of a policy, gives them, and shows them; while one is dragged the rows stay.
export async function refresh(texts) {
  const found = await ask("knobs", {...texts, every}).catch(() => null);
  if (found) renew(found);
  return found;
}

function renew(found) {
  const same = JSON.stringify(found.map(one => one.name)) === JSON.stringify(rows.map(one => one.name));
  rows = found;
  if (!same || !byId("knob-rows").contains(document.activeElement)) return show();
  for (const knob of rows) {
    const one = drawn.get(knob.name), value = knob.value ?? knob.default ?? "";
    if (!one || (knob.control === "slider" && one.element === document.activeElement)) continue;
    update(one.element, knob, value);
    one.output.textContent = shown(value);
  }
}

export function begin(changed) {
  byId("knobs").replaceChildren(make("div", {class: "bar"},
    make("label", {}, "find ", make("input", {id: "knob-find", type: "search", input: event => { filter = event.target.value.toLowerCase(); show(); }})),
    make("label", {}, make("input", {id: "knob-every", type: "checkbox", change: event => { every = event.target.checked; changed(); }}), " all of the negotiator")),
  make("div", {id: "knob-rows"}));
}
