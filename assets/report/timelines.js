// The timelines: a card per variant, one with all of them, and what is above them.

const HEIGHTS = { rates: 190, below: 92, queue: 78, overlay: 280 };

const KEYS = {
  demand: "demand",
  goodput: "goodput",
  attempts: "attempts",
  below: "waiting",
  queue: "in queues",
};

// The plots of one run into `lanes`, with `reach` as the ends of their axes.
function drawLanes(lanes, group, panel, reach) {
  const { times, lines, acts } = panel;
  const shown = [...lanes.querySelectorAll("[data-lane]")].filter((lane) => {
    lane.hidden = lane.dataset.lane === "queue" && !lines.queue.some((waiting) => waiting > 0);
    return !lane.hidden;
  });
  for (const lane of shown) {
    const host = lane.querySelector(".plot");
    const labelled = lane === shown.at(-1);
    const common = { acts, labelled, height: HEIGHTS[lane.dataset.lane] + (labelled ? 18 : 0) };
    if (lane.dataset.lane === "rates") {
      timePlot(host, group, times, {
        ...common,
        named: true,
        top: reach.rates,
        lines: [
          { key: "attempts", values: lines.attempts, stroke: "attempts", width: 1.7 },
          { key: "demand", values: lines.demand, stroke: "demand", width: 1.1, dash: [2, 2] },
          { key: "goodput", values: lines.goodput, stroke: "goodput", fill: "goodput-fill", width: 2.4 },
        ],
        over: (u) => {
          if (panel.ceiling) bound(u, ...panel.ceiling);
          if (!group.hidden.has("attempts")) beyond(u, lines.attempts, reach.rates, "/s", "attempts");
          backAt(u, panel.back, "well", "back");
        },
      });
    } else if (lane.dataset.lane === "below") {
      const unit = reach.unit && ` ${reach.unit}`;
      timePlot(host, group, times, {
        ...common,
        top: reach.below,
        lines: [
          { key: "below", values: lines.below, stroke: "waiting", fill: "waiting-fill", width: 1.7 },
        ],
        over: (u) => {
          if (reach.unit) for (const [length, words] of panel.timeouts) bound(u, length, words);
          beyond(u, lines.below, reach.below, unit, "waiting");
        },
      });
    } else {
      timePlot(host, group, times, {
        ...common,
        top: reach.queue * 1.05,
        lines: [{ key: "queue", values: lines.queue, stroke: "axis", fill: "raised", width: 1.4 }],
      });
    }
  }
}

// What the cursor points at, or the means over what is shown: for the eye and for the ear.
function readings(panel, group) {
  const { times, lines } = panel;
  let [from, to] = group.range;
  let value = (key) => mean(times, lines[key], from, to);
  let when = `${stretch(from, to, 1)}, means`;
  if (group.at != null && group.at <= panel.end) {
    const nth = stretchAt(times, group.at);
    [from, to] = [times[nth], times[nth + 1]];
    value = (key) => lines[key][nth];
    when = stretch(from, to);
  }
  const unit = (key) => (key === "below" && panel.extent.unit ? ` ${panel.extent.unit}` : "");
  const keys = Object.keys(KEYS).filter((key) => !group.hidden.has(key));
  return { when, parts: keys.map((key) => ({ key, text: `${figure(value(key))}${unit(key)}` })) };
}

// From when to when, as precisely as the stretch is long.
function stretch(from, to, digits = 2) {
  const decimals = Math.max(0, Math.min(6, digits - Math.floor(Math.log10(to - from) + 1e-9)));
  const round = (at) => seconds(Number(at.toFixed(decimals)));
  return `${round(from)}–${round(to)} s`;
}

// The mean from one instant to another, each stretch by how much of it lies between them.
function mean(times, values, from, to) {
  let sum = 0;
  let whole = 0;
  for (let nth = 0; nth + 1 < times.length; nth += 1) {
    const length = Math.max(0, Math.min(to, times[nth + 1]) - Math.max(from, times[nth]));
    sum += values[nth] * length;
    whole += length;
  }
  return whole > 0 ? sum / whole : 0;
}

function nameOf(key, panel) {
  return key === "below" && !panel.extent.unit ? "open" : KEYS[key];
}

// Keeps `readout` and `slider` telling what the cursor points at.
function tell(group, panel, readout, slider) {
  const write = () => {
    const { when, parts } = readings(panel, group);
    const spans = parts.map(({ key, text }) => {
      const name = nameOf(key, panel);
      const value = element("b", {}, text);
      return element("span", { "data-reads": key }, element("i", { class: `mark ${key}` }), value, ` ${name}`);
    });
    readout.replaceChildren(element("span", { class: "when" }, when), ...spans);
    slider.setAttribute("aria-valuenow", String(group.at ?? group.range[0]));
    const words = parts.map(({ key, text }) => `${nameOf(key, panel)} ${text}`);
    slider.setAttribute("aria-valuetext", `${when}: ${words.join(", ")}`);
  };
  group.watchers.push(write);
  write();
}

// Makes the plots of `lanes` one control: arrows move the cursor.
function listen(lanes, group, panel, name) {
  for (const [key, value] of Object.entries({
    role: "slider",
    tabindex: "0",
    "aria-label": `Timeline of ${name}: cursor`,
    "aria-valuemin": "0",
    "aria-valuemax": String(panel.end),
    "aria-valuenow": "0",
  })) {
    lanes.setAttribute(key, value);
  }
  lanes.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (group.key(event, panel.times)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
}

const panels = data.panels.map(unpacked);
const time = new Group(data.extent ? data.extent.time : 1);

function seriesStyle(nth) {
  const colours = 7;
  const dash = data.dashes[Math.floor(nth / colours) % data.dashes.length];
  return { stroke: `series-${nth % colours}`, dash: dash.length ? dash : undefined };
}

// A key per variant that hides and shows its line, with room for a value.
function namesInto(host, group, prefix) {
  data.names.forEach((name, nth) => {
    const { stroke, dash } = seriesStyle(nth);
    const line = element("i", { class: "mark line" });
    line.style.borderTopColor = `var(--${stroke})`;
    if (dash) line.style.borderTopStyle = dash[0] > 4 ? "dashed" : "dotted";
    const said = element("span", { class: `said ${panels[nth].tone}` }, panels[nth].verdict);
    const value = element("output", { "data-value": String(nth) });
    const button = element(
      "button",
      { type: "button", "aria-pressed": "true", "data-variant": String(nth) },
      line,
      element("span", { class: "name" }, name),
      said,
      value,
    );
    button.addEventListener("click", () => group.toggle(`${prefix}${nth}`));
    host.append(button);
  });
  group.watchers.push(() => {
    for (const button of host.children) {
      button.setAttribute("aria-pressed", String(!group.hidden.has(`${prefix}${button.dataset.variant}`)));
    }
  });
}

function drawOverlay(card) {
  const host = card.querySelector(".plot");
  const lanes = card.querySelector(".lanes");
  const names = card.querySelector(".names");
  const same = panels.every((panel) => panel.step === panels[0].step && panel.end === panels[0].end);
  const times = same
    ? panels[0].times
    : [...new Set(panels.flatMap((panel) => panel.times))].sort((a, b) => a - b);
  const along = (panel) =>
    times.slice(0, -1).map((at) => (at < panel.end ? panel.lines[data.overlay][stretchAt(panel.times, at)] : null));
  const seen = new Set();
  const acts = panels
    .flatMap((panel) => panel.acts)
    .filter((act) => !act[3] && !seen.has(String(act)) && seen.add(String(act)));
  const lines = panels.map((panel, nth) => ({
    key: `variant ${nth}`,
    values: along(panel),
    width: 2,
    ...seriesStyle(nth),
  }));
  const most = lines.reduce((top, line) => line.values.reduce((a, b) => Math.max(a, b ?? 0), top), 0);
  timePlot(host, time, times, {
    acts,
    named: true,
    labelled: true,
    height: HEIGHTS.overlay,
    top: most * 1.06,
    lines,
    over: (u) =>
      panels.forEach((panel, nth) => {
        if (!time.hidden.has(`variant ${nth}`)) backAt(u, panel.back, lines[nth].stroke);
      }),
  });
  listen(lanes, time, { times, end: time.end }, "all variants");
  const unit = data.overlay === "goodput" ? "/s" : " open";
  time.watchers.push(() => {
    for (const output of names.querySelectorAll("output")) {
      const panel = panels[Number(output.dataset.value)];
      const at = time.at != null && time.at <= panel.end ? stretchAt(panel.times, time.at) : null;
      output.textContent = at == null ? "" : `${figure(panel.lines[data.overlay][at])}${unit}`;
    }
  });
}

function drawCard(card) {
  const panel = panels[Number(card.dataset.panel)];
  const lanes = card.querySelector(".lanes");
  drawLanes(lanes, time, panel, data.extent);
  for (const key of ["below", "queue"]) hideLane(lanes, key);
}

function hideLane(lanes, key) {
  const lane = lanes.querySelector(`[data-lane="${key}"]`);
  if (lane) lane.classList.toggle("off", time.hidden.has(key));
}

// Plots are made when they come near the screen: thirty variants are ninety of them.
const waiting = new Map();
const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
  },
  { rootMargin: "600px" },
);

function drawNow(card) {
  const draw = waiting.get(card);
  waiting.delete(card);
  near.unobserve(card);
  draw?.(card);
}

function drawAll() {
  for (const card of [...waiting.keys()]) drawNow(card);
}

function drawLater(card, draw) {
  waiting.set(card, draw);
  near.observe(card);
}

for (const card of document.querySelectorAll("[data-panel]")) {
  const panel = panels[Number(card.dataset.panel)];
  const lanes = card.querySelector(".lanes");
  tell(time, panel, card.querySelector(".readout"), lanes);
  listen(lanes, time, panel, data.names[Number(card.dataset.panel)]);
  drawLater(card, drawCard);
}

const overlay = document.querySelector("[data-overlay]");
if (overlay) {
  namesInto(overlay.querySelector(".names"), time, "variant ");
  drawLater(overlay, drawOverlay);
}

for (const button of document.querySelectorAll("[data-series]")) {
  button.addEventListener("click", () => {
    const key = button.dataset.series;
    time.toggle(key);
    button.setAttribute("aria-pressed", String(!time.hidden.has(key)));
    for (const lanes of document.querySelectorAll("[data-panel] .lanes")) hideLane(lanes, key);
  });
}

for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") time.zoom(0, time.end);
    else time.scaleBy(button.dataset.zoom === "in" ? 0.5 : 2);
  });
}

const range = document.getElementById("range");
function tellRange() {
  range.textContent = stretch(...time.range, 1);
}
time.watchers.push(tellRange);
tellRange();

