"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const Z = 1.959964; // 97.5 % quantile of the normal distribution
  const SCALE = 1e4; // a stored score of 1,000,000 is 100.00
  const kinds = { tasks: data.tasks, languages: data.languages };
  const ids = { tasks: data.tasks.map((t) => t.id), languages: data.languages.map((l) => l.id) };
  const models = new Map(data.models.map((m) => [m.id, m]));
  // Only the titles of columns, which are the page's own words, are given to DataTables as HTML; all else is text.
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const text = (value) => document.createTextNode(value);
  /** An element; children are elements or text, never HTML. */
  function el(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children.filter((c) => c != null));
    return made;
  }
  const two = (value) => value.toFixed(2);
  const size = (n) => (n == null ? "–" : n >= 1e9 ? `${+(n / 1e9).toFixed(1)}B` : `${Math.round(n / 1e6)}M`);
  const state = {};
  let grid, rows;

  // ---- state in the address, so that a view can be shared ----
  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const list = (name, all) => {
      const chosen = given.has(name) ? given.get(name).split(",").filter((x) => all.includes(x)) : all;
      return new Set(chosen.length ? chosen : all);
    };
    Object.assign(state, {
      model: models.has(given.get("model")) ? given.get("model") : null,
      view: given.get("view") === "languages" ? "languages" : "tasks",
      tasks: list("task", ids.tasks),
      languages: list("lang", ids.languages),
      ...Object.fromEntries(["origin", "size", "access", "search"].map((k) => [k, given.get(k) || ""])),
    });
  }
  function address() {
    const out = new URLSearchParams();
    if (state.view !== "tasks") out.set("view", state.view);
    if (state.tasks.size < ids.tasks.length) out.set("task", [...state.tasks].join());
    if (state.languages.size < ids.languages.length) out.set("lang", [...state.languages].join());
    for (const k of ["origin", "size", "access", "search"]) if (state[k]) out.set(k, state[k]);
    return `#${out}`;
  }

  // ---- averages ----
  // The languages of one dataset often hold the same sentences: their errors are added, those of different
  // datasets add in squares (seabed_evaluate.units.mean_error).
  function error(shares) {
    const sums = new Map();
    for (const [dataset, share] of shares) {
      if (share == null) return null;
      sums.set(dataset, (sums.get(dataset) || 0) + share);
    }
    return sums.size ? Math.sqrt([...sums.values()].reduce((t, s) => t + s * s, 0)) : null;
  }
  const short = (name) => name.split("/").pop();
  const mean = (values) => values.reduce((t, v) => t + v, 0) / values.length;

  function score(model, view, filter) {
    const columns = ids[view].filter((id) => filter[view].has(id));
    const cells = {};
    if (model.published) {
      const all = view === "tasks" ? filter.languages.size === ids.languages.length && !filter.origin
        : filter.tasks.size === ids.tasks.length;
      const printed = !all ? null : view === "tasks" ? model.tasks : model[filter.origin || "languages"];
      for (const id of columns) {
        const v = printed ? printed[ids[view].indexOf(id)] / SCALE : null;
        cells[id] = { v, whole: v != null };
      }
      const whole = printed != null;
      return { cells, average: whole ? { v: mean(columns.map((id) => cells[id].v)), whole } : { v: null } };
    }
    const groups = Object.fromEntries(columns.map((id) => [id, { of: 0, units: [] }]));
    data.units.forEach(([dataset, language, task, origin, configs], i) => {
      if (!filter.languages.has(language) || !filter.tasks.has(task)) return;
      if (filter.origin && filter.origin !== origin) return;
      const group = groups[view === "tasks" ? task : language], found = model.units[i];
      group.of += 1;
      if (found && found.length > 3) group.cut = [0, 1].map((k) => (group.cut || [0, 0])[k] + found[3 + k]);
      if (found && found[1] === configs) group.units.push([dataset, found[0] / SCALE, found[2] == null ? null : found[2] / SCALE]);
    });
    const present = columns.filter((id) => groups[id].of);
    const shares = [];
    for (const id of columns) {
      const { of, units, cut } = groups[id], n = units.length;
      const own = units.map(([d, , se]) => [d, se == null ? null : se / n]);
      shares.push(...own.map(([d, s]) => [d, s == null ? null : s / present.length]));
      cells[id] = { v: n ? mean(units.map((u) => u[1])) : null, n, of, whole: of > 0 && n === of, se: error(own), cut: cut && cut[1] ? cut[0] / cut[1] : null };
    }
    const whole = present.length > 0 && present.every((id) => cells[id].whole);
    const average = whole ? { v: mean(present.map((id) => cells[id].v)), whole, se: error(shares) } : { v: null };
    return { cells, average };
  }

  const rankIn = (values, v) => 1 + values.filter((other) => other > v + 1e-9).length;
  function ranked(list, columns) {
    const of = (get) => list.map(get).filter((c) => c.whole).map((c) => c.v);
    for (const id of [...columns, null]) {
      const get = (r) => (id === null ? r.average : r.cells[id]);
      const values = of(get), high = Math.max(...values);
      for (const r of list) {
        const c = get(r);
        if (c.v == null || !c.whole) continue; // a partial score competes with none, nor is it coloured
        [c.rank, c.among, c.best] = [rankIn(values, c.v), values.length, c.v === high];
        // By place, not by size: one very low score would paint all others alike.
        c.heat = values.length > 1 ? (100 * (values.length - c.rank)) / (values.length - 1) : 50;
      }
    }
    return list;
  }

  // The best and the worst rank that cannot be told from a model's own; only the whole table's averages were tested.
  function group(row) {
    const same = row.m.same && row.m.same[state.view];
    const all = state.tasks.size === ids.tasks.length && state.languages.size === ids.languages.length && !state.origin;
    if (!same || !all || !row.average.rank) return null;
    const places = rows.filter((r) => same.includes(r.m.id) && r.average.rank).map((r) => r.average.rank);
    const [best, worst] = [Math.min(...places), Math.max(...places)];
    return best === worst ? `${best}` : `${best}-${worst}`;
  }

  function fits(model) {
    if (state.search && !model.name.toLowerCase().includes(state.search.toLowerCase())) return false;
    if (state.access && model.access !== state.access) return false;
    if (state.size === "unknown") return model.size == null;
    if (!state.size) return true;
    const [low, high] = state.size.split("-").map(Number);
    return model.size != null && model.size >= low && model.size < high;
  }

  // ---- the table ----
  function marks(m) {
    const found = m.published ? ["paper"] : [m.protocol === data.protocol ? "scored here" : `scored here, protocol ${m.protocol}`, m.dtype];
    if (m.cut && m.cut.length) found.push(`${m.cut.length} cut files`);
    if (m.cutTexts) found.push(`${(100 * m.cutTexts).toFixed(1)} % of texts cut`);
    return found.join(" · ");
  }
  const shown = (c) => (c.v == null ? "–" : c.whole ? two(c.v) : el("span", {}, two(c.v), el("em", {}, "§")));

  function rankCell(r) {
    const span = group(r);
    return span ? el("span", {}, `${r.average.rank}`, el("small", { title: "cannot be told apart: ranks" }, span)) : `${r.average.rank ?? ""}`;
  }
  function nameCell(m) {
    const both = document.createDocumentFragment();
    both.append(el("a", { href: `#model=${encodeURIComponent(m.id)}` }, short(m.name)), el("small", {}, marks(m)));
    return both;
  }

  function drawTable() {
    const columns = kinds[state.view].filter((k) => state[state.view].has(k.id));
    rows = ranked(data.models.filter(fits).map((m) => ({ m, ...score(m, state.view, state) })), columns.map((c) => c.id));
    if (grid) grid.destroy();
    $("board").replaceChildren(el("table", { class: "board" }, el("caption", { class: "hidden" }, `Models by ${state.view}`)));
    const numeric = (get) => (row, type) => (type === "display" ? shown(get(row)) : get(row).v ?? -1);
    const fill = (get, kind) => (td, _, row) => {
      const c = get(row);
      td.tabIndex = -1;
      td.className = `${kind} ${c.whole ? "" : "none"} ${c.best ? "best" : ""}`;
      if (c.whole) td.style.setProperty("--h", c.heat.toFixed(1));
    };
    const table = $("board").firstChild;
    grid = new DataTable(table, {
      data: rows, paging: false, searching: false, info: false, autoWidth: false, order: [[3, "desc"]],
      language: { emptyTable: "No model fits these filters." },
      columns: [
        { title: "#", className: "rank", orderable: false, data: (r, type) => (type === "display" ? rankCell(r) : r.average.rank ?? "") },
        { title: "Model", className: "name", cellType: "th", data: (r, type) => (type === "display" ? nameCell(r.m) : short(r.m.name).toLowerCase()),
        createdCell: (th) => th.setAttribute("scope", "row") },
        { title: "Size", className: "size", type: "num", data: (r, type) => (type === "display" ? size(r.m.size) : r.m.size ?? -1) },
        { title: columns.length === kinds[state.view].length ? "Average" : `Mean of ${columns.length}`, type: "num",
          orderSequence: ["desc", "asc"], data: numeric((r) => r.average), createdCell: (td, a, row) => fill((r) => r.average, "avg")(td, a, row) },
        ...columns.map((k) => ({ title: escape(k.name), type: "num", orderSequence: ["desc", "asc"], data: numeric((r) => r.cells[k.id]),
          createdCell: (td, a, row) => { td.dataset.column = k.id; fill((r) => r.cells[k.id], "heat")(td, a, row); } })),
      ],
      createdRow: (tr, row) => { tr.dataset.model = row.m.id; tr.classList.toggle("own", !row.m.published); },
    });
    const first = table.querySelector("tbody td[tabindex]");
    if (first) first.tabIndex = 0;
    status(columns);
    drawChart();
  }

  function status(columns) {
    const units = data.units.filter(([, l, t, o]) => state.languages.has(l) && state.tasks.has(t) && (!state.origin || o === state.origin));
    const bare = rows.filter((r) => r.m.published && columns.every((c) => r.cells[c.id].v == null)).length;
    $("status").textContent = `${rows.length} of ${data.models.length} models on ${units.length} of ${data.units.length} ${data.counted}.`
      + (bare ? ` The paper prints no such breakdown for ${bare} models, so they show a dash.` : "");
  }

  // ---- the tip: interval, rank, coverage ----
  function tipText(cell) {
    const model = models.get(cell.closest("tr").dataset.model), row = rows.find((r) => r.m === model);
    const id = cell.dataset.column, c = id ? row.cells[id] : row.average;
    const column = id ? kinds[state.view].find((k) => k.id === id).name : "Average";
    const lines = [];
    if (c.v == null) lines.push(model.published ? "not printed in the paper" : id ? "no dataset scored" : "no average: some datasets are missing");
    else lines.push(`${two(c.v)}` + (c.se == null ? (model.published ? " (printed without interval)" : " (no interval)") : `, 95 % interval ${two(c.v - Z * c.se)} to ${two(c.v + Z * c.se)}`));
    if (c.of) lines.push(`${c.n} of ${c.of} ${data.counted}${c.whole ? "" : ": partial, not ranked"}`);
    if (c.rank) lines.push(`rank ${c.rank} of ${c.among}`);
    if (!id && group(row)) lines.push(`cannot be told apart from ranks ${group(row)}`);
    if (c.cut) lines.push(`${(100 * c.cut).toFixed(1)} % of its texts were longer than the model's limit`);
    return [el("b", {}, model.name), ...[column, ...lines].map((l) => el("span", {}, l))];
  }
  function showTip(cell) {
    hideTip();
    const tip = $("tip");
    tip.replaceChildren(...tipText(cell));
    tip.hidden = false;
    cell.setAttribute("aria-describedby", "tip");
    placeTip(cell);
  }
  function placeTip(cell) {
    const tip = $("tip"), at = cell.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(innerWidth - own.width - 8, at.left + at.width / 2 - own.width / 2))}px`;
    tip.style.top = `${at.top - own.height - 8 > 0 ? at.top - own.height - 8 : at.bottom + 8}px`;
  }
  function hideTip() {
    $("tip").hidden = true;
    document.querySelectorAll("[aria-describedby=tip]").forEach((c) => c.removeAttribute("aria-describedby"));
  }
  const cellAt = (target) => target.closest && target.closest("#board tbody td[tabindex]");
  $("board").addEventListener("mouseover", (e) => { const c = cellAt(e.target); if (c) showTip(c); else hideTip(); });
  $("board").addEventListener("mouseleave", hideTip);
  $("board").addEventListener("focusin", (e) => { const c = cellAt(e.target); if (c) showTip(c); else hideTip(); });
  $("board").addEventListener("focusout", hideTip);
  // A cell reached by keyboard may have been scrolled into view: its tip follows it.
  addEventListener("scroll", () => { const c = document.querySelector("[aria-describedby=tip]"); if (c && c === document.activeElement) placeTip(c); else hideTip(); }, true);
  $("board").addEventListener("keydown", (e) => {
    if (e.key === "Escape") return hideTip();
    const c = cellAt(e.target);
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, -99], End: [0, 99] }[e.key];
    if (!c || !step) return;
    e.preventDefault();
    const lines = [...c.closest("tbody").rows], line = lines.indexOf(c.parentNode) + step[0];
    if (!lines[line]) return;
    const cells = [...lines[line].querySelectorAll("td[tabindex]")];
    const here = [...c.parentNode.querySelectorAll("td[tabindex]")].indexOf(c) + step[1];
    const next = cells[Math.max(0, Math.min(cells.length - 1, here))];
    [c.tabIndex, next.tabIndex] = [-1, 0];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    showTip(next);
  });

  // ---- charts ----
  function drawChart() {
    const points = rows.filter((r) => r.m.size && r.average.v != null).map((r) => ({ ...r, x: r.m.size, y: r.average.v, name: short(r.m.name) }));
    $("chart-section").hidden = points.length < 2;
    if (points.length < 2) return;
    let best = -Infinity;
    const frontier = [...points].sort((a, b) => a.x - b.x || b.y - a.y).filter((p) => p.y > best && ((best = p.y), true));
    const width = Math.min(1340, Math.max(300, $("chart-section").clientWidth - 40));
    const style = getComputedStyle(document.documentElement);
    const [accent, own, soft] = ["--accent", "--own", "--soft"].map((n) => style.getPropertyValue(n).trim());
    const draw = (labels) => Plot.plot({
      width, height: width < 500 ? 320 : 400, marginLeft: 44, marginRight: width < 500 ? 16 : 40, marginTop: 24, style: { fontSize: "13px", background: "none" },
      ariaLabel: `Average score against parameters of ${points.length} models; the numbers are in the table above`,
      x: { type: "log", label: "parameters", tickFormat: size, ticks: [1e8, 3e8, 1e9, 3e9, 1e10].filter((t) => points.some((p) => p.x >= t / 4 && p.x <= t * 4)), grid: true, domain: [Math.min(...points.map((p) => p.x)) * 0.8, Math.max(...points.map((p) => p.x)) * 1.6] },
      y: { label: "average ×100", grid: true, nice: true },
      marks: [
        Plot.link(frontier.slice(1), { x1: (_, i) => frontier[i].x, y1: (_, i) => frontier[i].y, x2: "x", y2: "y", stroke: soft, strokeDasharray: "4 4" }),
        Plot.ruleX(points.filter((p) => p.average.se != null), { x: "x", y1: (p) => p.y - Z * p.average.se, y2: (p) => p.y + Z * p.average.se, stroke: own, strokeWidth: 2 }),
        Plot.dot(points, { x: "x", y: "y", r: 6, fill: (p) => (p.m.published ? accent : own), symbol: (p) => (p.m.published ? "circle" : "diamond"), fillOpacity: 0.9 }),
        ...labels.map((l) => Plot.text([l.p], { x: "x", y: "y", text: "name", dx: l.dx, dy: l.dy, textAnchor: l.anchor, fill: l.p.m.published ? "currentColor" : own })),
        Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: (p) => `${p.name}\n${two(p.y)} · ${size(p.x)}` })),
      ],
    });
    const svg = draw(placed(draw([]), points, frontier, width));
    image(svg);
    $("chart").replaceChildren(svg);
    const without = rows.filter((r) => !r.m.size).map((r) => r.m.name);
    $("chart-note").textContent = "The dashed line joins the models that no smaller one beats."
      + (without.length ? ` Size not known: ${without.join(", ")}.` : "");
  }

  /** One picture with one label: Plot also labels groups inside, which have no role. Its style stands in page.css. */
  function image(svg) {
    svg.querySelectorAll("style").forEach((e) => e.remove());
    svg.querySelectorAll("[aria-label]").forEach((e) => e.removeAttribute("aria-label"));
    svg.setAttribute("role", "img");
  }

  /** Labels that overlap neither each other nor a dot, the important ones first; the rest is left to the tip. */
  function placed(svg, points, frontier, width) {
    const at = (p) => [svg.scale("x").apply(p.x), svg.scale("y").apply(p.y)];
    const taken = points.map((p) => { const [x, y] = at(p); return [x - 7, y - 7, x + 7, y + 7]; });
    const clash = (box) => box[0] < 46 || box[2] > width || taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]);
    const weight = (p) => (p.m.published ? 0 : 2) + (frontier.includes(p) ? 1 : 0);
    const labels = [];
    for (const p of [...points].sort((a, b) => weight(b) - weight(a) || b.y - a.y)) {
      const [x, y] = at(p), w = p.name.length * 7.2;
      for (const [dx, dy, anchor] of [[11, 0, "start"], [-11, 0, "end"], [0, -15, "middle"], [0, 16, "middle"]]) {
        const left = anchor === "start" ? x + dx : anchor === "end" ? x + dx - w : x - w / 2;
        const box = [left, y + dy - 8, left + w, y + dy + 8];
        if (clash(box)) continue;
        taken.push(box);
        labels.push({ p, dx, dy, anchor });
        break;
      }
    }
    return labels;
  }

  function strip(model, view) {
    const filter = { tasks: new Set(ids.tasks), languages: new Set(ids.languages), origin: "" };
    const list = ranked(data.models.map((m) => ({ m, ...score(m, view, filter) })), ids[view]);
    const own = list.find((r) => r.m === model);
    const name = Object.fromEntries(kinds[view].map((k) => [k.id, k.name]));
    const points = list.flatMap((r) => ids[view].filter((id) => r.cells[id].whole || (r === own && r.cells[id].v != null)).map((id) => ({ id, r, c: r.cells[id], label: name[id] })));
    const mine = points.filter((p) => p.r === own);
    if (!mine.length) return document.createTextNode("Nothing scored.");
    const width = Math.min(620, Math.max(300, innerWidth - 80));
    const style = getComputedStyle(document.documentElement);
    const [accent, soft] = ["--accent", "--soft"].map((n) => style.getPropertyValue(n).trim());
    const order = mine.map((p) => p.label);
    const svg = Plot.plot({
      width, height: 40 + 30 * order.length, marginLeft: 158, marginRight: 92, style: { fontSize: "13px", background: "none" },
      ariaLabel: `${model.name} by ${view}: ${mine.map((p) => `${p.label} ${two(p.c.v)}${p.c.rank ? `, rank ${p.c.rank} of ${p.c.among}` : ""}`).join("; ")}`,
      x: { label: null, grid: true, nice: true }, y: { label: null, domain: order, type: "band" },
      marks: [
        Plot.tickX(points.filter((p) => p.r !== own && order.includes(p.label)), { x: (p) => p.c.v, y: "label", stroke: soft, strokeOpacity: 0.55, insetTop: 3, insetBottom: 3 }),
        Plot.link(mine.filter((p) => p.c.se != null), { x1: (p) => p.c.v - Z * p.c.se, x2: (p) => p.c.v + Z * p.c.se, y1: "label", y2: "label", stroke: accent, strokeWidth: 3 }),
        Plot.dot(mine, { x: (p) => p.c.v, y: "label", r: 6, fill: accent }),
        Plot.text(mine, { frameAnchor: "right", y: "label", dx: 88, textAnchor: "end", text: (p) => `${two(p.c.v)}${p.c.whole ? "" : "§"}${p.c.rank ? ` · #${p.c.rank}` : ""}`, fontWeight: 600 }),
      ],
    });
    image(svg);
    return svg;
  }

  // ---- one model's page ----
  function drawModel() {
    const m = models.get(state.model), box = $("model");
    const facts = [["Parameters", size(m.size)], ["Access", { open: "open weights", api: "API only", unknown: "not known" }[m.access]], ["Licence", m.license || "not known"],
      ["Scores", m.published ? "printed in the paper" : `scored here, run ${m.run}`], ["Protocol", m.protocol],
      ...(m.published ? [] : [["dtype", m.dtype], ["Texts cut", m.cutTexts == null ? "not known" : `${(100 * m.cutTexts).toFixed(1)} %`]])];
    box.replaceChildren(...[
      el("p", {}, el("a", { href: address() }, "← All models")), el("h2", {}, m.name),
      m.hub ? el("p", {}, el("a", { href: `https://huggingface.co/${encodeURI(m.hub)}` }, m.hub), " on the Hub") : null,
      el("dl", { class: "facts" }, ...facts.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v)))),
      m.cut && m.cut.length ? el("p", { class: "banner" }, `Scored on cut raw files, not the benchmark's rows: ${m.cut.join(", ")}.`) : null,
      el("div", { class: "two" }, ...[["By task", "m-tasks"], ["By language", "m-languages"]].map(([t, id]) => el("div", {}, el("h3", {}, t), el("div", { id })))),
      el("p", { class: "hint" }, "The dot is this model, the bar its 95 % interval where there is one; the thin lines are the other models, # its place among all."),
      el("h3", {}, "By dataset"), el("div", { id: "m-units" }),
    ].filter(Boolean));
    $("m-tasks").replaceChildren(strip(m, "tasks"));
    $("m-languages").replaceChildren(strip(m, "languages"));
    const link = (key) => el("a", { href: data.cardsUrl.replace("{key}", encodeURIComponent(key)) }, data.datasets[key]);
    const datasetCell = (u) => el("span", {}, link(u[0]), el("small", {}, u[5]));
    const plainText = (value, type) => (type === "display" ? text(value) : value);
    const name = (kind, id) => kinds[kind].find((k) => k.id === id).name;
    const list = data.units.map((u, i) => ({ u, s: m.published ? null : m.units[i] })).filter((r) => m.published || r.s);
    if (m.published) $("m-units").append(el("p", { class: "hint" }, "The paper prints no scores by dataset; these are the datasets behind its averages, with their cards."));
    $("m-units").append(el("div", { class: "scroll", role: "region", "aria-label": "Datasets", tabindex: "0" },
      el("table", { class: "plain" }, el("caption", { class: "hidden" }, `Datasets of ${m.name}`))));
    new DataTable($("m-units").querySelector("table"), {
      data: list, paging: false, searching: false, info: false, autoWidth: false, order: m.published ? [[0, "asc"]] : [[4, "desc"]],
      columns: [
        { title: "Dataset", className: "name", cellType: "th", data: (r, type) => (type === "display" ? datasetCell(r.u) : data.datasets[r.u[0]].toLowerCase()), createdCell: (th) => th.setAttribute("scope", "row") },
        { title: "Language", data: (r, type) => plainText(name("languages", r.u[1]), type) },
        { title: "Task", data: (r, type) => plainText(name("tasks", r.u[2]), type) },
        { title: "Made by", data: (r) => (r.u[3] === "human" ? "people" : "machines") },
        ...(m.published ? [] : [
          { title: "Score", className: "num", type: "num", data: (r, type) => (type === "display" ? two(r.s[0] / SCALE) + (r.s[1] < r.u[4] ? "§" : "") : r.s[0]) },
          { title: "95 % ±", className: "num", type: "num", data: (r, type) => (r.s[2] == null ? (type === "display" ? "–" : -1) : type === "display" ? two((Z * r.s[2]) / SCALE) : r.s[2]) },
        ]),
      ],
    });
  }

  // ---- download ----
  function csv() {
    const columns = kinds[state.view].filter((k) => state[state.view].has(k.id));
    // A text that begins like a formula would be run by a spreadsheet; numbers stay numbers.
    const formula = (t) => /^[\s\x00-\x1f]*[=+\-@＝＋－＠\t\r\n]/.test(t) && !/^[+-]?\d+(\.\d+)?$/.test(t);
    const quote = (v) => { let t = v == null ? "" : String(v).replace(/[\x00-\x1f\x7f-\x9f]/g, " "); if (formula(String(v))) t = `'${t}`; return /[",\n]/.test(t) ? `"${t.replace(/"/g, '""')}"` : t; };
    const parts = (c) => [c.v == null ? null : two(c.v), c.se == null || c.v == null ? null : two(c.v - Z * c.se), c.se == null || c.v == null ? null : two(c.v + Z * c.se)];
    const head = ["rank", "group", "model", "source", "parameters", "access", "protocol", "average", "average low", "average high",
      ...columns.flatMap((k) => [k.id, `${k.id} low`, `${k.id} high`, `${k.id} ${data.counted}`])];
    const lines = grid.rows({ order: "applied" }).data().toArray().map((r) => [r.average.rank, group(r), r.m.name, r.m.published ? "paper" : `run ${r.m.run}`, r.m.size, r.m.access, r.m.protocol, ...parts(r.average),
      ...columns.flatMap((k) => [...parts(r.cells[k.id]), r.cells[k.id].of ? `${r.cells[k.id].n} of ${r.cells[k.id].of}` : null])]);
    const all = [head, ...lines].map((l) => l.map(quote).join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", all], { type: "text/csv" }));
    link.download = `sea-bed-${state.view}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- controls ----
  function fillControls() {
    document.querySelector(`[name=view][value=${state.view}]`).checked = true;
    for (const k of ["origin", "size", "access", "search"]) $(k).value = state[k];
    for (const [id, kind, label] of [["pick-task", "tasks", "Tasks"], ["pick-language", "languages", "Languages"]]) {
      const all = kinds[kind].length, chosen = state[kind].size;
      $(id).querySelector("b").textContent = chosen === all ? "all" : `${chosen} of ${all}`;
      $(id).querySelector("div").querySelectorAll("input").forEach((box) => { box.checked = state[kind].has(box.value); });
    }
  }
  function changed() {
    history.replaceState(null, "", address());
    fillControls();
    drawTable();
  }
  function route() {
    readAddress();
    fillControls();
    hideTip();
    const one = state.model != null;
    for (const id of ["overview", "chart-section", "tongues-section", "about"]) $(id).hidden = one;
    $("land-section").hidden = one || !land.size;
    $("model").hidden = !one;
    document.title = one ? `${models.get(state.model).name} – SEA-BED leaderboard` : "SEA-BED leaderboard";
    if (one) { drawModel(); scrollTo(0, 0); } else drawTable();
  }
  for (const [id, kind] of [["pick-task", "tasks"], ["pick-language", "languages"]]) {
    const box = $(id).querySelector("div");
    box.replaceChildren(...kinds[kind].map((k) => el("label", {}, el("input", { type: "checkbox", value: k.id }), k.name, ...(k.native ? [" ", el("span", { lang: k.tag }, k.native)] : []))));
    box.addEventListener("change", (e) => {
      state[kind][e.target.checked ? "add" : "delete"](e.target.value);
      if (!state[kind].size) state[kind] = new Set(ids[kind]);
      changed();
    });
    $(id).addEventListener("keydown", (e) => { if (e.key === "Escape") { $(id).open = false; $(id).querySelector("summary").focus(); } });
  }
  addEventListener("click", (e) => document.querySelectorAll(".pick[open]").forEach((p) => { if (!p.contains(e.target)) p.open = false; }));
  document.querySelectorAll("[name=view]").forEach((r) => r.addEventListener("change", () => { state.view = r.value; changed(); }));
  for (const k of ["origin", "size", "access", "search"]) $(k).addEventListener("input", () => { state[k] = $(k).value; changed(); });
  $("reset").addEventListener("click", () => { history.replaceState(null, "", "#"); route(); });
  $("csv").addEventListener("click", csv);
  addEventListener("hashchange", route);
  let wait;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(() => (state.model ? drawModel() : drawChart()), 150); });

  const themes = ["auto", "light", "dark"];
  function theme(name) {
    if (name === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
    $("theme").textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[name];
    $("theme").setAttribute("aria-label", `Colour theme: ${name === "auto" ? "automatic" : name}`);
  }
  let current = "auto";
  try { current = themes.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto"; } catch { /* file:// may forbid storage */ }
  theme(current);
  $("theme").addEventListener("click", () => {
    current = themes[(themes.indexOf(current) + 1) % 3];
    theme(current);
    try { localStorage.setItem("theme", current); } catch { /* the choice lasts until the page is closed */ }
    if (state.model) drawModel(); else drawChart();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (state.model ? drawModel() : drawChart()));

  if (innerWidth <= 640) $("filters").open = false;

  // ---- languages x tasks ----
  const land = new Map(data.landscape.map(([language, task, of, best, value]) => [`${language} ${task}`, { of, best, value }]));
  if (land.size) {
    const cell = (language, task) => {
      const found = land.get(`${language.id} ${task.id}`);
      if (!found) return el("td", { class: "heat none" }, "–");
      if (found.value == null) return el("td", { class: "heat none" }, `(${found.of})`);
      const td = el("td", { class: "heat" }, `${two(found.value / SCALE)} (${found.of})`, el("br", {}), el("small", {}, short(found.best)));
      td.style.setProperty("--h", (found.value / SCALE).toFixed(1));
      return td;
    };
    $("land").replaceChildren(el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "name" }, "Language"), ...data.tasks.map((t) => el("th", { scope: "col" }, t.name)))),
      el("tbody", {}, ...data.languages.map((l) => el("tr", {}, el("th", { scope: "row", class: "name" }, l.name), ...data.tasks.map((t) => cell(l, t)))))));
  }

  // ---- fixed text ----
  const datasets = new Set(data.units.map((u) => u[0])).size;
  $("lead").textContent = `${data.models.length} models on ${datasets} datasets, ${data.tasks.length} tasks and ${data.languages.length} languages.`;
  if (data.sample) { $("banner").hidden = false; $("banner").textContent = "Sample data of the demo, written by a machine: not part of SEA-BED and not a measure of any model."; }
  const perLanguage = Object.fromEntries(ids.languages.map((l) => [l, data.units.filter((u) => u[1] === l).length]));
  $("tongues").replaceChildren(...data.languages.map((l) => el("li", {}, el("b", { lang: l.tag }, l.native), el("span", {}, `${l.name}, ${perLanguage[l.id]} ${data.counted}`), el("span", { lang: l.tag }, l.greeting))));
  $("notes").replaceChildren(...[
    `A score is a mean over ${data.counted}; the average is the plain mean of the columns shown. Models with missing datasets get no average and no rank.`,
    ...(data.models.some((m) => m.same && m.same.tasks) ? ["Below a rank stand the ranks of the models whose averages cannot be told apart (paired bootstrap over the same items, Holm-corrected, p >= 0.05). Printed models have no items, and filtered tables were not tested."] : []),
    ...(data.models.some((m) => m.cutTexts) ? ["Texts cut: longer than the model's limit, so that it saw only their beginning."] : []),
    "Intervals (95 %) come from resampling the items of each test set. They say how far a score would move with other test items, not with other training or prompts. The paper prints none.",
    ...(data.models.some((m) => m.published) ? ["Rows marked “paper” are the figures the paper prints (Tables 5, 6, 8 and 9). It prints no finer breakdown, so some filters leave them empty."] : []),
    ...data.misprints, ...data.notes,
  ].map((n) => el("li", {}, n)));
  route();
})();
