/* Later runs against the first. */

const comparison = (compared, later) => {
  const first = runs[0];
  const pairs = compared.pairs.map(([a, b, lengths, [ratio, low, high, verdict, mark]]) => ({
    first: first.rows[a], later: later.rows[b], lengths, ratio, low, high, verdict, mark,
  }));
  const count = (verdict) => pairs.filter((pair) => pair.verdict === verdict).length;
  const element = h("article", { class: "comparison" },
    h("h3", {}, `${later.name} against ${first.name}`));
  if (!pairs.length) {
    element.append(h("p", { class: "calm" }, "The runs have no row in common."));
    return element;
  }
  const words = [
    `${grouped(pairs.length)} rows in common: ${count("faster")} faster, ${count("slower")} slower, ${count("no difference")} without a difference, ${count("cannot tell")} that cannot be told`,
  ];
  if (compared.mean) {
    const [mean] = compared.mean;
    words.push(`geometric mean of the ratios ${five(mean)} (${signedPercent(mean)})`);
  }
  if (compared.unmatched) words.push(`${grouped(compared.unmatched)} rows are in one run only`);
  element.append(h("p", {}, words.join("; ") + "."));
  if (compared.notes.length) {
    element.append(h("div", { class: "warnings" }, h("h4", {}, "What limits this comparison"),
      h("ul", {}, compared.notes.map((note) => h("li", {}, note)))));
  }
  element.append(h("p", { class: "note" }, "Cycles of the later run over those of the first, over the lengths that both have: below 1 it is faster, as cpb compare says it. Intervals combine those of both runs as independent ones; what changed between the runs beside the code is not in them. A ratio with ≤ or ≥ is of an upper bound."));
  const body = h("div", { class: "scroll" });
  const show = (limit) => body.replaceChildren(ratios(pairs.slice(0, limit)), ...(pairs.length > limit
    ? [h("button", { type: "button", class: "more", onclick: () => show(Infinity) }, `Show ${grouped(pairs.length - limit)} more`)] : []));
  pairs.sort((a, b) => a.ratio - b.ratio);
  lazily(element, () => show(50));
  element.append(body);
  return element;
};

const ratios = (pairs) => {
  // A few wide intervals must not make points of the others: they are cut.
  const far = (ratio) => Math.abs(Math.log(ratio));
  const ends = pairs.map(({ ratio, low, high }) => Math.max(far(low ?? ratio), far(high ?? ratio))).sort((a, b) => a - b);
  const widest = Math.max(0.01, ends[Math.floor((ends.length - 1) * 0.8)], ...pairs.map(({ ratio }) => far(ratio)));
  const place = (ratio) => 50 + Math.max(-1, Math.min(1, Math.log(ratio) / widest)) * 48;
  const kinds = { faster: "good", slower: "bad" };
  const heads = [["primitive"], ["operation", "rare"], ["implementation"], ["ratio", "number"], ["95 % interval", "number rare"], ["faster ← 1 → slower", "rare middle"], ["verdict"]];
  return h("table", {},
    h("thead", {}, h("tr", {}, heads.map(([word, kind]) => h("th", { scope: "col", class: kind }, word)))),
    h("tbody", {}, pairs.map(({ first, later, lengths, ratio, low, high, verdict, mark }) => {
      const plot = h("td", { class: `ratio rare ${kinds[verdict] ?? "faint"}`, "aria-hidden": "true" }, h("i", {}));
      if (low !== null) plot.append(h("b", { style: `left:${place(low).toFixed(2)}%;width:${(place(high) - place(low)).toFixed(2)}%` }));
      plot.append(h("u", { style: `left:${place(ratio).toFixed(2)}%` }));
      return h("tr", {},
        h("th", { scope: "row" }, later.primitive),
        h("td", { class: "rare" }, later.operation),
        h("td", { title: `over ${lengths.map((length) => lengthWords(later, length)).join(", ")}` }, first.label === later.label ? later.label : `${later.library} ${later.backend}`),
        h("td", { class: "number strong" }, mark + five(ratio)),
        h("td", { class: "number rare faint" }, low === null ? "–" : range(low, high)),
        plot,
        h("td", { class: kinds[verdict] ?? "faint" }, verdict));
    })));
};
