/* Values to places, and the marks of axes. */

const logarithmic = (low, high, from, to) => {
  if (!(high > low * (1 + 1e-9))) [low, high] = [low / 1.5, high * 1.5];
  const whole = Math.log(high / low);
  const place = (value) => from + (Math.log(value / low) / whole) * (to - from);
  return Object.assign(place, { low, high, holds: (v) => v >= low * 0.9999 && v <= high * 1.0001 });
};

/* Powers of two, thinned to about `spacing` pixels between them. */
const lengthMarks = (scale, spacing) => {
  const octave = Math.abs(scale(2) - scale(1));
  let step = 1;
  while (octave * step < spacing && step < 32) step *= 2;
  const marks = [];
  for (let power = 0; power <= 40; power += step) if (scale.holds(2 ** power)) marks.push(2 ** power);
  return marks.length > 1 ? marks : [scale.low, scale.high];
};

/* 1, 2, 5, as many as there is room for; evenly spaced ones within less. */
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
