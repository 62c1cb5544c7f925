/* Shows the provenance of a row's figure. */

const WIDE = { Failure: "wide bad", File: "wide", "Code path": "wide" };

const details = (row) => {
  const { record, run } = row;
  const library = run.libraries.find(([label]) => label === row.library);
  const [how, with_] = verificationOf(record);
  const verification = {
    "known-answer": "known answers",
    reference: `known answers, and at each length ${with_}`,
    agreement: `agreement with ${with_}`,
    "round-trip": "what was encrypted was decrypted again",
    "looks-random": "no two outputs alike, and as many bits ones as chance allows",
    unverified: `unverified: ${with_}`,
  }[how] ?? "not reached";
  const sum = (column) => row.points.reduce((total, point) => total + point[column], 0);
  const rounds = row.points.map((point) => point.rounds);
  const [samples, rejected] = [sum("samples"), sum("rejected")];
  const figure = ([estimate, low, high], unit, word) =>
    low === null ? `at most ${five(estimate)} ${unit}: the core was not quiet for long enough`
      : `${word ?? five(estimate)} ${unit}` + (low === undefined ? ", no interval" : `, 95 % interval ${range(low, high)}`);
  const facts = [
    ["Failure", row.failure],
    ["Figure", record.figure && figure(record.figure, row.group.unit, row.word)],
    ["Intercept", record.misfit ?? (record.fixed && figure(record.fixed, "cycles"))],
    ["Speed", row.speed && `${row.speedWord} ${row.speedUnit}` + (row.group.per === "call" ? "" : ` at ${bytes(row.points.at(-1).length)}`)],
    ["Library", library ? [library[0], library[1]].join(" ") : row.library],
    ["Spelling", record.spelling],
    ["Security", record.security],
    ["Backend", record.backend + (record.default && record.backend !== "default" ? ", the library’s own choice" : "")],
    ["Contract", row.group.contract],
    ["Setup", row.group.words || undefined],
    ["Method", record.method],
    ["Output", record.output === undefined ? undefined : bytes(record.output)],
    ["Associated data", row.group.aad ? bytes(row.group.aad) : undefined],
    ["Verified by", verification],
    ["Rounds", rounds.length ? [...new Set([Math.min(...rounds), Math.max(...rounds)])].join(" to ") + " processes" : undefined],
    ["Samples", row.points.length ? `${grouped(samples)} kept, ${grouped(rejected)} dropped` : undefined],
    ["Precision", record.precise === undefined ? undefined : record.precise ? "as asked" : "not reached in the time given"],
    ["Long calls", row.points.some((point) => point.long) ? "over 0.3 ms: tenth percentile shown; treat as rough" : undefined],
    ["Dependent calls", record.no_dependence && `none: ${record.no_dependence}`],
    ["File", library?.[2]],
    ["Code path", library?.[3]],
  ].filter(([, value]) => value !== undefined && value !== null && value !== "");
  const parts = [
    h("dl", { class: "facts" }, facts.map(([term, value]) =>
      h("div", { class: WIDE[term] }, h("dt", {}, term), h("dd", {}, value)))),
  ];
  if (row.points.length) parts.push(h("h4", {}, "Lengths"), pointTable(row), h("h4", {}, "Samples"), distribution(row));
  return h("div", {}, parts);
};

const pointTable = (row) => {
  const perByte = !row.record.iterations;
  const share = (value, whole) => (value === undefined ? "–" : percent(value / whole));
  const columns = [
    ["length", (point) => lengthWords(row, point.length)],
    [perByte ? "c/B" : "c/iteration", (point) => (point.length ? pointWord(point, point.cycles / point.length) : "–"), "strong"],
    ["c/call", (point) => pointWord(point, point.cycles)],
    ["95 % interval", (point) => (point.low === undefined ? "–" : range(point.low, point.high)), "rare"],
    ...["independent", "dependent"].filter((kind) => row.points.some((point) => point[kind]))
      .map((kind) => [kind, (point) => (point[kind] ? five(point[kind][0]) : "–")]),
    ["ns/call", (point) => pointWord(point, point.nanoseconds)],
    ...[["instructions", "instructions"], ["per cycle", "perCycle"], ["branch misses", "branches"], ["L1 misses", "misses"]]
      .filter(([, kind]) => row.points.some((point) => point[kind] !== undefined))
      .map(([name, kind]) => [name, (point) => (point[kind] === undefined ? "–" : significant(point[kind], 4)), "rare"]),
    ["between rounds", (point) => share(point.between, 1), "rare"],
    ["low quantile", (point) => five(point.quantile), "rare"],
    ["minimum", (point) => five(point.minimum), "rare"],
    ["calls", (point) => grouped(point.calls), "rare"],
    ["samples", (point) => grouped(point.samples)],
    ["dropped", (point) => grouped(point.rejected)],
    ["rounds", (point) => String(point.rounds), "rare"],
  ];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures by length" },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([name, , kind], place) =>
        h("th", { scope: "col", class: `${place ? "number" : ""} ${kind === "rare" ? "rare" : ""}` }, name)))),
      h("tbody", {}, row.points.map((point) => h("tr", {}, columns.map(([, word, kind], place) =>
        place ? h("td", { class: `number ${kind ?? ""}` }, word(point)) : h("th", { scope: "row", class: "whole" }, word(point))))))));
};
