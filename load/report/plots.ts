/**
 * The page's script: draws the plots with uPlot from the figures embedded in the page as JSON. Without it the page
 * lacks only the plots.
 */
export const plots = `"use strict";
(() => {
  const report = JSON.parse(document.getElementById("figures").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = () => ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6"].map(colour);
  const drawn = [];
  const began = report.began;
  const seconds = (at) => (at - began) / 1000;

  const axis = (label, more) => ({ label, stroke: colour("--quiet"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, ...more });
  const short = (value) => value == null ? "–" : value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(3);
  const grouped = (value) => value.toLocaleString("en", { maximumFractionDigits: 3 });
  // On a logarithmic axis only 1, 2 and 5 times a power of ten are labelled.
  const fewOnLog = (u, splits) => splits.map((value) => value == null ? null : /^[125]/.test(value.toExponential()) ? grouped(value) : "");

  const draw = (id, make) => {
    const figure = document.getElementById(id);
    if (!figure) return;
    const place = figure.querySelector(".plot");
    place.replaceChildren();
    const { options, data } = make();
    const size = () => ({ width: Math.max(280, place.clientWidth), height: options.height || 300 });
    const plot = new uPlot({ legend: { live: true }, cursor: { points: { size: 6 } }, ...options, ...size() }, data, place);
    drawn.push({ plot, size });
  };

  const edges = (resets) => ({ hooks: { draw: [(u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = colour("--quiet");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const reset of resets) {
      const x = u.valToPos(reset, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }] } });

  const phases = () => ({ hooks: { draw: [(u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("--quiet");
    ctx.lineWidth = devicePixelRatio;
    ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
    ctx.textAlign = "left";
    let free = -Infinity;
    for (const { name, from } of report.phases) {
      const x = u.valToPos(Math.max(0, seconds(from)), "x", true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      // A name that would cover the one before is left out on this row.
      const width = ctx.measureText(name).width + 8 * devicePixelRatio;
      const row = x < free ? 1 : 0;
      ctx.fillText(name, x + 4 * devicePixelRatio, bbox.top + (12 + 13 * row) * devicePixelRatio);
      if (row === 0) free = x + width;
    }
    ctx.restore();
  }] } });

  const time = (more) => axis("seconds from the beginning", { values: (u, splits) => splits.map((value) => grouped(value)), ...more });

  const all = () => {
    for (const { plot } of drawn.splice(0)) plot.destroy();
    const colours = palette();

    draw("latency", () => {
      const steps = report.steps.filter(({ curve }) => curve.length > 1);
      const xs = [...new Set(steps.flatMap(({ curve }) => curve.map(({ percentile }) => 100 / (100 - percentile))))].sort((a, b) => a - b);
      const data = [xs, ...steps.map(({ curve }) => {
        const known = new Map(curve.map(({ percentile, ms }) => [100 / (100 - percentile), ms]));
        return xs.map((x) => known.get(x) ?? null);
      })];
      const percent = (x) => 100 - 100 / x;
      // A step has one colour; at a given rate, which follows its name, it is dashed.
      const base = (step) => step.split(", ")[0].replace("whole path", "path");
      const bases = [...new Set(steps.map(({ step }) => base(step)))];
      const marks = [1, 2, 10, 100, 1000, 10000, 100000];
      const options = {
        height: 360,
        padding: [null, 28, null, null],
        scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
        axes: [
          axis("percentile of the answers", { splits: (u, i, min, max) => marks.filter((mark) => mark >= min * 0.999 && mark <= max * 1.001), filter: (u, splits) => splits,
            values: (u, splits) => splits.map((x) => x === 1 ? "0 %" : x === 2 && u.width < 500 ? "" : percent(x).toFixed(x > 100 ? Math.round(Math.log10(x)) - 2 : 0) + " %") }),
          axis("milliseconds", { size: 64, filter: (u, splits) => splits, values: fewOnLog }),
        ],
        series: [
          { label: "percentile", value: (u, x) => x == null ? "–" : percent(x).toFixed(3) + " %" },
          ...steps.map(({ step }) => ({ label: step, stroke: colours[bases.indexOf(base(step)) % colours.length], dash: step === base(step) ? undefined : [6, 4],
            width: 2, spanGaps: true, points: { show: false }, value: (u, value) => value == null ? "–" : short(value) + " ms" })),
        ],
      };
      return { options, data };
    });

    draw("course", () => {
      const known = new Map(report.seconds.map((one) => [one.at, one]));
      const last = report.seconds.at(-1).at;
      const points = [];
      // Seconds without answers also count.
      for (let at = report.seconds[0].at; at <= last; at += 1000 * report.grain) points.push(known.get(at) ?? { at, expected: 0, refused: 0, failed: 0 });
      const counts = (name) => points.map((one) => one[name] / report.grain);
      return {
        data: [points.map(({ at }) => seconds(at)), counts("expected"), counts("refused"), counts("failed")],
        options: {
          ...phases(),
          scales: { x: { time: false }, y: { range: (u, min, max) => [0, Math.max(1, max * 1.2)] } },
          axes: [time(), axis("answers a second", { size: 64 })],
          series: [{ label: "at", value: (u, at) => at == null ? "–" : short(at) + " s" },
            { label: "expected", stroke: colour("--pass"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), value: (u, value) => short(value) },
            { label: "refused with 429", stroke: colour("--warn"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), value: (u, value) => short(value) },
            { label: "failed otherwise", stroke: colour("--fail"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), value: (u, value) => short(value) }],
        },
      };
    });

    draw("late", () => {
      const points = report.seconds.filter((one) => one.p50_ms !== null);
      return {
        data: [points.map(({ at }) => seconds(at)), points.map((one) => one.p50_ms), points.map((one) => one.p99_ms)],
        options: {
          ...phases(),
          scales: { x: { time: false }, y: { distr: 3 } },
          axes: [time(), axis("milliseconds", { size: 64, filter: (u, splits) => splits, values: fewOnLog })],
          series: [{ label: "at", value: (u, at) => at == null ? "–" : short(at) + " s" },
            { label: "p50", stroke: colours[0], width: 2, value: (u, value) => value == null ? "–" : short(value) + " ms" },
            { label: "p99", stroke: colours[1], width: 2, value: (u, value) => value == null ? "–" : short(value) + " ms" }],
        },
      };
    });

    draw("memory", () => ({
      data: [report.memory.map(({ at }) => seconds(at)), report.memory.map(({ bytes }) => bytes / 1e6)],
      options: {
        scales: { x: { time: false }, y: { range: (u, min, max) => [0, max * 1.1] } },
        axes: [time(), axis("megabytes", { size: 64 })],
        series: [{ label: "at", value: (u, at) => at == null ? "–" : short(at) + " s" }, { label: "memory", stroke: colours[0], width: 2, value: (u, value) => value == null ? "–" : short(value) + " MB" }],
      },
    }));

    for (const name of report.operations) {
      const points = report.windows.points.filter(({ operation }) => operation === name).sort((a, b) => a.at - b.at);
      const accounts = [...new Set(points.map(({ account }) => account))].sort();
      const main = accounts.map((account) => points.filter((one) => one.account === account)).sort((a, b) => b.length - a.length)[0];
      const resets = [...new Set(main.filter(({ reset }) => reset !== null).map(({ reset }) => reset))].map((reset) => seconds(1000 * reset));
      const range = { x: { time: false, range: (u, min, max) => [Math.min(0, min), Math.max(max, ...resets.filter((reset) => reset < max + 1)) + 0.1] } };
      draw("window-" + name, () => {
        const { admitted, refused, quota } = report.courses[name];
        const all = [...admitted.map((one) => ({ ...one, kind: 1 })), ...refused.map((one) => ({ ...one, kind: 2 }))].sort((a, b) => a.at - b.at);
        const most = Math.max(1, quota || 0, ...admitted.map(({ inWindow }) => inWindow));
        return {
          data: [all.map(({ at }) => seconds(at)), all.map((one) => one.inWindow), all.map((one) => one.kind === 2 ? one.inWindow : null), all.map(() => quota)],
          options: {
            height: 240, ...edges(resets),
            scales: { ...range, y: { range: () => [0, most * 1.12] } },
            axes: [time(), axis("requests", { size: 64 })],
            series: [{ label: "at", value: (u, at) => at == null ? "–" : short(at) + " s" },
              { label: "admitted in the window", stroke: colour("--pass"), fill: colour("--pass-wash"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } },
              { label: "refused", stroke: colour("--warn"), paths: () => null, points: { show: true, size: 7, fill: colour("--warn") } },
              { label: "quota", stroke: colour("--fail"), width: 2, dash: [8, 4], points: { show: false } }],
          },
        };
      });
      draw("remaining-" + name, () => {
        const xs = points.map(({ at }) => seconds(at));
        return {
          data: [xs, ...accounts.map((account) => points.map((one) => one.account === account ? one.remaining : null))],
          options: {
            height: 220, ...edges(resets),
            scales: { ...range, y: { range: (u, min, max) => [0, Math.max(1, max * 1.05)] } },
            axes: [time(), axis("X-RateLimit-Remaining", { size: 64 })],
            series: [{ label: "at", value: (u, at) => at == null ? "–" : short(at) + " s" },
              ...accounts.map((account, index) => ({ label: account, stroke: colours[index % colours.length], paths: () => null, points: { show: true, size: 5, fill: colours[index % colours.length] } }))],
          },
        };
      });
    }
  };
  all();
  addEventListener("resize", () => { for (const { plot, size } of drawn) plot.setSize(size()); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
`;
