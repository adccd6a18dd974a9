// Tables that scroll show the whole of what gets the focus. Chromium scrolls to nothing of which
// a few pixels are to be seen already.
"use strict";

addEventListener("focusin", ({ target }) => {
  // by keyboard only: what moves away under a pressed mouse button is never clicked
  if (target.matches(":focus-visible") && target.parentElement.closest(".scroll")) {
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
});
