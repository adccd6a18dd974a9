// Shows what thresholds would do while they are moved. The page computes nothing: it asks our
// server, a moment after the last movement, and what comes late is dropped.
"use strict";

const form = document.getElementById("thresholds");

if (form) {
  const outcome = document.getElementById("outcome");
  const summary = document.getElementById("summary");
  let timer;
  let asking = new AbortController();

  const show = async () => {
    asking.abort();
    asking = new AbortController();
    const wrong = form.querySelector("input:invalid");
    if (wrong) throw new Error(`${wrong.labels[0].textContent.trim()}: ${wrong.validationMessage}`);
    const query = new URLSearchParams(new FormData(form));
    const answer = await fetch(`${form.dataset.outcome}?${query}`, { signal: asking.signal });
    if (answer.redirected) return location.reload(); // logged out meanwhile
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const wasOpen = outcome.querySelector("details")?.open ?? false;
    outcome.innerHTML = await answer.text();
    outcome.querySelector("details")?.toggleAttribute("open", wasOpen);
    summary.textContent = outcome.querySelector("[data-summary]")?.textContent.trim() ?? "";
    history.replaceState(null, "", `?${query}`);
  };

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      show().catch((error) => {
        if (error.name !== "AbortError") summary.textContent = `Not shown: ${error.message}`;
      });
    }, 150);
  };

  for (const range of form.querySelectorAll("input[type=range]")) {
    const number = document.getElementById(range.dataset.for);
    range.hidden = false;
    range.addEventListener("input", () => {
      number.value = range.value;
    });
    number.addEventListener("input", () => {
      range.value = number.value;
    });
  }
  form.querySelector("[data-show]").hidden = true;
  form.addEventListener("input", soon);
}
