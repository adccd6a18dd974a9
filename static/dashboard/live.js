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
    const opened = [...region.querySelectorAll("details[open]")].map((one) => one.id);
    const scrolled = [...region.querySelectorAll(".scroll")].map((one) => [one.id, one.scrollTop, one.scrollLeft]);
    region.innerHTML = await answer.text();
    const within = (id) => id && region.querySelector(`#${id}`);
    for (const id of opened) if (within(id)) within(id).open = true;
    for (const [id, top, left] of scrolled) if (within(id)) within(id).scrollTo(left, top);
  };

  const timer = setInterval(() => refresh().catch(() => {}), every);
  addEventListener("pagehide", () => clearInterval(timer));
}
