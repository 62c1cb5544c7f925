/* The table of all rows, by rank within their groups or sorted by any column. Each row
   opens to show its provenance. */

/* The number of rows shown at first, and added by each further step. More would be slow. */
const FIRST = 100;
const FURTHER = 500;

const COLUMNS = [
  { name: "primitive", key: (row) => row.primitive, word: (row) => row.primitive },
  { name: "operation", key: (row) => row.operation, word: (row) => groupWords(row.group).join(", "), kind: "rare" },
  { name: "rank", title: "place among the rows that do the same", first: (row) => row.record.group, key: (row) => row.rank, number: true, word: (row) => rankWord(row), kind: "faint rare" },
  { name: "library", key: (row) => row.library, word: (row) => [h("i", { class: `swatch line-${data.colours[row.record.library]}` }), row.library] },
  { name: "backend", key: (row) => row.backend, word: (row) => row.backend, kind: "rare" },
  { name: "c/B", title: "cycles per byte; else what stands beside it", first: (row) => row.group.per, key: (row) => row.estimate, number: true, word: (row) => figureWord(row), kind: "strong" },
  { name: "±", title: "half-width of the 95 % confidence interval", key: (row) => row.width, number: true, word: (row) => row.widthWord, kind: "rare faint" },
  { name: "×", title: "times the fastest of its group", key: (row) => (row.times ? row.estimate / row.run.best[row.record.group].estimate : undefined), number: true, word: (row) => row.times ?? "" },
  { name: "c/call", title: "cycles of a call with the shortest message", key: (row) => row.shortest?.cycles, number: true, word: (row) => shortWord(row), kind: "rare" },
  { name: "speed", title: "GB/s at the longest message; of what costs by the call, calls a second", first: (row) => row.group.per, key: (row) => row.speed, number: true, word: (row) => speedWord(row), kind: "rare" },
  { name: "state", key: (row) => row.states.join(", "), word: (row) => stateWord(row) },
];

const figureWord = (row) => {
  if (row.estimate === undefined) return "–";
  const unit = row.group.per === "byte" ? "" : ` /${row.group.per}`;
  return [row.word, unit ? h("span", { class: "faint unit" }, unit) : null];
};

const speedWord = (row) =>
  row.speed === undefined ? "–" : [row.speedWord, h("span", { class: "faint unit" }, ` ${row.speedUnit}`)];

const rankWord = (row) => `${row.mark ? `${row.mark} ` : ""}${row.rank + 1}`;

const shortWord = (row) => {
  const { shortest } = row;
  return shortest ? [pointWord(shortest, shortest.cycles), h("span", { class: "faint unit" }, ` ${bytes(shortest.length)}`)] : "–";
};

const stateWord = (row) => {
  const kind = { ok: "good", failed: "bad" }[row.states[0]] ?? "caution";
  return h("span", { class: kind, title: row.failure ?? verificationOf(row.record).slice(0, 2).join(": ") }, row.states.join(", "));
};

const table = {
  rows: [],
  limit: FIRST,
  sorted: { column: COLUMNS.find((column) => column.name === "rank"), down: false },
  opened: new Set(),

  /* Rows come by group, and by rank within it. */
  show(rows) {
    this.rows = rows;
    this.limit = FIRST;
    this.draw();
  },

  get isByRank() {
    return this.sorted.column.name === "rank";
  },

  order() {
    const { column, down } = this.sorted;
    const turn = down ? -1 : 1;
    const missing = (key) => key === undefined || key === "";
    const compared = (a, b) => (typeof a === "number" ? a - b : inOrder(a, b));
    const keyed = this.rows.map((row) => ({ row, key: column.key(row) }));
    // The sort is stable, so rows with equal keys stay in order of group and rank.
    keyed.sort((a, b) => {
      // Rows without a figure come last in both directions; units are kept apart.
      if (missing(a.key) || missing(b.key)) return missing(a.key) - missing(b.key);
      const apart = column.first ? compared(column.first(a.row), column.first(b.row)) : 0;
      return apart || turn * compared(a.key, b.key);
    });
    return keyed.map(({ row }) => row);
  },

  sort(column) {
    this.sorted = { column, down: this.sorted.column === column && !this.sorted.down };
    this.limit = FIRST;
    this.draw();
    this.head.find((head) => head.column === column).element.querySelector("button").focus();
    say(`sorted by ${column.name}, ${this.sorted.down ? "descending" : "ascending"}`);
  },

  draw() {
    const ordered = this.order();
    this.head = COLUMNS.map((column) => ({
      column,
      element: h("th", {
        scope: "col",
        class: `${column.number && column.name !== "rank" ? "number" : ""} ${column.kind?.includes("rare") ? "rare" : ""}`,
        "aria-sort": this.sorted.column !== column ? "none" : this.sorted.down ? "descending" : "ascending",
      }, h("button", { type: "button", title: column.title, onclick: () => this.sort(column) }, column.name)),
    }));
    this.body = h("tbody", {});
    const element = h("table", { class: "rows" },
      h("caption", { class: "unseen" }, "All rows that the filter lets through"),
      h("thead", {}, h("tr", {}, h("td", {}), this.head.map((head) => head.element))), this.body);
    this.more = h("button", { type: "button", class: "more", onclick: () => this.extend(this.limit + FURTHER) });
    const nothing = ordered.length ? null : h("p", { class: "nothing" }, "No row fits the filter.");
    this.ordered = ordered;
    const limit = this.limit;
    this.limit = 0;
    find("#table").replaceChildren(...[element, nothing, this.more].filter(Boolean));
    this.extend(limit);
  },

  /* Appends rows up to `limit`. */
  extend(limit) {
    const { ordered } = this;
    const from = this.limit;
    this.limit = Math.min(limit, ordered.length);
    this.body.append(...ordered.slice(from, this.limit).flatMap((row, place) => this.lines(row, ordered[from + place - 1])));
    const rest = ordered.length - this.limit;
    if (!rest) return this.more.remove();
    this.more.textContent = rest > FURTHER ? `Show ${FURTHER} of ${grouped(rest)} more` : `Show ${grouped(rest)} more`;
  },

  lines(row, before) {
    const button = h("button", {
      type: "button", class: "open", "aria-expanded": String(this.opened.has(row)),
      "aria-label": `How ${row.primitive} ${row.operation} of ${row.label} was measured`,
      onclick: () => this.toggle(row, line, button),
    });
    const begins = this.isByRank && before && before.record.group !== row.record.group;
    const line = h("tr", { id: row.id, "data-row": row.index, class: begins ? "begins" : null }, h("td", {}, button), COLUMNS.map((column, place) =>
      h(place === 0 ? "th" : "td", {
        scope: place === 0 ? "row" : null,
        class: `${column.number && column.name !== "rank" ? "number" : ""} ${column.kind ?? ""}`,
      }, column.word(row))));
    return this.opened.has(row) ? [line, this.detailsOf(row)] : [line];
  },

  detailsOf(row) {
    return h("tr", { class: "details" }, h("td", { colspan: COLUMNS.length + 1 }, details(row)));
  },

  toggle(row, line, button) {
    const opens = !this.opened.has(row);
    button.setAttribute("aria-expanded", String(opens));
    if (opens) {
      this.opened.add(row);
      line.after(this.detailsOf(row));
    } else {
      this.opened.delete(row);
      line.nextElementSibling.remove();
    }
  },
};

addEventListener("beforeprint", () => table.extend(Infinity));

/* Opens a row of the table and scrolls to it. */
const openRow = (row) => {
  table.opened.add(row);
  table.limit = Math.max(table.limit, table.ordered.indexOf(row) + 1);
  table.draw();
  const line = document.getElementById(row.id);
  line.scrollIntoView({ block: "start" });
  line.querySelector("button").focus({ preventScroll: true });
};
