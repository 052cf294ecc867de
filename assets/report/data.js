// What the page knows, and how numbers are written.

const data = JSON.parse(document.getElementById("data").textContent);

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const RANK = new Map([...DIGITS].map((digit, rank) => [digit, rank]));

// A line is a list of numbers, or shares of its greatest value in 4,095ths, two digits each.
function values(line, count) {
  if (Array.isArray(line)) return line;
  const found = new Array(count).fill(0);
  for (let nth = 0; 2 * nth + 1 < line.codes.length; nth += 1) {
    const code = RANK.get(line.codes[2 * nth]) * 64 + RANK.get(line.codes[2 * nth + 1]);
    found[nth] = (code / 4095) * line.most;
  }
  return found;
}

// A panel with its times: where each stretch begins, and the end of the last one.
function unpacked(panel) {
  const count = Math.max(1, Math.ceil(panel.end / panel.step - 1e-9));
  const times = Array.from({ length: count }, (_, nth) => nth * panel.step);
  times.push(panel.end);
  const lines = {};
  for (const [name, line] of Object.entries(panel.lines)) lines[name] = values(line, count);
  return { ...panel, times, lines };
}

// Which stretch holds this instant.
function stretchAt(times, at) {
  let low = 0;
  let high = times.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Three digits or so: 0.012, 1.25, 37.5, 2,799.
function figure(value) {
  if (value == null) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  if (size >= 1) return String(Number(value.toPrecision(3)));
  return String(Number(value.toFixed(size >= 0.001 ? 3 : 6)));
}

// Along an axis, where there is little room.
function mark(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function seconds(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

