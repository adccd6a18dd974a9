// What every page of the dashboard does.
"use strict";

// A page that answers a sent form takes the address of a page that can be opened again: without
// this, going back to it is an error of the browser, and reloading it sends the form again. It still
// shows the part that the form was in.
const { instead } = document.documentElement.dataset;
if (instead) history.replaceState(null, "", instead + location.hash);

// Tables that scroll show the whole of what gets the focus. Chromium scrolls to nothing of which
// a few pixels are to be seen already.
addEventListener("focusin", ({ target }) => {
  // by keyboard only: what moves away under a pressed mouse button is never clicked
  if (target.matches(":focus-visible") && target.parentElement.closest(".scroll")) {
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
});
