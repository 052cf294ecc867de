// Plots that share a cursor, a stretch of time and a choice of series.

class Group {
  constructor(end) {
    this.end = end;
    this.range = [0, end];
    this.at = null;
    this.hidden = new Set();
    this.plots = [];
    this.watchers = [];
  }

  // `plot` joins; it has `keys`, the names of its series in their order.
  join(plot) {
    this.plots.push(plot);
    if (this.range[0] !== 0 || this.range[1] !== this.end) plot.u.setScale("x", this.scale());
    for (const key of this.hidden) this.show(plot, key);
    this.follow(plot);
  }

  leave() {
    for (const plot of this.plots) plot.u.destroy();
    this.plots = [];
    this.watchers = [];
  }

  scale() {
    return { min: this.range[0], max: this.range[1] };
  }

  // Somebody points at an instant, or at none.
  point(at, source) {
    this.at = at;
    for (const plot of this.plots) if (plot.u !== source) this.follow(plot);
    for (const watcher of this.watchers) watcher(this);
  }

  follow(plot) {
    const left = this.at == null ? -10 : plot.u.valToPos(this.at, "x");
    plot.u.setCursor({ left, top: left < 0 ? -10 : 1 }, false, false);
  }

  zoom(min, max) {
    const from = Math.max(0, Math.min(min, this.end));
    const to = Math.min(this.end, Math.max(max, 0));
    if (!(to - from > this.end * 1e-6) || (from === this.range[0] && to === this.range[1])) return;
    this.range = [from, to];
    for (const plot of this.plots) {
      const { min: left, max: right } = plot.u.scales.x;
      if (left !== from || right !== to) plot.u.setScale("x", this.scale());
    }
    for (const watcher of this.watchers) watcher(this);
  }

  // Shows `factor` times as much time, around the cursor.
  scaleBy(factor) {
    const [from, to] = this.range;
    const around = this.at ?? (from + to) / 2;
    const [before, after] = [around - from, to - around];
    if (factor > 1 && (to - from) * factor >= this.end) this.zoom(0, this.end);
    else this.zoom(around - before * factor, around + after * factor);
  }

  toggle(key) {
    if (!this.hidden.delete(key)) this.hidden.add(key);
    for (const plot of this.plots) this.show(plot, key);
    for (const watcher of this.watchers) watcher(this);
  }

  show(plot, key) {
    const index = plot.keys.indexOf(key);
    if (index >= 0) plot.u.setSeries(index + 1, { show: !this.hidden.has(key) });
  }

  // What somebody who types does with `panel`: true if the key means anything.
  key(event, times) {
    const nth = this.at == null ? -1 : stretchAt(times, this.at);
    const last = times.length - 2;
    const to = (place) => {
      const kept = Math.max(0, Math.min(last, place));
      const at = (times[kept] + times[kept + 1]) / 2;
      const [from, until] = this.range;
      if (at < from) this.zoom(at, at + until - from);
      if (at > until) this.zoom(at - (until - from), at);
      this.point(at, null);
    };
    const far = event.shiftKey ? 10 : 1;
    if (event.key === "ArrowRight") to(nth + far);
    else if (event.key === "ArrowLeft") to(nth - far);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(last);
    else if (event.key === "+" || event.key === "=") this.scaleBy(0.5);
    else if (event.key === "-") this.scaleBy(2);
    else if (event.key === "Escape" && this.range[1] - this.range[0] < this.end) this.zoom(0, this.end);
    else return false;
    return true;
  }
}

