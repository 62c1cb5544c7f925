/* Elements. Text only ever becomes text, never markup. */

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
  };
})();

/* Draws now and again whenever the width changes. */
const onWidth = (() => {
  const drawn = new Map();
  addEventListener("beforeprint", () => drawn.forEach((known, element) => {
    if (!known.width && element.clientWidth) known.draw((known.width = element.clientWidth));
  }));
  const watch = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const known = drawn.get(target);
      if (!target.isConnected) {
        watch.unobserve(target);
        drawn.delete(target);
        continue;
      }
      if (contentRect.width < 40 || Math.abs(contentRect.width - known.width) < 1) continue;
      known.width = contentRect.width;
      known.draw(contentRect.width);
    }
  });
  return (element, draw) => {
    drawn.set(element, { width: 0, draw });
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
