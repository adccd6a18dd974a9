// Draws each [data-figure] from the Plotly JSON at its address, in the page's own colours.
"use strict";

const scheme = matchMedia("(prefers-color-scheme: dark)");

function inOurColours(layout) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const dressed = {
    ...layout,
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    autosize: true,
    font: { ...layout.font, color: colour("--text"), family: getComputedStyle(document.body).fontFamily },
  };
  for (const key of Object.keys(dressed).filter((key) => /^[xy]axis\d*$/.test(key))) {
    dressed[key] = {
      ...dressed[key],
      gridcolor: colour("--line"),
      linecolor: colour("--line-strong"),
      zerolinecolor: colour("--line"),
    };
  }
  delete dressed.width;
  return dressed;
}

async function draw(element) {
  const answer = await fetch(element.dataset.figure);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const { data, layout } = await answer.json();
  const options = { displaylogo: false, responsive: true };
  const paint = () => Plotly.react(element, data, inOurColours(layout), options);
  element.replaceChildren();
  await paint();
  scheme.addEventListener("change", paint);
}

for (const element of document.querySelectorAll("[data-figure]")) {
  draw(element).catch((error) => {
    element.textContent = `The figure could not be drawn (${error.message}). The table below gives its means.`;
  });
}
