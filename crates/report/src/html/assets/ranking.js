/* Lists the rows of one primitive, fastest first, with bars. */

/* Bars longer than this multiple of the median are cut, so that one slow row does not
   shorten all others. */
const LONGEST = 5;

/* Returns the value of a whole bar, and functions for the length of others. */
const barScale = (rows) => {
  const estimates = rows.map((row) => row.estimate).filter((value) => value > 0).sort((a, b) => a - b);
  const median = estimates[Math.floor((estimates.length - 1) / 2)];
  const kept = estimates.filter((value) => value <= median * LONGEST);
  const isCut = kept.length < estimates.length;
  const most = kept.at(-1) ?? 1;
  // Wide intervals are cut, so that they do not shorten the bars.
  const highest = Math.max(most, ...rows.map((row) => (row.estimate <= most ? row.high ?? row.estimate : 0)));
  const whole = isCut ? most * 1.25 : Math.min(highest, most * 1.25);
  return {
    isCut,
    cuts: (value) => isCut && value > most,
    share: (value) => `${((Math.min(whole, Math.max(0, value)) / whole) * 100).toFixed(2)}%`,
    whole,
  };
};

const barOf = (row, look, scale) => {
  const cut = scale.cuts(row.estimate);
  const bar = h("span", { class: `bar ${look.line}${row.bound ? " bound" : ""}${cut ? " cut" : ""}`, "aria-hidden": "true" },
    h("i", { style: `width:${scale.share(row.estimate)}` }));
  if (row.low !== undefined && !cut) {
    const end = Math.min(scale.whole, row.high);
    bar.append(h("b", {
      class: row.high > scale.whole ? "open-ended" : null,
      style: `left:${scale.share(row.low)};width:${scale.share(end - Math.max(0, row.low))}`,
    }));
  }
  return bar;
};

const ranking = (group, rows, looks) => {
  const scale = barScale(rows);
  const isCompared = rows.some((row) => row.times);
  const short = rows.map((row) => row.shortest).find(Boolean)?.length;
  const heads = [
    h("th", { scope: "col", class: "name" }, "implementation"),
    h("th", { scope: "col", class: "bars" }, h("span", { class: "unseen" }, "bar")),
    h("th", { scope: "col", class: "number" }, h("abbr", { title: group.unit }, shortUnits[group.per])),
    h("th", { scope: "col", class: "number rare" }, "±"),
    isCompared && h("th", { scope: "col", class: "number" }, h("abbr", { title: "times the fastest" }, "×")),
    short && h("th", { scope: "col", class: "number rare" }, h("abbr", { title: `cycles of a call with ${bytes(short)}, the shortest that was measured` }, `c/call ${bytes(short)}`)),
  ].filter(Boolean);
  const body = rows.map((row) => {
    const look = looks.get(row);
    const name = h("th", { scope: "row", class: "name" },
      h("a", { href: `#${row.id}`, onclick: (event) => { event.preventDefault(); event.stopPropagation(); openRow(row); } },
        sampleOf(look), h("span", { class: "mark", title: markWords[row.mark] }, row.mark), row.label));
    if (row.estimate === undefined) {
      const failed = row.failure !== undefined;
      return h("tr", {}, name, h("td", { colspan: heads.length - 1, class: failed ? "bad" : "faint" },
        failed ? `failed: ${row.failure}` : `no figure in ${group.unit}`));
    }
    const call = short && row.points.find((point) => point.length === short);
    return h("tr", {}, name,
      h("td", { class: "bars" }, barOf(row, look, scale)),
      h("td", { class: "number strong" }, row.word),
      h("td", { class: "number faint rare" }, row.widthWord),
      isCompared ? h("td", { class: "number" }, row.times ?? "") : null,
      short ? h("td", { class: "number rare" }, call ? pointWord(call, call.cycles) : "") : null);
  });
  const table = h("table", { class: "ranking" },
    h("caption", { class: "unseen" }, `${group.primitive} ${group.operation}, ${group.unit}, fastest first`),
    h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
  const doubtful = rows.filter((row) => row.states.includes("unverified")).map((row) => row.label);
  const notes = [
    scale.isCut && `Bars with a gap are cut: more than ${LONGEST} times the median.`,
    rows.some((row) => row.bound) && "Hatched: upper bounds (≤); the core was not quiet for long enough.",
    doubtful.length && `Unverified: ${doubtful.join(", ")}.`,
  ].filter(Boolean);
  return h("div", {}, table, notes.length ? h("p", { class: "note small" }, notes.join(" ")) : null);
};
