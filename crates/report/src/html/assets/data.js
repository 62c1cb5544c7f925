/* From the compact data to rows; its shape stands in data.rs. */

const data = JSON.parse(find("#data").textContent);
const STEP = 1e-5;
const SAMPLE_STEP = 1e-4;

/* A record as its views want it. Points are decoded when they are asked for. */
class Row {
  constructor(run, index, record) {
    const group = run.groups[record.group];
    Object.assign(this, {
      run, index, record, group,
      primitive: group.primitive,
      operation: group.operation,
      library: data.libraries[record.library],
      backend: record.backend === "default" ? "" : record.backend,
      label: record.label,
      failure: record.failure?.[1],
      estimate: record.figure?.[0],
      // An upper bound has no lower end.
      bound: record.figure?.[1] === null,
      low: record.figure?.[1] ?? undefined,
      high: record.figure?.[1] === null ? undefined : record.figure?.[2],
      fixed: record.fixed?.[0],
      fixedBound: record.fixed?.[1] === null,
      // As ranked by cpb: the place in the group, and ★ or ≈.
      rank: record.rank,
      mark: record.mark ?? "",
    });
    this.width = this.low === undefined ? undefined : (this.high - this.low) / 2 / Math.abs(this.estimate);
    this.state = this.failure !== undefined ? "failed"
      : this.bound ? "upper bound"
      : !record.verified || record.verified[0] === "unverified" ? "unverified" : "verified";
    this.text = [
      this.primitive, this.operation, this.library, record.backend, record.spelling, record.contract,
      this.state, this.failure ?? "",
    ].join(" ").toLowerCase();
  }

  get points() {
    if (this.decoded) return this.decoded;
    const { record } = this;
    if (!record.points) return (this.decoded = []);
    const columns = record.points;
    const at = (column, place) => (Array.isArray(columns[column]) ? columns[column][place] : columns[column]);
    const near = (place, column) => {
      const share = at(column, place);
      return share === null ? undefined : at(0, place) * (1 + share * STEP);
    };
    return (this.decoded = data.lengths[record.lengths].map((length, place) => ({
      length,
      cycles: at(0, place), low: near(place, 1), high: near(place, 2),
      nanoseconds: at(3, place), quantile: near(place, 4), minimum: near(place, 5),
      between: at(6, place) === null ? undefined : at(6, place) * STEP,
      calls: at(7, place), samples: at(8, place), rejected: at(9, place), rounds: at(10, place),
      long: at(11, place) === 1, aad: at(12, place), bound: at(13, place) === 1,
    })));
  }

  get counts() {
    return this.record.iterations ? "iterations" : "bytes";
  }

  /* The speed of the longest message, in GB/s: at least that, of a bound. */
  get speed() {
    const last = this.points.at(-1);
    return last && !this.record.iterations && last.length > 0 ? last.length / last.nanoseconds : undefined;
  }

  get speedWord() {
    return `${this.points.at(-1)?.bound ? "≥ " : ""}${significant(this.speed, 4)}`;
  }
}

const runs = data.runs.map((source) => {
  const run = { ...source };
  run.rows = source.records.map((record, index) => new Row(run, index, record));
  return run;
});

/* How a row's line looks: the library gives the colour, and where a group has
   several rows of one library, dashes and markers tell them apart. */
const looksOf = (rows) => {
  const seen = new Map();
  const looks = new Map();
  for (const row of [...rows].sort((a, b) => a.index - b.index)) {
    const colour = row.record.library % data.shapes.length;
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

/* A short line with its marker, as beside a name. */
const sampleOf = (look) =>
  s("svg", { class: `sample ${look.line}`, viewBox: "0 0 26 12", "aria-hidden": "true" },
    s("path", { class: "line", d: "M0 6H26", "stroke-dasharray": look.dash }),
    s("path", { class: look.marker, d: look.shape, transform: "translate(13 6)" }));
