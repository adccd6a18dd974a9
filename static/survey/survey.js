"use strict";
// The survey works without this file. It only keeps a double click from sending a page twice
// (which would be harmless) and copies the completion code.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    // A page that does not arrive within ten seconds may be sent again.
    setTimeout(() => delete form.dataset.sent, 10000);
  });
}
// Coming back with the browser's button shows this page from memory: it may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
const summary = document.querySelector(".error-summary");
if (summary) summary.focus();
