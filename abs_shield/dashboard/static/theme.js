// Runs before the page is drawn, so that it does not flash in the other colours.
try {
  const chosen = localStorage.getItem("abs_shield.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* storage may be forbidden; the system's choice holds then */ }
