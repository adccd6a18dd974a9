"use strict";
// How free answers are written, on pages of studies that record it and say so: counts and times,
// never a key and never a text. What is pasted is compared here with what was copied on the page, so
// that who moves their own words pastes nothing from elsewhere; neither is kept or sent.

/** Seconds that a pause between two typed characters counts at most. */
const LONGEST_PAUSE = 10; // as long as a spoken phrase
const NOTHING_WRITTEN = {
  keystrokes: 0,
  typed_characters: 0,
  deletions: 0,
  pastes: 0,
  pasted_characters: 0,
  own_pastes: 0,
  drops: 0,
  dropped_characters: 0,
  autofills: 0,
  autofilled_characters: 0,
  largest_insertion: 0,
  returned_characters: 0,
  focus_losses: 0,
  focus_seconds: 0,
  typing_seconds: 0,
  away_seconds: 0,
};

const lengthOf = (text) => [...text].length; // characters, not code units
const selectionOf = (area) => area.value.slice(area.selectionStart, area.selectionEnd);
const flat = (text) => text.replace(/\s+/g, " ").trim(); // copies differ in their line breaks

let copiedHere = "";
let draggedHere = false;
for (const kind of ["copy", "cut"]) {
  document.addEventListener(kind, ({ target }) => {
    copiedHere = flat(target.localName === "textarea" ? selectionOf(target) : String(getSelection()));
  });
}
document.addEventListener("dragstart", () => (draggedHere = true));
document.addEventListener("dragend", () => (draggedHere = false));

/** What brought a change about, by the browser's name for it. */
function sourceOf(inputType) {
  if (/^insertFrom(Paste|Yank)/.test(inputType)) return "paste";
  if (inputType === "insertFromDrop") return "drop";
  if (/^(delete|history)(?!Composition)/.test(inputType)) return "none";
  return inputType ? "typing" : "autofill"; // scripts and password managers name nothing
}

function measureWriting(field) {
  const { form } = field;
  const area = document.getElementById(field.dataset.writing);
  const total = { ...NOTHING_WRITTEN, ...JSON.parse(field.value || "{}") };
  const write = () => {
    passed();
    const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value);
    field.value = JSON.stringify(total, rounded);
  };

  // ── Time: in the field, and away from the page while the question is on screen ──
  let since = performance.now();
  let inField = document.activeElement === area;
  let isAway = false;
  let isGone = false; // left for another page: whatever is hidden then is nothing to count
  let hasLeft = false; // and nothing has been written since
  let typedAt = inField ? since : null;
  const passed = () => {
    const seconds = (performance.now() - since) / 1000;
    since = performance.now();
    if (isAway) total.away_seconds += seconds;
    else if (inField) total.focus_seconds += seconds;
  };
  const isOnScreen = () => {
    const { top, bottom } = area.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const look = (hasFocus) => {
    if (isGone) return;
    passed();
    const attends = hasFocus && document.visibilityState === "visible";
    if (!attends && !isAway && isOnScreen()) {
      isAway = hasLeft = true;
      total.focus_losses += 1;
    } else if (attends) {
      isAway = false;
    }
    write();
  };
  addEventListener("blur", () => look(false));
  addEventListener("focus", () => look(true));
  document.addEventListener("visibilitychange", () => look(document.hasFocus()));
  area.addEventListener("focus", () => {
    passed();
    inField = true;
    typedAt = since;
  });
  area.addEventListener("blur", () => {
    passed();
    inField = false;
    typedAt = null;
    write();
  });

  // ── Characters: what arrived by which way, even if it is deleted later ──
  let length = lengthOf(area.value);
  let replaced = 0; // characters that were selected, and make way for what comes
  let isOwn = false; // copied, cut or dragged on this page
  const arrived = (source, count) => {
    total[`${source}s`] += 1;
    const way = { paste: "pasted", drop: "dropped", autofill: "autofilled" }[source];
    total[`${way}_characters`] += count;
    if (hasLeft && source !== "autofill") total.returned_characters += count;
  };
  const typed = (count) => {
    total.typed_characters = Math.max(0, total.typed_characters + count);
    const now = performance.now();
    if (typedAt !== null) {
      total.typing_seconds += Math.min((now - typedAt) / 1000, LONGEST_PAUSE);
    }
    typedAt = now;
  };
  /** What came without an event: a script has set the value. */
  const notice = () => {
    const now = lengthOf(area.value);
    if (now > length) {
      arrived("autofill", now - length);
      total.largest_insertion = Math.max(total.largest_insertion, now - length);
    }
    length = now;
  };
  area.addEventListener("keydown", ({ repeat }) => {
    if (!repeat) total.keystrokes += 1;
  });
  area.addEventListener("paste", ({ clipboardData }) => {
    const pasted = flat(clipboardData?.getData("text/plain") ?? "");
    isOwn = pasted !== "" && pasted === copiedHere;
  });
  area.addEventListener("drop", () => (isOwn = draggedHere));
  area.addEventListener("beforeinput", () => {
    notice();
    replaced = lengthOf(selectionOf(area));
  });
  area.addEventListener("input", ({ inputType = "" }) => {
    const source = sourceOf(inputType);
    const before = length;
    length = lengthOf(area.value);
    const count = length - before + replaced;
    const isMoved = isOwn && (source === "paste" || source === "drop");
    replaced = 0;
    if (/^delete(?!ByDrag|Composition)/.test(inputType)) total.deletions += 1;
    // Characters that an input method composes replace one another, so their number may fall.
    else if (source === "typing") typed(/Composition/.test(inputType) ? count : Math.max(0, count));
    else if (isMoved) total.own_pastes += 1;
    else if (source !== "none") arrived(source, Math.max(0, count));
    if (source !== "none") {
      if (!isMoved) total.largest_insertion = Math.max(total.largest_insertion, count);
      isOwn = hasLeft = false;
    }
    write();
  });

  // Before `survey.js` keeps what was measured with what is chosen.
  form.addEventListener("submit", () => (notice(), write()), true);
  addEventListener(
    "pagehide",
    () => {
      write();
      isGone = true;
    },
    true,
  );
  addEventListener("pageshow", () => {
    since = performance.now();
    isGone = isAway = false;
    length = lengthOf(area.value); // the browser may have put back what was there
  });
}
for (const field of document.querySelectorAll("[data-writing]")) measureWriting(field);
