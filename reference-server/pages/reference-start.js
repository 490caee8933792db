/** Shows the served document with Swagger UI: at this server's own address, in the reader's colours, with names for all. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const followColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColours);
followColours();

/** What Swagger UI leaves without a name, a place among the headings, or a way to scroll it by keyboard. */
const lacking = {
  "#servers": { "aria-label": "Server" },
  ".information-container": { role: "region", "aria-label": "About" },
  ".scheme-container": { role: "region", "aria-label": "Server and credentials" },
  ".opblock-tag, .models > h4": { role: "heading", "aria-level": "2" },
  ".opblock-section-header h4, .responses-inner > h4": { role: "heading", "aria-level": "3" },
  ".responses-inner h5, .opblock-section h5": { role: "heading", "aria-level": "4" },
  ".examples-select-element": { "aria-label": "Example" },
  ".content-type": { "aria-label": "Media type" },
  ".body-param__text": { "aria-label": "Request body" },
  "pre.microlight": { tabindex: "0" },
  ".parameters input, .parameters select": { "aria-label": "Value" },
};
const complete = () => {
  for (const [selector, attributes] of Object.entries(lacking))
    for (const element of document.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
};
new MutationObserver(complete).observe(document.querySelector("#reference"), {
  childList: true,
  subtree: true,
});

const show = (served) =>
  SwaggerUIBundle({
    spec: { ...served, servers: [{ url: document.querySelector("#reference").dataset.pathPrefix }] },
    dom_id: "#reference",
    // Its links are inside of buttons.
    deepLinking: false,
    validatorUrl: null,
  });
fetch("/openapi.json")
  .then((response) => response.json())
  .then(show);
