/* Shows the fastest library of each primitive: primitives are rows, libraries columns. */

const winners = {
  first: 16,

  show(run, groups) {
    // A button for only a few more rows is not worth it.
    this.limit = groups.length > this.first + 5 ? this.first : Infinity;
    this.run = run;
    this.groups = groups;
    this.draw();
  },

  draw() {
    const { groups } = this;
    const libraries = [...new Set(groups.flatMap(([, rows]) => rows.map((row) => row.record.library)))].sort((a, b) => a - b);
    const box = find("#winners-table");
    if (!groups.length) {
      find("#won").textContent = "";
      box.replaceChildren(h("p", { class: "nothing" }, "No row fits the filter."));
      return;
    }
    find("#won").textContent = this.sum();
    const heads = [
      h("th", { scope: "col" }, "primitive"),
      h("th", { scope: "col", class: "number" }, "fastest"),
      h("th", { scope: "col", class: "rare" }, h("span", { class: "unseen" }, "unit")),
      libraries.map((library) => h("th", { scope: "col", class: "cell" },
        h("i", { class: `swatch line-${data.colours[library]}` }), data.libraries[library])),
    ];
    const shown = groups.slice(0, this.limit);
    const rest = groups.length - shown.length;
    const table = h("table", { class: "winners" },
      h("caption", { class: "unseen" }, "How many times the cost of the fastest each library’s best row has"),
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, shown.map(([place, rows]) => this.line(place, rows, libraries))));
    const more = rest > 0 && h("button", { type: "button", class: "more", onclick: () => this.showAll() }, `Show ${grouped(rest)} more`);
    box.replaceChildren(...[h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Winners" }, table), more].filter(Boolean));
  },

  showAll() {
    this.limit = Infinity;
    this.draw();
  },

  /* Returns the line of a group: its best figure, and a cell for each library. */
  line(place, rows, libraries) {
    const group = this.run.groups[place];
    const best = this.run.best[place];
    const name = h("th", { scope: "row" },
      h("a", { href: `#group-${place}` }, group.primitive), h("span", { class: "faint" }, ` ${groupWords(group).join(", ")}`));
    return h("tr", {}, name,
      h("td", { class: "number strong" }, best.word ?? "–"),
      h("td", { class: "unit rare" }, best.word === undefined ? "" : group.unit.replace(/^cycles per (byte|iteration|call)/, (_, per) => shortUnits[per])),
      libraries.map((library) => this.cell(rows.find((row) => row.record.library === library))));
  },

  /* Returns the cell of the best row of a library; rows are in order of rank. */
  cell(row) {
    if (!row) return h("td", { class: "cell faint" }, "·");
    if (row.estimate === undefined) {
      return h("td", { class: "cell bad", title: row.failure ?? `no figure in ${row.group.unit}` }, row.failure === undefined ? "–" : "failed");
    }
    const kind = { "★": "best", "≈": "tied" }[row.mark] ?? "";
    const word = row.times ?? (row.rank === 0 ? "only" : row.word);
    const title = [`${row.label}: ${row.word} ${row.group.unit}`, markWords[row.mark], ...row.states].filter(Boolean).join(", ");
    return h("td", { class: `cell ${kind}${row.bound ? " is-bound" : ""}${row.times ? "" : " faint"}`, title },
      row.mark ? h("span", { class: "mark" }, `${row.mark} `) : null, word);
  },

  /* States by what factor the next library costs more, as the median over `won`. */
  lead(won) {
    const next = won.map(({ row, rows }) => rows.find((it) => it.library !== row.library && it.record.factor));
    const factors = next.filter(Boolean).map((row) => row.record.factor).sort((a, b) => a - b);
    return factors.length ? ` (by ${factors[Math.floor(factors.length / 2)].toFixed(2)}×)` : "";
  },

  /* States how often each library is the fastest, and by how much at the median. */
  sum() {
    const all = this.groups.map(([place]) => this.run.byGroup[place]);
    const certain = all.flatMap((rows) => rows.filter((row) => row.mark === "★").map((row) => ({ row, rows })));
    const tied = all.filter((rows) => rows.some((row) => row.mark === "≈")).length;
    const alone = all.filter((rows) => rows.length === 1).length;
    const byLibrary = [...Map.groupBy(certain, ({ row }) => row.library)].sort((a, b) => b[1].length - a[1].length);
    const parts = [
      byLibrary.length ? `Fastest (★), by how much the next library costs more at the median: ${byLibrary.map(([library, won]) => `${library} in ${won.length}${this.lead(won)}`).join(", ")}` : "",
      tied ? `tied (≈): ${tied}` : "",
      alone ? `in one library only: ${alone}` : "",
    ].filter(Boolean);
    const words = parts.join("; ");
    return words && `${words[0].toUpperCase()}${words.slice(1)} of ${all.length}.`;
  },
};

addEventListener("beforeprint", () => winners.limit === Infinity || winners.showAll());
