// The page without a pool: files are dropped, chosen or pasted, named with what they were taken for,
// and opened.

import * as api from "./api.js";
import {byId, make, number, shown} from "./dom.js";

let most = {bytes: Infinity, files: Infinity}, busy = Promise.resolve();

const said = text => { byId("progress").textContent = shown(text); };
const megabytes = bytes => `${number(bytes / 2 ** 20)} MiB`;

api.trouble.say = text => {
  byId("trouble").textContent = shown(text);
  byId("trouble").hidden = !text;
};

// --- what there is -------------------------------------------------------------------------------

const copier = text => make("button", {click: event => copy(text(), event.currentTarget)}, "Copy");

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select the text, and copy it";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function show(found) {
  most = found.most;
  byId("there").hidden = !found.files.length;
  byId("list").replaceChildren(...found.files.map(one => make("tr", {class: one.used ? "" : one.taken === "nothing known" ? "unknown" : "idle"},
    make("td", {}, one.name), make("td", {}, one.taken), make("td", {}, one.said),
    make("td", {}, make("button", {"aria-label": `remove ${one.name}`, click: () => act("forget", {name: one.name})}, "\u00d7")))));
  byId("lacking").hidden = !found.missing.length;
  byId("missing").replaceChildren(...found.missing.map(one => make("tr", {},
    make("td", {}, make("b", {}, one.part)), make("td", {}, one.without),
    make("td", {}, make("code", {}, one.command)), make("td", {}, copier(() => one.command)))));
  byId("open").disabled = !found.ready;
  byId("why-not").textContent = found.ready ? "" : "It needs slots.";
  byId("commands").textContent = found.commands;
  byId("try").hidden = !found.example;
}

// One after the other: each sees what the one before has left.
function next(work) {
  busy = busy.then(work).catch(problem => said(problem.message));
  return busy;
}

const act = (kind, question) => next(async () => {
  const found = await api.ask(kind, question);
  show(await api.files());
  said("");
  return found;
});

function open(what) {
  return next(async () => {
    said("reading the pool ...");
    await api.ask("open", {what});
    location.assign("/");
  });
}

// --- what is dropped -----------------------------------------------------------------------------

async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{name: entry.fullPath.replace(/^\//, ""), file}];
  }
  const reader = entry.createReader(), found = [];
  for (;;) {
    const entries = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!entries.length) return found;
    for (const one of entries) {
      found.push(...await filesOf(one));
      if (found.length > most.files) return found;
    }
  }
}

const hidden = ({name}) => name.split("/").some(part => part.startsWith("."));
const chosen = list => [...list].map(file => ({name: file.webkitRelativePath || file.name, file}));

function take(finding) {
  return next(async () => {
    const all = await finding, files = all.filter(one => !hidden(one));
    const bytes = files.reduce((sum, one) => sum + one.file.size, 0);
    if (files.length > most.files) throw new Error(`more than ${most.files.toLocaleString("en")} files: nothing was taken`);
    if (bytes > most.bytes) throw new Error(`${megabytes(bytes)}: more than the ${megabytes(most.bytes)} that files may have together; nothing was taken`);
    const refused = [];
    for (const [at, {name, file}] of files.entries()) {
      said(`${at + 1} of ${files.length}: ${name}`);
      await api.drop(name, file).catch(problem => refused.push(`${name}: ${problem.message}`));
    }
    show(await api.files());
    const left = all.length - files.length;
    said([...refused, ...(left ? [`${left} hidden file${left === 1 ? " is" : "s are"} left out`] : [])].join("; "));
    if (!byId("open").disabled) byId("open").focus();
  });
}

function onDrop(event) {
  event.preventDefault();
  document.body.classList.remove("over");
  // Asked for now: they are gone when this function has ended.
  const entries = [...event.dataTransfer.items].map(one => one.webkitGetAsEntry?.()).filter(Boolean);
  const plain = chosen(event.dataTransfer.files);
  take(entries.length ? Promise.all(entries.map(filesOf)).then(found => found.flat()) : Promise.resolve(plain));
}

// --- the page ------------------------------------------------------------------------------------

function begin() {
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("over"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("over"); });
  addEventListener("drop", onDrop);
  for (const [button, input] of [["choose", "files"], ["choose-folder", "folder"]]) {
    byId(button).addEventListener("click", () => byId(input).click());
    byId(input).addEventListener("change", event => {
      take(Promise.resolve(chosen(event.target.files)));
      event.target.value = "";
    });
  }
  byId("paste").addEventListener("click", async () => {
    const text = byId("text").value;
    if (await act("paste", {text})) byId("text").value = "";
  });
  byId("open").addEventListener("click", () => open("files"));
  byId("example").addEventListener("click", () => open("example"));
  byId("copy").addEventListener("click", event => copy(byId("commands").textContent, event.currentTarget));
  next(async () => show(await api.files()));
}

begin();
