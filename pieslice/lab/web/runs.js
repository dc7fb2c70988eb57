// Follows an experiment that runs beside the page.

import {ask} from "./api.js";

// Begins one; `told` is given its state each time that it is further. Gives its number, and what stops it.
export async function begin(question, told) {
  const {run} = await ask("run", question);
  return {run, stop: follow(run, told)};
}

// The same of one that was begun, and may have ended.
export function follow(run, told) {
  const events = new EventSource(`/api/events?${new URLSearchParams({run})}`);
  const end = state => { events.close(); told(state); };
  events.onmessage = event => {
    const state = JSON.parse(event.data);
    if (state.state === "running") told(state);
    else end(state);
  };
  events.onerror = () => end({state: "refused", problem: "nothing is known of this experiment any more"});
  return () => ask("stop", {run}).catch(() => {});
}
