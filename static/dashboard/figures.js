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

const LINE = 19; // pixels of a line of a legend or a note
const NOTE = "annotations[0].text"; // what a view changes where it has a note of its own
const PHONE = { pixels: 300, characters: 42 }; // what notes are wrapped for
const LONGEST = 110; // characters of a line that is easily read

function wrapped(text, characters) {
  const lines = [""];
  for (const word of text.replaceAll("<br>", " ").split(" ")) {
    const line = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (line.replace(/&\w+;/g, "_").length > characters && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.join("<br>");
}

// Notes come in lines for a phone. Where there is more room, they take fewer, and leave no gap.
function inWiderLines(layout, menus, width) {
  const [note] = layout.annotations ?? [];
  const { l = 0, r = 0 } = layout.margin ?? {};
  const room = Math.floor((PHONE.characters * (width - l - r)) / PHONE.pixels);
  const characters = Math.min(LONGEST, room);
  if (layout.meta?.fits !== "phone" || note?.name !== "note" || characters <= PHONE.characters) return;
  const changes = menus.flatMap((menu) => menu.buttons.map((button) => button.args[1]));
  const own = changes.filter((change) => NOTE in change);
  const lines = () => Math.max(...[note.text, ...own.map((change) => change[NOTE])].map((text) => text.split("<br>").length));
  const before = lines();
  note.text = wrapped(note.text, characters);
  for (const change of own) change[NOTE] = wrapped(change[NOTE], characters);
  const spare = LINE * (before - lines());
  layout.margin.b -= spare;
  layout.height -= spare;
}

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
  const menus = structuredClone(updatemenus);
  const views = menus.map((menu, number) => chooser(menu, element, number));
  const paint = async () => {
    const fitting = structuredClone(plain);
    menus.forEach((menu, number) => (menu.buttons = structuredClone(updatemenus[number].buttons)));
    inWiderLines(fitting, menus, element.clientWidth);
    await Plotly.react(element, structuredClone(data), inOurColours(structuredClone(fitting)), OPTIONS);
    for (const apply of views) await apply();
    await closeGap(element, fitting);
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
