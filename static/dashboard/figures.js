// Draws each [data-figure] from its Plotly JSON, in the page's own colours.
"use strict";

const scheme = matchMedia("(prefers-color-scheme: dark)");

const OPTIONS = {
  displaylogo: false,
  responsive: true,
  showSendToCloud: false, // by itself Plotly offers to send a figure's data to its own servers
  plotlyServerURL: "",
  modeBarButtonsToRemove: ["select2d", "lasso2d"], // nothing is done with selected points
  // where nothing hovers it would always be there, over titles and legends
  displayModeBar: matchMedia("(hover: none)").matches ? false : "hover",
};

function inOurColours(layout) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const dressed = {
    ...layout,
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    autosize: true,
    modebar: { bgcolor: "transparent", color: colour("--muted"), activecolor: colour("--text") },
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

// Plotly reads labels as markup, so they come escaped.
const unescaped = (label) => new DOMParser().parseFromString(label, "text/html").body.textContent;

// Plotly's own menus can't be used by keyboard; a <select> above the figure takes their place.
function chooser(menu, element, number) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  label.htmlFor = select.id = `${element.dataset.name}-view-${number}`;
  label.textContent = "Show";
  select.append(...menu.buttons.map((button, index) => new Option(unescaped(button.label), index)));
  select.selectedIndex = menu.active ?? 0;
  const row = document.createElement("p");
  row.className = "row";
  row.append(label, select);
  element.before(row);
  const apply = () => Plotly[menu.buttons[select.value].method](element, ...menu.buttons[select.value].args);
  select.addEventListener("change", apply);
  return apply;
}

// A figure's address, or in a report that is one file the element that holds it: "#data-forest".
async function read(address) {
  if (address.startsWith("#")) return JSON.parse(document.querySelector(address).textContent);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}

// What is wider than a phone scrolls sideways, which keys do where the focus is.
function scrollByKeyboard(around, label) {
  around.tabIndex = 0;
  around.setAttribute("role", "group");
  around.setAttribute("aria-label", `Scrolls sideways. ${label}`);
}

const LINE = 19; // pixels of a line of a legend

// A figure keeps room for the lines that its legend takes on a phone; fewer leave a gap.
async function closeGap(element, layout) {
  const legend = element.querySelector(".legend")?.getBoundingClientRect().height ?? 0;
  const spare = Math.floor(LINE * (layout.meta?.legend_lines ?? 0) - legend);
  if (spare <= 0 || !layout.height) return;
  await Plotly.relayout(element, { "margin.t": layout.margin.t - spare, height: layout.height - spare });
}

async function draw(element) {
  const { data, layout } = await read(element.dataset.figure);
  const { updatemenus = [], ...plain } = layout;
  const views = updatemenus.map((menu, number) => chooser(menu, element, number));
  const paint = async () => {
    await Plotly.react(element, structuredClone(data), inOurColours(structuredClone(plain)), OPTIONS);
    for (const apply of views) await apply();
    await closeGap(element, plain);
  };
  element.replaceChildren();
  const fits = layout.meta?.fits === "phone";
  element.classList.toggle("fits", fits);
  if (!fits) scrollByKeyboard(element.parentElement, element.getAttribute("aria-label"));
  await paint();
  scheme.addEventListener("change", paint);
  let width = innerWidth;
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting); // a legend that gets narrower takes more lines
    if (innerWidth !== width) waiting = setTimeout(() => ((width = innerWidth), paint()), 200);
  });
}

function drawOrSayWhyNot(element) {
  draw(element).catch((error) => {
    element.textContent = `The figure could not be drawn (${error.message}). The table below gives its means.`;
  });
}

for (const element of document.querySelectorAll("[data-figure]")) {
  const folded = element.closest("details:not([open])"); // where nothing has a width
  if (folded) folded.addEventListener("toggle", () => drawOrSayWhyNot(element), { once: true });
  else drawOrSayWhyNot(element);
}
