/* Saves the rows that the filter selects: CSV with the columns of `cpb run --format
   csv`, and JSON that cpb reads like any saved run. Figures have seven digits, and
   raw samples are left out: the page does not have them all. */

const save = (name, type, text) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say(`saved ${name}`);
};

const fullLibrary = (row) => row.run.libraries.find(([label]) => label === row.library)?.[4] ?? row.library;
/* A record with a line has an intercept, or a reason why there is none. Its figure is
   the slope, unless it has `slope`. */
const hasLine = (record) => (record.fixed ?? record.misfit) !== undefined;
const slopeOf = (record) => (hasLine(record) ? record.slope ?? record.figure : undefined);
const stateOf = (bound) => (bound ? "bound" : "measured");
const parametersOf = (row, point) => ({
  ...point.parameters,
  ...(row.record.iterations ? { message_bytes: 0, iterations: point.length } : { message_bytes: point.length }),
});

/* Text that spreadsheets would execute starts with an apostrophe, as in all CSV of cpb. */
const csvCell = (value) => {
  if (value === undefined || value === null) return "";
  const text = String(value);
  const isNumber = text !== "" && Number.isFinite(Number(text));
  const defused = /^[=+\-@＝＋－＠]/.test(text) && !isNumber ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
};

const csvRows = (row) => {
  const { record, run } = row;
  const library = run.libraries.find(([label]) => label === row.library);
  const number = (value) => (value === undefined || value === null ? "" : five(value));
  const common = {
    primitive: row.primitive, operation: row.operation, library: fullLibrary(row), version: library?.[1],
    backend: record.backend, contract: row.group.contract, counter: run.run.clock?.name, verified: verificationOf(record)[0],
    no_dependence: record.no_dependence, security: record.security, workload: row.group.workload, setup: row.group.words, standing: record.standing ?? "behind", factor: record.factor?.toFixed(4), row_state: row.states.join("; "),
  };
  if (row.failure !== undefined) {
    return [{ ...common, state: "failed", slope_state: "failed", error: row.failure, nanoseconds_state: "failed", intercept_state: "failed", row_state: "failed" }];
  }
  // A bound has neither end: `low` is null, and `high` repeats the bound.
  const ends = (name, [, low, high]) => ({
    [`${name}_low`]: number(low), [`${name}_high`]: low === null ? "" : number(high),
  });
  const slope = slopeOf(record);
  const line = slope && {
    slope_cycles_per_byte: number(slope[0]), slope_state: stateOf(slope[1] === null), ...ends("slope", slope),
    ...(record.fixed && {
      intercept_cycles: number(record.fixed[0]), intercept_state: stateOf(record.fixed[1] === null), ...ends("intercept", record.fixed),
    }),
  };
  const cost = (kind, [estimate, low, high]) => ({
    [`${kind}_cycles_per_call`]: number(estimate), [`${kind}_low`]: number(low), [`${kind}_high`]: number(high),
  });
  return row.points.map((point) => {
    const { message_bytes, iterations, output_bytes, caches } = parametersOf(row, point);
    const state = stateOf(point.bound);
    return {
      ...common, message_bytes, iterations, output_bytes,
      cycles_per_byte: message_bytes ? number(point.cycles / message_bytes) : "",
      cycles_per_call: number(point.cycles), cycles_per_call_low: number(point.low), cycles_per_call_high: number(point.high),
      nanoseconds_per_call: number(point.nanoseconds), rounds: point.rounds, samples: point.samples,
      state, nanoseconds_state: state, ...line, caches: caches ?? "warm",
      ...cost("independent", point.independent ?? []), ...cost("dependent", point.dependent ?? []),
      row_state: row.states.join("; "), calls_per_second: number(1e9 / point.nanoseconds),
    };
  });
};

const CSV_COLUMNS = [
  "primitive", "operation", "library", "version", "backend", "contract", "message_bytes", "iterations", "output_bytes",
  "cycles_per_byte", "cycles_per_call", "cycles_per_call_low", "cycles_per_call_high", "nanoseconds_per_call",
  "slope_cycles_per_byte", "intercept_cycles", "rounds", "samples", "counter", "verified", "state", "slope_state",
  "error", "nanoseconds_state", "intercept_state", "slope_low", "slope_high", "intercept_low", "intercept_high",
  "standing", "factor", "row_state", "calls_per_second", "independent_cycles_per_call", "independent_low",
  "independent_high", "dependent_cycles_per_call", "dependent_low", "dependent_high", "caches", "no_dependence", "security", "workload",
  "setup",
];

const csvOf = (rows) =>
  [CSV_COLUMNS, ...rows.flatMap(csvRows).map((cells) => CSV_COLUMNS.map((column) => cells[column]))]
    .map((cells) => cells.map(csvCell).join(",") + "\n").join("");

const figureJson = (estimate, low, high, bound) => ({
  estimate,
  interval: low === undefined || low === null ? null : { low, high, confidence: data.confidence },
  ...(bound ? { upper_bound: true } : {}),
});
const boundsJson = ([estimate, low, high]) => figureJson(estimate, low, high, low === null);

const lengthOf = ({ message_bytes, iterations }) => iterations ?? message_bytes;

const recordJson = (row) => {
  const { record } = row;
  return {
    workload: row.group.workload,
    setup: row.group.setup,
    lengths: row.failure !== undefined ? record.asked : row.points.map((point) => lengthOf(parametersOf(row, point))),
    subject: {
      primitive: row.primitive, operation: row.operation, library: fullLibrary(row), spelling: record.spelling,
      backend: record.backend, default_backend: record.default === 1, security: record.security,
    },
    output_bytes: record.output,
    contract: row.group.contract,
    method: record.method,
    verification: record.verified,
    points: row.points.map((point) => ({
      parameters: parametersOf(row, point),
      cycles_per_call: figureJson(point.cycles, point.low, point.high, point.bound),
      one_by_one: point.independent && point.dependent && {
        independent: { cycles_per_call: boundsJson(point.independent) },
        dependent: { cycles_per_call: boundsJson(point.dependent) },
      },
      nanoseconds_per_call: point.nanoseconds,
      between_rounds: point.between ?? null,
      low_quantile: point.quantile, minimum: point.minimum, long_calls: point.long,
      calls_per_sample: point.calls, samples: point.samples, rejected: point.rejected, rounds: point.rounds,
    })),
    line: hasLine(record) ? { slope: boundsJson(slopeOf(record)), intercept: record.fixed && boundsJson(record.fixed) } : undefined,
    precise: record.precise === undefined ? undefined : record.precise === 1,
    failure: record.failure, no_dependence: record.no_dependence, concurrent: record.concurrent,
  };
};

/* The result is another run, without an ID: it may have fewer rows, and has fewer digits. */
const jsonOf = (run, rows) => JSON.stringify({ ...run.run, id: "", records: rows.map(recordJson) }, null, 1) + "\n";

const inRunOrder = (rows) => [...rows].sort((a, b) => a.index - b.index);
const fileName = (run, ending) => `${run.name.replace(/[^A-Za-z0-9._-]+/g, "-")}.${ending}`;

find("#save-csv").addEventListener("click", () => save(fileName(filter.run, "csv"), "text/csv", csvOf(inRunOrder(filter.rows()))));
find("#save-json").addEventListener("click", () => save(fileName(filter.run, "json"), "application/json", jsonOf(filter.run, inRunOrder(filter.rows()))));
