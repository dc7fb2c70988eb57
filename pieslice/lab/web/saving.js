// What leaves the page as files: new ones in a folder, never in the place of another; or a diff.

import * as api from "./api.js";
import {byId, shown} from "./dom.js";

let texts = () => ({});

const say = (text, look = "") => {
  byId("save-said").textContent = shown(text);
  byId("save-said").className = look;
};

async function showDifference() {
  say("");
  byId("save-now").disabled = true;
  try {
    const found = await api.ask("difference", {...texts(), name: byId("save-name").value});
    if (!found) return;
    byId("save-diff").textContent = shown(found.diff) || "nothing is changed";
    byId("save-now").disabled = !found.diff;
  } catch (problem) {
    byId("save-diff").textContent = "";
    say(problem.message, "bad");
  }
}

async function save(event) {
  event.preventDefault();
  try {
    const {files} = await api.ask("save", {...texts(), folder: byId("save-folder").value, name: byId("save-name").value});
    say(`written: ${files.join(", ")}`, "good");
  } catch (problem) {
    say(problem.message, "bad");
  }
}

export function begin(textsNow) {
  texts = textsNow;
  byId("save").addEventListener("click", () => { byId("save-dialog").showModal(); showDifference(); });
  byId("save-name").addEventListener("input", showDifference);
  byId("save-form").addEventListener("submit", save);
  byId("save-copy").addEventListener("click", async () => {
    await navigator.clipboard?.writeText(byId("save-diff").textContent).then(() => say("copied"), () => say("select the text, and Ctrl+C copies it"));
  });
}
