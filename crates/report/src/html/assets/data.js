/* Makes rows from the compact data, whose format data.rs describes. */

const data = JSON.parse(find("#data").textContent);
const FINE_STEP = 1e-6;
const STEP = 1e-5;
const COARSE_STEP = 1e-4;

/* Returns [name, details]: the JSON is a name alone, or an object with one key. */
const verificationOf = ({ verified }) => {
  if (verified === undefined) return [];
  if (typeof verified === "string") return [verified];
  const [[name, more]] = Object.entries(verified);
  return [name, more.reason ?? [more.with].flat().join(", ")];
};

/* A record in the form that views need. Points are decoded on first use. */
class Row {
  constructor(run, index, record) {
    const group = run.groups[record.group];
    Object.assign(this, {
      run, index, record, group,
      id: `row-${index}`,
      primitive: group.primitive,
      operation: group.operation,
      library: data.libraries[record.library],
      backend: record.backend === "default" ? "" : record.backend,
      label: record.label,
      failure: record.failure?.reason,
      estimate: record.figure?.[0],
      // An upper bound has no lower end.
      bound: record.figure?.[1] === null,
      low: record.figure?.[1] ?? undefined,
      high: record.figure?.[1] === null ? undefined : record.figure?.[2],
      // Formatted by cpb, as everywhere else.
      word: record.says?.[0],
      widthWord: record.says?.[1] ?? "–",
      times: record.times ?? undefined,
      // Ranked by cpb: the place in the group, and ★ or ≈.
      rank: record.rank,
      mark: { best: "★", tied: "≈", unknown: "?" }[record.standing] ?? "",
      // Reasons not to trust it; `ok` if there are none.
      states: record.states ?? ["ok"],
    });
    this.width = this.low === undefined ? undefined : (this.high - this.low) / 2 / Math.abs(this.estimate);
    this.text = [
      this.primitive, this.operation, this.library, record.backend, record.spelling, group.contract,
      ...this.states, this.failure ?? "",
    ].join(" ").toLowerCase();
  }

  get points() {
    if (this.decoded) return this.decoded;
    const { record } = this;
    if (!record.points) return (this.decoded = []);
    const columns = record.points;
    const nth = (column, place) => (Array.isArray(column) ? column[place] : column);
    const at = (column, place) => nth(columns[column], place);
    const near = (place, column, step) => {
      const share = at(column, place);
      return share === null ? undefined : at(0, place) * (1 + share * step);
    };
    return (this.decoded = data.lengths[record.lengths].map((length, place) => ({
      length,
      cycles: at(0, place), low: near(place, 1, FINE_STEP), high: near(place, 2, FINE_STEP),
      nanoseconds: at(3, place), quantile: near(place, 4, STEP), minimum: near(place, 5, STEP),
      between: at(6, place) === null ? undefined : at(6, place) * COARSE_STEP,
      calls: at(7, place), samples: at(8, place), rejected: at(9, place), rounds: at(10, place),
      long: at(11, place) ?? undefined, bound: at(12, place) === 1, digits: Number(record.digits[place]),
      instructions: at(15, place) ?? undefined, perCycle: at(16, place) ?? undefined,
      branches: at(17, place) ?? undefined, misses: at(18, place) ?? undefined,
      independent: at(13, place)?.of, dependent: at(14, place)?.of,
      parameters: data.parameters[nth(record.parameters, place)],
    })));
  }

  /* The point of the shortest message, which shows what a short call costs. */
  get shortest() {
    if (this.record.iterations) return undefined;
    return this.points.reduce((least, point) => (point.length > 0 && !(least?.length <= point.length) ? point : least), undefined);
  }

  /* The speed: for bytes, that of the longest message in GB/s; for calls, their number
     per second. For a bound, it is at least that. */
  get speed() {
    const last = this.points.at(-1);
    if (!last || this.group.per === "iteration") return undefined;
    return this.group.per === "call" ? 1e9 / last.nanoseconds : last.length / last.nanoseconds;
  }

  get speedWord() {
    return `${this.points.at(-1)?.bound ? "≥ " : ""}${significant(this.speed, 4)}`;
  }

  get speedUnit() {
    return this.group.per === "call" ? "calls/s" : "GB/s";
  }
}

const runs = data.runs.map((source) => {
  const run = { ...source };
  run.rows = source.records.map((record, index) => new Row(run, index, record));
  run.byGroup = run.groups.map(() => []);
  run.rows.forEach((row) => run.byGroup[row.record.group].push(row));
  run.byGroup.forEach((rows) => rows.sort((a, b) => a.rank - b.rank));
  // The reference of ×: the fastest row that is not a bound, if there is one.
  run.best = run.byGroup.map((rows) => rows.find((row) => row.estimate !== undefined && !row.bound) ?? rows[0]);
  return run;
});

/* Describes a group, apart from its primitive's name. */
const groupWords = (group) => [
  group.operation,
  ...(group.contract === "keyed" ? [] : [group.contract]),
  ...(group.aad ? [`${bytes(group.aad)} associated data`] : []),
  ...(group.evicted ? ["caches evicted"] : []),
  ...(group.words ? [group.words] : []),
];

/* Chooses the look of each row's line: the colour is that of the library, and dashes
   and markers distinguish rows of one colour in a group. */
const looksOf = (rows) => {
  const seen = new Map();
  const looks = new Map();
  for (const row of [...rows].sort((a, b) => a.index - b.index)) {
    const colour = data.colours[row.record.library];
    const variant = seen.get(colour) ?? 0;
    seen.set(colour, variant + 1);
    const dash = data.dashes[variant % data.dashes.length];
    looks.set(row, {
      line: `line-${colour}`,
      dash,
      shape: data.shapes[(colour + variant) % data.shapes.length],
      marker: dash === "" ? "filled" : "hollow",
    });
  }
  return looks;
};

/* Draws a short line with its marker, for use beside a name. */
const sampleOf = (look) =>
  s("svg", { class: `sample ${look.line}`, viewBox: "0 0 26 12", "aria-hidden": "true" },
    s("path", { class: "line", d: "M0 6H26", "stroke-dasharray": look.dash }),
    s("path", { class: look.marker, d: look.shape, transform: "translate(13 6)" }));
