// The cycles that follow: a slider over them, and play; another over the captures of a history.

import {byId, make} from "./dom.js";

const STEP = 1200;
let cycles = {count: 1, interval: 0}, choose = () => {}, timer = null, now = 1, wanted = 1;

const after = number => {
  const seconds = (number - 1) * cycles.interval;
  return number === 1 ? "the next cycle"
    : `${seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`} later`;
};

function show() {
  byId("cycle").value = wanted;
  byId("cycle").setAttribute("aria-valuetext", `cycle ${wanted} of ${cycles.count}, ${after(wanted)}`);
  byId("cycle-said").textContent = now === wanted ? `cycle ${now} of ${cycles.count}, ${after(now)}` : `cycle ${wanted} ...`;
  const button = byId("cycle-play");
  button.textContent = timer ? "\u23f8 Pause" : "\u25b6 Play";
  button.setAttribute("aria-pressed", String(Boolean(timer)));
}

function pause() {
  clearTimeout(timer);
  timer = null;
}

export const cycle = () => wanted;

function go(number) {
  wanted = Math.max(1, Math.min(cycles.count, number));
  show();
  choose();
}

function play() {
  if (timer) pause();
  else timer = setTimeout(() => go(now >= cycles.count ? 1 : now + 1), 0);
  show();
}

export function step(by) {
  pause();
  go(wanted + by);
}

// What is held on the way to the cycle that is wanted.
export function reach(number) {
  byId("cycle-said").textContent = `cycle ${number} of the ${wanted} until then ...`;
}

// A cycle is shown; the next one follows where it plays.
export function reached(number) {
  now = wanted = number;
  if (timer && now >= cycles.count) pause();
  else if (timer) timer = setTimeout(() => go(now + 1), STEP);
  show();
}

// Another cycle without anybody told: that of a link.
export function set(number) {
  wanted = Math.max(1, Math.min(cycles.count, Math.trunc(number) || 1));
  show();
}

// The cycle that is wanted cannot be shown: it stays at the last one.
export function stop() {
  pause();
  wanted = now;
  show();
}

// `whenChosen`: called when `cycle()` is another one.
export function begin(given, whenChosen) {
  [cycles, choose] = [given, whenChosen];
  byId("time").hidden = cycles.count < 2;
  byId("time").replaceChildren(make("button", {id: "cycle-play", click: play}),
    make("label", {for: "cycle"}, "cycle"),
    make("input", {id: "cycle", type: "range", min: 1, max: cycles.count, step: 1, value: 1,
      input: event => { pause(); go(Number(event.target.value)); }}),
    make("output", {id: "cycle-said", for: "cycle", "aria-live": "polite"}));
  show();
}

// --- captures of a history -----------------------------------------------------------------------

const PLAYING = "pieslice-captures-play";
export const isPlaying = () => Boolean(sessionStorage.getItem(PLAYING));

// Plays the captures from one to the last: each is a page of its own, and the next follows when all is shown.
function playing(at, count, open) {
  const button = make("button", {id: "capture-play", click: () => {
    if (isPlaying()) return stopped();
    sessionStorage.setItem(PLAYING, "1");
    open(at + 1 < count ? at + 1 : 0);
  }});
  const label = isOn => {
    button.textContent = isOn ? "\u23f8 Pause" : "\u25b6 Play";
    button.setAttribute("aria-pressed", String(isOn));
  };
  const stopped = () => { sessionStorage.removeItem(PLAYING); label(false); };
  const next = () => {
    if (!isPlaying()) return;
    if (document.body.matches(".busy")) setTimeout(next, STEP / 4);
    else open(at + 1);
  };
  if (at + 1 === count) stopped();
  label(isPlaying());
  if (isPlaying()) setTimeout(next, STEP);
  return {button, stopped};
}

// `captures`: times, and which of them is shown; `open`: called with the number of another one.
export function beginCaptures(captures, open) {
  byId("captures").hidden = !captures || captures.times.length < 2;
  if (byId("captures").hidden) return;
  const {times, at} = captures, said = number => `${number + 1} of ${times.length}, ${times[number].replace("T", " ").replace("Z", " UTC")}`;
  const output = make("output", {id: "capture-said", for: "capture"}, said(at));
  const {button, stopped} = playing(at, times.length, open);
  byId("captures").replaceChildren(button, make("label", {for: "capture"}, "capture"),
    make("input", {id: "capture", type: "range", min: 0, max: times.length - 1, step: 1, value: at, "aria-valuetext": said(at),
      input: event => { stopped(); output.textContent = said(Number(event.target.value)); event.target.setAttribute("aria-valuetext", output.textContent); },
      change: event => open(Number(event.target.value))}), output);
}
