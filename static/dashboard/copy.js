// "Copy" buttons: shown only where this script runs.
"use strict";

const said = document.getElementById("copied");

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "Selected; press Ctrl+C to copy."; // clipboards need https or localhost
    }
  });
}
