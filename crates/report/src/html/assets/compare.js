/* Compares later runs (B) with the first (A), in the words of `cpb compare`. */

const ratioOf = (ratio) => {
  if (!ratio) return undefined;
  const [value, low, high, verdict, mark] = ratio;
  return { value, low, high, verdict, mark };
};

const VERDICTS = { faster: "good", slower: "bad", "cannot tell": "caution" };
const verdictClass = (verdict) => VERDICTS[verdict] ?? "";

const comparison = (compared, later) => {
  const first = runs[0];
  const pairs = compared.pairs.map(([a, b, lengths, ratio, failure]) => ({
    first: first.rows[a], later: later.rows[b], failure, ratio: ratioOf(ratio),
    lengths: lengths.map(([length, of]) => ({ length, ratio: ratioOf(of) })),
  }));
  const element = h("article", { class: "comparison" },
    h("h3", {}, h("span", { class: "faint" }, "A: "), first.name, h("span", { class: "faint" }, "\u2003B: "), later.name));
  if (!pairs.length) {
    element.append(h("p", { class: "calm" }, "The runs have no row in common."));
    return element;
  }
  element.append(sumOf(compared, pairs));
  if (compared.notes.length) {
    element.append(h("ul", { class: "warnings" }, compared.notes.map((note) => h("li", {}, note))));
  }
  const body = h("div", {});
  const show = (limit) => body.replaceChildren(...[
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ratios" }, ratios(pairs.slice(0, limit), pairs, compared.precision)),
    pairs.length > limit && h("button", { type: "button", class: "more", onclick: () => show(Infinity) }, `Show ${grouped(pairs.length - limit)} more`),
  ].filter(Boolean));
  // Changed rows come first: slower, then faster; larger differences before smaller ones.
  const order = ["slower", "faster", "cannot tell", undefined, "no difference"];
  const rank = ({ ratio, failure }) => (failure ? order.length : order.indexOf(ratio?.verdict));
  const size = ({ ratio }) => Math.abs(Math.log(ratio?.value ?? 1));
  pairs.sort((a, b) => rank(a) - rank(b) || size(b) - size(a));
  lazily(element, () => show(12));
  addEventListener("beforeprint", () => show(Infinity));
  element.append(body, h("p", { class: "note small" },
    "Cycles of B over cycles of A: below 1, B is faster. A line is the geometric mean over its lengths. " + (compared.paired
      ? "Both sides were measured next to each other."
      : "The runs were measured at different times; differences below 1 % may be chance.")));
  compared.only.forEach((names, side) => {
    if (names.length) element.append(onlyIn(names, "AB"[side]));
  });
  return element;
};

/* Summarises all rows: the mean ratio, and the number of rows with each verdict. */
const sumOf = (compared, pairs) => {
  const count = (verdict) => pairs.filter((pair) => pair.ratio?.verdict === verdict).length;
  const failed = pairs.filter((pair) => pair.failure).length;
  const mean = ratioOf(compared.mean);
  const counts = [
    `${counted(pairs.length, "row", "rows")} in common: B is faster in ${count("faster")}, slower in ${count("slower")}, no different in ${count("no difference")}`,
    `${grouped(count("cannot tell") + pairs.filter((pair) => !pair.ratio && !pair.failure).length)} undecided`,
    failed && `${failed} failed`,
  ].filter(Boolean).join("; ");
  if (!mean) return h("p", { class: "verdict" }, `${counts}.`);
  const interval = mean.low === null ? "no interval" : `95 %: ${ratioWord(mean.low)} to ${ratioWord(mean.high)}`;
  return h("p", { class: `verdict ${verdictClass(mean.verdict)}` },
    h("strong", {}, `Over all, B ÷ A is ${ratioWord(mean.value, mean.mark)}, ${mean.verdict}`),
    ` (geometric mean of ${compared.counted}, ${interval}). ${counts}.`);
};

const onlyIn = (names, side) => {
  const SHOWN = 6;
  const words = `Only ${side} has: ${names.slice(0, SHOWN).join(", ")}`;
  if (names.length <= SHOWN) return h("p", { class: "note small" }, `${words}.`);
  return h("details", { class: "note small" }, h("summary", {}, `${words} and ${grouped(names.length - SHOWN)} more`), names.slice(SHOWN).join(", "));
};

/* Lists the lengths whose verdict differs from that of their line. */
const contradictions = ({ ratio, lengths }) => {
  const parts = ["faster", "slower"].filter((verdict) => verdict !== ratio.verdict).map((verdict) => {
    const found = lengths.filter((it) => it.ratio?.verdict === verdict).map((it) => bytes(it.length));
    return found.length ? `${verdict} at ${found.join(", ")}` : "";
  }).filter(Boolean);
  return parts.length ? ` (${parts.join("; ")})` : "";
};

const ratios = (pairs, all, precision) => {
  // Wide intervals are cut, so that the others do not shrink to points.
  const far = (ratio) => Math.abs(Math.log(ratio));
  const known = all.filter(({ ratio }) => ratio).map(({ ratio }) => ratio);
  const ends = known.map(({ value, low, high }) => Math.max(far(low ?? value), far(high ?? value))).sort((a, b) => a - b);
  const widest = Math.max(0.01, ends[Math.floor((ends.length - 1) * 0.9)] ?? 0);
  const place = (ratio) => 50 + Math.max(-1, Math.min(1, Math.log(ratio) / widest)) * 47;
  const messages = all.filter((pair) => !pair.later.record.iterations);
  const lengths = [...new Set(messages.flatMap((pair) => pair.lengths.map((it) => it.length)))].sort((a, b) => a - b).slice(0, 4);
  const heads = [
    ["primitive", ""], ["implementation", ""],
    ...lengths.map((length) => [bytes(length), "number rare"]),
    ["B ÷ A", "number"], ["95 % interval", "number rare"], ["faster ← 1 → slower", "rare middle"],
    [`verdict ±${percent(precision)}`, ""],
  ];
  return h("table", { class: "ratios" },
    h("thead", {}, h("tr", {}, heads.map(([word, kind]) => h("th", { scope: "col", class: kind }, word)))),
    h("tbody", {}, pairs.map((pair) => ratioLine(pair, lengths, place))));
};

const ratioLine = (pair, lengths, place) => {
  const { first, later, ratio, failure } = pair;
  const primitives = new Set([first.primitive, later.primitive]);
  const names = [
    h("th", { scope: "row" }, [...primitives].join(" vs "), h("span", { class: "faint" }, ` ${groupWords(later.group).join(", ")}`)),
    h("td", {}, first.label === later.label ? later.label : `${later.library} ${later.backend}`),
  ];
  if (failure) return h("tr", {}, names, h("td", { class: "bad", colspan: lengths.length + 4 }, failure));
  const each = lengths.map((length) => {
    const found = later.record.iterations ? undefined : pair.lengths.find((it) => it.length === length);
    return h("td", { class: `number rare ${verdictClass(found?.ratio?.verdict)}` }, found ? (found.ratio ? ratioWord(found.ratio.value, found.ratio.mark) : "–") : "");
  });
  if (!ratio) return h("tr", {}, names, each, h("td", { class: "number" }, "–"), h("td", { class: "rare" }), h("td", { class: "rare" }), h("td", { class: "caution" }, "cannot tell"));
  const { value, low, high, verdict, mark } = ratio;
  const plot = h("td", { class: `ratio rare ${verdictClass(verdict)}`, "aria-hidden": "true" }, h("i", {}));
  if (low !== null) plot.append(h("b", { style: `left:${place(low).toFixed(2)}%;width:${(place(high) - place(low)).toFixed(2)}%` }));
  plot.append(h("u", { class: mark ? "is-bound" : "", style: `left:${place(value).toFixed(2)}%` }));
  return h("tr", {}, names, each,
    h("td", { class: "number strong" }, ratioWord(value, mark)),
    h("td", { class: "number rare faint" }, low === null ? (mark ? "bound" : "–") : `${ratioWord(low)} to ${ratioWord(high)}`),
    plot,
    h("td", { class: verdictClass(verdict) }, verdict + contradictions(pair)));
};
