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

addEventListener("beforeprint", () => {
  document.documentElement.dataset.printed = "";
  drawAll();
  redrawAll();
});
addEventListener("afterprint", () => {
  delete document.documentElement.dataset.printed;
  redrawAll();
});

const asked = /^#cell-(\d+)$/.exec(location.hash);
if (asked && dialog) {
  const nth = Number(asked[1]);
  const button = document.querySelector(`[data-map] [data-cell="${nth}"]`);
  if (button) openCell(nth, button);
}
