/** The search of the site: its index is loaded with the first letter. */
const field = document.querySelector("search input");
const list = document.querySelector("search ol");
const home = document.documentElement.dataset["home"];
let loading;

const load = () =>
  (loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: `${home}search-index.js`, onload: done, onerror: failed });
    document.head.append(script);
  }));

field.addEventListener("input", async () => {
  await load();
  const words = field.value.trim();
  const found =
    words === ""
      ? []
      : window.searchIndex.search(words, { prefix: true, combineWith: "AND", boost: { title: 3 } });
  // An id that is typed in full comes before the pages that mention it.
  const isTyped = ({ title }) => title.toLowerCase().split(/[ :]/)[0] === words.toLowerCase();
  const sorted = [...found.filter(isTyped), ...found.filter((one) => !isTyped(one))];
  const items = sorted.slice(0, 12).map(({ id, title }) => {
    const link = Object.assign(document.createElement("a"), {
      href: `${home}${id}`,
      textContent: title.replaceAll("`", ""),
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  if (words !== "" && items.length === 0)
    items.push(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
});

/** Enter opens the first result; the arrows move between the field and the results. */
document.querySelector("search").addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  if (event.key === "Enter" && document.activeElement === field) links[0]?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || links.length === 0) return;
  event.preventDefault();
  const stops = [field, ...links];
  const next = stops.indexOf(document.activeElement) + step;
  stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
});

document.addEventListener("keydown", (event) => {
  const isTyping = document.activeElement === field;
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping)) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") list.hidden = true;
});
