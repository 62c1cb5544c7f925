/* Shows the rows that the filter selects, in every view. */

const show = () => {
  const rows = filter.rows();
  const groups = [...Map.groupBy(rows, (row) => row.record.group)];
  winners.show(filter.run, groups);
  find("#cards").replaceChildren(...(groups.length
    ? groups.map(([place, members]) => card(filter.run, place, members))
    : [h("p", { class: "nothing" }, "No row fits the filter.")]));
  table.show(rows);
  scaling.show(filter.run);
  const all = filter.run.rows.length;
  find("#count").textContent = rows.length === all ? counted(all, "row", "rows") : `${grouped(rows.length)} of ${grouped(all)} rows`;
};

/* With several runs, their comparison comes first. */
const compareRuns = () => {
  const choice = form.elements.run;
  choice.append(...runs.map((run, place) => h("option", { value: place }, run.name)));
  if (runs.length < 2) return;
  choice.parentElement.hidden = false;
  choice.addEventListener("change", () => filter.choose(runs[Number(choice.value)]));
  for (const element of [find("#compared"), find('nav a[href="#compared"]')]) element.hidden = false;
  find("#comparisons").append(...data.comparisons.map((compared, place) => comparison(compared, runs[place + 1])));
};

const listen = () => {
  let pending = 0;
  form.addEventListener("input", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => {
      filter.write();
      show();
    });
  });
  form.addEventListener("reset", () => setTimeout(() => {
    filter.choose(runs[0]);
    filter.write();
    show();
  }));
  form.addEventListener("submit", (event) => event.preventDefault());
  // Readers cannot open these parts on paper.
  addEventListener("beforeprint", () => document.querySelectorAll(".evidence").forEach((part) => (part.open = true)));
  addEventListener("hashchange", () => filter.read() && show());
};

theme();
compareRuns();
filter.offer();
filter.read();
listen();
show();
// The page is laid out, and is painted next.
requestAnimationFrame(() => setTimeout(() => {
  performance.mark("cpb-usable");
  document.documentElement.dataset.ready = "";
}));
