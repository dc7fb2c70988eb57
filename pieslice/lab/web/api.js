// Asks the server. Of questions of one kind the newest counts; an older one gives null.

const PAGE = crypto.randomUUID();
const newest = {};
export const trouble = {say: () => {}};

async function answered(response) {
  const answer = await response.json().catch(() => ({problem: `the server says ${response.status}`}));
  if (!response.ok) throw new Error(answer.problem);
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

export const pool = async () => answered(await reached(fetch("/api/pool")));

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
    headers: {"content-type": "application/json", "x-pieslice-lab": "1"},
    body: JSON.stringify({...question, page: PAGE}),
  }));
  const answer = await answered(response);
  return number !== newest[kind] || answer?.cancelled ? null : answer;
}
