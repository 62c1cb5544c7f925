/* One primitive: who is how fast, and over which lengths. */

const card = (run, place, rows) => {
  const group = run.groups[place];
  const ranked = [...rows].sort((a, b) => a.rank - b.rank);
  const looks = looksOf(run.byGroup.get(place));
  const heading = `group-${place}`;
  const aad = group.aad ? [`${bytes(group.aad)} associated data`] : [];
  const element = h("article", { class: "card", "aria-labelledby": heading },
    h("div", { class: "heading" },
      h("h3", { id: heading }, group.primitive),
      h("span", {}, [group.operation, group.unit, ranked[0].record.contract, ...aad].join(" · "))));
  lazily(element, () => {
    const curves = curvesOf(group, ranked, looks);
    const halves = h("div", { class: curves ? "halves" : "halves one" }, ranking(group, ranked, looks));
    if (curves) halves.append(h("div", {}, curves, figures(group, ranked)));
    element.append(halves);
  });
  return element;
};

const ranking = (group, rows, looks) => {
  // Wide intervals are cut before they shorten the bars.
  const most = (of) => rows.reduce((known, row) => Math.max(known, of(row) ?? 0), 0);
  const longest = Math.min(most((row) => row.high ?? row.estimate), most((row) => row.estimate) * 1.25);
  const share = (value) => `${((Math.min(longest, Math.max(0, value)) / longest) * 100).toFixed(2)}%`;
  const hasFixed = rows.some((row) => row.fixed !== undefined);
  const short = { byte: "c/B", iteration: "c/iteration", call: "c/call" }[group.per];
  const heads = [
    h("th", { scope: "col", class: "name" }, "implementation"),
    h("th", { scope: "col", class: "bars" }, h("span", { class: "unseen" }, "bar")),
    h("th", { scope: "col", class: "number" }, h("abbr", { title: group.unit }, short)),
    h("th", { scope: "col", class: "number rare" }, "±"),
    hasFixed ? h("th", { scope: "col", class: "number" }, h("abbr", { title: "fixed cost of a call, in cycles" }, "fixed")) : null,
  ];
  const body = rows.map((row) => {
    const look = looks.get(row);
    const name = h("th", { scope: "row", class: "name" },
      h("a", { href: `#${row.id}`, onclick: (event) => { event.preventDefault(); openRow(row); } },
        sampleOf(look), row.mark ? h("span", { class: "mark", title: markWords[row.mark] }, `${row.mark}\u00a0`) : null, row.label));
    if (row.estimate === undefined) {
      const why = row.failure === undefined
        ? `no figure in ${group.unit}`
        : `failed: ${row.failure}`;
      return h("tr", {}, name, h("td", { colspan: hasFixed ? 4 : 3, class: row.failure === undefined ? "faint" : "bad" }, why));
    }
    const bar = h("span", { class: `bar ${look.line}${row.bound ? " bound" : ""}`, "aria-hidden": "true" }, h("i", { style: `width:${share(row.estimate)}` }));
    if (row.low !== undefined) {
      const end = Math.min(longest, row.high);
      bar.append(h("b", {
        class: row.high > longest ? "cut" : null,
        style: `left:${share(row.low)};width:${share(end - Math.max(0, row.low))}`,
      }));
    }
    return h("tr", {}, name,
      h("td", { class: "bars" }, bar),
      h("td", { class: "number strong" }, estimateWord(row)),
      h("td", { class: "number faint rare" }, widthWord(row)),
      hasFixed ? h("td", { class: "number" }, row.fixed === undefined ? "" : fixedWord(row)) : null);
  });
  return h("table", { class: "ranking" },
    h("caption", { class: "unseen" }, `${group.primitive} ${group.operation}, ${group.unit}, fastest first`),
    h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
};

/* Cycles per byte over the message length; null where no row has two lengths. */
const curvesOf = (group, rows, looks) => {
  const series = rows.filter((row) => row.record.points && !row.record.iterations).map((row) => ({
    label: row.label,
    look: looks.get(row),
    points: row.points.filter((point) => point.length > 0).map((point) => {
      const [y, low, high] = [point.cycles, point.low, point.high].map((value) => value && value / point.length);
      const words = [`${bytes(point.length)}: ${atMost(point.bound, five(y))} c/B`];
      if (low) words.push(`95 %: ${range(low, high)}`);
      return { x: point.length, y, low, high, words, bound: point.bound };
    }),
  })).filter((line) => line.points.length > 1);
  if (!series.length) return null;
  const drawn = chart({
    name: `${group.primitive} ${group.operation}: cycles per byte over message length, ${series.length === 1 ? "one line" : `${series.length} lines`}`,
    x: { label: "message length", mark: bytes, marks: lengthMarks },
    y: { label: "cycles per byte", mark: markWord, marks: numberMarks },
    series,
    lines: true,
    height: Math.max(250, Math.min(360, 190 + rows.length * 14)),
  });
  if (!series.some((line) => line.points.some((point) => point.bound))) return drawn;
  return h("div", {}, drawn, h("p", { class: "note" }, "Pale: upper bounds (≤), since the core was not quiet for long enough."));
};

/* What the chart shows, as a table. */
const figures = (group, rows) => {
  const element = h("details", {}, h("summary", {}, "Figures of the chart"));
  element.addEventListener("toggle", () => {
    if (!element.open || element.children.length > 1) return;
    const shown = rows.filter((row) => row.points.length && !row.record.iterations);
    const lengths = [...new Set(shown.flatMap((row) => row.points.map((point) => point.length)))]
      .filter((length) => length > 0).sort((a, b) => a - b);
    const at = (row, length) => row.points.find((point) => point.length === length);
    element.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cycles per byte by length" },
      h("table", {},
        h("caption", { class: "unseen" }, `${group.primitive} ${group.operation}: cycles per byte by message length`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "length"),
          shown.map((row) => h("th", { scope: "col", class: "number" }, row.label)))),
        h("tbody", {}, lengths.map((length) => h("tr", {}, h("th", { scope: "row" }, bytes(length)),
          shown.map((row) => {
            const point = at(row, length);
            return h("td", { class: "number" }, point ? atMost(point.bound, five(point.cycles / length)) : "–");
          })))))));
  });
  return element;
};
