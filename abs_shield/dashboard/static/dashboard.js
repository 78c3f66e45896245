"use strict";
// Live updates, keys for labels, the switch of colours, copying, and charts. Nothing that a model
// wrote is put into the page here: the server escapes it.
(() => {
  const base = document.body.dataset.base;
  const EVERY_MS = 3000; // a page is loaded again at most so often

  // Colours ---------------------------------------------------------------------------------------

  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("abs_shield.theme", theme); } catch { /* see theme.js */ }
    drawCharts();
  });

  // Live updates ----------------------------------------------------------------------------------

  let changed = false, last = 0, timer = 0;
  const say = (text) => {
    const live = document.querySelector("[data-live]");
    if (live && live.textContent !== text) live.textContent = text;
  };
  // what somebody is filling in, or has under the keyboard's focus, stays as it is
  const isBusy = () => document.hidden || document.activeElement?.closest("[data-filters]");
  const refresh = () => {
    timer = 0;
    if (!changed) return;
    if (isBusy()) { timer = setTimeout(refresh, EVERY_MS); return; }
    changed = false;
    last = Date.now();
    const focused = document.activeElement?.closest("#view a")?.getAttribute("href");
    const scrolled = document.querySelector("#view .scroll")?.scrollLeft ?? 0;
    htmx.ajax("GET", location.href, { target: "#view", select: "#view", swap: "outerHTML" })
      .then(() => {
        const region = document.querySelector("#view .scroll");
        if (region) region.scrollLeft = scrolled;
        if (focused) {
          for (const link of document.querySelectorAll("#view a")) {
            if (link.getAttribute("href") === focused) { link.focus({ preventScroll: true }); break; }
          }
        }
      });
  };
  const listen = () => {
    if (!document.querySelector("[data-refresh]") || !("EventSource" in window)) return;
    const events = new EventSource(`${base}/events`);
    events.addEventListener("open", () => say("live"));
    events.addEventListener("error", () => say("not connected"));
    events.addEventListener("changed", () => {
      changed = true;
      timer ||= setTimeout(refresh, Math.max(0, last + EVERY_MS - Date.now()));
    });
    addEventListener("pagehide", () => events.close());
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  };

  // Labels by one key, and copying ----------------------------------------------------------------

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-filters] select, [data-filters] [type=radio], [data-filters] [type=checkbox]")) {
      event.target.form.requestSubmit();
    }
  });
  // only what was filled in stands in the address
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-filters]")) return;
    const form = event.target;
    const between = form.elements.since.value || form.elements.until.value;
    const range = form.querySelector("[name=range]:checked");
    const moved = range && !range.defaultChecked;
    for (const field of form.elements) {
      if (!field.name) continue;
      const isTime = field.name === "since" || field.name === "until";
      if (!field.value || (isTime && moved) || (field.name === "range" && (field.value === "all" || (between && !moved)))) {
        field.disabled = true;
      }
    }
  });
  addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("[data-filters] :disabled")) field.disabled = false;
  });

  // Charts ----------------------------------------------------------------------------------------

  let figures = null;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const share = (value) => value == null ? "–" : `${+(value * 100).toPrecision(3)} %`;
  const drawCharts = () => {
    if (!figures) return;
    for (const place of document.querySelectorAll("[data-chart]")) {
      const chart = figures[place.dataset.chart];
      place.replaceChildren();
      if (!chart) continue;
      const line = colour("--line"), soft = colour("--soft");
      const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
      const outside = chart.rate.map((rate, n) => chart.outside[n] ? rate : null);
      new uPlot({
        width: place.clientWidth, height: 200, legend: { live: true },
        scales: { x: { time: true }, y: { range: (_, low, high) => [0, Math.max(high * 1.1, 0.001)] } },
        axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map(share) }],
        bands: [{ series: [2, 1], fill: colour("--band") }],
        series: [
          {},
          { label: "lower limit", stroke: "transparent", points: { show: false }, value: (_, v) => share(v) },
          { label: "upper limit", stroke: "transparent", points: { show: false }, value: (_, v) => share(v) },
          { label: "rate", stroke: colour("--accent"), width: 2, spanGaps: true, value: (_, v) => share(v) },
          { label: "outside", stroke: colour("--hallucinated-4"), points: { show: true, size: 9, fill: colour("--hallucinated-4") }, paths: () => null, value: (_, v) => share(v) },
        ],
      }, [chart.at, chart.lower, chart.upper, chart.rate, outside], place);
    }
  };
  const loadCharts = async () => {
    if (!document.querySelector("[data-chart]")) return;
    const answer = await fetch(`${base}/trends.json${location.search}`);
    if (!answer.ok) return;
    figures = (await answer.json()).charts;
    drawCharts();
    let waiting = 0;
    addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawCharts, 150); });
  };

  listen();
  loadCharts();
})();
