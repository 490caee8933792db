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
  const items = found.slice(0, 12).map(({ id, title }) => {
    const link = Object.assign(document.createElement("a"), {
      href: `${home}${id}`,
      textContent: title.replaceAll("`", ""),
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
});

document.addEventListener("keydown", (event) => {
  const isTyping = document.activeElement === field;
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping)) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") list.hidden = true;
});
