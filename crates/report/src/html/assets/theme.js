/* Follows the reader's system, light or dark, until the switch is used. */

const theme = () => {
  const button = find("#theme");
  const isDark = () => {
    const own = document.documentElement.dataset.theme;
    return own ? own === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => (button.textContent = isDark() ? "Light" : "Dark");
  // A page opened from a file may have no storage.
  const stored = (work) => { try { return work(); } catch { return null; } };
  const kept = stored(() => localStorage.getItem("cpb-theme"));
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    stored(() => localStorage.setItem("cpb-theme", document.documentElement.dataset.theme));
    name();
  });
};
