/* Creates elements. Text always becomes text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

const build = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
};

const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);
const find = (selector) => document.querySelector(selector);

/* Calls `fill` when `element` comes near the window, or is printed. */
const lazily = (() => {
  const waiting = new Map();
  const fill = (element) => {
    const work = waiting.get(element);
    if (!work) return;
    waiting.delete(element);
    seen.unobserve(element);
    work();
  };
  const seen = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => fill(entry.target)),
    { rootMargin: "600px" },
  );
  addEventListener("beforeprint", () => [...waiting.keys()].forEach(fill));
  return (element, work) => {
    waiting.set(element, work);
    seen.observe(element);
    // Elements in view are filled before the first paint.
    queueMicrotask(() => {
      const { top, bottom, height } = element.getBoundingClientRect();
      if (element.isConnected && height > 0 && bottom > 0 && top < innerHeight) fill(element);
    });
  };
})();

/* Draws now, and again whenever the width changes. On paper, the width is `paper`,
   by default half a page. */
const onWidth = (() => {
  const drawn = new Map();
  const draw = (known, width) => {
    known.width = width;
    known.draw(width);
  };
  addEventListener("beforeprint", () => drawn.forEach((known) => draw(known, known.paper)));
  addEventListener("afterprint", () => drawn.forEach((known, element) => {
    if (element.clientWidth > 40) draw(known, element.clientWidth);
  }));
  const watch = new ResizeObserver((entries) => {
    if (matchMedia("print").matches) return;
    for (const { target, contentRect } of entries) {
      const known = drawn.get(target);
      if (!target.isConnected) {
        watch.unobserve(target);
        drawn.delete(target);
        continue;
      }
      if (contentRect.width < 40 || Math.abs(contentRect.width - known.width) < 1) continue;
      draw(known, contentRect.width);
    }
  });
  return (element, work, paper = 340) => {
    drawn.set(element, { width: 0, draw: work, paper });
    watch.observe(element);
  };
})();

const tip = {
  show(lines, x, y) {
    const box = find("#tip");
    const [first, ...rest] = lines;
    box.replaceChildren(h("b", {}, first), rest.length ? "\n" + rest.join("\n") : "");
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = Math.max(6, Math.min(innerWidth - width - 6, x - width / 2)) + "px";
    box.style.top = (y - height - 14 > 0 ? y - height - 14 : y + 16) + "px";
  },
  hide() {
    find("#tip").hidden = true;
  },
};

const say = (text) => {
  find("#said").textContent = text;
};
