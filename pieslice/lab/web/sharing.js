// What leaves the page: a link to what it has changed and shows.

import {contentOf, fragmentOf} from "./link.js";
import {byId, number, shown} from "./dom.js";

let overview, content = () => ({}), open = () => {}, kept = "";

const hasTexts = ({overlay, files}) => Boolean(overlay.trim() || Object.keys(files).length);

const address = fragment => `${location.origin}${location.pathname}${fragment}`;

// The address has the text as it is, so that a page that is loaded again has it, too.
export async function remember() {
  const now = content();
  const fragment = hasTexts(now) ? await fragmentOf(now, overview.identity) : "";
  if (fragment === location.hash || JSON.stringify(now) !== JSON.stringify(content())) return;
  kept = fragment;
  history.replaceState(null, "", address(fragment));
}

function refuse(text) {
  byId("refusal").textContent = shown(text);
  byId("refusal").hidden = !text;
}

// What the fragment of the address has; null where it has none, or one for another page.
export async function linked() {
  refuse("");
  if (location.hash.length < 2 || location.hash === kept) return null;
  try {
    return await contentOf(location.hash, overview);
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

// `contentNow`: texts, view and question of the page; `whenOpened` is given those of a link.
export function begin(pool, contentNow, whenOpened) {
  [overview, content, open] = [pool, contentNow, whenOpened];
  byId("link").addEventListener("click", show);
  byId("link-copy").addEventListener("click", copy);
  byId("link-open").addEventListener("submit", openGiven);
  addEventListener("hashchange", async () => {
    const found = await linked();
    if (found) open(found);
  });
}
