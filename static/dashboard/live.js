// Keeps every [data-live] element up to date with the HTML at that address, while it is seen.
// A reload shows the same, so nothing is lost without this script.
"use strict";

for (const region of document.querySelectorAll("[data-live]")) {
  const every = Number(region.dataset.every) * 1000;

  const refresh = async () => {
    if (document.hidden || region.contains(document.activeElement)) return;
    const answer = await fetch(region.dataset.live, { headers: { Accept: "text/html" } });
    if (answer.redirected) return location.reload(); // logged out meanwhile
    if (!answer.ok) return;
    if (answer.headers.get("X-Finished")) return location.reload();
    region.innerHTML = await answer.text();
  };

  const timer = setInterval(() => refresh().catch(() => {}), every);
  addEventListener("pagehide", () => clearInterval(timer));
}
