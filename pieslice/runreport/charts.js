// Lets a reader look closer at the charts of a report: values under the pointer, zoom, users
// hidden.  Everything is drawn without it.
"use strict";
(() => {
  const WIDTH = 1000, HEIGHT = 100;
  const hidden = new Set();
  const views = new Map(); // unit of the axis -> [from, to]: charts with one unit move together
  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => ({
    figure,
    unit: figure.dataset.unit,
    data: JSON.parse(figure.querySelector("script").textContent),
    panels: [...figure.querySelectorAll(".panel")],
  }));
  const make = (tag, name, parent) => {
    const made = document.createElement(tag);
    made.className = name;
    parent.append(made);
    return made;
  };
  const view = (chart) => views.get(chart.unit) || [chart.data.first, chart.data.last];
  const places = (chart, series) => series.x || chart.data.x || [];
  const right = (chart, x) =>
    ((x - chart.data.first) / (chart.data.last - chart.data.first || 1)) * WIDTH;

  // --- hide a user -------------------------------------------------------------------------------

  // A stepped line from left to right, or from right to left as the rest of an area.
  function steps(chart, x, y, top, back) {
    const across = (i) => right(chart, x[i]).toFixed(2);
    const down = (i) => (HEIGHT - (HEIGHT * y[i]) / top).toFixed(3);
    const last = x.length - 1;
    const path = back ? [`L${across(last)} ${down(last)}`] : [`M${across(0)} ${down(0)}`];
    for (let i = 1; i <= last; i++) {
      const j = last - i;
      path.push(back ? `V${down(j)}H${across(j)}` : `H${across(i)}V${down(i)}`);
    }
    return path.join("");
  }

  function stack(chart, number) {
    const panel = chart.panels[number];
    const top = Number(panel.dataset.top);
    let below = null;
    chart.data.panels[number].series.forEach((series, index) => {
      const path = panel.querySelector(`path[data-s="${index}"]`);
      const off = hidden.has(series.name);
      path.style.display = off ? "none" : "";
      if (off) return;
      const x = places(chart, series);
      below = below || x.map(() => 0);
      const above = series.y.map((y, i) => y + below[i]);
      path.setAttribute("d", steps(chart, x, above, top) + steps(chart, x, below, top, true) + "Z");
      below = above;
    });
  }

  function hide(name) {
    hidden.has(name) ? hidden.delete(name) : hidden.add(name);
    for (const chart of charts) {
      chart.figure.querySelectorAll(".legend button").forEach((button) =>
        button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.name))));
      chart.panels.forEach((panel, number) => {
        if (panel.classList.contains("area")) return stack(chart, number);
        chart.data.panels[number].series.forEach((series, index) => {
          panel.querySelectorAll(`[data-s="${index}"]`).forEach((mark) => {
            mark.style.display = hidden.has(series.name) ? "none" : "";
          });
        });
      });
    }
  }

  // --- zoom --------------------------------------------------------------------------------------

  function marks(chart, from, to) {
    if (chart.unit === "wait" || (from === chart.data.first && to === chart.data.last)) {
      return chart.data.marks.filter(([at]) => at >= from && at <= to);
    }
    const rough = (to - from) / 6;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((size) => size * unit).find((size) => size >= rough);
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to + step / 1e6; at += step) {
      found.push([at, String(Number(at.toFixed(6)))]);
    }
    return found;
  }

  function zoom(unit, from, to) {
    for (const chart of charts.filter((one) => one.unit === unit)) {
      const { first, last } = chart.data;
      const span = Math.min(last - first, Math.max(to - from, (last - first) / 500));
      const begin = Math.min(Math.max(from, first), last - span);
      views.set(unit, [begin, begin + span]);
      const scale = (last - first) / span;
      chart.figure.querySelectorAll("g.zoom").forEach((group) => group.setAttribute(
        "transform", `translate(${-right(chart, begin) * scale} 0) scale(${scale} 1)`));
      const line = chart.figure.querySelector(".marks");
      line.replaceChildren();
      for (const [at, name] of marks(chart, begin, begin + span)) {
        const mark = make("span", "", line);
        mark.style.left = `${(100 * (at - begin)) / span}%`;
        mark.textContent = name;
      }
    }
  }

  function tools(chart) {
    const box = make("div", "tools", chart.figure);
    chart.figure.querySelector("figcaption").after(box);
    const move = (change) => () => {
      const [from, to] = view(chart);
      zoom(chart.unit, ...change(from, to, to - from));
    };
    for (const [sign, told, change] of [
      ["+", "zoom in", (from, to, span) => [from + span / 4, to - span / 4]],
      ["−", "zoom out", (from, to, span) => [from - span / 2, to + span / 2]],
      ["←", "earlier", (from, to, span) => [from - span / 3, to - span / 3]],
      ["→", "later", (from, to, span) => [from + span / 3, to + span / 3]],
      ["all", "everything", () => [chart.data.first, chart.data.last]],
    ]) {
      const button = make("button", "", box);
      button.type = "button";
      button.textContent = sign;
      button.title = told;
      button.setAttribute("aria-label", told);
      button.addEventListener("click", move(change));
    }
  }

  // --- values under the pointer ------------------------------------------------------------------

  function nearest(x, at, stepped) {
    let low = 0, high = x.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      x[middle] <= at ? (low = middle) : (high = middle - 1);
    }
    if (!stepped && low < x.length - 1 && at - x[low] > x[low + 1] - at) low += 1;
    return low;
  }

  function moment(chart, at) {
    if (chart.unit !== "wait") return `${Number(at.toFixed(2))} ${chart.unit}`;
    const seconds = 10 ** at;
    if (seconds < 100) return `after ${seconds.toFixed(0)} s`;
    return seconds < 6000 ? `after ${(seconds / 60).toFixed(1)} min`
      : `after ${(seconds / 3600).toFixed(1)} h`;
  }

  function tell(chart, number, share, tip) {
    const [from, to] = view(chart);
    const at = from + share * (to - from);
    const panel = chart.panels[number];
    tip.replaceChildren();
    make("b", "", tip).textContent = moment(chart, at);
    chart.data.panels[number].series.forEach((series, index) => {
      const x = places(chart, series);
      if (!x.length || hidden.has(series.name) || at < x[0]) return;
      const value = series.y[nearest(x, at, !panel.classList.contains("line"))];
      const row = make("div", "", tip);
      const swatch = make("span", "swatch", row);
      const mark = panel.querySelector(`[data-s="${index}"]`);
      swatch.style.background = chart.colours.get(series.name) || mark.style.stroke;
      make("span", "", row).textContent = series.name;
      make("span", "", row).textContent = Number(value.toPrecision(4)).toLocaleString("en");
    });
    return tip.childElementCount > 1;
  }

  function pointer(chart) {
    const tip = make("div", "tip", chart.figure);
    chart.panels.forEach((panel, number) => {
      const plot = panel.querySelector(".plot");
      const svg = plot.querySelector("svg");
      const share = (event) => {
        const box = plot.getBoundingClientRect();
        return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      };
      let begun = null, drag = null;
      svg.addEventListener("pointerdown", (event) => {
        if (event.pointerType === "touch") return;
        begun = share(event);
        drag = make("div", "drag", plot);
        svg.setPointerCapture(event.pointerId);
        event.preventDefault();
      });
      svg.addEventListener("pointermove", (event) => {
        const here = share(event);
        chart.figure.querySelectorAll(".cursor").forEach((cursor) => {
          cursor.style.display = "block";
          cursor.style.left = `${100 * here}%`;
        });
        if (drag) {
          drag.style.left = `${100 * Math.min(begun, here)}%`;
          drag.style.width = `${100 * Math.abs(here - begun)}%`;
        }
        tip.style.display = tell(chart, number, here, tip) ? "block" : "none";
        const frame = chart.figure.getBoundingClientRect();
        const box = plot.getBoundingClientRect();
        const left = event.clientX - frame.left + 14;
        const room = frame.width - tip.offsetWidth;
        tip.style.left = `${Math.max(0, left > room ? event.clientX - frame.left - tip.offsetWidth - 14 : left)}px`;
        tip.style.top = `${box.top - frame.top + 6}px`;
      });
      const ended = (event) => {
        if (begun !== null && drag) {
          const here = share(event);
          const [from, to] = view(chart);
          if (Math.abs(here - begun) > 0.01) {
            zoom(chart.unit, from + Math.min(begun, here) * (to - from),
              from + Math.max(begun, here) * (to - from));
          }
          drag.remove();
        }
        begun = drag = null;
      };
      svg.addEventListener("pointerup", ended);
      svg.addEventListener("pointercancel", ended);
      svg.addEventListener("dblclick", () => zoom(chart.unit, chart.data.first, chart.data.last));
      svg.addEventListener("pointerleave", () => {
        tip.style.display = "none";
        chart.figure.querySelectorAll(".cursor").forEach((cursor) => (cursor.style.display = "none"));
      });
    });
  }

  document.documentElement.classList.add("scripted");
  for (const chart of charts) {
    chart.colours = new Map();
    chart.figure.querySelectorAll(".legend button").forEach((button) => {
      chart.colours.set(button.dataset.name, button.dataset.colour);
      button.addEventListener("click", () => hide(button.dataset.name));
    });
    tools(chart);
    pointer(chart);
  }
  addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((one) => (one.open = true)));
})();
