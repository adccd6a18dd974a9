"use strict";
// The survey works without this file. It keeps a page from being sent twice and what is not sent yet
// from being lost, moves the sliders, keeps ranks apart, counts characters, and measures what goes
// with the answers of a block.

// ── A page is sent once ────────────────────────────────────────────────────────────────────────
// (Sending it twice is harmless.) One that does not arrive within ten seconds may be sent again.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    setTimeout(() => delete form.dataset.sent, 10000);
  });
}
// Coming back with the browser's button may show the page from memory: it may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// ── What is chosen and not sent yet ────────────────────────────────────────────────────────────
// It outlasts a failed network, a reload and the way back and forth: in this tab's own memory, never
// in localStorage, which the next person at a shared computer would find. Answers about oneself are
// among it, so another person's page and every ending empty it. Consent is not: it is given by
// ticking, each time. With answers goes what was measured while they were chosen.
const UNSENT = "fivefold-unsent";
const whose = document.querySelector("input[name=whose]")?.value;
const pageNumber = Number(location.pathname.match(/\/page\/(\d+)\/$/)?.[1]);

/** Drafts by page number: what the page `stored`, what is `chosen`, what was `measured` by name of
 * its hidden field, if `sent`. */
function readUnsent() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(UNSENT));
    if (kept && (!whose || kept.whose === whose)) return kept.pages;
  } catch {
    // The browser refuses to keep anything: then nothing is kept.
  }
  return {};
}

function writeUnsent(pages) {
  try {
    sessionStorage.removeItem(UNSENT); // where it is full, nothing is better than what is old
    if (Object.keys(pages).length) sessionStorage.setItem(UNSENT, JSON.stringify({ whose, pages }));
  } catch {
    // As above.
  }
}

const chosenOn = (form) =>
  JSON.stringify([...new FormData(form)].filter(([name]) => form.elements[name].type !== "hidden"));

function choose(form, chosen) {
  const values = new Map();
  for (const [name, value] of JSON.parse(chosen)) values.set(name, [...(values.get(name) ?? []), value]);
  for (const field of form.elements) {
    const own = values.get(field.name) ?? [];
    if (/^(radio|checkbox)$/.test(field.type)) field.checked = own.includes(field.value);
    else if (field.type !== "hidden" && own.length) field.value = own[0];
  }
}

/** Show what was chosen here and not sent. Gives the function that keeps what is chosen from now on. */
function restoreUnsent(form, drafts) {
  const asShown = form.cloneNode(true);
  asShown.reset(); // the browser may have filled the form with what it remembers
  let stored = chosenOn(asShown);
  const attempt = form.elements["attempt-number"]?.value; // of a page that is answered several times
  let draft = drafts[pageNumber];
  if (draft?.attempt !== attempt) draft = null; // what was chosen in an earlier attempt
  const measured = [...form.querySelectorAll("[name=paradata], [data-writing]")];
  if (document.querySelector(".error-summary")) {
    stored = draft?.stored; // the page shows what was sent, and the draft is that, or newer
  } else if (draft?.stored !== stored) {
    draft = null; // what was sent since, here or on another device, counts
    delete drafts[pageNumber];
  }
  if (draft) {
    choose(form, draft.chosen);
    for (const field of measured) field.value = draft.measured?.[field.name] ?? field.value;
  }
  return (sent) => {
    const chosen = chosenOn(form);
    const pages = readUnsent(); // anew: this page may be one that the browser had in memory
    if (sent || chosen !== stored) {
      const values = Object.fromEntries(measured.map(({ name, value }) => [name, value]));
      pages[pageNumber] = { stored, chosen, measured: values, attempt, sent };
    } else delete pages[pageNumber];
    writeUnsent(pages);
  };
}

let keepUnsent = null;
if (document.querySelector("[data-ending]")) {
  writeUnsent({});
} else if (whose) {
  const pages = readUnsent();
  // A page was accepted if it was sent and a later one is open.
  for (const number in pages) if (pages[number].sent && number < pageNumber) delete pages[number];
  if (pageNumber) keepUnsent = restoreUnsent(document.querySelector("main form"), pages);
  writeUnsent(pages);
}

// ── When an answer stands ──────────────────────────────────────────────────────────────────────
// A tap counts at once. Keys move through the answers of a question: what counts is the one that
// the focus leaves behind.
function whenAnswerStands(form, tell) {
  let byKey = false;
  let open = null;
  const stands = () => {
    const input = open;
    open = null;
    if (input) tell(input);
  };
  form.addEventListener("keydown", () => (byKey = true), true);
  form.addEventListener("pointerdown", () => (byKey = false), true);
  form.addEventListener("change", ({ target }) => {
    if (!target.name) return;
    if (open && open.name !== target.name) stands();
    open = target;
    if (!byKey) stands();
  });
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!open || !relatedTarget || relatedTarget.name !== open.name) stands();
  });
  form.addEventListener("submit", stands);
}

// ── Sliders ────────────────────────────────────────────────────────────────────────────────────
// The number field holds the answer; the line beside it starts unset and writes into the field.
for (const line of document.querySelectorAll(".slider input[type=range]")) {
  const number = line.closest(".slider").querySelector("input[name]");
  const unset = line.getAttribute("aria-valuetext");
  const step = +line.step || 1;
  const isPoint = (typed, value) => {
    const steps = (value - line.min) / step;
    return /^-?\d+([.,]\d+)?$/.test(typed) && Math.abs(steps - Math.round(steps)) < 1e-6;
  };
  const show = () => {
    const typed = number.value.trim();
    const value = typed.replace(",", ".");
    const set = isPoint(typed, value) && +value >= +line.min && +value <= +line.max;
    line.value = set ? value : ""; // without a value it waits at its middle
    if (set) number.removeAttribute("aria-invalid");
    line.classList.toggle("unset", !set);
    line.setAttribute("aria-valuetext", set ? value : unset);
  };
  const write = () => {
    number.value = line.value;
    show();
  };
  line.addEventListener("input", write);
  line.addEventListener("change", () => number.dispatchEvent(new Event("change", { bubbles: true })));
  const begin = () => {
    line.dispatchEvent(new Event("input", { bubbles: true }));
    line.dispatchEvent(new Event("change", { bubbles: true }));
  };
  // A tap on the very middle changes nothing on a line that starts there, and is an answer.
  line.addEventListener("click", () => {
    if (line.classList.contains("unset")) begin();
  });
  // The first key begins at the middle, not one step beside it; Home and End give the ends.
  line.addEventListener("keydown", (event) => {
    if (event.altKey || !line.classList.contains("unset") || !/^(Arrow|Page)/.test(event.key)) return;
    event.preventDefault();
    begin();
  });
  number.addEventListener("input", show);
  addEventListener("pageshow", show);
  show();
}

// ── Ranks, and best and worst: no two responses hold the same ──────────────────────────────────
const labelOf = (input) => input.closest("fieldset").dataset.label;

function keepApart(input) {
  const panel = input.closest("[data-exclusive]");
  if (!panel) return;
  const losing = [...panel.querySelectorAll(":checked")].find(
    (other) => other.name !== input.name && other.value === input.value,
  );
  if (losing) losing.checked = false;
  panel.querySelector(".said").textContent = losing
    ? panel.dataset.exclusive.replace("%s", labelOf(losing))
    : "";
}

function showRanking() {
  for (const panel of document.querySelectorAll("[data-ranking]")) {
    panel.querySelectorAll(".so-far li").forEach((place, index) => {
      const holders = panel.querySelectorAll(`:checked[value="${index + 1}"]`);
      place.textContent = [...holders].map(labelOf).join(", ") || "–";
    });
  }
}

// ── Characters of a free answer ────────────────────────────────────────────────────────────────
for (const area of document.querySelectorAll("textarea[data-most]")) {
  const rule = document.getElementById(`${area.id}-length`);
  const said = rule.textContent;
  const count = () => {
    const length = [...area.value.trim()].length;
    const tooLong = length > +area.dataset.most;
    rule.textContent = length ? `${said} (${length})` : said;
    rule.classList.toggle("error", tooLong);
    rule.setAttribute("aria-live", tooLong ? "polite" : "off");
  };
  area.addEventListener("input", count);
  addEventListener("pageshow", count);
}

// ── What is measured on a block's page ─────────────────────────────────────────────────────────
// Totals: the page comes with what earlier visits measured. Times are in seconds.
function measure(form) {
  const field = form.elements.paradata;
  const responses = [...form.querySelectorAll("[data-response]")];
  const prompt = document.querySelector(".prompt");
  const total = { visible: 0, hidden: 0, unfocused: 0, losses: 0, changes: 0, responses: {} };
  for (const response of responses) total.responses[response.dataset.response] = 0;
  const before = JSON.parse(field.getAttribute("value") || "{}");
  Object.assign(total, before, { responses: { ...total.responses, ...before.responses } });

  // What the prompt covers can't be read. Of what is left, half has to show the response with its
  // questions, or half of its text: so a text taller than the window is read, too.
  const readNow = () => {
    const { position } = getComputedStyle(prompt);
    const top = position === "sticky" ? Math.max(0, prompt.getBoundingClientRect().bottom) : 0;
    const shows = (element, share) => {
      const box = element.getBoundingClientRect();
      const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, top);
      return seen > 0 && seen >= share(box);
    };
    return responses.filter(
      (response) =>
        shows(response, (text) => text.height / 2) ||
        shows(response.closest("article"), () => (innerHeight - top) / 2),
    );
  };
  let since = performance.now();
  let state = document.visibilityState;
  let focused = document.hasFocus();
  let read = [];
  const passed = () => {
    const seconds = (performance.now() - since) / 1000;
    since = performance.now();
    if (state === "visible") {
      total.visible += seconds;
      if (!focused) total.unfocused += seconds;
      for (const response of read) total.responses[response.dataset.response] += seconds;
    } else if (state === "hidden") {
      total.hidden += seconds;
    }
  };
  const look = ({ hasFocus = focused } = {}) => {
    passed();
    // Browsers differ in whether a page that is left is first hidden or first without the focus.
    const attended = state === "visible" && focused;
    state = document.visibilityState;
    focused = hasFocus;
    if (attended && !(state === "visible" && focused)) total.losses += 1;
    read = readNow();
  };
  let waiting = false;
  const lookSoon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      look();
    });
  };
  addEventListener("scroll", lookSoon, { passive: true });
  new ResizeObserver(lookSoon).observe(document.body);
  addEventListener("resize", lookSoon);
  document.addEventListener("visibilitychange", () => {
    if (state !== "gone") look(); // a page that is left for another one is hidden after `pagehide`
  });
  addEventListener("blur", () => look({ hasFocus: false }));
  addEventListener("focus", () => look({ hasFocus: true }));
  addEventListener("pageshow", () => look({ hasFocus: document.hasFocus() }));
  addEventListener("pagehide", () => {
    write();
    state = "gone"; // kept in memory: neither seen nor behind another tab
  });

  const write = () => {
    passed();
    const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value);
    field.value = JSON.stringify(total, rounded);
  };
  form.addEventListener("input", () => {
    passed();
    total.first ??= total.visible;
    total.last = total.visible;
    write();
  });
  const stood = new Map(new FormData(form));
  whenAnswerStands(form, ({ name }) => {
    const value = new FormData(form).get(name);
    if (stood.get(name) && stood.get(name) !== value) total.changes += 1;
    stood.set(name, value);
    write();
  });
  form.addEventListener("submit", write);
  look();
}
for (const form of document.querySelectorAll("form[data-measured]")) {
  whenAnswerStands(form, (input) => {
    keepApart(input);
    showRanking();
  });
  form.addEventListener("change", showRanking);
  addEventListener("pageshow", showRanking);
  showRanking();
  measure(form);
}

// After all that the page does with a choice: what is kept is what stands.
if (keepUnsent) {
  const form = document.querySelector("main form");
  let sent = false;
  for (const event of ["input", "change", "focusout", "submit"]) {
    form.addEventListener(event, () => {
      sent = event === "submit" || (sent && event === "focusout");
      keepUnsent(sent);
    });
  }
  addEventListener("pagehide", () => keepUnsent(sent));
}

// What the pages are read on, with the instructions: a class of device, never more.
for (const field of document.querySelectorAll("input[name=device]")) {
  const small = Math.min(screen.width, screen.height) < 600;
  const device = matchMedia("(pointer: coarse)").matches ? (small ? "phone" : "tablet") : "desktop";
  field.value = JSON.stringify({ device, width: innerWidth, height: innerHeight });
}

// ── Small things ───────────────────────────────────────────────────────────────────────────────
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.copied;
  });
}
// A prompt too long for its place is scrolled with the keyboard, too.
for (const prompt of document.querySelectorAll(".prompt")) {
  new ResizeObserver(() => {
    prompt.toggleAttribute("tabindex", false);
    if (prompt.scrollHeight > prompt.clientHeight) prompt.tabIndex = 0;
  }).observe(prompt);
}
document.querySelector(".error-summary")?.focus();
