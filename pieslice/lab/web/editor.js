// The texts of the policy: the overlay and the files, one editor with a state for each.

import * as cm from "./codemirror.js";
import {ask} from "./api.js";
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

// --- the texts -----------------------------------------------------------------------------------

function state(text) {
  return cm.EditorState.create({doc: text, extensions: [
    cm.EditorView.cspNonce.of(document.body.dataset.nonce),
    cm.lineNumbers(), cm.lintGutter(), cm.history(), cm.drawSelection(), cm.bracketMatching(),
    cm.highlightActiveLine(), cm.search({top: true}), cm.highlightSelectionMatches(),
    language, cm.syntaxHighlighting(colours), cm.EditorView.lineWrapping,
    cm.autocompletion({override: [proposed]}), cm.hoverTooltip(hovered),
    cm.EditorView.contentAttributes.of({"aria-label": "text of the policy"}),
    cm.keymap.of([{key: "Mod-.", run: repairHere}, ...cm.completionKeymap, ...cm.defaultKeymap,
      ...cm.historyKeymap, ...cm.lintKeymap, ...cm.searchKeymap]),
    cm.EditorView.updateListener.of(update => { if (update.docChanged) edited(); }),
  ]});
}

const textOf = name => (name === current ? view.state : states.get(name)).doc.toString();

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
  changed();
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
    const before = name === current ? view.state : states.get(name);
    const change = before.update({changes: {from: 0, to: before.doc.length, insert: wanted},
      selection: {anchor: name === OVERLAY ? wanted.length : 0}});
    if (name === current) view.dispatch(change);
    else states.set(name, change.state);
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
