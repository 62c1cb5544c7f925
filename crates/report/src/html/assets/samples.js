/* How the samples of a row lie, round by round. */

const distribution = (row) => {
  const { raw } = row.record;
  if (raw === undefined) return h("p", { class: "faint" }, "No raw samples were kept; cpb run --raw keeps them.");
  if (typeof raw === "string") return h("p", { class: "faint" }, raw);
  const box = h("div", {});
  const show = (kept) => box.replaceChildren(strips(row, kept));
  show(raw.at(-1));
  if (raw.length === 1) return box;
  const choice = h("select", { onchange: () => show(raw[Number(choice.value)]) },
    raw.map((kept, place) => h("option", { value: place, selected: place === raw.length - 1 },
      lengthWords(row, row.points[kept[0]].length))));
  return h("div", {}, h("label", { class: "faint" }, "Samples at ", choice), box);
};

const lengthWords = (row, length) => (row.record.iterations ? `${length} iterations` : bytes(length));

const strips = (row, [place, roundCount, sampleCount, rounds]) => {
  const point = row.points[place];
  const value = (share) => point.cycles * (1 + share * SAMPLE_STEP);
  const middle = (values) => values[Math.floor((values.length - 1) / 2)];
  const figure = h("div", {
    class: "chart", role: "img",
    "aria-label": `Samples of ${rounds.length} rounds; the table below has their figures.`,
  });
  const { look } = { look: looksOf([row]).get(row) };
  onWidth(figure, (width) => {
    const height = 34 + rounds.length * 15;
    const all = rounds.flatMap(([, samples]) => samples).sort((a, b) => a - b);
    // A few samples far off must not flatten the rest; they stand at the edge.
    const high = Math.max(all[Math.floor(all.length * 0.98)], row.low === undefined ? 0 : (point.high / point.cycles - 1) / SAMPLE_STEP);
    const low = Math.min(all[0], ((point.low ?? point.cycles) / point.cycles - 1) / SAMPLE_STEP);
    const [from, to] = [44, width - 12];
    const margin = Math.max(1, (high - low) * 0.03);
    const x = (share) => from + ((Math.min(share, high) - low + margin) / (high - low + 2 * margin)) * (to - from);
    const bottom = height - 22;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" });
    if (point.low !== undefined) {
      const [a, b] = [point.low, point.high].map((end) => x((end / point.cycles - 1) / SAMPLE_STEP));
      svg.append(s("rect", { class: "interval", x: a, y: 4, width: Math.max(1, b - a), height: bottom - 4 }));
    }
    svg.append(s("path", { class: "estimate", d: `M${x(0)} 4V${bottom}` }));
    const part = s("g", { class: look.line });
    rounds.forEach(([number, samples], index) => {
      const y = 12 + index * 15;
      if (rounds.length < 9 || index % 2 === 0) {
        svg.append(s("text", { x: from - 8, y: y + 4, "text-anchor": "end" }, String(number)));
      }
      for (const share of samples) part.append(s("circle", { class: "dot", cx: x(share).toFixed(1), cy: y, r: 2.6 }));
    });
    svg.append(part, s("path", { class: "axis", d: `M${from} ${bottom}H${to}` }));
    for (const [share, anchor] of [[low, "start"], [0, "middle"], [high, "end"]]) {
      const near = share !== 0 && Math.abs(x(share) - x(0)) < 90;
      if (!near) svg.append(s("text", { x: x(share), y: height - 6, "text-anchor": anchor }, five(value(share))));
    }
    figure.replaceChildren(svg);
  });
  const kept = rounds.reduce((sum, [, samples]) => sum + samples.length, 0);
  const thinned = kept === sampleCount ? `all ${grouped(sampleCount)} samples`
    : `${grouped(kept)} of ${grouped(sampleCount)} samples, ${rounds.length} of ${roundCount} rounds`;
  return h("div", {},
    h("p", { class: "faint" }, `Cycles per call, one line for each round (process); ${thinned}. Line and band: estimate and 95 % interval. What lies beyond the 98th percentile stands at the right edge.`),
    figure,
    h("details", {}, h("summary", {}, "Figures of the samples"),
      h("table", {},
        h("thead", {}, h("tr", {}, ["round", "lowest", "median", "highest"].map((word, column) =>
          h("th", { scope: "col", class: column ? "number" : null }, word)))),
        h("tbody", {}, rounds.map(([number, samples]) => h("tr", {},
          h("th", { scope: "row" }, String(number)),
          [samples[0], middle(samples), samples.at(-1)].map((share) =>
            h("td", { class: "number" }, five(value(share))))))))));
};
