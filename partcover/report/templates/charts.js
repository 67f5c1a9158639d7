// The charts, drawn by ECharts as SVG, in the colors of the page.
"use strict";

for (const section of document.querySelectorAll("section.chart")) {
  const chart = data.charts[Number(section.dataset.index)];
  const canvas = section.querySelector(".canvas");
  const choices = section.querySelector(".choices");
  const drawn = echarts.init(canvas, null, { renderer: "svg" });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let chosen = 0;

  const styled = (name) => getComputedStyle(section).getPropertyValue(name).trim();
  const nameOf = (line) => (line.kind ? `${line.name}, ${line.kind}` : line.name);
  const SHAPES = ["circle", "rect", "triangle", "diamond", "roundRect"];
  const DASHES = ["solid", "dashed", "dotted", [8, 3, 2, 3]];

  // Shares may lie between a thousandth of a percent and thousands: where the largest is more than
  // eight times the smallest the axis is logarithmic, and even below half the smallest if one is 0.
  const TICKS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000];
  function axisOf(values) {
    const positive = values.filter((value) => value > 0);
    const least = Math.min(...positive), most = Math.max(...positive);
    if (!positive.length || (most < 8 * least && positive.length === values.length)) return null;
    const zero = positive.length < values.length;
    const first = zero ? TICKS.findIndex((tick) => tick > least / 2) : TICKS.findLastIndex((tick) => tick <= least);
    const last = TICKS.findIndex((tick) => tick >= most);
    const ticks = TICKS.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
    const place = zero
      ? (value) => Math.asinh(value / Math.max(least / 2, 0.001))
      : (value) => Math.log10(value / ticks[0]);
    return { place, ticks: zero ? [0, ...ticks] : ticks };
  }
  const percent = (value) => `${value >= 100 ? grouped(Math.round(value)) : value.toFixed(value < 1 && value > 0 ? 3 : value < 10 ? 2 : 1)} %`;
  function written(value, share) {
    if (share) return percent(value);
    return Number.isInteger(value) ? grouped(value) : value.toFixed(value < 10 ? 4 : 2);
  }

  function draw() {
    const { label, share, lines } = chart.measures[chosen];
    const narrow = canvas.clientWidth < 560;
    const wide = (texts) => 16 + 6.4 * Math.max(...texts.map((each) => each.length)); // pixels
    const across = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((a, b) => a - b);
    const single = across.length === 1;
    const names = [...new Set(lines.map((line) => line.name))];
    const kinds = [...new Set(lines.map((line) => line.kind))];
    const ink = styled("--ink"), faint = styled("--line"), soft = styled("--soft");
    const color = (line) => (line.name === "lower bound" ? ink : styled(`--c${names.indexOf(line.name) % 8}`));
    const stretched = share ? axisOf(lines.flatMap((line) => line.points.map(([, y]) => y))) : null;
    const axis = stretched ? stretched.place : (value) => value;
    const { fontFamily } = getComputedStyle(document.body);
    const text = { color: soft, fontFamily, fontSize: 12 };
    const common = {
      animation: !still.matches,
      animationDuration: 300,
      textStyle: { fontFamily },
      aria: { enabled: true, label: { description: `${chart.title}. ${label}: ${lines.map(nameOf).join("; ")}. The numbers are in the tables.` } },
    };
    const round = (y) => String(Number(y.toPrecision(4)));
    const values = {
      type: "value", axisLine: { show: false }, axisTick: { show: false },
      splitLine: { show: true, lineStyle: { color: faint } },
      axisLabel: { ...text, formatter: (y) => (share ? `${round(y)} %` : grouped(Number(round(y)))) },
      scale: !share,
    };
    if (stretched) {
      const places = stretched.ticks.map(axis);
      // on a phone only the decades have room beside each other
      const bare = (tick) => narrow && single && !/^(0|[01.]+)$/.test(String(tick));
      const shareAt = new Map(places.map((place, i) => [place.toFixed(9), bare(stretched.ticks[i]) ? "" : `${grouped(stretched.ticks[i])} %`]));
      Object.assign(values, { min: places[0], max: places.at(-1), splitLine: { show: false } });
      Object.assign(values.axisLabel, { customValues: places, formatter: (y) => shareAt.get(y.toFixed(9)) ?? "" });
    }
    const marks = !stretched ? undefined : {
      silent: true, z: 0, symbol: "none", label: { show: false }, lineStyle: { color: faint, type: "solid", width: 1 }, animation: false,
      data: stretched.ticks.map((tick) => ({ [single ? "xAxis" : "yAxis"]: axis(tick) })),
    };
    section.querySelector(".note").textContent = stretched ? "The axis is logarithmic, so that small differences can be seen beside large ones." : chart.note ?? "";
    const options = single ? dots() : curves();
    canvas.style.height = `${options.height}px`;
    drawn.resize();
    drawn.setOption({ ...common, ...options.option }, { notMerge: true });
    section.querySelector(".legend").replaceChildren(...(single || !narrow ? [] : lines.map((line) => {
      const mark = make("i");
      mark.style.borderTop = `3px ${["solid", "dashed", "dotted", "dashed"][Math.max(0, kinds.indexOf(line.kind)) % 4]} ${color(line)}`;
      return make("li", {}, mark, nameOf(line));
    })));
    if (!single && !narrow) separateLabels();

    // a row for each line, the best on top
    function dots() {
      const rows = [...lines].sort((a, b) => b.points[0][1] - a.points[0][1]);
      const left = Math.min(narrow ? 130 : 300, wide(lines.flatMap((line) => (narrow ? [line.name, line.kind] : [nameOf(line)]))));
      return {
        height: 52 + (narrow ? 38 : 28) * rows.length,
        option: {
          grid: { left: left, right: 70, top: 4, bottom: 46 },
          tooltip: tooltip("item", ([row]) => [row]),
          xAxis: { ...values, name: label, nameLocation: "middle", nameGap: 28, nameTextStyle: text },
          yAxis: { type: "category", data: rows.map((line) => (narrow ? nameOf(line).replace(", ", "\n") : nameOf(line))), axisTick: { show: false }, axisLine: { show: false }, axisLabel: { ...text, color: ink, lineHeight: 14, width: left - 12, overflow: "truncate" } },
          series: [
            { type: "bar", data: rows.map((line) => ({ value: axis(line.points[0][1]), itemStyle: { color: color(line) } })), barWidth: 3, silent: true, markLine: marks },
            {
              type: "scatter", symbolSize: 11,
              data: rows.map((line, i) => ({ name: nameOf(line), value: [axis(line.points[0][1]), i], y: line.points[0][1], x: line.points[0][0], itemStyle: { color: color(line) } })),
              label: { show: true, position: "right", color: ink, fontFamily, fontSize: 12, formatter: ({ data: point }) => written(point.y, share) },
            },
          ],
        },
      };
    }
    // a line for each method and rule, named at its end
    function curves() {
      const room = narrow ? 18 : Math.min(290, 12 + wide(lines.map(nameOf)));
      return {
        height: 320 + (narrow ? 0 : Math.max(0, 15 * lines.length - 200)),
        option: {
          grid: { left: share ? 56 : 66, right: room, top: 30, bottom: 46 },
          tooltip: tooltip("axis", (points) => points),
          xAxis: { type: chart.logarithmic ? "log" : "value", min: chart.steps ? 0 : "dataMin", max: "dataMax", name: chart.across, nameLocation: "middle", nameGap: 28, nameTextStyle: text,
            axisLabel: { ...text, hideOverlap: true, formatter: (x) => grouped(x), ...(chart.steps || across.length > 8 ? {} : { customValues: across }) },
            axisLine: { lineStyle: { color: faint }, onZero: false }, axisTick: { lineStyle: { color: faint }, ...(chart.steps || across.length > 8 ? {} : { customValues: across }) }, splitLine: { show: false } },
          yAxis: { ...values, name: label, nameTextStyle: { ...text, align: "left", padding: [0, 0, 4, share ? -50 : -60] } },
          series: lines.map((line, i) => ({
            type: "line", name: nameOf(line), step: chart.steps ? "end" : false,
            data: line.points.map(([x, y]) => ({ value: [x, axis(y)], y })),
            color: color(line), symbol: SHAPES[names.indexOf(line.name) % SHAPES.length], symbolSize: chart.steps || line.points.length > 20 ? 4 : line.points.length > 1 ? 7 : 11,
            lineStyle: { width: 2, type: DASHES[Math.max(0, kinds.indexOf(line.kind)) % DASHES.length] },
            emphasis: { focus: "series" },
            endLabel: { show: !narrow, formatter: nameOf(line), color: "inherit", fontFamily, fontSize: 12, distance: 8 },
            markLine: i ? undefined : marks,
          })),
        },
      };
    }
    // moves the names at the ends of the lines apart, as little as needed
    function separateLabels() {
      const height = 15;
      const ends = lines.map((line, i) => ({ i, y: drawn.convertToPixel({ yAxisIndex: 0 }, axis(line.points.at(-1)[1])) }));
      const groups = [];
      for (const end of ends.sort((a, b) => a.y - b.y)) {
        groups.push({ ends: [end], middle: end.y });
        for (let g = groups.length - 1; g > 0; g--) {
          const [upper, lower] = [groups[g - 1], groups[g]];
          if (upper.middle + (upper.ends.length * height) / 2 <= lower.middle - (lower.ends.length * height) / 2) break;
          upper.ends.push(...lower.ends);
          upper.middle = upper.ends.reduce((sum, each) => sum + each.y, 0) / upper.ends.length;
          groups.pop();
        }
      }
      const series = lines.map(() => ({}));
      for (const { ends: members, middle } of groups)
        members.forEach((end, n) => {
          series[end.i] = { endLabel: { offset: [0, middle + (n - (members.length - 1) / 2) * height - end.y] } };
        });
      drawn.setOption({ series });
    }
    function tooltip(trigger, points) {
      return {
        trigger, confine: true, axisPointer: { type: "line", lineStyle: { color: soft } },
        backgroundColor: styled("--card"), borderColor: faint, textStyle: { color: ink, fontSize: 13 },
        // elements, not markup: the names are the user's
        formatter: (given) => {
          const rows = points([given].flat()).map((point) => [point.seriesName && trigger === "axis" ? point.seriesName : point.name, point.data, point.color]);
          rows.sort((a, b) => a[1].y - b[1].y);
          const x = trigger === "axis" ? rows[0][1].value[0] : rows[0][1].x;
          const list = make("div", {}, make("b", {}, `${chart.steps ? "" : "k = "}${grouped(x)}${chart.steps ? " s" : ""}`));
          for (const [name, point, shade] of rows) {
            const mark = make("span", { className: "mark" });
            mark.style.background = shade;
            list.append(make("div", { className: "tip" }, make("span", {}, mark, name), make("span", {}, written(point.y, share))));
          }
          return list;
        },
      };
    }
  }

  // what to draw is chosen by radio buttons
  if (chart.measures.length > 1)
    chart.measures.forEach(({ label }, i) => {
      const input = make("input", { type: "radio", name: `measure-${section.dataset.index}`, checked: i === 0 });
      input.addEventListener("change", () => { chosen = i; draw(); });
      choices.append(make("label", {}, input, label.split(":")[0]));
    });
  draw();
  dark.addEventListener("change", draw);
  let width = canvas.clientWidth;
  new ResizeObserver(() => {
    if (canvas.clientWidth !== width) { width = canvas.clientWidth; draw(); }
  }).observe(canvas);
  window.addEventListener("beforeprint", () => drawn.resize());
}
