// Swagger UI for our own OpenAPI schema. Requests go with the session, so changes need its token.
"use strict";

// Swagger UI draws dark pages where this class says so.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

const api = document.getElementById("api");
SwaggerUIBundle({
  domNode: api,
  url: api.dataset.schema,
  deepLinking: true,
  validatorUrl: null, // else it asks a server on the internet
  requestInterceptor: (request) => {
    request.headers["X-CSRFToken"] = api.dataset.csrf;
    return request;
  },
});
