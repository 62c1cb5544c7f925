/* The card of one primitive: its ranking, and its curves over message lengths. */

const card = (run, place, rows) => {
  const group = run.groups[place];
  const looks = looksOf(run.byGroup[place]);
  const heading = `group-${place}`;
  const element = h("article", { class: "card", "aria-labelledby": heading },
    h("div", { class: "heading" },
      h("h3", { id: heading }, group.primitive),
      h("span", {}, [...groupWords(group), group.unit].join(" · "))));
  lazily(element, () => {
    const curves = curvesOf(group, rows, looks);
    const halves = h("div", { class: curves ? "halves" : "halves one" }, ranking(group, rows, looks));
    if (curves) halves.append(h("div", {}, curves, figures(group, rows)));
    element.append(halves);
  });
  return element;
};

/* Draws cycles per byte over the message length; null if no row has two lengths. */
const curvesOf = (group, rows, looks) => {
  const series = rows.filter((row) => row.record.points && !row.record.iterations).map((row) => ({
    label: row.label,
    look: looks.get(row),
    points: row.points.filter((point) => point.length > 0).map((point) => {
      const [y, low, high] = [point.cycles, point.low, point.high].map((value) => value && value / point.length);
      const words = [`${bytes(point.length)}: ${pointWord(point, y)} c/B`];
      if (low) words.push(`95 %: ${range(low, high)}`);
      return { x: point.length, y, low, high, words, bound: point.bound };
    }),
  })).filter((line) => line.points.length > 1);
  if (!series.length) return null;
  const drawn = chart({
    name: `${group.primitive} ${group.operation}: cycles per byte over message length, ${series.length === 1 ? "one line" : `${series.length} lines`}`,
    x: { label: "message length, logarithmic", mark: bytes, marks: lengthMarks },
    y: { label: "cycles per byte, logarithmic", mark: markWord, marks: numberMarks },
    series,
    height: Math.max(250, Math.min(360, 190 + rows.length * 14)),
  });
  if (series.some((line) => line.points.some((point) => point.bound))) {
    drawn.append(h("p", { class: "note small" }, "Arrows down: upper bounds (≤); the truth lies there or below."));
  }
  return drawn;
};

/* The figures of the chart as a table. */
const figures = (group, rows) => {
  const element = h("details", { class: "figures" }, h("summary", {}, "Figures of the chart"));
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
        h("tbody", {}, lengths.map((length) => h("tr", {}, h("th", { scope: "row", class: "whole" }, bytes(length)),
          shown.map((row) => {
            const point = at(row, length);
            return h("td", { class: "number" }, point ? pointWord(point, point.cycles / length) : "–");
          })))))));
  });
  return element;
};
