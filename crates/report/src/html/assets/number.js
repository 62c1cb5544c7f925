/* Numbers as people read them, as everywhere in cpb. */

const significant = (value, digits) => {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  return value.toFixed(Math.min(100, Math.max(0, digits - 1 - exponent)));
};

const five = (value) => significant(value, 5);
const percent = (share) => `${significant(share * 100, 2)} %`;
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");

const bytes = (length) => {
  const unit = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]
    .find(([, size]) => length >= size && length % size === 0);
  return unit ? `${length / unit[1]} ${unit[0]}` : `${length} B`;
};

const markWords = { "★": "certainly the fastest", "≈": "may be the fastest" };
const signedPercent = (ratio) => `${ratio < 1 ? "−" : "+"}${significant(Math.abs(ratio - 1) * 100, 3)} %`;
const range = (low, high) => `${five(low)} to ${five(high)}`;

/* Figures, as upper bounds where they are. */
const atMost = (bound, digits) => `${bound ? "≤ " : ""}${digits}`;
const estimateWord = (row) => atMost(row.bound, five(row.estimate));
const fixedWord = (row) => atMost(row.fixedBound, significant(row.fixed, 4));
const widthWord = (row) => (row.bound ? "bound" : row.width === undefined ? "–" : percent(row.width));

/* Names in order, with numbers in them by their value. */
const inOrder = new Intl.Collator("en", { numeric: true }).compare;
