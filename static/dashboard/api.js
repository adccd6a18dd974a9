// Swagger UI for our own OpenAPI schema. Requests go with the session, so changes need its token.
"use strict";

// Swagger UI draws dark pages where this class says so.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

// Its own layout has a second <main> and a second title; its links are inside buttons, and the field
// of a body has no label.
const inOurPage = ({ React: { createElement: draw } }) => ({
  components: {
    DeepLink: ({ text }) => draw("span", null, text),
    OurLayout: ({ getComponent, specSelectors }) => {
      const part = (name) => draw(getComponent(name, true));
      const isThere = specSelectors.loadingStatus() === "success";
      const parts = isThere ? ["AuthorizeBtnContainer", "operations", "Models"] : [];
      return draw(
        "div",
        { className: "swagger-ui" },
        draw(getComponent("SvgAssets")),
        draw("div", { className: "wrapper" }, part("errors"), ...parts.map(part)),
      );
    },
  },
  wrapComponents: {
    TextArea: (Original) => (props) => draw(Original, { "aria-label": "Body", ...props }),
  },
});

const api = document.getElementById("api");
SwaggerUIBundle({
  domNode: api,
  url: api.dataset.schema,
  deepLinking: true,
  layout: "OurLayout",
  plugins: [inOurPage],
  validatorUrl: null, // else it asks a server on the internet
  requestInterceptor: (request) => {
    request.headers["X-CSRFToken"] = api.dataset.csrf;
    return request;
  },
});
