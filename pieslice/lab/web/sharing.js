// What leaves the page: a link to what it has changed and shows, and a page that needs no server.

import * as api from "./api.js";
import {contentOf, contentOfSaved, fragmentOf, ofPool, savedOf} from "./link.js";
import {byId, make, number, shown} from "./dom.js";
import {keyOf} from "./why.js";

// Bytes of a `.pieslice` file.
const MOST_SAVED = 8 << 20;
// What the data take the place of in the template of an exported page.
const PLACE = "{page data}";
let overview, content = () => ({}), open = () => {}, last = () => ({}), keptHash = "", template = null;
const answers = new Map();

const hasTexts = ({overlay, files}) => Boolean(overlay.trim() || Object.keys(files).length);

const address = fragment => `${location.origin}${location.pathname}${fragment}`;

// The address has the text as it is, so that a page that is loaded again has it, too.
export async function remember() {
  const now = content();
  const fragment = hasTexts(now) ? await fragmentOf(now, overview.identity) : "";
  if (fragment === location.hash || JSON.stringify(now) !== JSON.stringify(content())) return;
  keptHash = fragment;
  history.replaceState(null, "", address(fragment));
}

// --- when the pool is opened anew ----------------------------------------------------------------

const AGAIN = "pieslice-lab-again";

export function keepForNextLoad() {
  sessionStorage.setItem(AGAIN, JSON.stringify(content()));
}

// What was kept by the page before; texts of files that are not there any more are left out.
export function kept() {
  const found = JSON.parse(sessionStorage.getItem(AGAIN) || "null");
  sessionStorage.removeItem(AGAIN);
  if (!found) return null;
  const names = new Set(overview.files.map(one => one.name));
  found.files = Object.fromEntries(Object.entries(found.files).filter(([name]) => names.has(name)));
  return found;
}

function refuse(text) {
  byId("refusal").textContent = shown(text);
  byId("refusal").hidden = !text;
}

// What the fragment of the address has; null where it has none, or one for another page.
export async function linked() {
  refuse("");
  const {hash} = location;
  if (hash.length < 2 ? !overview.saved : hash === keptHash) return null;
  try {
    return hash.length < 2 ? ofPool(overview.saved, overview) : await contentOf(hash, overview);
  } catch (problem) {
    refuse(problem.message);
    return null;
  }
}

async function show() {
  byId("link-text").value = "";
  const now = content(), link = address(await fragmentOf(now, overview.identity));
  byId("link-text").value = link;
  byId("link-given").value = byId("link-wrong").textContent = "";
  byId("link-copy").textContent = "Copy";
  byId("link-holds").textContent = `${hasTexts(now) ? "The changed text of the policy" : "No text of a policy: nothing is changed"}, and what is selected, in ${number(link.length)} characters; `
    + "no name of a user or machine but those in the text and of what is selected. It opens in any laboratory of the same capture: "
    + "what stands behind # is compressed, and no browser sends it to anybody.";
  byId("link-dialog").showModal();
  byId("link-text").select();
}

async function copy() {
  byId("link-text").select();
  try {
    await navigator.clipboard.writeText(byId("link-text").value);
    byId("link-copy").textContent = "Copied";
  } catch {
    byId("link-copy").textContent = document.execCommand("copy") ? "Copied" : "Ctrl+C copies it";
  }
}

// Gives a file of some text to whoever sits there.
function download(text, type, ending) {
  const file = new Blob([text], {type});
  const link = make("a", {download: `${overview.name.replace(/[^\w.-]+/g, "_")}${ending}`});
  link.href = URL.createObjectURL(file);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function openFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  try {
    if (file.size > MOST_SAVED) throw new Error(`The file is larger than ${number(MOST_SAVED / 2 ** 20)} MiB, and no page is.`);
    open(contentOfSaved(await file.text(), overview));
    refuse("");
    byId("link-dialog").close();
  } catch (problem) {
    byId("link-wrong").textContent = shown(problem.message.replace(": the page opens without it", ""));
  }
}

async function openGiven(event) {
  event.preventDefault();
  const given = byId("link-given").value.trim(), at = given.indexOf("#");
  try {
    open(await contentOf(at < 0 ? given : given.slice(at), overview));
    refuse("");
    byId("link-dialog").close();
  } catch (problem) {
    byId("link-wrong").textContent = shown(problem.message.replace(": the page opens without it", ""));
  }
}

// --- an exported page ----------------------------------------------------------------------------

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
// Answers are about a cycle with these texts.
const textsOf = ({overlay, files, view}) => ({overlay, files, cycle: Number(view.cycle)});

// Keeps what is answered of the text as it is; `kind`: what of a question, as the views of `why.js`.
export const keeping = (kind, ask) => async question => {
  const texts = textsOf(content());
  const answer = await ask(question);
  if (answer && same(texts, textsOf(content()))) answers.set(`${kind}\n${keyOf(question)}`, {kind, question, answer, texts});
  return answer;
};

// Without the names of all candidates, which only the map of a laboratory asks for.
const small = ({slots, ...side}) => side;

async function dataOf({edit, texts}) {
  // Without its server the page exports what it has.
  const cycle = edit?.number || 1;
  const more = await api.ask("export", {...texts, cycle}).catch(() => null) || {answers: [], commands: []};
  const asked = [...answers.values()].filter(one => same(one.texts, {overlay: texts.overlay, files: texts.files, cycle}));
  const known = new Set(asked.filter(one => one.kind === "answer").map(one => keyOf(one.question)));
  const {view, question} = content();
  return {
    overview: {...overview, files: []}, edit: texts.overlay.trim() || Object.keys(texts.files).length ? edit : null,
    texts, view, question, exported: new Date().toISOString().slice(0, 19) + "Z", commands: more.commands,
    answers: [...asked.map(({kind, question, answer}) => ({kind, question,
      answer: kind === "rank" ? {...answer, before: small(answer.before), after: small(answer.after)} : answer})), ...more.answers.filter(one => !known.has(keyOf(one.question)))],
  };
}

async function exportPage() {
  byId("export").disabled = true;
  try {
    template ||= await api.template();
    const text = JSON.stringify(await dataOf(last())).replaceAll("<", "\\u003c");
    download(template.replace(PLACE, () => text), "text/html", ".html");
  } catch (problem) {
    refuse(`not exported: ${problem.message}`);
  } finally {
    byId("export").disabled = false;
  }
}

// `contentNow`: texts, view and question of the page; `whenOpened` is given those of a link;
// `lastEdit`: the last difference, and its texts.
export function begin(pool, contentNow, whenOpened, lastEdit) {
  [overview, content, open, last] = [pool, contentNow, whenOpened, lastEdit];
  byId("export").addEventListener("click", exportPage);
  // Before the server may have ended.
  setTimeout(async () => { template = await api.template().catch(() => null); }, 1000);
  byId("save-page").addEventListener("click", () => download(savedOf(content(), overview), "application/json", ".pieslice"));
  byId("open-saved").addEventListener("click", () => byId("saved-file").click());
  byId("saved-file").addEventListener("change", openFile);
  byId("link").addEventListener("click", show);
  byId("link-copy").addEventListener("click", copy);
  byId("link-open").addEventListener("submit", openGiven);
  addEventListener("hashchange", async () => {
    const found = await linked();
    if (found) open(found);
  });
}
