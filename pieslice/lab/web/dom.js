// Makes elements. Every text is a text node; what steers a terminal or the direction of text is
// shown as its number.

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

export const shown = text =>
  String(text).replace(STEERING, one => `\\u{${one.codePointAt(0).toString(16)}}`);

export const byId = name => document.getElementById(name);

// `make("td", {class: "right"}, "text", element)`; a function is a listener.
export function make(tag, properties = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, shown(value));
  }
  made.append(...content.map(part => part instanceof Node ? part : shown(part)));
  return made;
}

export const number = value => value == null ? "-"
  : Number(value.toFixed(2)).toLocaleString("en", {maximumFractionDigits: 2}).replace("-", "\u2212");

export const signed = value => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + number(Math.abs(value));

// Tabs that are gone through with the arrows, one in the order of Tab.
export function tabs(container, names, chosen, choose) {
  container.replaceChildren(...names.map(([key, ...label]) => make("button", {
    role: "tab", "data-key": key, "aria-selected": String(key === chosen),
    tabindex: key === chosen ? "0" : "-1", click: () => choose(key),
    keydown: event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      const at = names.findIndex(([one]) => one === key) + step;
      choose(names[(at + names.length) % names.length][0]);
      container.querySelector("[aria-selected=true]")?.focus();
    },
  }, ...label)));
}
