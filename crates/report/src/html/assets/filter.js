/* Selects the rows that are shown. The filter is kept in the address after the #, so
   that a link to the page shows the same rows. */

const form = find("#filter");

const filter = {
  names: ["text", "primitive", "operation", "library", "state"],
  run: runs[0],

  /* Returns the selected rows by group, and by rank within it. */
  rows() {
    const value = (name) => form.elements[name].value;
    const words = value("text").toLowerCase().split(/\s+/).filter(Boolean);
    return this.run.byGroup.flat().filter((row) =>
      (!value("primitive") || row.primitive === value("primitive")) &&
      (!value("operation") || row.operation === value("operation")) &&
      (!value("library") || row.library === value("library")) &&
      (!value("state") || row.states.includes(value("state"))) &&
      words.every((word) => row.text.includes(word)));
  },

  /* Offers the values that occur in the run. */
  offer() {
    const choices = {
      primitive: (row) => [row.primitive],
      operation: (row) => [row.operation],
      library: (row) => [row.library],
      state: (row) => row.states,
    };
    for (const [name, of] of Object.entries(choices)) {
      const select = form.elements[name];
      const before = select.value;
      const found = [...new Set(this.run.rows.flatMap(of))].sort(inOrder);
      select.replaceChildren(h("option", { value: "" }, "all"), ...found.map((value) => h("option", { value }, value)));
      select.value = found.includes(before) ? before : "";
    }
  },

  choose(run) {
    if (run === this.run) return;
    this.run = run;
    table.opened.clear();
    this.offer();
  },

  /* Reads the filter from the address; returns whether the address has one. */
  read() {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) return false;
    const said = new URLSearchParams(hash);
    const place = Number(said.get("run") ?? 1) - 1;
    form.elements.run.value = String(runs[place] ? place : 0);
    this.choose(runs[place] ?? runs[0]);
    for (const name of this.names) form.elements[name].value = said.get(name) ?? "";
    // A value that does not occur in this run is ignored.
    for (const select of form.querySelectorAll("select")) if (select.selectedIndex < 0) select.selectedIndex = 0;
    return true;
  },

  /* Writes the filter to the address, without a new entry in the history. */
  write() {
    const said = new URLSearchParams();
    if (this.run !== runs[0]) said.set("run", runs.indexOf(this.run) + 1);
    for (const name of this.names) if (form.elements[name].value) said.set(name, form.elements[name].value);
    const hash = String(said);
    if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : "#");
  },
};

/* A link within the page scrolls to its target without changing the address, which
   the filter uses. */
addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  const target = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!target) return;
  event.preventDefault();
  target.scrollIntoView({ block: "start" });
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
});
