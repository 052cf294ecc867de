// How a plot is drawn. Colours come from the style sheet, so that they follow light and dark.

let colours = new Map();

function colour(name) {
  if (!colours.has(name)) {
    colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return colours.get(name);
}

const FONT = 'Inter, "Helvetica Neue", Arial, sans-serif';
const SMALL = 12;
const ROW = 16;
const LEFT = 52;
const stepped = uPlot.paths.stepped({ align: 1 });
const linear = uPlot.paths.linear();
const everyPlot = new Set();

// On the canvas of `u`, whose pixels are finer than those of the page.
function onCanvas(u, draw) {
  const { ctx } = u;
  const fine = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.font = `${SMALL * fine}px ${FONT}`;
  ctx.lineWidth = fine;
  draw(ctx, fine, u.bbox);
  ctx.restore();
}

const ruler = document.createElement("canvas").getContext("2d");
function width(text) {
  ruler.font = `${SMALL}px ${FONT}`;
  return ruler.measureText(text).width;
}

// The rows in which the names of `acts` stand, none covering another, in a plot so wide that shows `range`.
function rows(acts, room, [from, to]) {
  const ends = [];
  const placed = [];
  for (const [words, begins, ends_at, operator] of [...acts].sort((a, b) => a[1] - b[1])) {
    if (ends_at < from || begins > to) continue;
    const middle = (Math.max(begins, from) + Math.min(ends_at, to)) / 2;
    const wide = width(words);
    const left = Math.max(0, Math.min(room - wide, ((middle - from) / (to - from)) * room - wide / 2));
    let row = ends.findIndex((end) => end + 10 <= left);
    if (row < 0) row = ends.length;
    ends[row] = left + wide;
    placed.push({ words, left, row, operator });
  }
  return { placed, count: ends.length };
}

function shade(u, acts) {
  onCanvas(u, (ctx, fine, box) => {
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
    for (const [, from, to, operator] of acts) {
      const left = u.valToPos(from, "x", true);
      const wide = u.valToPos(to, "x", true) - left;
      const name = operator ? "lever" : "trigger";
      ctx.fillStyle = colour(wide < 1.5 * fine ? `${name}-ink` : name);
      ctx.fillRect(left, box.top, Math.max(wide, 1.5 * fine), box.height);
    }
  });
}

function nameActs(u, acts, most) {
  onCanvas(u, (ctx, fine, box) => {
    const range = [u.scales.x.min, u.scales.x.max];
    ctx.textBaseline = "alphabetic";
    ctx.textAlign = "left";
    for (const { words, left, row, operator } of rows(acts, box.width / fine, range).placed) {
      if (row >= most) continue;
      ctx.fillStyle = colour(operator ? "lever-ink" : "trigger-ink");
      ctx.fillText(words, box.left + left * fine, box.top - (5 + row * ROW) * fine);
    }
  });
}

// A dashed line across, with its name at the right end.
function bound(u, value, words) {
  const { min, max } = u.scales.y;
  if (value < min || value > max) return;
  onCanvas(u, (ctx, fine, box) => {
    const height = Math.round(u.valToPos(value, "y", true)) + 0.5;
    ctx.strokeStyle = colour("limit");
    ctx.setLineDash([6 * fine, 4 * fine]);
    ctx.moveTo(box.left, height);
    ctx.lineTo(box.left + box.width, height);
    ctx.stroke();
    label(ctx, fine, words, box.left + box.width - 4 * fine, height - 4 * fine, "limit");
  });
}

// Words at the right, with a rim of paper that keeps lines off them.
function label(ctx, fine, words, right, baseline, name) {
  ctx.setLineDash([]);
  ctx.textAlign = "right";
  ctx.textBaseline = "alphabetic";
  ctx.lineJoin = "round";
  ctx.lineWidth = 4 * fine;
  ctx.strokeStyle = colour("paper");
  ctx.strokeText(words, right, baseline);
  ctx.fillStyle = colour(name);
  ctx.fillText(words, right, baseline);
}

// Where a line leaves the plot at the top, how far it goes.
function beyond(u, values, top, unit, name) {
  const most = values.reduce((a, b) => Math.max(a, b ?? 0), 0);
  if (most <= top * 1.0001) return;
  onCanvas(u, (ctx, fine, box) => {
    label(ctx, fine, `↑ ${figure(most)}${unit}`, box.left + box.width - 4 * fine, box.top + 14 * fine, name);
  });
}

// A triangle under the instant from which on all is well.
function backAt(u, at, name, words) {
  if (at == null || at < u.scales.x.min || at > u.scales.x.max) return;
  onCanvas(u, (ctx, fine, box) => {
    const [x, y] = [u.valToPos(at, "x", true), box.top + box.height];
    ctx.fillStyle = colour(name);
    ctx.moveTo(x, y - 9 * fine);
    ctx.lineTo(x + 5 * fine, y);
    ctx.lineTo(x - 5 * fine, y);
    ctx.fill();
    if (!words) return;
    const right = x + 9 * fine + ctx.measureText(words).width;
    const fits = right < box.left + box.width;
    label(ctx, fine, words, fits ? right : x - 9 * fine, y - 3 * fine, name);
  });
}

function axes(labelled, marks) {
  const font = `${SMALL}px ${FONT}`;
  const common = {
    font,
    stroke: () => colour("muted"),
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("axis"), width: 1, size: 4 },
    gap: 4,
  };
  return [
    {
      ...common,
      size: labelled ? 26 : 8,
      space: 56,
      values: (_, splits) => splits.map((at) => (labelled ? `${seconds(at)} s` : "")),
      ...marks?.x,
    },
    { ...common, size: LEFT, space: 28, values: (_, splits) => splits.map(mark), ...marks?.y },
  ];
}

// A plot in `host` over `times`. `what`: height, lines ({key, values, stroke, fill, width, dash, last}), top,
// acts, named (whether acts are), labelled (whether the time is), under and over (more to draw).
function timePlot(host, group, times, what) {
  const lines = what.lines.map((line) => ({ ...line, values: [...line.values, line.values.at(-1) ?? 0] }));
  const most = what.named ? Math.min(3, rows(what.acts, room(host) - LEFT - 18, [0, group.end]).count) : 0;
  const u = new uPlot(
    {
      width: room(host),
      height: what.height + most * ROW,
      padding: [most ? 4 + most * ROW : 8, 18, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, dist: 6 },
        focus: { prox: -1 },
      },
      scales: {
        x: { time: false, range: (_, min, max) => [min ?? 0, max ?? group.end] },
        y: { range: [0, what.top > 0 ? what.top : 1] },
      },
      axes: axes(what.labelled),
      series: [
        {},
        ...lines.map((line) => ({
          stroke: () => colour(line.stroke),
          fill: line.fill && (() => colour(line.fill)),
          width: line.width,
          dash: line.dash,
          paths: stepped,
          points: { show: false },
        })),
      ],
      hooks: {
        drawClear: [(u) => shade(u, what.acts)],
        draw: [(u) => what.over?.(u), (u) => most && nameActs(u, what.acts, most)],
        setCursor: [
          (u) => group.point(u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, "x"), u),
        ],
        setScale: [(u, key) => key === "x" && group.zoom(u.scales.x.min, u.scales.x.max)],
      },
    },
    [times, ...lines.map((line) => line.values)],
    host,
  );
  finish(u, host);
  group.join({ u, keys: lines.map((line) => line.key) });
  return u;
}

// How wide a plot in `host` is: not none, where the page is laid out only later.
function room(host) {
  return Math.max(120, host.clientWidth);
}

// What every plot needs once it stands.
function finish(u, host) {
  everyPlot.add(u);
  const resized = new ResizeObserver(() => {
    const wide = room(host);
    if (Math.abs(wide - u.width) > 1) u.setSize({ width: wide, height: u.height });
  });
  resized.observe(host);
  u.hooks.destroy = [
    () => {
      resized.disconnect();
      everyPlot.delete(u);
    },
  ];
  // A finger moves the cursor sideways and the page up and down.
  const touched = (event) => {
    const [finger] = event.touches;
    const box = u.over.getBoundingClientRect();
    u.setCursor({ left: Math.max(0, Math.min(box.width, finger.clientX - box.left)), top: 1 });
  };
  u.over.addEventListener("touchstart", touched, { passive: true });
  u.over.addEventListener("touchmove", touched, { passive: true });
}

function redrawAll() {
  colours = new Map();
  for (const u of everyPlot) u.redraw(true, false);
}

