/**
 * The page's script: the filter, copying, the arrow keys in the map, and folds that open when a link leads inside or
 * the page is printed. Without it the page is as readable, but the filter and the buttons are not shown.
 */
export const script = `"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.querySelector("form.filter");
  const found = form?.querySelector("output");
  const entries = all("[data-verdict]");
  const words = new Map();
  const textOf = (entry) => {
    if (!words.has(entry)) words.set(entry, (entry.closest("[data-group]")?.querySelector("h3, h4")?.textContent + " " + entry.textContent).toLowerCase());
    return words.get(entry);
  };
  const cells = all(".cell");
  const home = new Map(all("details.area").map((area) => [area, area.open]));

  const filter = () => {
    const data = new FormData(form);
    const area = data.get("area");
    const verdicts = data.getAll("verdict");
    const text = data.get("text").trim().toLowerCase();
    const active = area !== "" || verdicts.length > 0 || text !== "";
    const fits = (entry) =>
      (area === "" || entry.dataset.areas.split(" ").includes(area)) &&
      (verdicts.length === 0 || verdicts.includes(entry.dataset.verdict)) &&
      (text === "" || textOf(entry).includes(text));
    for (const entry of entries) entry.hidden = !fits(entry);
    for (const group of all("[data-group]")) group.hidden = !group.querySelector("[data-verdict]:not([hidden])");
    for (const fold of all("details.also")) fold.open = active && fold.querySelector("[data-verdict]:not([hidden])") !== null;
    for (const [area, open] of home) area.open = active ? !area.hidden : open;
    for (const cell of cells) cell.classList.toggle("out", document.getElementById(cell.hash.slice(1)).hidden);
    const clauses = all("article.clause:not([hidden])").length;
    const checks = all("article.card[data-verdict]:not([hidden])").length;
    found.textContent = active ? clauses + (clauses === 1 ? " clause, " : " clauses, ") + checks + " of what failed" : "";
    form.classList.toggle("active", active);
    return active;
  };
  // The address keeps the filter in its fragment, which the address of a file may have too.
  const prefix = "#filter?";
  const keep = () => {
    const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    if (filter() || location.hash.startsWith(prefix)) history.replaceState(null, "", prefix + chosen);
  };
  const recall = () => {
    if (!form || !location.hash.startsWith(prefix)) return;
    const chosen = new URLSearchParams(location.hash.slice(prefix.length));
    for (const field of all("input, select", form)) {
      if (field.type === "checkbox") field.checked = chosen.getAll(field.name).includes(field.value);
      else field.value = chosen.get(field.name) ?? "";
    }
    filter();
  };
  form?.removeAttribute("hidden");
  form?.addEventListener("input", keep);
  form?.addEventListener("change", keep);
  form?.addEventListener("submit", (event) => event.preventDefault());
  // Done synchronously: the browser would reset only after this event, and the link's target must be visible now.
  form?.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const field of all("input, select", form)) {
      if (field.type === "checkbox") field.checked = false;
      else field.value = "";
    }
    keep();
  });
  if (form) filter();
  recall();

  const goTo = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) form?.reset();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  };
  addEventListener("hashchange", recall);
  addEventListener("hashchange", goTo);
  // A second click on the same link does not change the hash.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) { event.preventDefault(); goTo(); }
  });
  goTo();

  const copied = async (pre) => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(pre);
      return document.execCommand("copy");
    }
  };
  for (const button of all("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.textContent = (await copied(button.parentElement.querySelector("pre"))) ? "Copied" : "Selected";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }

  // The map is a single tab stop; arrow keys move within it.
  const enter = (cell) => { for (const other of cells) other.tabIndex = other === cell ? 0 : -1; };
  const vertical = (cell, down) => {
    const { left, top } = cell.getBoundingClientRect();
    let best = null;
    for (const other of cells) {
      const place = other.getBoundingClientRect();
      const rows = down ? place.top - top : top - place.top;
      if (rows < 4) continue;
      const distance = rows * 1000 + Math.abs(place.left - left);
      if (best === null || distance < best.distance) best = { other, distance };
    }
    return best && best.other;
  };
  if (cells.length > 0) enter(cells[0]);
  for (const [index, cell] of cells.entries()) {
    cell.addEventListener("focus", () => enter(cell));
    cell.addEventListener("keydown", (event) => {
      const next = { ArrowRight: () => cells[index + 1], ArrowLeft: () => cells[index - 1], Home: () => cells[0], End: () => cells.at(-1),
        ArrowDown: () => vertical(cell, true), ArrowUp: () => vertical(cell, false) }[event.key]?.();
      if (next) { event.preventDefault(); next.focus(); }
    });
  }

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details[data-print]:not([open])");
    for (const fold of folded) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });
})();
`;
