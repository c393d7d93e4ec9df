// Finds findings: narrows what is shown, keeps the choice in the page's address so that it can be shared, opens what a link
// points into. Without it everything is there to read all the same.
"use strict";
(() => {
  const bar = document.getElementById("filter");
  const field = (name) => document.getElementById("filter-" + name);
  const boxes = [...bar.querySelectorAll("input[name=severity]")];
  const texts = new Map();
  const items = [...document.querySelectorAll("[data-find]")];
  const findings = items.filter((item) => item.tagName === "ARTICLE");
  const opened = new Set();

  const read = () => ({
    q: field("q").value.trim(),
    severity: boxes.filter((box) => box.checked).map((box) => box.value),
    role: field("role")?.value ?? "",
    kind: field("kind")?.value ?? "",
    relied: field("relied").checked,
  });

  const write = (state) => {
    field("q").value = state.q;
    boxes.forEach((box) => { box.checked = state.severity.includes(box.value); });
    for (const name of ["role", "kind"]) {
      const select = field(name);
      if (select) {
        select.value = state[name];
        if (select.selectedIndex < 0) select.value = "";
      }
    }
    field("relied").checked = state.relied;
  };

  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  const fits = (item, state, words) => {
    if (!words.every((word) => text(item).includes(word))) return false;
    if (item.tagName !== "ARTICLE") return true;
    const has = item.dataset.find.split(" ");
    return (!state.severity.length || state.severity.includes(has[0])) && (!state.role || has[1] === state.role)
      && (!state.kind || has[2] === state.kind) && (!state.relied || has[3] === "relied");
  };

  const active = (state) => Boolean(state.q || state.severity.length || state.role || state.kind || state.relied);

  const apply = () => {
    const state = read();
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      item.hidden = !fits(item, state, words);
      if (!item.hidden && item.tagName === "ARTICLE") shown += 1;
    }
    fold(active(state));
    field("count").textContent = active(state) ? `${shown} of ${findings.length} findings shown` : "";
    field("clear").hidden = !active(state);
  };

  // What is folded away opens while it holds something found, and closes again afterwards.
  const fold = (searching) => {
    for (const part of document.querySelectorAll("details.many")) {
      const found = searching && part.querySelector("[data-find]:not([hidden])");
      if (found && !part.open) {
        part.open = true;
        opened.add(part);
      } else if (!found && opened.delete(part)) {
        part.open = false;
      }
    }
  };

  const address = () => {
    const state = read();
    const told = new URLSearchParams();
    if (state.q) told.set("q", state.q);
    if (state.severity.length) told.set("severity", state.severity.join(","));
    if (state.role) told.set("role", state.role);
    if (state.kind) told.set("kind", state.kind);
    if (state.relied) told.set("relied", "1");
    const words = told.toString();
    history.replaceState(null, "", words ? "#" + words : location.pathname + location.search);
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      const told = new URLSearchParams(hash);
      write({
        q: told.get("q") ?? "",
        severity: (told.get("severity") ?? "").split(","),
        role: told.get("role") ?? "",
        kind: told.get("kind") ?? "",
        relied: told.get("relied") === "1",
      });
      apply();
      return;
    }
    const target = hash && document.getElementById(hash);
    if (!target) return;
    if (target.closest("[hidden]")) clear();
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    target.scrollIntoView();
  };

  const clear = () => {
    write({ q: "", severity: [], role: "", kind: "", relied: false });
    apply();
  };

  let waiting = 0;
  bar.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { apply(); address(); }, 120);
  });
  field("clear").addEventListener("click", () => {
    clear();
    address();
    field("q").focus();
  });
  window.addEventListener("hashchange", follow);
  bar.hidden = false;
  apply();
  follow();
})();
