/* Draws lines over logarithmic axes, with a legend that hides and shows them.

   chart({ name, x: { label, mark, marks }, y: …, series: [{ label, look, points:
   [{ x, y, low, high, bound, words }] }], height }) */

const chart = (shown) => {
  const figure = h("div", {
    class: "chart", tabindex: 0, role: "group", "aria-roledescription": "chart",
    "aria-label": `${shown.name}. Arrow keys read its points.`,
  });
  const hidden = new Set();
  let places = [];
  let drawn = null;
  let here = null;

  const choose = (place, spoken) => {
    here = place;
    drawn?.mark(place);
    if (!place) return tip.hide();
    const box = figure.getBoundingClientRect();
    const scale = box.width / drawn.width;
    const [x, y] = drawn.at(place).map((at) => at * scale);
    tip.show([place.series.label, ...place.point.words], box.left + x, box.top + y);
    if (spoken) say([place.series.label, ...place.point.words].join(", "));
  };
  const redraw = (width) => {
    here = null;
    places = shown.series.flatMap((series, of) => (hidden.has(series) ? [] : series.points.map((point) => ({ series, point, of }))))
      .filter(({ point }) => point.x > 0 && point.y > 0);
    drawn = draw(shown, places, width);
    figure.replaceChildren(drawn.svg);
  };

  figure.addEventListener("pointermove", (event) => {
    if (!drawn) return;
    const box = figure.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let nearest = null;
    let least = 40 ** 2;
    for (const place of places) {
      const [px, py] = drawn.at(place);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [nearest, least] = [place, distance];
    }
    if (nearest !== here) choose(nearest, false);
  });
  figure.addEventListener("pointerleave", () => choose(null));
  figure.addEventListener("blur", () => choose(null));
  figure.addEventListener("keydown", (event) => {
    const next = step(places, here, event.key);
    if (event.key === "Escape") choose(null);
    if (!next || !drawn) return;
    event.preventDefault();
    choose(next, true);
  });
  onWidth(figure, redraw);
  const plot = h("div", { class: "plot" }, figure);
  if (shown.series.length > 1) plot.append(legend(shown.series, hidden, () => redraw(drawn.width)));
  return plot;
};

/* The legend has a button for each line, which hides and shows it. */
const legend = (series, hidden, changed) =>
  h("div", { class: "legend", role: "group", "aria-label": "Lines; each can be hidden" }, series.map((line) => {
    const button = h("button", {
      type: "button", "aria-pressed": "true", title: "Hide or show this line",
      onclick: () => {
        const hides = !hidden.delete(line);
        if (hides) hidden.add(line);
        button.setAttribute("aria-pressed", String(!hides));
        changed();
      },
    }, sampleOf(line.look), line.label);
    return button;
  }));

/* Returns the point that a key selects: along a line, or on another line at the same x. */
const step = (places, here, key) => {
  if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key)) return null;
  if (!places.length) return null;
  if (!here) return places[0];
  const line = places.filter((place) => place.of === here.of);
  const at = line.indexOf(here);
  if (key === "Home") return line[0];
  if (key === "End") return line.at(-1);
  if (key === "ArrowLeft") return line[Math.max(0, at - 1)];
  if (key === "ArrowRight") return line[Math.min(line.length - 1, at + 1)];
  const all = [...new Set(places.map((place) => place.of))];
  const of = all[(all.indexOf(here.of) + (key === "ArrowUp" ? -1 : 1) + all.length) % all.length];
  const distance = (place) => Math.abs(Math.log(place.point.x / here.point.x));
  return places.filter((place) => place.of === of).sort((a, b) => distance(a) - distance(b))[0];
};

/* Returns the points that get a marker: both ends, and between them those that
   are far enough apart. */
const spaced = (line, at) => {
  const x = (place) => at(place)[0];
  const last = line.at(-1);
  const chosen = [];
  for (const place of line.slice(0, -1)) {
    const room = !chosen.length || x(place) - x(chosen.at(-1)) >= 18;
    if (room && (!chosen.length || x(last) - x(place) >= 18)) chosen.push(place);
  }
  return [...chosen, last];
};

/* Splits a line into consecutive pieces; those with a bound at an end are pale. */
const pieces = (points) => {
  const pale = (end) => (points[end - 1].bound || points[end].bound ? " pale" : "");
  const found = [];
  let start = 0;
  for (let end = 1; end < points.length; end++) {
    if (end + 1 < points.length && pale(end) === pale(end + 1)) continue;
    found.push({ pale: pale(end), piece: points.slice(start, end + 1) });
    start = end;
  }
  return found;
};

/* The marker of an upper bound: the value is here or below. */
const AT_MOST = "M-5 0H5M0 0V9M-3.2 5.8L0 9L3.2 5.8";

const draw = (shown, places, width) => {
  const height = shown.height;
  const edge = { left: 46, right: width - 22, top: 26, bottom: height - 42 };
  const span = (values, margin) => {
    const known = values.filter((value) => value > 0 && Number.isFinite(value));
    if (!known.length) return [1, 10];
    return [Math.min(...known) / margin, Math.max(...known) * margin];
  };
  // Wide intervals are cut at the edge, so that they do not flatten the lines.
  const [least, most] = span(places.map(({ point }) => point.y), 1.06);
  const [low, high] = span(places.flatMap(({ point }) => [point.y, point.low, point.high]), 1.06);
  const y = logarithmic(Math.max(low, least / 1.3), Math.min(high, most * 1.3), edge.bottom, edge.top);
  // The widest mark must fit; a digit is 6.6 units wide at this size.
  const marks = places.length ? shown.y.marks(y, 34).map((value) => String(shown.y.mark(value)).length) : [];
  edge.left = Math.max(edge.left, 10 + 6.6 * Math.max(0, ...marks));
  const x = logarithmic(...span(places.map(({ point }) => point.x), 1), edge.left + 8, edge.right);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  svg.append(...axes(shown, { x, y, edge, height }, places.map(({ point }) => point.x)));
  const at = ({ point }) => [x(point.x), y(point.y)];
  const within = (at) => Math.min(edge.bottom, Math.max(edge.top, at));
  const elements = new Map();
  // The first line is the most important one, so it is drawn last.
  for (const [of, line] of [...Map.groupBy(places, (place) => place.of)].reverse()) {
    const part = lineOf(line, at, (value) => within(y(value)));
    elements.set(of, part);
    svg.append(part);
  }
  if (!places.length) {
    svg.append(s("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "Nothing to show"));
  }
  const ring = s("circle", { class: "here", r: 7, visibility: "hidden" });
  svg.append(ring);
  const mark = (place) => {
    for (const [of, part] of elements) {
      part.classList.toggle("other", Boolean(place) && of !== place.of);
      part.classList.toggle("chosen", Boolean(place) && of === place.of);
    }
    ring.setAttribute("visibility", place ? "visible" : "hidden");
    if (!place) return;
    const [px, py] = at(place);
    ring.setAttribute("cx", px.toFixed(1));
    ring.setAttribute("cy", py.toFixed(1));
  };
  return { svg, at, mark, width };
};

const axes = (shown, { x, y, edge, height }, lengths) => {
  const parts = [];
  if (lengths.length) {
    for (const value of shown.y.marks(y, 34)) {
      parts.push(
        s("path", { class: "grid", d: `M${edge.left} ${y(value).toFixed(1)}H${edge.right}` }),
        s("text", { x: edge.left - 7, y: y(value) + 4, "text-anchor": "end" }, shown.y.mark(value)));
    }
    for (const length of new Set(lengths)) parts.push(s("path", { class: "axis", d: `M${x(length).toFixed(1)} ${edge.bottom}v3` }));
    for (const value of shown.x.marks(x, 54, lengths)) {
      const at = x(value).toFixed(1);
      parts.push(
        s("path", { class: "axis", d: `M${at} ${edge.bottom}v6` }),
        s("text", { x: at, y: edge.bottom + 19, "text-anchor": "middle" }, shown.x.mark(value)));
    }
  }
  parts.push(
    s("path", { class: "axis", d: `M${edge.left} ${edge.bottom}H${edge.right}` }),
    s("text", { class: "title", x: 0, y: 11 }, shown.y.label),
    s("text", { class: "title", x: edge.right, y: height - 5, "text-anchor": "end" }, shown.x.label));
  return parts;
};

/* Draws a line with its markers and whiskers. Its band is visible only while the line
   is selected, since the bands of several lines would hide each other. */
const lineOf = (line, at, place) => {
  const { look } = line[0].series;
  const points = line.map(({ point }) => point);
  const x = (point) => at({ point })[0].toFixed(1);
  const pair = (point, value) => `${x(point)} ${place(value).toFixed(1)}`;
  const part = s("g", { class: look.line });
  const banded = points.filter((point) => point.low > 0);
  if (banded.length > 1) {
    const up = banded.map((point) => pair(point, point.high));
    const down = banded.map((point) => pair(point, point.low)).reverse();
    part.append(s("path", { class: "band", d: `M${[...up, ...down].join("L")}z` }));
  }
  if (points.length > 1) {
    for (const { pale, piece } of pieces(points)) {
      part.append(s("path", { class: `line${pale}`, d: `M${piece.map((point) => pair(point, point.y)).join("L")}`, "stroke-dasharray": look.dash }));
    }
  }
  for (const { point } of spaced(line, at)) {
    const [px, py] = at({ point });
    const transform = `translate(${px.toFixed(1)} ${py.toFixed(1)})`;
    if (point.bound) {
      part.append(s("path", { class: "at-most", d: AT_MOST, transform }));
      continue;
    }
    const reach = point.low > 0 ? place(point.low) - place(point.high) : 0;
    if (reach > 9) part.append(s("path", { class: "whisker", d: `M${x(point)} ${place(point.high).toFixed(1)}V${place(point.low).toFixed(1)}` }));
    part.append(s("path", { class: look.marker, d: look.shape, transform }));
  }
  return part;
};
