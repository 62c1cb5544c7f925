/* The page: what the filter lets through, in every view. */

const form = find("#filter");
const page = { run: runs[0] };

for (const run of runs) {
  run.byGroup = Map.groupBy(run.rows, (row) => row.record.group);
  run.rows.forEach((row) => (row.id = `row-${row.index}`));
}

const wanted = () => {
  const { text, primitive, operation, library, state } = form.elements;
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  return page.run.rows.filter((row) =>
    (!primitive.value || row.primitive === primitive.value) &&
    (!operation.value || row.operation === operation.value) &&
    (!library.value || row.library === library.value) &&
    (!state.value || row.state === state.value) &&
    words.every((word) => row.text.includes(word)));
};

const show = () => {
  const rows = wanted();
  const groups = Map.groupBy(rows, (row) => row.record.group);
  const places = [...groups.keys()].sort((a, b) => a - b);
  find("#cards").replaceChildren(...(places.length
    ? places.map((place) => card(page.run, place, groups.get(place)))
    : [h("p", { class: "nothing" }, "No row fits the filter.")]));
  table.show(rows);
  scatter(rows);
  const all = page.run.rows.length;
  find("#count").textContent = rows.length === all ? `${grouped(all)} rows` : `${grouped(rows.length)} of ${grouped(all)} rows`;
};

/* Fixed cost of a call over the cost of a byte, for rows that have both. */
const scatter = (rows) => {
  const lines = rows.filter((row) => row.fixed !== undefined && row.group.per === "byte");
  const placed = lines.filter((row) => row.fixed > 0 && row.estimate > 0);
  const box = find("#scatter");
  if (!lines.length) {
    box.replaceChildren(h("p", { class: "nothing" }, "No row here has a slope."));
    return;
  }
  const byLibrary = [...Map.groupBy(placed, (row) => row.record.library)].sort(([a], [b]) => a - b);
  const looks = new Map(byLibrary.map(([library, [row]]) => [library, { ...looksOf([row]).get(row), marker: "filled" }]));
  const series = byLibrary.map(([library, members]) => ({
    label: data.libraries[library],
    look: looks.get(library),
    points: members.sort((a, b) => a.estimate - b.estimate).map((row) => ({
      x: row.estimate, y: row.fixed,
      bound: row.bound || row.fixedBound,
      words: [`${row.primitive} ${row.operation}, ${row.label}`, `${estimateWord(row)} c/B, ${fixedWord(row)} cycles per call`],
    })),
  }));
  const legend = h("p", { class: "note legend" }, series.map((line) => h("span", {}, sampleOf(line.look), `${line.label}\u2003`)));
  const left = lines.length - placed.length;
  const plot = h("div", { style: "min-height:420px" });
  const element = h("div", {}, legend, plot);
  lazily(plot, () => plot.append(chart({
    name: `Fixed cost of a call over cycles per byte, ${placed.length} rows; the table of all rows has the figures`,
    x: { label: "cycles per byte", mark: markWord, marks: numberMarks },
    y: { label: "cycles of a call before its first byte", mark: markWord, marks: numberMarks },
    series, lines: false, height: 420,
  })));
  if (placed.some((row) => row.bound || row.fixedBound)) {
    element.append(h("p", { class: "note" }, "Pale: upper bounds (≤), since the core was not quiet for long enough."));
  }
  if (left) {
    element.append(h("p", { class: "note" }, `${left === 1 ? "One row has" : `${left} rows have`} a fixed cost of zero or below, which has no place on this axis; the table has it.`));
  }
  box.replaceChildren(element);
};

/* The choices of the filter are those that the run has. */
const offer = () => {
  const choices = {
    primitive: (row) => row.primitive,
    operation: (row) => row.operation,
    library: (row) => row.library,
  };
  for (const [name, of] of Object.entries(choices)) {
    const select = form.elements[name];
    const before = select.value;
    const found = [...new Set(page.run.rows.map(of))].sort(inOrder);
    select.replaceChildren(h("option", { value: "" }, "all"), ...found.map((value) => h("option", { value }, value)));
    select.value = found.includes(before) ? before : "";
  }
};

const theme = () => {
  const button = find("#theme");
  const isDark = () => {
    const own = document.documentElement.dataset.theme;
    return own ? own === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => (button.textContent = isDark() ? "Light" : "Dark");
  // A page from a file may have no storage.
  const stored = (work) => { try { return work(); } catch { return null; } };
  const kept = stored(() => localStorage.getItem("cpb-theme"));
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    stored(() => localStorage.setItem("cpb-theme", document.documentElement.dataset.theme));
    name();
  });
};

theme();
if (runs.length > 1) {
  const choice = form.elements.run;
  choice.append(...runs.map((run, place) => h("option", { value: place }, run.name)));
  choice.parentElement.hidden = false;
  choice.addEventListener("change", () => {
    page.run = runs[Number(choice.value)];
    table.opened.clear();
    offer();
  });
  for (const element of [find("#compared"), find('nav a[href="#compared"]')]) element.hidden = false;
  find("#comparisons").append(...data.comparisons.map((compared, place) => comparison(compared, runs[place + 1])));
}
offer();
let pending = 0;
const soon = () => {
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(show);
};
form.addEventListener("input", soon);
form.addEventListener("reset", () => setTimeout(() => {
  page.run = runs[0];
  offer();
  show();
}));
form.addEventListener("submit", (event) => event.preventDefault());
show();
// Laid out and about to be painted.
requestAnimationFrame(() => setTimeout(() => {
  performance.mark("cpb-usable");
  document.documentElement.dataset.ready = "";
}));
