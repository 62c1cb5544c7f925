/* Every row: sorted by any column, each opening to its provenance. */

const FIRST = 100;

const COLUMNS = [
  { name: "primitive", key: (row) => row.primitive, word: (row) => row.primitive },
  { name: "operation", key: (row) => row.operation, word: (row) => row.operation, kind: "rare" },
  { name: "library", key: (row) => row.library, word: (row) => row.library },
  { name: "backend", key: (row) => row.backend, word: (row) => row.backend, kind: "rare" },
  { name: "c/B", title: "cycles per byte; else what stands beside it", first: (row) => row.group.per, key: (row) => row.estimate, number: true, word: (row) => figureWord(row), kind: "strong" },
  { name: "±", title: "half the 95 % interval", key: (row) => row.width, number: true, word: (row) => widthWord(row), kind: "rare faint" },
  { name: "fixed", title: "fixed cost of a call, in cycles", key: (row) => row.fixed, number: true, word: (row) => (row.fixed === undefined ? "–" : fixedWord(row)), kind: "rare" },
  { name: "GB/s", title: "at the longest message", key: (row) => row.speed, number: true, word: (row) => (row.speed === undefined ? "–" : row.speedWord), kind: "rare" },
  { name: "state", key: (row) => row.state, word: (row) => stateWord(row) },
];

const figureWord = (row) => {
  if (row.estimate === undefined) return "–";
  const unit = row.group.per === "byte" ? "" : ` /${row.group.per}`;
  return [estimateWord(row), unit ? h("span", { class: "faint unit" }, unit) : null];
};

const stateWord = (row) => {
  const kind = { verified: "good", unverified: "caution", "upper bound": "caution", failed: "bad" }[row.state];
  return h("span", { class: kind, title: row.failure }, row.state);
};

const table = {
  rows: [],
  limit: FIRST,
  sorted: { column: null, down: false },
  opened: new Set(),

  show(rows) {
    this.rows = rows;
    this.limit = FIRST;
    this.draw();
  },

  order() {
    const { column, down } = this.sorted;
    if (!column) return this.rows;
    const turn = down ? -1 : 1;
    const missing = (key) => key === undefined || key === "";
    const keyed = this.rows.map((row) => ({ row, key: column.key(row) }));
    keyed.sort((a, b) => {
      // What has no figure stands last, whichever way; units keep apart.
      if (missing(a.key) || missing(b.key)) return missing(a.key) - missing(b.key);
      const apart = column.first ? inOrder(column.first(a.row), column.first(b.row)) : 0;
      if (apart) return apart;
      return turn * (column.number ? a.key - b.key : inOrder(a.key, b.key));
    });
    return keyed.map(({ row }) => row);
  },

  sort(column) {
    this.sorted = { column, down: this.sorted.column === column && !this.sorted.down };
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
        class: `${column.number ? "number" : ""} ${column.kind?.includes("rare") ? "rare" : ""}`,
        "aria-sort": this.sorted.column !== column ? "none" : this.sorted.down ? "descending" : "ascending",
      }, h("button", { type: "button", title: column.title, onclick: () => this.sort(column) }, column.name)),
    }));
    this.body = h("tbody", {}, ordered.slice(0, this.limit).map((row) => this.lines(row)));
    const element = h("table", {},
      h("caption", { class: "unseen" }, "All rows that the filter lets through"),
      h("thead", {}, h("tr", {}, h("td", {}), this.head.map((head) => head.element))), this.body);
    const rest = ordered.length - this.limit;
    const more = rest > 0
      ? h("button", { type: "button", class: "more", onclick: () => this.showAll() }, `Show ${grouped(rest)} more`)
      : null;
    const nothing = ordered.length ? null : h("p", { class: "nothing" }, "No row fits the filter.");
    find("#table").replaceChildren(...[element, nothing, more].filter(Boolean));
  },

  showAll() {
    this.limit = Infinity;
    this.draw();
  },

  lines(row) {
    const button = h("button", {
      type: "button", class: "open", "aria-expanded": String(this.opened.has(row)),
      "aria-label": `How ${row.primitive} ${row.operation} of ${row.label} was measured`,
      onclick: () => this.toggle(row, line, button),
    });
    const line = h("tr", { id: row.id, "data-row": row.index }, h("td", {}, button), COLUMNS.map((column, place) =>
      h(place === 0 ? "th" : "td", {
        scope: place === 0 ? "row" : null,
        class: `${column.number ? "number" : ""} ${column.kind ?? ""}`,
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

addEventListener("beforeprint", () => table.limit === Infinity || table.showAll());

/* Leads to a row of the table, opened. */
const openRow = (row) => {
  table.opened.add(row);
  if (table.order().indexOf(row) >= table.limit) table.limit = Infinity;
  table.draw();
  const line = document.getElementById(row.id);
  line.scrollIntoView({ block: "start" });
  line.querySelector("button").focus({ preventScroll: true });
};
