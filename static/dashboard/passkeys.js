// Says what hinders a passkey, and enables its button; allauth's scripts do the rest.
"use strict";

const told = document.getElementById("passkey-status");

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const { name } = event.detail.exception;
  if (!window.PublicKeyCredential) {
    told.textContent = "This browser offers no passkeys at this address. They need HTTPS or localhost.";
  } else if (name === "InvalidStateError") {
    told.textContent = "This device already has a passkey of your account.";
  } else {
    told.textContent = "The browser got no passkey. Try again, or use another device.";
  }
});

// allauth listens to the button from DOMContentLoaded on; a press before it would be lost.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("#add-passkey, #use-passkey")) {
    button.disabled = false;
  }
});
