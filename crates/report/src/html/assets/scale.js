/* Maps values to positions, and chooses the marks of axes. */

const logarithmic = (low, high, from, to) => {
  if (!(high > low * (1 + 1e-9))) [low, high] = [low / 1.5, high * 1.5];
  const whole = Math.log(high / low);
  const place = (value) => from + (Math.log(value / low) / whole) * (to - from);
  return Object.assign(place, { low, high, holds: (v) => v >= low * 0.9999 && v <= high * 1.0001 });
};

/* Chooses among the measured lengths those at least `spacing` pixels apart: first the
   ends, then even and odd powers of two, then others. */
const lengthMarks = (scale, spacing, lengths) => {
  const kind = (length) => (Number.isInteger(Math.log2(length)) ? Math.log2(length) % 2 : 2);
  const sorted = [...new Set(lengths)].sort((a, b) => a - b);
  const ends = [sorted[0], sorted.at(-1)];
  const others = sorted.slice(1, -1).sort((a, b) => kind(a) - kind(b) || a - b);
  const chosen = [];
  for (const length of [...ends, ...others]) {
    if (chosen.every((other) => Math.abs(scale(other) - scale(length)) >= spacing)) chosen.push(length);
  }
  return chosen;
};

/* Returns as many marks as there is room for: 1, 2 and 5 in each decade, or evenly
   spaced ones if the range is short. */
const numberMarks = (scale, spacing) => {
  const decades = Math.log10(scale.high / scale.low);
  const room = Math.abs(scale(scale.high) - scale(scale.low)) / spacing;
  if (decades < 0.55) {
    const rough = (scale.high - scale.low) / Math.max(1, room);
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * ([1, 2, 5].find((factor) => unit * factor >= rough) ?? 10);
    const marks = [];
    for (let n = Math.ceil(scale.low / step); n * step <= scale.high; n++) marks.push(Number((n * step).toPrecision(6)));
    return marks;
  }
  const kinds = [[1, 2, 5], [1, 3], [1]];
  const factors = kinds.find((kind) => decades * kind.length <= room) ?? [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(1, room)));
  const marks = [];
  for (let power = Math.floor(Math.log10(scale.low)); power <= Math.ceil(Math.log10(scale.high)); power++) {
    if (power % every) continue;
    for (const factor of factors) {
      const value = Number((factor * 10 ** power).toPrecision(6));
      if (scale.holds(value)) marks.push(value);
    }
  }
  return marks;
};

const markWord = (value) =>
  value >= 1e9 ? `${Number((value / 1e9).toPrecision(4))} G`
  : value >= 1e6 ? `${Number((value / 1e6).toPrecision(4))} M`
  : value >= 1e4 ? grouped(value) : String(value);
