// The page as a whole: copying, light and dark, paper.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Not allowed here: it stands selected, ready for the keys that copy.
      getSelection().selectAllChildren(source);
      button.textContent = "selected";
      return;
    }
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 2000);
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
document.fonts.ready.then(redrawAll);

// Paper is as wide as the style sheet makes it, whatever the screen was.
const ON_PAPER = { half: 496, whole: 1040 };

addEventListener("beforeprint", () => {
  document.documentElement.dataset.printed = "";
  drawAll();
  redrawAll();
  for (const u of everyPlot) {
    const wide = u.root.closest("[data-panel]") ? ON_PAPER.half : ON_PAPER.whole;
    u.setSize({ width: wide, height: u.height });
  }
});
addEventListener("afterprint", () => {
  delete document.documentElement.dataset.printed;
  redrawAll();
  for (const u of everyPlot) u.setSize({ width: room(u.root.parentElement), height: u.height });
});

const asked = /^#cell-(\d+)$/.exec(location.hash);
if (asked && dialog) {
  const nth = Number(asked[1]);
  const button = document.querySelector(`[data-map] [data-cell="${nth}"]`);
  if (button) openCell(nth, button);
}
