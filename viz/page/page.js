/*
 * page.js -- the page: what is folded, selected, searched, and in view; keys and pointers; the address of a view.
 *
 * Nothing is fetched. All that changes goes through change(), which asks for one frame and, a little later, writes the address.
 */
const $ = (id) => document.getElementById(id);
const model = readModel(JSON.parse($("data").textContent));
const byKey = itemsByKey(model);
const canvas = $("canvas"), context = canvas.getContext("2d");
const view = { x: 0, y: 0, sx: 1, sy: 1 };
const state = { folded: new Set(), selected: null, hits: new Set(), lanes: null, unroll: null, map: null, tagsShown: false, theme: "light", query: "", ranks: "",
	dimming: false, leftmost: 0 };
const UNROLLED = 3;
let size = { width: 0, height: 0 }, wanted = false, colours = null, moved = false;

/* ------------------------------------------------------------------ drawing */

function readColours() {
	const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
	colours = { theme: state.theme, shades: SHADES[state.theme] };
	for (const name of ["paper", "ink", "faint", "line", "edge", "accent", "rule"])
		colours[name] = get("--" + name);
}

function draw() {
	wanted = false;
	const start = performance.now(), ratio = window.devicePixelRatio || 1;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillStyle = colours.paper;
	context.fillRect(0, 0, size.width, size.height);
	state.leftmost = layoutX(marginWidth(model, fontAt(view)));
	new Drawing(model, state, new CanvasPainter(context), view, size, colours).all();
	canvas.dataset.frame = (performance.now() - start).toFixed(2);
	canvas.dataset.frames = Number(canvas.dataset.frames || 0) + 1;
}

function change(keepsAddress) {
	if (!wanted) {
		wanted = true;
		requestAnimationFrame(draw);
	}
	if (!keepsAddress)
		writeAddressSoon();
}

function resize() {
	const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
	size = { width: box.width, height: box.height };
	canvas.width = Math.max(1, Math.round(box.width * ratio));
	canvas.height = Math.max(1, Math.round(box.height * ratio));
	if (!moved)
		fit();
	change(true);
}

/* The layout's x at a pixel: the map is monotonous. */
function layoutX(pixel) {
	let low = 0, high = model.width;
	for (let i = 0; i < 40; i++) {
		const middle = (low + high) / 2;
		if ((mapX(state.map, middle) - view.x) * view.sx < pixel)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ------------------------------------------------------------------ the view */

const fitY = () => Math.max(0.05, Math.min(2, (size.height - 24) / (model.height + 14)));

function fit() {
	view.sy = fitY();
	const margin = marginWidth(model, fontAt(view)) + 2;
	view.sx = Math.max(0.002, Math.min((size.width - margin - 24) / state.map.width, view.sy * 1.6));
	view.x = -margin / view.sx;
	view.y = -((size.height / view.sy - model.height) / 2);
	moved = false;
	change();
}

function zoom(factor, px, py, onlyX) {
	const sx = Math.max(0.002, Math.min(12, view.sx * factor));
	const sy = onlyX ? view.sy : Math.max(Math.min(fitY(), 1), Math.min(5, view.sy * factor));
	view.x += px / view.sx - px / sx;
	view.y += py / view.sy - py / sy;
	view.sx = sx;
	view.sy = sy;
	moved = true;
	change();
}

function pan(dx, dy) {
	view.x -= dx / view.sx;
	view.y -= dy / view.sy;
	moved = true;
	change();
}

/* Bring a construct into the middle if it is not to be seen, or too small to be. */
function reveal(item) {
	const x0 = mapX(state.map, item.x0), x1 = mapX(state.map, item.x1, true);
	const y0 = item.kind >= LOOP ? item.y0 : model.slots[item.top], y1 = item.kind >= LOOP ? item.y1 : model.slots[item.bottom];
	const left = (x0 - view.x) * view.sx, right = (x1 - view.x) * view.sx;
	if (item.kind === LOOP && right - left < 40)
		view.sx = Math.min(2, Math.max(view.sx, (size.width * 0.6) / Math.max(20, x1 - x0)));
	if (left < marginWidth(model, fontAt(view)) || right > size.width || right - left < 40) {
		view.x = right - left > size.width ? x0 - marginWidth(model, fontAt(view)) / view.sx - 10 : (x0 + x1) / 2 - size.width / 2 / view.sx;
		moved = true;
	}
	const top = (y0 - view.y) * view.sy, bottom = (y1 - view.y) * view.sy;
	if (bottom < 0 || top > size.height) {
		view.y = (y0 + y1) / 2 - size.height / 2 / view.sy;
		moved = true;
	}
}

/* ------------------------------------------------------------------ folding, unrolling, selecting */

function remap(anchor) {
	const before = anchor && state.map ? (mapX(state.map, anchor.x0) - view.x) * view.sx : null;
	state.map = makeMap(model, state.folded, state.unroll);
	if (before !== null && moved)
		view.x = mapX(state.map, anchor.x0) - before / view.sx; /* what was clicked stays where it is */
	else if (size.width)
		fit();
}

function isHidden(item) {
	return state.map.hidden.has(item.system);
}

function fold(item, folded) {
	if (item.kind !== LOOP || item.inside < 0)
		return;
	if (folded === undefined)
		folded = !state.folded.has(item.id);
	if (folded)
		state.folded.add(item.id);
	else
		state.folded.delete(item.id);
	remap(item);
	markTree();
	say(`${item.address} ${folded ? "folded" : "unfolded"}`);
	showDetails();
	change();
}

function unroll(item) {
	if (!item || item.kind !== LOOP || item.inside < 0 || Number(item.count) < 2)
		return;
	const same = state.unroll && state.unroll.item === item;
	state.unroll = same ? null : { item, count: Math.min(UNROLLED, Number(item.count)) };
	state.folded.delete(item.id);
	remap(item);
	markTree();
	say(same ? `${item.address}: one iteration` : `${item.address}: the first ${state.unroll.count} iterations side by side`);
	showDetails();
	change();
}

function open(item) {
	let changed = false;
	for (let owner = model.systems[item.system].owner; owner >= 0; owner = model.systems[model.items[owner].system].owner)
		changed = state.folded.delete(owner) || changed;
	if (changed)
		remap(item);
}

function select(item, shown) {
	state.selected = item;
	if (item) {
		open(item);
		if (shown)
			reveal(item);
	}
	markTree();
	showDetails();
	change();
}

/* ------------------------------------------------------------------ details and matrix */

function facts(item) {
	if (!item)
		return [["processes", number(model.processes)], ["events", number(model.events)], ["loops", number(model.loops.length)],
			["lines", model.lanes.length + (model.roles ? " (roles)" : model.banded ? " (bands of ranks)" : "")]];
	const rows = [["address", item.address]];
	if (item.kind >= LOOP) {
		if (item.kind === LOOP)
			rows.push(isGuard(item) ? ["guard", item.words] : ["iterations", item.words || number(item.count)]);
		if (item.kind !== CUT)
			rows.push(["processes", ranksText(model, item.lanes)]);
		rows.push(["events", number(item.events)], ["messages", number(item.messages)]);
	} else {
		rows.push(["event", eventText(model, item)]);
	}
	if (item.site)
		rows.push(["source", item.site]);
	if (item.share !== undefined)
		rows.push(["run time", percent(item.share) + " of that of all processes"]);
	if (item.alike > 1)
		rows.push(["stands for", number(item.alike) + " constructs alike"]);
	return rows;
}

function button(text, action, pressed) {
	const b = document.createElement("button");
	b.type = "button";
	b.textContent = text;
	b.addEventListener("click", action);
	if (pressed !== undefined)
		b.setAttribute("aria-pressed", pressed);
	return b;
}

function showDetails() {
	const item = state.selected;
	$("selected").textContent = !item ? "Whole run" : item.kind === LOOP ? `Loop ${item.address}` : item.address;
	$("facts").replaceChildren(...facts(item).flatMap(([name, value]) => {
		const dt = document.createElement("dt"), dd = document.createElement("dd");
		dt.textContent = name;
		dd.textContent = value;
		return [dt, dd];
	}));
	const actions = [];
	if (item && item.kind === LOOP && item.inside >= 0) {
		const folded = state.folded.has(item.id), unrolled = state.unroll && state.unroll.item === item;
		actions.push(button(folded ? "Unfold" : "Fold", () => fold(item)));
		if (Number(item.count) > 1)
			actions.push(button("Unroll first iterations", () => unroll(item), Boolean(unrolled)));
	}
	if (item)
		actions.push(button("Whole run", () => select(null)));
	$("actions").replaceChildren(...actions);
	showMatrix(item && item.kind >= LOOP ? item : item ? null : null, item && item.kind < LOOP);
}

function cell(kind, text, scope) {
	const c = document.createElement(kind);
	c.textContent = text;
	if (scope)
		c.scope = scope;
	return c;
}

const MATRIX_LANES = 48;

function showMatrix(item, none) {
	const box = $("matrix");
	$("matrix-title").textContent = none ? "Messages of the whole run" : item ? `Messages of ${item.address}` : "Messages of the whole run";
	const sum = messagesOf(model, none ? null : item);
	if (!sum.size) {
		$("matrix-note").textContent = "No messages between processes.";
		box.replaceChildren();
		return;
	}
	const pairs = [...sum].map(([key, count]) => [...key.split(",").map(Number), count]);
	const lanes = [...new Set(pairs.flatMap(([from, to]) => [from, to]))].filter((l) => l >= 0).sort((a, b) => a - b);
	const elsewhere = pairs.some(([, to]) => to < 0), name = (l) => (l < 0 ? "elsewhere" : model.lanes[l].name);
	$("matrix-note").textContent = "Rows send, columns receive" + (item && item.kind === LOOP ? "; all iterations." : ".");
	if (lanes.length > MATRIX_LANES) {
		const table = document.createElement("table"), body = table.createTBody();
		$("matrix-note").textContent = `The ${Math.min(100, pairs.length)} busiest of ${number(pairs.length)} pairs.`;
		for (const [from, to, count] of pairs.sort((a, b) => b[2] - a[2]).slice(0, 100)) {
			const row = body.insertRow();
			row.append(cell("th", `${name(from)} → ${name(to)}`, "row"), cell("td", number(count)));
		}
		box.replaceChildren(table);
		return;
	}
	const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
	const most = Math.max(...sum.values()), columns = elsewhere ? [...lanes, -1] : lanes;
	head.append(cell("th", "from \\ to"), ...columns.map((l) => cell("th", name(l), "col")));
	for (const from of lanes) {
		const row = body.insertRow();
		row.append(cell("th", name(from), "row"));
		for (const to of columns) {
			const count = sum.get(from + "," + to) || 0, td = cell("td", count ? number(count) : "·");
			if (!count)
				td.className = "zero";
			else
				td.style.background = `color-mix(in srgb, var(--accent) ${Math.round(8 + (34 * count) / most)}%, transparent)`;
			row.append(td);
		}
	}
	const caption = table.createCaption();
	caption.className = "hidden";
	caption.textContent = "Messages: each row is a sender, each column a receiver";
	box.replaceChildren(table);
}

/* ------------------------------------------------------------------ the tree of loops */

const nodes = new Map();

function makeTree() {
	const addLevel = (system, list, level) => {
		for (const item of model.systems[system].items) {
			if (item.kind !== LOOP)
				continue;
			const li = document.createElement("li"), label = document.createElement("span"), more = document.createElement("small");
			li.setAttribute("role", "treeitem");
			li.setAttribute("aria-level", level);
			li.tabIndex = -1;
			li.dataset.key = item.key;
			label.textContent = isGuard(item) ? `${item.words} ` : `${item.words || number(item.count)} × `;
			more.textContent = `${item.address} · ${ranksText(model, item.lanes)}`;
			label.append(more);
			li.append(label);
			label.addEventListener("click", (e) => {
				if (e.offsetX < 16 && item.inside >= 0)
					fold(item);
				else
					select(item, true);
				li.focus();
			});
			nodes.set(item, li);
			if (item.inside >= 0 && model.systems[item.inside].items.some((i) => i.kind === LOOP)) {
				const group = document.createElement("ul");
				group.setAttribute("role", "group");
				addLevel(item.inside, group, level + 1);
				li.append(group);
				li.setAttribute("aria-expanded", "true");
			}
			list.append(li);
		}
	};
	addLevel(0, $("tree"), 1);
	const first = $("tree").querySelector("li");
	if (first)
		first.tabIndex = 0;
	else
		$("tree").replaceWith(Object.assign(document.createElement("p"), { textContent: "There are no loops in this model.", id: "tree" }));
}

function markTree() {
	for (const [item, li] of nodes) {
		li.setAttribute("aria-selected", item === state.selected);
		if (li.hasAttribute("aria-expanded"))
			li.setAttribute("aria-expanded", !state.folded.has(item.id));
		if (state.selected && nodes.has(state.selected))
			li.tabIndex = item === state.selected ? 0 : -1;
	}
	const li = state.selected && nodes.get(state.selected);
	if (li)
		li.scrollIntoView({ block: "nearest" });
}

function treeKeys(e) {
	const all = [...$("tree").querySelectorAll("li")].filter((li) => !li.parentElement.closest('[aria-expanded="false"]'));
	const at = all.indexOf(document.activeElement), here = all[at], item = here && byKey.get(here.dataset.key);
	if (!item)
		return;
	const go = (li) => {
		if (li) {
			select(byKey.get(li.dataset.key), true);
			li.focus();
		}
	};
	const keys = {
		ArrowDown: () => go(all[at + 1]),
		ArrowUp: () => go(all[at - 1]),
		Home: () => go(all[0]),
		End: () => go(all[all.length - 1]),
		ArrowRight: () => (state.folded.has(item.id) ? fold(item, false) : go(here.querySelector("li"))),
		ArrowLeft: () => (here.getAttribute("aria-expanded") === "true" && !state.folded.has(item.id) ? fold(item, true) : go(here.parentElement.closest("li"))),
		Enter: () => fold(item),
		" ": () => select(item, true),
	};
	if (keys[e.key] && !e.ctrlKey && !e.altKey && !e.metaKey) {
		e.preventDefault();
		e.stopPropagation();
		keys[e.key]();
	}
}

/* ------------------------------------------------------------------ search and filter */

function matches(query) {
	const text = query.trim().toLowerCase();
	if (!text)
		return [];
	if (byKey.has(text) && text.includes("."))
		return [byKey.get(text)];
	const rank = /^(?:rank|process)?\s*(\d+)$/.exec(text), found = [];
	if (byKey.has(text))
		found.push(byKey.get(text));
	for (const i of model.items) {
		if (i.kind === SYNC && i.name.toLowerCase().includes(text))
			found.push(i);
		else if ((i.kind === SEND || i.kind === RECV) && model.tags[i.tag] && model.tags[i.tag][0].toLowerCase().startsWith(text))
			found.push(i);
		else if (i.kind === LOCAL && i.what.toLowerCase().includes(text))
			found.push(i);
	}
	if (rank && found.length === 0)
		for (const i of model.items)
			if ((i.kind === SEND || i.kind === RECV) && (i.process === Number(rank[1]) || i.peer === Number(rank[1])))
				found.push(i);
	return found;
}

let found = [], foundAt = -1;

function search(jump) {
	state.query = $("query").value;
	found = matches(state.query);
	foundAt = -1;
	state.hits = new Set(found.map((i) => i.id));
	state.dimming = found.length > 0;
	const rank = /^(?:rank|process)?\s*(\d+)$/i.exec(state.query.trim());
	$("found").value = !state.query.trim() ? "" : found.length ? `${number(found.length)} found` : rank && Number(rank[1]) < model.processes ? "no events" : "nothing found";
	if (jump)
		nextFound(1);
	change();
}

function nextFound(step) {
	if (!found.length)
		return;
	foundAt = (foundAt + step + found.length) % found.length;
	const item = found[foundAt];
	$("found").value = `${foundAt + 1} of ${number(found.length)}`;
	select(item, true);
}

function filter() {
	state.ranks = $("ranks").value.trim();
	const runs = state.ranks && state.ranks !== "all" ? parseRanks(state.ranks) : null;
	state.lanes = runs ? lanesOfRanks(model, runs) : null;
	$("ranks").setAttribute("aria-invalid", Boolean(state.ranks && state.ranks !== "all" && (!runs || !state.lanes.size)));
	if (state.lanes && !state.lanes.size)
		state.lanes = null;
	change();
}

/* ------------------------------------------------------------------ what is under the pointer */

function pointed(px, py) {
	const y = py / view.sy + view.y;
	let best = null, nearest = 8;
	const offsets = state.map.room ? [...Array(state.unroll.count).keys()] : [0];
	const distance = (i, offset) => {
		const x = (mapX(state.map, i.x0) + offset - view.x) * view.sx, top = (model.slots[i.top] - view.y) * view.sy, bottom = (model.slots[i.bottom] - view.y) * view.sy;
		return Math.hypot(px - x, py < top ? top - py : py > bottom ? py - bottom : 0);
	};
	const look = (system, offset) => {
		for (const i of model.systems[system].items) {
			if (i.kind < LOOP) {
				const d = distance(i, offset);
				if (d < nearest) {
					nearest = d;
					best = i;
				}
				continue;
			}
			const x0 = (mapX(state.map, i.x0) + offset - view.x) * view.sx, x1 = (mapX(state.map, i.x1, true) + offset - view.x) * view.sx;
			if (px < x0 - 1 || px > x1 + 1 || y < i.y0 || y > i.y1)
				continue;
			if (!best || best.kind >= LOOP)
				best = i;
			if (i.kind === LOOP && i.inside >= 0 && !state.folded.has(i.id)) {
				look(i.inside, offset);
				if (state.map.room && state.unroll.item === i)
					for (const k of offsets.slice(1))
						look(i.inside, offset + k * state.map.body);
			}
		}
	};
	look(0, 0);
	return best || pointedArrow(px, py);
}

function pointedArrow(px, py) {
	for (const a of model.arrows) {
		if (isHidden({ system: a.system }))
			continue;
		const x0 = (mapX(state.map, a.x0) - view.x) * view.sx, y0 = (a.y0 - view.y) * view.sy;
		const dx = (mapX(state.map, a.x1) - view.x) * view.sx - x0, dy = (a.y1 - view.y) * view.sy - y0;
		const t = Math.max(0, Math.min(1, ((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy || 1)));
		if (Math.hypot(px - x0 - t * dx, py - y0 - t * dy) < 4)
			return model.items[a.from >= 0 ? a.from : a.to];
	}
	return null;
}

function tipText(i) {
	const lines = [`${i.address}: ${eventText(model, i)}`];
	if (i.kind >= LOOP) {
		if (i.kind !== CUT)
			lines.push(`processes ${ranksText(model, i.lanes)}`);
		lines.push(`${number(i.events)} events, ${number(i.messages)} messages` + (i.kind === LOOP ? " in all iterations" : ""));
		if (i.kind === LOOP && i.inside >= 0)
			lines.push(state.folded.has(i.id) ? "click: unfold" : "click: fold");
		else if (i.kind === LOOP)
			lines.push("not opened: draw it with --loop " + i.address);
	}
	if (i.lost)
		lines.push(i.kind === SEND ? "receive not recorded" : "send not recorded");
	if (i.site)
		lines.push(i.site);
	if (i.share !== undefined)
		lines.push(`${percent(i.share)} of the run time of all processes`);
	if (i.alike > 1)
		lines.push(`stands for ${number(i.alike)} constructs alike`);
	return lines.join("\n");
}

function hover(e) {
	const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top, item = pointed(px, py), tip = $("tip");
	canvas.style.cursor = item && item.kind === LOOP ? "pointer" : "";
	tip.hidden = !item;
	if (!item)
		return;
	tip.textContent = tipText(item);
	tip.style.left = Math.max(4, Math.min(px + 14, size.width - tip.offsetWidth - 6)) + "px";
	tip.style.top = Math.max(4, Math.min(py + 16, size.height - tip.offsetHeight - 4)) + "px";
}

/* ------------------------------------------------------------------ the address of a view */

let addressTimer = 0;

function addressText() {
	const parts = new URLSearchParams();
	if (moved)
		parts.set("view", [view.x, view.y, view.sx, view.sy].map((v) => Number(v.toPrecision(6))).join(","));
	if (state.folded.size)
		parts.set("fold", [...state.folded].map((id) => model.items[id].key).join(","));
	if (state.selected)
		parts.set("select", state.selected.key);
	if (state.unroll)
		parts.set("unroll", state.unroll.item.key);
	if (state.query.trim())
		parts.set("find", state.query);
	if (state.ranks)
		parts.set("ranks", state.ranks);
	if (state.tagsShown)
		parts.set("tags", "1");
	if (document.documentElement.dataset.chosen)
		parts.set("theme", state.theme);
	return parts.toString();
}

function writeAddress() {
	clearTimeout(addressTimer);
	const hash = "#" + addressText();
	if (hash !== (location.hash || "#"))
		history.replaceState(null, "", hash);
}

function writeAddressSoon() {
	clearTimeout(addressTimer);
	addressTimer = setTimeout(writeAddress, 150);
}

/* Whatever stands there: what is not understood is left out. */
function readAddress() {
	const parts = new URLSearchParams(location.hash.slice(1)), loops = (text) =>
		(text || "").split(",").map((a) => byKey.get(a)).filter((i) => i && i.kind === LOOP && i.inside >= 0);
	state.folded = new Set(loops(parts.get("fold")).map((i) => i.id));
	const unrolled = loops(parts.get("unroll"))[0];
	state.unroll = unrolled && Number(unrolled.count) > 1 ? { item: unrolled, count: Math.min(UNROLLED, Number(unrolled.count)) } : null;
	state.selected = byKey.get(parts.get("select")) || null;
	state.tagsShown = parts.get("tags") === "1";
	$("query").value = parts.get("find") || "";
	$("ranks").value = parts.get("ranks") || "";
	if (["light", "dark"].includes(parts.get("theme")))
		chooseTheme(parts.get("theme"));
	moved = false;
	remap(null);
	search(false);
	filter();
	const numbers = (parts.get("view") || "").split(",").map(Number);
	if (numbers.length === 4 && numbers.every(Number.isFinite) && numbers[2] > 0 && numbers[3] > 0) {
		[view.x, view.y] = numbers;
		view.sx = Math.min(12, Math.max(0.002, numbers[2]));
		view.sy = Math.min(5, Math.max(0.05, numbers[3]));
		moved = true;
	}
	pressTags();
	markTree();
	showDetails();
	change(true);
}

/* ------------------------------------------------------------------ what can be done */

function say(text) {
	$("status").textContent = text;
}

function chooseTheme(theme) {
	state.theme = theme;
	document.documentElement.dataset.theme = theme;
	document.documentElement.dataset.chosen = "1";
	readColours();
	makeLegend();
	change();
}

function pressTags() {
	document.querySelector('[data-do="tags"]').setAttribute("aria-pressed", state.tagsShown);
}

function viewAsSvg() {
	const painter = new SvgPainter(Math.round(size.width), Math.round(size.height), colours.paper);
	new Drawing(model, state, painter, view, size, colours).all();
	return painter.finish(model.title);
}

function save() {
	const link = document.createElement("a"), url = URL.createObjectURL(new Blob([viewAsSvg()], { type: "image/svg+xml" }));
	link.href = url;
	link.download = (model.title || "model") + ".svg";
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
	say("The view was saved as SVG");
}

function step(by) {
	const loops = model.loops.filter((i) => !isHidden(i)), at = loops.indexOf(state.selected);
	if (loops.length)
		select(loops[(at + by + loops.length + (at < 0 && by < 0 ? 1 : 0)) % loops.length], true);
	if (state.selected)
		say(tipText(state.selected));
}

const middle = (f) => zoom(f, size.width / 2, size.height / 2);
const doing = {
	fit, in: () => middle(1.4), out: () => middle(1 / 1.4), export: save, help: () => $("help").showModal(),
	tags: () => {
		state.tagsShown = !state.tagsShown;
		pressTags();
		change();
	},
	theme: () => chooseTheme(state.theme === "dark" ? "light" : "dark"),
};

const KEYS = [
	["0", "fit everything", fit],
	["+", "zoom in", doing.in, "="],
	["-", "zoom out", doing.out, "_"],
	["←", "move", () => pan(80, 0), "ArrowLeft"],
	["→", "move", () => pan(-80, 0), "ArrowRight"],
	["↑", "move", () => pan(0, 60), "ArrowUp"],
	["↓", "move", () => pan(0, -60), "ArrowDown"],
	["]", "next loop", () => step(1)],
	["[", "loop before", () => step(-1)],
	["Enter", "fold or unfold the selected loop", () => state.selected && fold(state.selected)],
	["u", "unroll its first iterations, and back", () => unroll(state.selected)],
	["Esc", "select the whole run", () => select(null), "Escape"],
	["/", "find", () => $("query").focus()],
	["n", "next of those found", () => nextFound(1)],
	["p", "the one before", () => nextFound(-1)],
	["l", "tags at the messages", doing.tags],
	["s", "save this view as SVG", save],
	["t", "light or dark", doing.theme],
	["?", "these keys", doing.help],
];

function onKey(e) {
	const field = e.target.closest("input, textarea, dialog, button, summary");
	if (e.ctrlKey || e.altKey || e.metaKey || $("help").open)
		return;
	if (field) {
		if (e.key === "Escape" && field.id === "query")
			canvas.focus();
		if (field.matches("input") || ["Enter", " ", "Escape"].includes(e.key))
			return;
	}
	if (e.target.closest("#matrix, #table-of-loops, aside, nav") && e.key.startsWith("Arrow"))
		return;
	const key = KEYS.find(([name, , , other]) => e.key === name || e.key === other);
	if (!key)
		return;
	e.preventDefault();
	key[2]();
}

/* ------------------------------------------------------------------ pointers: one drags, two pinch, a click folds */

function listenToPointers() {
	const down = new Map();
	let travelled = 0;
	canvas.addEventListener("wheel", (e) => {
		e.preventDefault();
		const box = canvas.getBoundingClientRect(), pixels = e.deltaMode === 1 ? e.deltaY * 16 : e.deltaY;
		if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan(-e.deltaX, 0);
		else
			zoom(Math.exp(-Math.max(-300, Math.min(300, pixels)) * 0.0016), e.clientX - box.left, e.clientY - box.top, e.shiftKey);
	}, { passive: false });
	canvas.addEventListener("pointerdown", (e) => {
		if (e.button !== 0)
			return;
		canvas.setPointerCapture(e.pointerId);
		down.set(e.pointerId, { x: e.clientX, y: e.clientY });
		travelled = down.size > 1 ? 99 : 0;
	});
	canvas.addEventListener("pointermove", (e) => {
		const last = down.get(e.pointerId);
		if (!last)
			return hover(e);
		const others = [...down].filter(([id]) => id !== e.pointerId).map(([, p]) => p), dx = e.clientX - last.x, dy = e.clientY - last.y;
		travelled += Math.abs(dx) + Math.abs(dy);
		if (others.length === 1) {
			const o = others[0], before = Math.hypot(last.x - o.x, last.y - o.y), after = Math.hypot(e.clientX - o.x, e.clientY - o.y), box = canvas.getBoundingClientRect();
			zoom(after / (before || 1), (e.clientX + o.x) / 2 - box.left, (e.clientY + o.y) / 2 - box.top);
		} else if (travelled > 4) {
			$("tip").hidden = true;
			pan(dx, dy);
		}
		last.x = e.clientX;
		last.y = e.clientY;
	});
	const up = (e) => {
		const was = down.delete(e.pointerId);
		if (!was || travelled > 4 || e.type !== "pointerup")
			return;
		const box = canvas.getBoundingClientRect(), item = pointed(e.clientX - box.left, e.clientY - box.top);
		select(item);
		if (item && item.kind === LOOP)
			fold(item);
		if (item)
			hover(e);
	};
	canvas.addEventListener("pointerup", up);
	canvas.addEventListener("pointercancel", up);
	canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
}

/* ------------------------------------------------------------------ legend, table, start */

function makeLegend() {
	const parts = model.families.slice(0, 21).map((f) => {
		const span = document.createElement("span");
		span.innerHTML = `<svg width="26" height="10" aria-hidden="true"><path d="M1 5H18" stroke="${f[state.theme]}" stroke-width="1.5" stroke-dasharray="${DASHES[f.style].join(" ")}"/>` +
			`<path d="M25 5L17 2V8Z" fill="${f[state.theme]}"/></svg>`;
		span.append(f.name);
		return span;
	});
	const note = (text) => parts.push(Object.assign(document.createElement("span"), { textContent: text }));
	if (model.families.length > 21)
		note(`… and ${number(model.families.length - 21)} more`);
	if (model.items.some((i) => i.kind === SYNC))
		note("┆ collective");
	const stubs = model.arrows.filter((a) => a.kind === OUT || a.kind === IN), lost = (a) => model.items[a.kind === OUT ? a.from : a.to].lost;
	if (stubs.some((a) => !lost(a)))
		note(model.roles ? "short arrow: within a line, or the other end is not drawn" : "short arrow: the other end is not drawn");
	if (stubs.some(lost))
		note("short arrow with ×: the other end was not recorded");
	if (model.arrows.some((a) => a.kind === BUNDLE))
		note("×n: so many messages between loops that were not joined");
	if (model.times) {
		const span = document.createElement("span"), steps = [...Array(11).keys()].map((k) => `${cssColour(heatOf(model.times, (k / 10) * model.times.top))} ${k * 10}%`);
		span.append("0 % ", Object.assign(document.createElement("i"), { className: "scale" }), ` ${percent(model.times.top)} of the run time of all processes together`);
		span.querySelector("i").style.background = `linear-gradient(to right, ${steps.join(",")})`;
		parts.push(span);
	}
	if (model.explained)
		note(model.explained);
	if (model.banded)
		note("a line with several ranks stands for all of them, an arrow for all their messages");
	if (model.limited)
		note("dashed frames: loops too many to be opened here");
	$("legend").replaceChildren(...parts);
}

function makeTable() {
	const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody(), most = 2000;
	const sites = model.loops.some((i) => i.site);
	head.append(...["address", "iterations", "processes", "events", "messages", ...(sites ? ["function"] : []), ...(model.times ? ["run time"] : [])].map((t) => cell("th", t, "col")));
	for (const i of model.loops.slice(0, most)) {
		const row = body.insertRow();
		row.append(cell("th", i.address, "row"), cell("td", i.words || number(i.count)), cell("td", ranksText(model, i.lanes)), cell("td", number(i.events)), cell("td", number(i.messages)));
		if (sites)
			row.append(cell("td", i.site || ""));
		if (model.times)
			row.append(cell("td", i.share === undefined ? "" : percent(i.share)));
	}
	const caption = table.createCaption();
	caption.textContent = model.loops.length > most ? `The first ${number(most)} of ${number(model.loops.length)} loops` : "All loops of the picture";
	$("table").replaceChildren(table);
}

function makeKeys() {
	for (const [name, what] of KEYS) {
		const row = $("keys").insertRow();
		row.append(document.createElement("td"), cell("td", what));
		row.cells[0].append(Object.assign(document.createElement("kbd"), { textContent: name }));
	}
	const mouse = $("keys").insertRow();
	mouse.append(cell("td", "mouse"), cell("td", "wheel zooms around the pointer (with shift only in time), drag moves, click on a box folds it"));
}

function start() {
	$("title").textContent = model.title || "Model";
	$("subtitle").textContent = `${number(model.processes)} process${model.processes === 1 ? "" : "es"}` + (model.roles ? ` in ${model.lanes.length} role${model.lanes.length === 1 ? "" : "s"}` : model.banded ? ` in ${model.lanes.length} bands` : "") +
		`, ${number(model.events)} events, ${number(model.loops.length)} loop${model.loops.length === 1 ? "" : "s"}` + (model.part ? ` (a part, ${model.part})` : "");
	canvas.setAttribute("aria-label", `Communication of ${model.title || "the model"}: ${$("subtitle").textContent}`);
	const dark = window.matchMedia("(prefers-color-scheme: dark)");
	const follow = () => {
		if (!document.documentElement.dataset.chosen) {
			state.theme = dark.matches ? "dark" : "light";
			document.documentElement.dataset.theme = state.theme;
			readColours();
			makeLegend();
			change(true);
		}
	};
	dark.addEventListener("change", follow);
	state.map = makeMap(model, state.folded, null);
	follow();
	makeTree();
	makeTable();
	makeKeys();
	readAddress();
	new ResizeObserver(resize).observe(canvas);
	resize();
	listenToPointers();
	$("tree").addEventListener("keydown", treeKeys);
	document.addEventListener("keydown", onKey);
	$("query").addEventListener("input", () => search(false));
	$("search").addEventListener("submit", (e) => {
		e.preventDefault();
		if (document.activeElement === $("ranks"))
			filter();
		else if (foundAt < 0)
			search(true);
		else
			nextFound(1);
	});
	$("query").addEventListener("keydown", (e) => {
		if (e.key === "Enter") {
			e.preventDefault();
			if (foundAt < 0)
				search(true);
			else
				nextFound(e.shiftKey ? -1 : 1);
		}
	});
	$("ranks").addEventListener("input", filter);
	$("skip").addEventListener("click", (e) => {
		e.preventDefault();
		$("table-of-loops").open = true;
		$("table").focus();
	});
	for (const b of document.querySelectorAll("[data-do]"))
		b.addEventListener("click", () => doing[b.dataset.do]());
	window.addEventListener("hashchange", readAddress);
}

start();
