/* Shows concurrent calls: calls per second over threads, with a line for each row with
   the same work, and a line for ideal scaling of the fastest single thread. */

const scaling = {
  show(run) {
    const rows = run.scaling;
    const works = [...Map.groupBy(rows, scaledWords)];
    for (const element of [find("#scaling"), find('nav a[href="#scaling"]')]) element.hidden = !works.length;
    find("#scaled").replaceChildren(...works.map(([words, members], place) => scaledCard(run, words, members, place)));
  },
};

/* Describes the work and its length. */
const scaledWords = ({ subject, contract, parameters, shares_keys: shared, beside }) => [
  `${subject.primitive} ${subject.operation}`,
  parameters.iterations ? `${grouped(parameters.iterations)} iterations` : parameters.message_bytes ? bytes(parameters.message_bytes) : "",
  contract === "keyed" ? "" : contract,
  shared ? "shared keys" : "",
  beside ? `beside ${beside}` : "",
].filter(Boolean).join(", ");

const scaledCard = (run, words, rows, place) => {
  const heading = `scaled-${place}`;
  const lines = scaledLines(run, rows);
  const element = h("article", { class: "card", "aria-labelledby": heading },
    h("div", { class: "heading" }, h("h3", { id: heading }, words), h("span", {}, "calls a second")));
  if (lines.length) element.append(scaledChart(words, lines, rows[0].beside ? 1 : run.run.host.cores?.length || Infinity));
  element.append(h("ul", { class: "note small" }, rows.map((row) => h("li", {}, `${scaledLabel(run, row)}: ${scaledVerdict(row)}`))));
  if (lines.length) element.append(scaledTable(words, lines));
  return element;
};

const scaledLabel = (run, { subject }) => {
  const library = run.libraries.find(([, , , , label]) => label === subject.library)?.[0] ?? subject.library;
  return subject.backend === "default" ? library : `${library} ${subject.backend}`;
};

/* Returns a line for the threads of each row, and one for its processes. */
const scaledLines = (run, rows) => rows.flatMap((row, variant) => {
  const label = scaledLabel(run, row);
  const known = data.libraries.indexOf(run.libraries.find(([, , , , name]) => name === row.subject.library)?.[0]);
  const colour = data.colours[known] ?? variant % data.shapes.length;
  const line = (name, dash, crowds) => ({
    label: name,
    look: { line: `line-${colour}`, dash, shape: data.shapes[(colour + variant) % data.shapes.length], marker: dash === "" ? "filled" : "hollow" },
    points: crowds.filter((crowd) => crowd.calls_per_second).map((crowd) => {
      const { estimate, interval } = crowd.calls_per_second;
      const count = crowd.threads * crowd.processes + (crowd.others ?? 0);
      const efficiency = crowd.efficiency?.estimate;
      const said = [`${counted(count, "at once", "at once")}: ${five(estimate)} calls/s`];
      if (efficiency) said.push(`${significant(efficiency * 100, 3)} % of one alone on each CPU`);
      return { x: count, y: estimate, low: interval?.low, high: interval?.high, efficiency, words: said };
    }).sort((a, b) => a.x - b.x),
  });
  const threads = line(label, data.dashes[0], row.crowds.filter((crowd) => crowd.processes === 1));
  const one = row.crowds.filter((crowd) => crowd.processes * crowd.threads + (crowd.others ?? 0) === 1);
  const many = row.crowds.filter((crowd) => crowd.processes > 1);
  const processes = line(`${label}, processes`, data.dashes[1], many.length ? [...one, ...many] : []);
  return [threads, processes].filter((found) => found.points.length);
});

const scaledChart = (words, lines, cpus) => {
  const counts = [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const alone = Math.max(...lines.map((line) => line.points.find((point) => point.x === 1)?.y ?? 0));
  const ideal = {
    label: cpus === 1 ? "the fastest alone" : "the fastest, as alone on each CPU",
    look: { line: "line-ideal", dash: data.dashes[2], shape: data.shapes[0], marker: "hollow" },
    points: alone ? counts.map((count) => {
      const y = Math.min(count, cpus) * alone;
      return { x: count, y, words: [`${counted(count, "at once", "at once")}: ${five(y)} calls/s`] };
    }) : [],
  };
  return chart({
    name: `${words}: calls a second over how many make them at once, ${lines.length === 1 ? "one line" : `${lines.length} lines`} and the ideal`,
    x: { label: "at once, logarithmic", mark: String, marks: lengthMarks },
    y: { label: "calls/s, logarithmic", mark: markWord, marks: numberMarks },
    series: [...lines, ideal],
    height: Math.max(260, Math.min(380, 200 + lines.length * 16)),
  });
};

const BLAMED = { locks: "locks", cpus: "CPUs", smt: "shared cores", clock: "the clock", memory: "memory" };

const scaledVerdict = ({ failure, verdict, crowds, beside }) => {
  if (failure) return failure.reason;
  if (!verdict) return "one thread alone and more than one were not both measured";
  const causes = (verdict.causes ?? []).map(({ what, share }) => `${BLAMED[what]} ${significant(share * 100, 2)} %`);
  const lost = `of what is lost: ${causes.join(", ") || "the figures do not tell"}`;
  if (verdict.told_by === "nothing") return "calls a second and cycles are too disturbed to tell whether it scales";
  const cycles = verdict.told_by === "cycles" ? ", by its cycles" : "";
  if (beside) return verdict.stops_at ? `slowed by ${counted(verdict.stops_at - 1, "other", "others")}${cycles}; ${lost}` : `not slowed by others${cycles}`;
  const most = Math.max(...crowds.filter((crowd) => crowd.processes === 1 && crowd.efficiency).map((crowd) => crowd.threads));
  if (!verdict.stops_at) return `scales to ${counted(most, "thread", "threads")}${cycles}`;
  return `stops scaling at ${counted(verdict.stops_at, "thread", "threads")}${cycles}; ${lost}`;
};

/* The figures of the chart as a table. */
const scaledTable = (words, lines) => {
  const cells = (point) => [
    String(point.x), five(point.y), point.low ? range(point.low, point.high) : "–",
    point.efficiency ? `${significant(point.efficiency * 100, 3)} %` : "–",
  ];
  return h("details", { class: "figures" }, h("summary", {}, "Figures of the chart"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Calls a second by how many make them" },
      h("table", {},
        h("caption", { class: "unseen" }, `${words}: calls a second by how many make them at once`),
        h("thead", {}, h("tr", {}, ["line", "at once", "calls/s", "95 % interval", "efficiency"].map((name, column) =>
          h("th", { scope: "col", class: column ? "number" : null }, name)))),
        h("tbody", {}, lines.flatMap((line) => line.points.map((point) => h("tr", {},
          h("th", { scope: "row" }, line.label), cells(point).map((cell) => h("td", { class: "number" }, cell)))))))));
};
