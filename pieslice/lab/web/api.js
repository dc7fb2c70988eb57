// Asks the server. Of questions of one kind the newest counts; an older one gives null.

const PAGE = crypto.randomUUID();
const newest = {};
let asked = 0;
export const trouble = {say: () => {}};

async function answered(response) {
  const answer = await response.json().catch(() => ({problem: `the server says ${response.status}`}));
  if (!response.ok) throw Object.assign(new Error(answer.problem), {gone: answer.gone});
  return answer;
}

async function reached(request) {
  try {
    const response = await request;
    trouble.say("");
    return response;
  } catch {
    trouble.say("The server has ended. The text is kept in this page; start `pieslice lab` again.");
    throw new Error("the server has ended");
  }
}

const HEADERS = {"x-pieslice-lab": "1"};
const got = async name => answered(await reached(fetch(`/api/${name}`)));
export const pool = () => got("pool");
export const files = () => got("files");

export const drop = async (name, file) => answered(await reached(
  fetch(`/api/drop?${new URLSearchParams({name})}`, {method: "POST", headers: HEADERS, body: file})));

// The exported page without its data.
export async function template() {
  const response = await reached(fetch("/web/exported.html"));
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  return response.text();
}

export async function ask(kind, question) {
  const number = newest[kind] = (newest[kind] || 0) + 1;
  const response = await reached(fetch(`/api/${kind}`, {
    method: "POST",
    headers: {...HEADERS, "content-type": "application/json"},
    body: JSON.stringify({...question, page: PAGE, turn: ++asked, pool: document.body.dataset.pool || 0}),
  }));
  const answer = await answered(response);
  return number !== newest[kind] || answer?.cancelled ? null : answer;
}
