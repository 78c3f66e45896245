"use strict";
// Live updates, one key for a label, the switch of colours, filters, and copying. Nothing that a
// model wrote is put into the page here: the server escapes it.
(() => {
  const base = document.body.dataset.base;
  const EVERY_MS = 3_000; // a view is loaded again at most so often, unless it names seconds itself
  const AGAIN_MS = 10_000;
  const find = (selector) => document.querySelector(selector);

  // Colours ---------------------------------------------------------------------------------------

  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : systemIsDark.matches;
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("abs_shield.theme", theme); } catch { /* see theme.js */ }
    dashboardCharts.drawAll();
  });
  // paper is light
  for (const media of [systemIsDark, matchMedia("print")]) media.addEventListener("change", () => dashboardCharts.drawAll());
  addEventListener("storage", (event) => { // another tab has switched
    if (event.key === "abs_shield.keys") { readKeys(); showKeys(); }
    if (event.key !== "abs_shield.theme" || !["light", "dark"].includes(event.newValue)) return;
    document.documentElement.dataset.theme = event.newValue;
    dashboardCharts.drawAll();
  });

  // Live updates ----------------------------------------------------------------------------------

  let events = null, hasChanged = false, last = 0, timer = 0;
  const say = (text, state) => {
    const live = find("[data-live]");
    if (live.textContent !== text) live.textContent = text;
    live.dataset.state = state;
  };
  // a warning that a label was not saved stays until one is saved: a live update must not take it away
  let isUnsaved = false;
  const isSaving = (event) => event.detail.requestConfig?.verb === "post";
  const warn = (text) => { const alert = find("[data-alert]"); alert.textContent = text; alert.hidden = !text; };
  const everyMs = () => Number(find("[data-refresh]")?.dataset.refresh || 0) * 1_000 || EVERY_MS;
  // what a person is filling in or has selected stays as it is
  const isBusy = () => document.hidden || document.activeElement?.closest("[data-filters]")
    || (!getSelection().isCollapsed && find("#view")?.contains(getSelection().anchorNode));

  const placeOf = (element) => element?.id ? `#${CSS.escape(element.id)}`
    : element?.getAttribute?.("href") ? `#view a[href="${CSS.escape(element.getAttribute("href"))}"]` : "";
  const keepState = () => {
    const focused = document.activeElement?.closest("#view") ? placeOf(document.activeElement) : "";
    const scrolls = [...document.querySelectorAll("#view .scroll")].map((one) => [one.scrollLeft, one.scrollTop]);
    const opens = [...document.querySelectorAll("#view details")].map((one) => one.open);
    return () => {
      document.querySelectorAll("#view .scroll").forEach((one, n) => { if (scrolls[n]) [one.scrollLeft, one.scrollTop] = scrolls[n]; });
      document.querySelectorAll("#view details").forEach((one, n) => { one.open = opens[n] ?? one.open; });
      if (focused) find(focused)?.focus({ preventScroll: true });
    };
  };
  const refresh = async () => {
    timer = 0;
    if (!hasChanged) return;
    if (isBusy()) { timer = setTimeout(refresh, EVERY_MS); return; }
    hasChanged = false;
    last = Date.now();
    const restore = keepState();
    await htmx.ajax("GET", find("#view").dataset.view || location.href, { target: "#view", select: "#view", swap: "outerHTML" });
    restore();
  };
  const listen = () => {
    if (events || document.hidden || !find("[data-refresh]")) return;
    events = new EventSource(`${base}/events?since=${find("[data-place]").dataset.place}`);
    events.addEventListener("open", () => say("live", "live"));
    events.addEventListener("error", () => {
      say("not connected", "off");
      // the browser itself tries again, unless the server answered something else than events
      if (events?.readyState === EventSource.CLOSED) { close(); setTimeout(listen, AGAIN_MS); }
    });
    events.addEventListener("changed", () => {
      hasChanged = true;
      timer ||= setTimeout(refresh, Math.max(0, last + everyMs() - Date.now()));
    });
  };
  const close = () => { events?.close(); events = null; };
  // a browser has six connections to a server: pages in the background leave theirs to others
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else listen(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // Labels ----------------------------------------------------------------------------------------

  // a person who speaks to the computer, or whose hand shakes, labels by accident: keys can be off
  const KEYS = "abs_shield.keys";
  let hasKeys = true;
  const readKeys = () => { try { hasKeys = localStorage.getItem(KEYS) !== "off"; } catch { /* see theme.js */ } };
  const showKeys = () => {
    document.documentElement.dataset.keys = hasKeys ? "on" : "off";
    for (const one of document.querySelectorAll("[data-keys-switch]")) {
      one.closest("label").hidden = false;
      one.checked = hasKeys;
    }
  };
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-keys-switch]")) return;
    hasKeys = event.target.checked;
    try { localStorage.setItem(KEYS, hasKeys ? "on" : "off"); } catch { /* see theme.js */ }
    showKeys();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!hasKeys) return;
    if (event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    find(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (isSaving(event)) isUnsaved = false;
    if (!isUnsaved) warn("");
    showKeys();
    dashboardCharts.load();
  });
  document.addEventListener("htmx:responseError", (event) => {
    isUnsaved ||= isSaving(event);
    const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    warn(page.querySelector("[data-problem]")?.textContent || `the server answered ${event.detail.xhr.status}; load the page again`);
  });
  document.addEventListener("htmx:sendError", (event) => {
    isUnsaved ||= isSaving(event);
    say("not connected", "off");
    warn("The server does not answer; nothing was saved.");
  });

  // Copying ---------------------------------------------------------------------------------------

  const copy = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return "Copied";
    } catch { // not over https: the browser's own shortcut copies what is selected
      getSelection().selectAllChildren(source);
      return "Selected: press Ctrl+C";
    }
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) button.textContent = await copy(document.getElementById(button.dataset.copy));
  });

  // Filters ---------------------------------------------------------------------------------------

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

  // on a small screen the figures come first
  const box = find("[data-filter-box]");
  if (box && innerWidth <= 640 && !("active" in box.dataset)) box.open = false;

  readKeys();
  showKeys();
  listen();
  dashboardCharts.load();
})();
