// Says what hinders a passkey; allauth's script does the rest.
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
