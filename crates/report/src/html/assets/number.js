/* Formats numbers for people, as everywhere in cpb. */

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

const counted = (count, one, many) => (count === 1 ? `1 ${one}` : `${grouped(count)} ${many}`);
const markWords = { "★": "the fastest", "≈": "tied", "?": "unknown: an upper bound, or no interval" };
const range = (low, high) => `${five(low)} to ${five(high)}`;
const shortUnits = { byte: "c/B", iteration: "c/iteration", call: "c/call" };

/* Formats a value of a point, with as many digits as its interval allows. */
const atMost = (bound, digits) => `${bound ? "≤ " : ""}${digits}`;
const pointWord = (point, value) => atMost(point.bound, significant(value, point.digits));

/* Formats a ratio as `cpb compare` does. */
const ratioWord = (ratio, mark = "") => `${mark}${ratio.toFixed(4)}`;

/* Compares names, with the numbers in them by value. */
const inOrder = new Intl.Collator("en", { numeric: true }).compare;
