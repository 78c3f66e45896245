"use strict";
// Charts of shares. The server has the figures; tables beside the charts show them as text.
const dashboardCharts = (() => {
  const HEIGHT = 190;
  const DAY_S = 86_400;
  const two = (number) => String(number).padStart(2, "0");
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  // a canvas does not know the style sheet's variables: an element resolves them
  const colours = (...names) => {
    const probe = document.body.appendChild(document.createElement("span"));
    const found = names.map((name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return found;
  };
  const share = (value) => value == null ? "–" : `${+(value * 100).toPrecision(3)} %`;
  const dayOf = (at) => { const t = new Date(at * 1000); return `${t.getUTCDate()} ${MONTHS[t.getUTCMonth()]}`; };
  const clockOf = (at) => { const t = new Date(at * 1000); return `${two(t.getUTCHours())}:${two(t.getUTCMinutes())}`; };
  const timeOf = (at) => `${dayOf(at)} ${clockOf(at)}`;
  const tickOf = (at) => at % DAY_S === 0 ? dayOf(at) : clockOf(at);
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

  const TIMES = {
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    axes: [{ values: (_, ticks) => ticks.map(tickOf), space: 64 }, {}],
  };
  const HIDDEN = { stroke: "transparent", points: { show: false } };

  const draw = (place, options, data, describe) => {
    const readout = place.closest(".chart").querySelector("[data-readout]");
    const usual = readout.textContent;
    const [line, soft] = colours("line", "soft");
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const setCursor = (plot) => {
      const at = plot.cursor.idx;
      readout.textContent = at == null ? usual : describe(at);
    };
    place.replaceChildren();
    return new uPlot({
      ...options, width: place.clientWidth, height: HEIGHT, legend: { show: false },
      axes: [{ ...axis, size: 28, ...options.axes[0] }, { ...axis, size: 56, values: (_, ticks) => ticks.map(share), ...options.axes[1] }],
      cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
      hooks: { setCursor: [setCursor] },
    }, data, place);
  };

  const drawTrend = (place, chart) => {
    const [accent, band, mark] = colours("accent", "band", "hallucinated-4");
    const outside = chart.rate.map((rate, n) => chart.outside[n] ? rate : null);
    // a time with few decisions has wide limits; they do not set the scale
    const highest = Math.max(...chart.rate.map((rate) => rate ?? 0), 2 * median(chart.upper), 0.001);
    draw(place, {
      ...TIMES,
      scales: { x: { time: true }, y: { range: () => [0, Math.min(1, highest * 1.1)] } },
      bands: [{ series: [2, 1], fill: band }],
      series: [
        {}, HIDDEN, HIDDEN,
        { stroke: accent, width: 1.75, spanGaps: true, points: { show: chart.at.length < 3, size: 6 } },
        { stroke: mark, points: { show: true, size: 8, fill: mark }, paths: () => null },
      ],
    }, [chart.at, chart.lower, chart.upper, chart.rate, outside], (n) =>
      `${timeOf(chart.at[n])} UTC: ${share(chart.rate[n])} (${chart.hits[n]} of ${chart.of[n]}), limit ${share(chart.upper[n])}`);
  };

  const drawScore = (place, chart) => {
    const [accent, band] = colours("accent", "band");
    draw(place, {
      ...TIMES,
      axes: [TIMES.axes[0], { values: (_, ticks) => ticks }],
      scales: { x: { time: true }, y: { range: () => [0, 100] } },
      bands: [{ series: [2, 1], fill: band }],
      series: [{}, HIDDEN, HIDDEN, { stroke: accent, width: 1.75, points: { show: chart.at.length < 3, size: 6 } }],
    }, [chart.at, chart.low, chart.high, chart.mean], (n) =>
      `${timeOf(chart.at[n])} UTC: ${chart.mean[n].toFixed(1)} (${chart.low[n].toFixed(0)} to ${chart.high[n].toFixed(0)}, ${chart.scores[n]} scores)`);
  };

  const drawCurve = (place) => {
    const curve = JSON.parse(place.dataset.curve);
    const [held, precision, recall] = colours("accent", "safe", "hallucinated-4");
    const line = (stroke, dash) => ({ stroke, width: 1.75, dash, points: { show: false } });
    const readout = place.closest(".chart").querySelector("[data-readout]");
    if (!readout.textContent) readout.textContent = "— held back   – – precision   ··· recall";
    draw(place, {
      scales: { x: { time: false }, y: { range: () => [0, 1.02] } },
      axes: [{ values: (_, ticks) => ticks.map((tick) => tick.toFixed(2)) }, {}],
      series: [{}, line(held), line(precision, [8, 4]), line(recall, [2, 4])],
    }, [curve.threshold, curve.held, curve.precision, curve.recall], (n) =>
      `at ${curve.threshold[n].toFixed(2)}: held back ${share(curve.held[n])}, precision ${share(curve.precision[n])}, recall ${share(curve.recall[n])}`);
  };

  let figures = null;
  const drawAll = () => {
    for (const place of document.querySelectorAll("[data-chart]")) {
      const chart = figures?.charts[place.dataset.chart];
      if (chart) drawTrend(place, chart);
    }
    for (const place of document.querySelectorAll("[data-score]")) {
      const chart = figures?.scores[place.dataset.score];
      if (chart) drawScore(place, chart);
    }
    for (const place of document.querySelectorAll("[data-curve]")) drawCurve(place);
  };
  const load = async () => {
    if (document.querySelector("[data-chart]")) {
      try {
        const answer = await fetch(`${document.body.dataset.base}/trends.json${location.search}`);
        if (answer.ok) figures = await answer.json();
      } catch { /* the server stopped; the tables still have the figures */ }
    }
    drawAll();
  };
  let waiting = 0, width = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  return { load, drawAll };
})();
