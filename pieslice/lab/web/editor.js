// The texts of the policy: the overlay and the files, one editor with a state for each.

import * as cm from "./codemirror.js";
import {ask} from "./api.js";
import {control, shows, update} from "./controls.js";
import {byId, make, shown, tabs} from "./dom.js";

export const OVERLAY = "overlay";
const HINT = "# What is written here is read after all files: only what is to change.\n";
const states = new Map();
const saved = new Map();
let findings = [];
let current = OVERLAY;
let changed = () => {};
let view;

// --- the language --------------------------------------------------------------------------------

const language = cm.StreamLanguage.define({
  startState: () => ({value: false}),
  token(stream, state) {
    if (stream.sol()) {
      state.value = state.continued;
      state.continued = /\\\s*$/.test(stream.string);
      if (!state.value && stream.match(/\s*#.*/)) return "comment";
      if (!state.value && stream.match(/\s*(use|include|if|elif|else|endif)\b/i)) return "keyword";
      if (!state.value && stream.match(/\s*[\w.$()]+(?=\s*(@?=|:))/)) return "variableName";
    }
    if (stream.match(/\$\w*\([^)]*\)/)) return "macroName";
    if (stream.match(/"(\\.|[^"\\])*"?/)) return "string";
    if (stream.match(/\d+(\.\d+)?([eE][-+]?\d+)?/)) return "number";
    if (stream.match(/(true|false|undefined|error)\b/i)) return "atom";
    if (stream.match(/(my|target)(?=\.)/i)) return "keyword";
    if (stream.match(/[A-Za-z_]\w*/)) return null;
    if (stream.match(/[=!<>&|+*/?:@-]+/)) return "operator";
    stream.next();
    return null;
  },
  languageData: {commentTokens: {line: "#"}},
});

const colours = cm.HighlightStyle.define([
  {tag: cm.tags.comment, class: "tok-comment"},
  {tag: cm.tags.keyword, class: "tok-keyword"},
  {tag: cm.tags.variableName, class: "tok-name"},
  {tag: cm.tags.macroName, class: "tok-macro"},
  {tag: cm.tags.string, class: "tok-string"},
  {tag: [cm.tags.number, cm.tags.atom], class: "tok-value"},
]);

// --- places --------------------------------------------------------------------------------------

function offset(doc, [line, column]) {
  const row = doc.line(Math.max(1, Math.min(doc.lines, line + 1)));
  return Math.min(row.to, row.from + column);
}

function place(doc, at) {
  const row = doc.lineAt(at);
  return {file: current, line: row.number - 1, column: at - row.from};
}

// --- what the editor asks ------------------------------------------------------------------------

async function hovered(view, at) {
  const found = await ask("hover", {...texts(), ...place(view.state.doc, at)}).catch(() => null);
  if (!found) return null;
  const {doc} = view.state;
  return {pos: offset(doc, found.from), end: offset(doc, found.to), above: true, create: () => ({
    dom: make("div", {class: "hover"}, make("code", {}, found.heading), make("p", {}, found.text),
      make("dl", {}, ...found.facts.flatMap(([a, b]) => [make("dt", {}, a), make("dd", {}, b)])),
      ...found.example.map(line => make("code", {}, line))),
  })};
}

async function proposed(context) {
  const typed = context.matchBefore(/\$\([\w.]*|[\w.]+/);
  if (!typed && !context.explicit) return null;
  const found = await ask("complete", {...texts(), ...place(context.state.doc, context.pos)}).catch(() => null);
  if (!found?.proposals.length || context.aborted) return null;
  const from = offset(context.state.doc, found.from);
  const word = context.state.sliceDoc(from, context.pos).toLowerCase();
  // A word that is whole needs no list, in which Enter would choose.
  if (!context.explicit && found.proposals.some(one => one.text.toLowerCase() === word)) return null;
  return {
    from, filter: false,
    options: found.proposals.map(one => ({label: one.text, detail: one.sort, info: one.detail || undefined})),
  };
}

// --- findings in the text ------------------------------------------------------------------------

function mark(one) {
  const {doc} = view.state;
  const from = offset(doc, one.from), to = Math.max(from, offset(doc, one.to));
  return {
    from, to, severity: one.severity === "note" ? "info" : one.severity,
    source: one.id || "", message: shown(one.message + (one.help ? `\n${one.help}` : "")),
    actions: one.fix ? [{name: "Fix", apply: () => repair(one)}] : [],
  };
}

function showMarks() {
  const here = findings.filter(one => one.file === current);
  view.dispatch(cm.setDiagnostics(view.state, here.map(mark)));
}

export function setFindings(found) {
  findings = found;
  showMarks();
  showTabs();
}

export function repair(one) {
  open(one.file);
  const {doc} = view.state;
  const from = offset(doc, one.fix.from), to = offset(doc, one.fix.to);
  view.dispatch({changes: {from, to, insert: one.fix.text}, selection: {anchor: from + one.fix.text.length}});
  view.focus();
}

function repairHere() {
  const at = view.state.selection.main.head, {doc} = view.state;
  const one = findings.find(it => it.file === current && it.fix
    && offset(doc, it.from) <= at && at <= offset(doc, it.to))
    || findings.find(it => it.file === current && it.fix && offset(doc, it.fix.from) >= doc.lineAt(at).from
      && offset(doc, it.fix.to) <= doc.lineAt(at).to);
  if (one) repair(one);
  return true;
}

export function show(one) {
  open(one.file);
  const at = offset(view.state.doc, one.from);
  view.dispatch({selection: {anchor: at}, effects: cm.EditorView.scrollIntoView(at, {y: "center"})});
  view.focus();
}

// --- sliders and switches in the text ------------------------------------------------------------

const ASSIGNED = /^(\s*([\w.]+)\s*=\s*)([^#\s]+)\s*$/;
let knobs = new Map();

class Control extends cm.WidgetType {
  constructor(knob, text) { super(); Object.assign(this, {knob, text}); }
  eq(other) { return other.knob === this.knob && other.text === this.text; }
  toDOM(view) {
    const dom = make("span", {class: "beside"}), change = text => write(view, view.posAtDOM(dom), text);
    dom.append(control(this.knob, this.text, change));
    dom.knob = this.knob.name;
    return dom;
  }
  updateDOM(dom) {
    if (dom.knob !== this.knob.name) return false;
    update(dom.firstChild, this.knob, this.text);
    return true;
  }
  ignoreEvent() { return true; }
}

// Writes the value of the line at a place; a drag is one step of undo.
function write(view, at, text) {
  const row = view.state.doc.lineAt(at), [, lead, , value] = ASSIGNED.exec(row.text) || [];
  if (lead === undefined || value === text) return;
  const from = row.from + lead.length;
  dragged = true;
  view.dispatch({changes: {from, to: from + value.length, insert: text}, userEvent: "input.type.drag"});
  dragged = false;
}

function controlsOf(view) {
  const found = [];
  for (const {from, to} of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const row = view.state.doc.lineAt(at), [, , name, value] = ASSIGNED.exec(row.text) || [];
      const knob = name && knobs.get(name.toLowerCase());
      if (knob && shows(knob, value)) found.push(cm.Decoration.widget({widget: new Control(knob, value), side: 1}).range(row.to));
      at = row.to + 1;
    }
  }
  return cm.Decoration.set(found);
}

const controls = cm.ViewPlugin.fromClass(class {
  constructor(view) { this.knobs = knobs; this.decorations = controlsOf(view); }
  update(one) {
    if (!one.docChanged && !one.viewportChanged && this.knobs === knobs) return;
    this.knobs = knobs;
    this.decorations = controlsOf(one.view);
  }
}, {decorations: one => one.decorations});

// The knobs that have a control where they stand in a text.
export function setKnobs(rows) {
  knobs = new Map(rows.filter(one => one.control !== "text").map(one => [one.name.toLowerCase(), one]));
  view.dispatch({});
}

// Sets a macro in the overlay: where it does so already, else at its end.
export function setMacro(name, text) {
  const state = stateOf(OVERLAY), {doc} = state;
  let spec = null;
  for (let number = doc.lines; number >= 1 && !spec; number--) {
    const row = doc.line(number), [, lead, found, value] = ASSIGNED.exec(row.text) || [];
    if (found?.toLowerCase() === name.toLowerCase()) spec = {from: row.from + lead.length, to: row.from + lead.length + value.length, insert: text};
  }
  const gap = doc.length && !doc.toString().endsWith("\n") ? "\n" : "";
  spec ||= {from: doc.length, insert: `${gap}${name} = ${text}\n`};
  dragged = true;
  apply(OVERLAY, {changes: spec, userEvent: "input.type.drag"});
  dragged = false;
}

// --- undo and redo over all texts ----------------------------------------------------------------

// The texts in the order of their changes.
const done = [], undone = [];
let dragged = false;

function note(name, before, after) {
  if (cm.undoDepth(after) <= cm.undoDepth(before)) return;
  done.push(name);
  undone.length = 0;
}

function go(from, to, step) {
  const name = from.pop();
  if (name === undefined) return true;
  open(name);
  to.push(name);
  moving = true;
  step(view);
  moving = false;
  showHistory();
  return true;
}

let moving = false, whenHistory = () => {};
export const undo = () => go(done, undone, cm.undo);
export const redo = () => go(undone, done, cm.redo);
const showHistory = () => whenHistory(done.length > 0, undone.length > 0);

// `changed(canUndo, canRedo)`
export function onHistory(changed) {
  whenHistory = changed;
  showHistory();
}

// --- the texts -----------------------------------------------------------------------------------

function state(text) {
  return cm.EditorState.create({doc: text, extensions: [
    cm.EditorView.cspNonce.of(document.body.dataset.nonce),
    cm.lineNumbers(), cm.lintGutter(), cm.history(), cm.drawSelection(), cm.bracketMatching(),
    cm.highlightActiveLine(), cm.search({top: true}), cm.highlightSelectionMatches(),
    language, cm.syntaxHighlighting(colours), cm.EditorView.lineWrapping, controls,
    cm.autocompletion({override: [proposed]}), cm.hoverTooltip(hovered),
    cm.EditorView.contentAttributes.of({"aria-label": "text of the policy"}),
    cm.keymap.of([{key: "Mod-.", run: repairHere}, {key: "Mod-z", run: undo, preventDefault: true},
      {key: "Mod-y", run: redo, preventDefault: true}, {key: "Mod-Shift-z", run: redo, preventDefault: true}, ...cm.completionKeymap, ...cm.defaultKeymap,
      ...cm.historyKeymap, ...cm.lintKeymap, ...cm.searchKeymap]),
    cm.EditorView.updateListener.of(update => {
      if (!update.docChanged) return;
      if (!moving) note(current, update.startState, update.state);
      edited();
    }),
  ]});
}

const stateOf = name => name === current ? view.state : states.get(name);
const textOf = name => stateOf(name).doc.toString();

// Changes a text, whether it is shown or not.
function apply(name, spec) {
  const before = stateOf(name);
  if (name === current) return view.dispatch(spec);
  states.set(name, before.update(spec).state);
  note(name, before, states.get(name));
  edited();
}

export function texts() {
  const files = {};
  for (const [name, text] of saved) {
    const now = textOf(name);
    if (name !== OVERLAY && now !== text) files[name] = now;
  }
  const overlay = textOf(OVERLAY);
  return {overlay: overlay === HINT ? "" : overlay, files};
}

let before = "";
function edited() {
  const now = JSON.stringify(texts());
  if (now === before) return;
  before = now;
  showTabs();
  showHistory();
  changed(dragged);
}

function showTabs() {
  const found = texts();
  const names = [...saved.keys()].map(name => {
    const count = findings.filter(one => one.file === name).length;
    const dirty = name === OVERLAY ? found.overlay.trim() : name in found.files;
    return [name, name, ...(dirty ? [make("span", {class: "dirty", title: "changed"}, " \u25cf")] : []),
      ...(count ? [make("span", {class: "count", title: "findings"}, count)] : [])];
  });
  tabs(byId("files"), names, current, open);
}

export function open(name) {
  if (name === current || !saved.has(name)) return;
  states.set(current, view.state);
  current = name;
  view.setState(states.get(name));
  showMarks();
  showTabs();
}

export function insert(line) {
  open(OVERLAY);
  const {doc} = view.state;
  const lead = doc.length && !doc.toString().endsWith("\n") ? "\n" : "";
  const text = `${lead}${line}\n`;
  view.dispatch({changes: {from: doc.length, insert: text}, selection: {anchor: doc.length + text.length - 1}});
  view.focus();
}

// Other texts in place of all: `overlay`, and files by name; what is not there is as it is on the disk.
export function setTexts({overlay, files}) {
  for (const [name, text] of saved) {
    const wanted = name === OVERLAY ? overlay || HINT : files[name] ?? text;
    if (textOf(name) === wanted) continue;
    apply(name, {changes: {from: 0, to: stateOf(name).doc.length, insert: wanted},
      selection: {anchor: name === OVERLAY ? wanted.length : 0}});
  }
  edited();
}

// Where the texts define a macro last: the overlay counts before the files; null: nowhere.
export function definition(name) {
  const line = new RegExp(`^[ \\t]*${name}[ \\t]*(@?=|:)`, "gim");
  for (const file of [OVERLAY, ...[...saved.keys()].filter(one => one !== OVERLAY).reverse()]) {
    const text = textOf(file), found = [...text.matchAll(line)].pop();
    if (found) return {file, line: text.slice(0, found.index).split("\n").length - 1};
  }
  return null;
}

// The macro that is set where the cursor is; empty: none.
export function macro() {
  const {doc, selection} = view.state;
  let line = doc.lineAt(selection.main.head);
  while (line.number > 1 && /\\\s*$/.test(doc.line(line.number - 1).text)) line = doc.line(line.number - 1);
  return /^\s*([A-Za-z_][\w.]*)\s*(@?=|:)/.exec(line.text)?.[1] || "";
}

export const opened = () => current;

export const focus = () => view.focus();

export function begin(files, whenChanged) {
  saved.set(OVERLAY, HINT);
  for (const {name, text} of files) saved.set(name, text);
  for (const [name, text] of saved) {
    states.set(name, state(text));
    saved.set(name, states.get(name).doc.toString());
  }
  view = new cm.EditorView({state: states.get(OVERLAY), parent: byId("editor")});
  view.dispatch({selection: {anchor: view.state.doc.length}});
  changed = whenChanged;
  before = JSON.stringify(texts());
  showTabs();
  view.focus();
}
