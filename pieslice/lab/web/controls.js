// A slider or a switch for the value of a knob.

import {make} from "./dom.js";

const isTrue = text => /^(true|yes|t|y|1)$/i.test(text ?? "");
const isNumber = text => /^\s*-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(text ?? "");

// Whether a value of a knob can be shown by its control.
export const shows = ({control}, text) => control === "switch" ? /^(true|false|yes|no|t|f|y|n)$/i.test((text ?? "").trim())
  : control === "slider" && isNumber(text);

// `change(text)` is called with each value while it is dragged.
export function control(knob, text, change) {
  if (knob.control === "switch") return make("button", {class: "switch", role: "switch", "aria-label": knob.name, "aria-checked": String(isTrue(text)),
    click: event => {
      const next = event.currentTarget.getAttribute("aria-checked") === "true" ? "false" : "true";
      event.currentTarget.setAttribute("aria-checked", next);
      change(next);
    }});
  const slider = make("input", {type: "range", class: "knob-slider", "aria-label": knob.name, input: event => change(event.target.value)});
  setBounds(slider, knob, text);
  slider.value = text;
  return slider;
}

function setBounds(slider, {range: [low, high, step]}, text) {
  slider.min = Math.min(low, Number(text));
  slider.max = Math.max(high, Number(text));
  slider.step = step;
}

// Another value in a control that stays; while it is dragged its bounds do, too.
export function update(element, knob, text) {
  if (knob.control === "switch") return element.setAttribute("aria-checked", String(isTrue(text)));
  if (document.activeElement !== element) setBounds(element, knob, text);
  if (Number(element.value) !== Number(text)) element.value = text;
}
