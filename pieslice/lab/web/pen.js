// How the map is drawn: colours of the style, textures, shapes; units stand in rows of `across`.

import {make} from "./dom.js";

export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// `each(row, first, last, isFirst, isLast)` for each row that a stretch of units touches.
export function eachRow({from, to}, across, each) {
  for (let at = from; at < to;) {
    const row = Math.floor(at / across), end = Math.min(to, (row + 1) * across);
    each(row, at - row * across, end - row * across, at === from, end === to);
    at = end;
  }
}

// A change is a shape: the corner is cut.
export function corner(pen, x, y, size, palette) {
  const cut = Math.max(3, size * 0.55);
  pen.fillStyle = palette.paper;
  pen.beginPath();
  pen.moveTo(x - cut, y);
  pen.lineTo(x, y);
  pen.lineTo(x, y + cut);
  pen.fill();
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x - cut, y + 0.5);
  pen.lineTo(x - 0.5, y + cut);
  pen.stroke();
}

export function frame(pen, x, y, w, h, colour, line) {
  pen.strokeStyle = colour;
  pen.lineWidth = line;
  pen.strokeRect(x + line / 2, y + line / 2, w - line, h - line);
}

// The textures of charts.
export const HATCHES = ["", "M0 8L8 0", "M4 2v4", "M0 0L8 8M0 8L8 0"];

export function hatch(lines) {
  if (!lines) return null;
  const tile = make("canvas", {width: 8, height: 8}), pen = tile.getContext("2d");
  pen.strokeStyle = css("--paper");
  pen.lineWidth = 1.5;
  pen.stroke(new Path2D(lines));
  return pen.createPattern(tile, "repeat");
}
