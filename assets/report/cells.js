// The heat map, whose cells open the timeline behind them, and the latencies.

const dialog = document.getElementById("cell");
let opened = null;
let behind = null;

function lanesFor(panel) {
  const lane = (name, unit) =>
    element(
      "div",
      { class: `lane ${name}`, "data-lane": name },
      element("span", { class: "unit" }, unit),
      element("div", { class: "plot" }),
    );
  const below = panel.extent.unit ? "waiting, s" : "requests open";
  return [lane("rates", "per second"), lane("below", below), lane("queue", "waiting in queues")];
}

// Cells are compared with each other: they share the ends of their axes, unless one would be lost on them.
const reach = { rates: 0, below: 0, queue: 0 };
for (const cell of data.cells) {
  for (const key of Object.keys(reach)) reach[key] = Math.max(reach[key], cell.panel.extent[key]);
}

function reachOf(own) {
  const common = (key) => (own[key] * 6 < reach[key] ? own[key] : reach[key]);
  return { ...own, rates: common("rates"), below: common("below"), queue: common("queue") };
}

function openCell(nth, button) {
  const cell = data.cells[nth];
  if (!cell) return;
  opened = button;
  const panel = unpacked(cell.panel);
  const map = document.querySelector(`[data-map] [data-cell="${nth}"]`);
  document.getElementById("cell-title").textContent = cell.at;
  const words = map?.getAttribute("aria-label") ?? "";
  document.getElementById("cell-outcome").textContent = words.slice(words.lastIndexOf(": ") + 2);
  const said = document.getElementById("cell-said");
  said.textContent = `Seed ${data.seed}, shown here: ${panel.said}`;
  said.className = `said ${panel.tone}`;
  document.getElementById("cell-command").textContent = cell.command;
  behind?.leave();
  behind = new Group(panel.extent.time);
  const lanes = dialog.querySelector(".lanes");
  lanes.replaceChildren(...lanesFor(panel));
  if (!dialog.open) dialog.showModal();
  drawLanes(lanes, behind, panel, reachOf(panel.extent));
  tell(behind, panel, dialog.querySelector(".readout"), lanes);
  listen(lanes, behind, panel, cell.at);
  for (const step of dialog.querySelectorAll("[data-step]")) step.disabled = !beside(nth, step.dataset.step);
  dialog.dataset.cell = String(nth);
  history.replaceState(null, "", `#cell-${nth}`);
}

// The cell next to cell number `nth`, by rows and columns; none at the edge.
function beside(nth, step) {
  const button = document.querySelector(`[data-map] [data-cell="${nth}"]`);
  return button && neighbour(button, ...step.split(",").map(Number));
}

function neighbour(button, down, right) {
  const cell = button.closest("td");
  const row = cell.parentElement.parentElement.rows[cell.parentElement.sectionRowIndex + down];
  return row?.cells[cell.cellIndex + right]?.querySelector("[data-cell]");
}

if (dialog) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-cell]");
    if (button) openCell(Number(button.dataset.cell), button);
    // A click beside the dialog falls onto itself.
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    const step = event.target.closest("[data-step]");
    if (step) {
      const next = beside(Number(dialog.dataset.cell), step.dataset.step);
      if (next) openCell(Number(next.dataset.cell), next);
    }
  });
  dialog.addEventListener("close", () => {
    behind?.leave();
    behind = null;
    history.replaceState(null, "", location.pathname + location.search);
    if (opened) {
      take(opened);
      opened.focus();
    }
  });

  // One stop of the tab key per map; arrows go from cell to cell.
  for (const map of document.querySelectorAll("[data-map]")) {
    map.querySelector("[data-cell]")?.setAttribute("tabindex", "0");
    map.addEventListener("keydown", (event) => {
      const ways = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      const way = ways[event.key];
      const from = event.target.closest("[data-cell]");
      const to = way && from && neighbour(from, ...way);
      if (way && from) event.preventDefault();
      if (to) {
        take(to);
        to.focus();
      }
    });
  }
}

// `button` becomes the cell of its map that the tab key comes to.
function take(button) {
  const map = button.closest("[data-map]");
  if (!map) return;
  for (const other of map.querySelectorAll('[data-cell][tabindex="0"]')) other.setAttribute("tabindex", "-1");
  button.setAttribute("tabindex", "0");
}

// Latencies: each line from the fastest to the rarest, by how many nines.
const nines = (share) => -Math.log10(share);
const MARKS = [1, 0.5, 0.1, 0.01, 0.001, 0.0001, 0.00001];

function percentile(share) {
  return String(Number(((1 - share) * 100).toFixed(5)));
}

// 1, 2, 5, 10, 20 and so on between two lengths; only 1, 10, 100 where that is enough.
function roundSteps(from, to) {
  const digits = to / from > 300 ? [1] : [1, 2, 5];
  const steps = [];
  for (let ten = Math.floor(Math.log10(from)); ten <= Math.log10(to); ten += 1) {
    steps.push(...digits.map((digit) => Number(`${digit}e${ten}`)));
  }
  return steps.filter((step) => step >= from && step <= to);
}

function drawLatencies(card) {
  const host = card.querySelector(".plot");
  const names = card.querySelector(".names");
  const places = [...new Set(data.latencies.flat().map(([share]) => share))].sort((a, b) => b - a);
  const along = (curve) => {
    const known = new Map(curve);
    return places.map((share) => known.get(share) ?? undefined);
  };
  const all = data.latencies.flat().map(([, length]) => length).filter((length) => length > 0);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const rarest = Math.max(1, nines(places.at(-1)));
  const keys = data.names.map((_, nth) => `latency ${nth}`);
  const u = new uPlot(
    {
      width: room(host),
      height: 300,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [0, rarest] }, y: { distr: 3, range: [least / 1.3, most * 1.3] } },
      axes: axes(true, {
        x: {
          splits: (u) => {
            // Where two would stand on each other, the rarer one stays.
            const apart = (rarest * 44) / Math.max(1, u.bbox.width / devicePixelRatio);
            const marks = MARKS.map(nines).filter((place) => place <= rarest);
            return marks.filter((place, nth) => !(marks[nth + 1] - place < apart));
          },
          values: (_, splits) => splits.map((place) => `p${percentile(10 ** -place)}`),
        },
        y: { splits: (_, __, from, to) => roundSteps(from, to), values: (_, splits) => splits.map(mark) },
      }),
      series: [
        {},
        ...data.names.map((_, nth) => {
          const { stroke, dash } = seriesStyle(nth);
          return { stroke: () => colour(stroke), dash, width: 2, paths: linear, spanGaps: true, points: { show: false } };
        }),
      ],
      hooks: { setCursor: [(u) => latencies.point(u.cursor.left < 0 ? null : u.cursor.idx, u)] },
    },
    [places.map(nines), ...data.latencies.map(along)],
    host,
  );
  finish(u, host);
  latencies.plots.push({ u, keys });
  latencies.watchers.push(() => {
    for (const output of names.querySelectorAll("output")) {
      const value = latencies.at == null ? null : u.data[Number(output.dataset.value) + 1][latencies.at];
      output.textContent = value == null ? "" : `p${percentile(places[latencies.at])} ${figure(value)} ms`;
    }
  });
}

const latencies = new Group(1);
const latencyCard = document.querySelector("[data-latencies]");
if (latencyCard) {
  namesInto(latencyCard.querySelector(".names"), latencies, "latency ");
  drawLater(latencyCard, drawLatencies);
}

