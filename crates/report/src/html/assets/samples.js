/* Shows the distribution of the samples of a row, round by round. */

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

const lengthWords = (row, length) =>
  row.record.iterations ? `${grouped(length)} iterations` : length ? bytes(length) : "no message";

/* Returns the range to show: the middle half of the samples and REACH times its width
   on either side, but not beyond the samples. Samples outside are counted. */
const REACH = 3;
const stretch = (sorted, interval) => {
  const quantile = (share) => sorted[Math.round((sorted.length - 1) * share)];
  const [lower, upper] = [quantile(0.25), quantile(0.75)];
  const half = Math.max(1, upper - lower);
  const low = Math.max(sorted[0], lower - REACH * half);
  const high = Math.min(sorted.at(-1), upper + REACH * half);
  const [from, to] = [Math.min(low, ...interval), Math.max(high, ...interval)];
  const margin = Math.max(1, (to - from) * 0.03);
  return [from - margin, to + margin];
};

const strips = (row, [place, roundCount, sampleCount, rounds]) => {
  const point = row.points[place];
  const value = (share) => point.cycles * (1 + share * COARSE_STEP);
  const shareOf = (cycles) => (cycles / point.cycles - 1) / COARSE_STEP;
  const sorted = rounds.flatMap(([, samples]) => samples).sort((a, b) => a - b);
  const interval = point.low === undefined ? [0] : [0, shareOf(point.low), shareOf(point.high)];
  const [low, high] = stretch(sorted, interval);
  const outside = { below: sorted.filter((share) => share < low).length, above: sorted.filter((share) => share > high).length };
  const figure = h("div", {
    class: "chart", role: "img",
    "aria-label": `Samples of ${rounds.length} rounds; the table below has their figures.`,
  });
  const look = looksOf([row]).get(row);
  onWidth(figure, (width) => figure.replaceChildren(stripsOf(rounds, { low, high, value, interval, look, width })), 680);
  const kept = sorted.length;
  const thinned = kept === sampleCount ? `all ${grouped(sampleCount)} samples`
    : `${grouped(kept)} of ${grouped(sampleCount)} samples, ${rounds.length} of ${roundCount} rounds`;
  const far = [
    outside.below && `${grouped(outside.below)} lie further left, down to ${five(value(sorted[0]))}`,
    outside.above && `${grouped(outside.above)} lie further right, up to ${five(value(sorted.at(-1)))}`,
  ].filter(Boolean);
  return h("div", {},
    h("p", { class: "faint" }, `Cycles per call, one line for each round (process); ${thinned}. Line and band: estimate and 95 % interval. ${far.length ? `Not drawn: ${far.join("; ")} (counted at the edges).` : "All are drawn."}`),
    figure, sampleFigures(rounds, value));
};

const stripsOf = (rounds, { low, high, value, interval, look, width }) => {
  const height = 34 + rounds.length * 15;
  const [from, to, bottom] = [70, width - 40, height - 22];
  const x = (share) => from + ((share - low) / (high - low)) * (to - from);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  if (interval.length > 1) {
    svg.append(s("rect", { class: "interval", x: x(interval[1]), y: 4, width: Math.max(1, x(interval[2]) - x(interval[1])), height: bottom - 4 }));
  }
  svg.append(s("path", { class: "estimate", d: `M${x(0)} 4V${bottom}` }));
  const part = s("g", { class: look.line });
  const text = (at, y, anchor, words) => svg.append(s("text", { x: at, y, "text-anchor": anchor }, words));
  rounds.forEach(([number, samples], index) => {
    const y = 12 + index * 15;
    if (rounds.length < 9 || index % 2 === 0) text(24, y + 4, "end", String(number));
    for (const share of samples) {
      if (share >= low && share <= high) part.append(s("circle", { class: "dot", cx: x(share).toFixed(1), cy: y, r: 2.6 }));
    }
    const [below, above] = [samples.filter((share) => share < low).length, samples.filter((share) => share > high).length];
    if (below) text(from - 6, y + 4, "end", `◂ ${below}`);
    if (above) text(to + 6, y + 4, "start", `${above} ▸`);
  });
  svg.append(part, s("path", { class: "axis", d: `M${from} ${bottom}H${to}` }));
  for (const [share, anchor] of [[low, "start"], [0, "middle"], [high, "end"]]) {
    const near = share !== 0 && Math.abs(x(share) - x(0)) < 90;
    if (!near) text(x(share), height - 6, anchor, five(value(share)));
  }
  return svg;
};

const sampleFigures = (rounds, value) => {
  const middle = (values) => values[Math.floor((values.length - 1) / 2)];
  return h("details", {}, h("summary", {}, "Figures of the samples"),
    h("table", {},
      h("thead", {}, h("tr", {}, ["round", "lowest", "median", "highest"].map((word, column) =>
        h("th", { scope: "col", class: column ? "number" : null }, word)))),
      h("tbody", {}, rounds.map(([number, samples]) => h("tr", {},
        h("th", { scope: "row" }, String(number)),
        [samples[0], middle(samples), samples.at(-1)].map((share) =>
          h("td", { class: "number" }, five(value(share)))))))));
};
