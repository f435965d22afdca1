/*
 * page.js -- the page: what is folded, selected, searched, and in view; keys and pointers; the address of a view.
 *
 * What is folded is known by address, so that text and picture agree; state.folded are the boxes of these. Nothing is fetched. All that changes goes through change(), which asks for one frame and, a little later, writes the address.
 */
const $ = (id) => document.getElementById(id);
const model = readModel(JSON.parse($("data").textContent));
const byKey = itemsByKey(model);
const canvas = $("canvas"), context = canvas.getContext("2d");
const view = { x: 0, y: 0, sx: 1, sy: 1 };
const state = { closed: new Set(), folded: new Set(), line: null, selected: null, same: new Set(), hits: new Set(), lines: new Set(), lanes: null, hiding: true, gone: [],
	unroll: null, map: null, rows: null, tagsShown: false, theme: "light", query: "", ranks: "", dimming: false, leftmost: 0 };
const NONE = new Set();
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
	state.took = performance.now() - start;
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
	const box = $("stage").getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
	if (!box.width && size.width)
		return; /* another panel is shown */
	size = { width: Math.floor(box.width), height: Math.floor(box.height) }; /* whole pixels stay sharp */
	canvas.width = Math.max(1, Math.round(size.width * ratio));
	canvas.height = Math.max(1, Math.round(size.height * ratio));
	canvas.style.width = size.width + "px";
	canvas.style.height = size.height + "px";
	if (!moved)
		fit();
	draw(); /* at once: the first one, too, is there before any frame */
}

/* Lines of the program to what is drawn of them. */
const itemsOf = new Map();
for (const item of model.items)
	itemsOf.set(item.address, [...(itemsOf.get(item.address) || []), item]);
const itemsAt = (address) => itemsOf.get(address) || [];

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

const heightNow = () => (state.rows ? state.rows.height : model.height);
const fitY = () => Math.max(0.05, Math.min(2, (size.height - 24) / (heightNow() + 14)));

function fit() {
	view.sy = fitY();
	const margin = marginWidth(model, fontAt(view)) + 2;
	view.sx = Math.max(0.002, Math.min((size.width - margin - 24) / state.map.width, view.sy * 1.6));
	view.x = -margin / view.sx;
	view.y = -((size.height / view.sy - heightNow()) / 2);
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

/* Where a construct is in the picture, in the units of the view. */
function extent(item) {
	const y = (at) => mapY(state.rows, at), loop = item.kind >= LOOP;
	return { x0: mapX(state.map, item.x0), x1: mapX(state.map, item.x1, true), y0: y(loop ? item.y0 : model.slots[item.top]), y1: y(loop ? item.y1 : model.slots[item.bottom]) };
}

/* Bring a construct into the middle if it is not to be seen, or too small to be. */
function reveal(item) {
	const { x0, x1, y0, y1 } = extent(item), margin = marginWidth(model, fontAt(view));
	const left = (x0 - view.x) * view.sx, right = (x1 - view.x) * view.sx;
	if (item.kind === LOOP && right - left < 40)
		view.sx = Math.min(2, Math.max(view.sx, (size.width * 0.6) / Math.max(20, x1 - x0)));
	if (left < margin || right > size.width || (item.kind === LOOP && right - left < 40)) {
		view.x = right - left > size.width ? x0 - margin / view.sx - 10 : (x0 + x1) / 2 - size.width / 2 / view.sx;
		moved = true;
	}
	const top = (y0 - view.y) * view.sy, bottom = (y1 - view.y) * view.sy;
	if (bottom < 0 || top > size.height) {
		view.y = (y0 + y1) / 2 - size.height / 2 / view.sy;
		moved = true;
	}
}

/* As large as the picture allows; what is no box with something around it. */
function zoomTo(item) {
	if (!item)
		return fit();
	const { x0, x1, y0, y1 } = extent(item), around = item.kind >= LOOP ? 0 : 60;
	view.sy = Math.max(0.05, Math.min(2.5, (size.height - 40) / Math.max(1, y1 - y0 + around)));
	const margin = marginWidth(model, fontAt(view)) + 6;
	view.sx = Math.max(0.002, Math.min(2 * view.sy, (size.width - margin - 24) / Math.max(1, x1 - x0 + around)));
	view.x = (x0 + x1) / 2 - (size.width + margin) / 2 / view.sx;
	view.y = (y0 + y1) / 2 - size.height / 2 / view.sy;
	moved = true;
	change();
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

function refold(anchor) {
	state.folded = new Set(model.loops.filter((i) => i.inside >= 0 && state.closed.has(i.address)).map((i) => i.id));
	remap(anchor);
	markFolded();
}

/* A line that is a loop, in the text and in the picture. */
function fold(line) {
	const closed = !state.closed.has(line.address);
	if (closed)
		state.closed.add(line.address);
	else
		state.closed.delete(line.address);
	refold(itemsAt(line.address)[0]);
	say(`${line.address} ${closed ? "folded" : "unfolded"}`);
	showDetails();
	change();
}

function foldSelected() {
	if (state.line && state.line.loop)
		fold(state.line);
}

function unroll(item) {
	if (!item || item.kind !== LOOP || item.inside < 0 || Number(item.count) < 2)
		return;
	const same = state.unroll && state.unroll.item === item;
	state.unroll = same ? null : { item, count: Math.min(UNROLLED, Number(item.count)) };
	state.closed.delete(item.address);
	refold(item);
	say(same ? `${item.address}: one iteration` : `${item.address}: the first ${state.unroll.count} iterations side by side`);
	showDetails();
	change();
}

/* What is around it is unfolded. */
function open(line) {
	let changed = false;
	for (let around = line && line.parent; around; around = around.parent)
		changed = state.closed.delete(around.address) || changed;
	if (changed)
		refold(itemsAt(line.address)[0]);
}

/* Constructs left out and blocks have the address of the first statement in them, but are none. */
const lineOf = (item) => (item && item.kind !== CUT && item.kind !== BLOCK && model.lineOf.get(item.address)) || null;

/* One of the picture (null: the whole run), and its line; or the other way round. */
function select(item, shown, line) {
	state.selected = item;
	state.line = line || lineOf(item);
	state.same = item ? new Set(state.line ? itemsAt(state.line.address).map((i) => i.id) : [item.id]) : NONE;
	open(state.line);
	if (item && shown)
		reveal(item);
	markSelected();
	showDetails();
	change();
}

/* What is not drawn by itself is inside of something that is. */
function selectLine(line) {
	const item = itemsAt(line.address).find((i) => !state.gone[i.id]) || itemsAt(line.address)[0];
	if (item)
		return select(item, true, line);
	let around = line.parent;
	while (around && !itemsAt(around.address).length)
		around = around.parent;
	select(null, false, line);
	if (around) {
		state.same = new Set(itemsAt(around.address).map((i) => i.id));
		reveal(itemsAt(around.address)[0]);
	}
}

/* ------------------------------------------------------------------ search and filter */

/* Does the word stand in it? "tag1" is not in "tag12", nor "p+1" in "p+16"; what is no number may go on. */
function stands(word, text) {
	for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
		if (!(/\d$/.test(word) && /\d/.test(text[at + word.length] || "")) && !(/^[\w$]/.test(word) && /[\w$]/.test(text[at - 1] || "") && /^\d/.test(word)))
			return true;
	return false;
}

/* Lines and items: of a rank, of so many iterations, at an address, with all these words. */
function matches(query) {
	const text = query.trim().toLowerCase(), rank = /^(?:rank|process)\s*(\d+)$/.exec(text), times = /^(\d+)\s*(?:×|x|times|iterations)$/.exec(text), bare = /^\d+$/.test(text);
	const lines = new Set(), items = new Set();
	if (!text)
		return { lines, items };
	const take = (item) => {
		items.add(item);
		if (lineOf(item))
			lines.add(lineOf(item));
	};
	const iterations = times ? times[1] : bare ? text : null, process = rank ? Number(rank[1]) : bare ? Number(text) : -1;
	for (const i of iterations ? model.loops : [])
		if (String(i.count) === iterations)
			take(i);
	if (model.lineOf.has(text) && (bare || /^\d+(\.\d+)+$/.test(text)))
		lines.add(model.lineOf.get(text));
	if (process >= 0 && (rank || !lines.size)) {
		const lanes = lanesOfRanks(model, [[process, process]]);
		for (const i of model.items)
			if (i.kind < LOOP && i.lanes.some((l) => lanes.has(l)))
				take(i);
	} else if (!times && !bare && !/^\d+(\.\d+)+$/.test(text)) {
		const words = text.split(/\s+/);
		for (const line of model.lines)
			if (line.address !== undefined && words.every((w) => stands(w, line.lower || (line.lower = line.text.toLowerCase()))))
				lines.add(line);
		for (const i of model.items)
			if (i.kind < LOOP && words.every((w) => stands(w, plainText(model, i).toLowerCase())))
				take(i);
		for (const i of model.items)
			if (i.site && words.every((w) => stands(w, i.site.toLowerCase())))
				take(i);
	}
	for (const line of lines)
		if (![...items].some((i) => i.address === line.address))
			itemsAt(line.address).forEach((i) => items.add(i));
	return { lines, items };
}

let found = [], foundAt = -1;

function search(jump) {
	state.query = $("query").value;
	const { lines, items } = matches(state.query);
	found = [...lines].sort((a, b) => a.number - b.number);
	foundAt = -1;
	state.lines = lines;
	state.hits = new Set([...items].map((i) => i.id));
	state.dimming = items.size > 0;
	$("found").value = !state.query.trim() ? "" : found.length ? `${number(found.length)} found` : "nothing found";
	markFound();
	if (jump)
		nextFound(1);
	change();
}

function nextFound(step) {
	if (!found.length)
		return;
	foundAt = (foundAt + step + found.length + (foundAt < 0 && step < 0 ? 1 : 0)) % found.length;
	$("found").value = `${foundAt + 1} of ${number(found.length)}`;
	selectLine(found[foundAt]);
}

function filter() {
	state.ranks = $("ranks").value.trim();
	state.hiding = $("hide").checked;
	const runs = state.ranks && state.ranks !== "all" ? parseRanks(state.ranks) : null;
	state.lanes = runs ? lanesOfRanks(model, runs) : null;
	const wrong = Boolean(state.ranks && state.ranks !== "all" && (!runs || !state.lanes.size));
	$("ranks").setAttribute("aria-invalid", wrong);
	$("ranks-said").value = !wrong ? "" : !runs ? "not ranks, as 0-3,8" : `no such rank: they are 0 to ${model.processes - 1}`;
	if (state.lanes && !state.lanes.size)
		state.lanes = null;
	const hiding = state.hiding && state.lanes;
	const high = heightNow();
	state.rows = makeRows(model, hiding);
	state.gone = hiding ? model.items.map((i) => !i.lanes.some((l) => state.lanes.has(l))) : [];
	if (heightNow() !== high)
		fit();
	for (const [line, row] of shown)
		row.classList.toggle("others", Boolean(hiding && line.address !== undefined && itemsAt(line.address).length && itemsAt(line.address).every((i) => state.gone[i.id])));
	showMatrix(state.line);
	change();
}

/* ------------------------------------------------------------------ what is under the pointer */

function pointed(px, py) {
	let best = null, nearest = 8;
	const offsets = state.map.room ? [...Array(state.unroll.count).keys()] : [0];
	const screenX = (x, offset, behind) => (mapX(state.map, x, behind) + offset - view.x) * view.sx, screenY = (y) => (mapY(state.rows, y) - view.y) * view.sy;
	const distance = (i, offset) => {
		const x = screenX(i.x0, offset), top = screenY(model.slots[i.top]), bottom = screenY(model.slots[i.bottom]);
		return Math.hypot(px - x, py < top ? top - py : py > bottom ? py - bottom : 0);
	};
	const look = (system, offset) => {
		for (const i of model.systems[system].items) {
			if (state.gone[i.id])
				continue;
			if (i.kind < LOOP) {
				const d = distance(i, offset);
				if (d < nearest) {
					nearest = d;
					best = i;
				}
				continue;
			}
			if (px < screenX(i.x0, offset) - 1 || px > screenX(i.x1, offset, true) + 1 || py < screenY(i.y0) || py > screenY(i.y1))
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
	return best || pointedArrow(px, py, screenX, screenY);
}

function pointedArrow(px, py, screenX, screenY) {
	for (const a of model.arrows) {
		if (isHidden({ system: a.system }))
			continue;
		const x0 = screenX(a.x0, 0), y0 = screenY(a.y0), dx = screenX(a.x1, 0) - x0, dy = screenY(a.y1) - y0;
		const t = Math.max(0, Math.min(1, ((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy || 1)));
		if (Math.hypot(px - x0 - t * dx, py - y0 - t * dy) < 4)
			return model.items[a.from >= 0 ? a.from : a.to];
	}
	return null;
}

function tipText(i) {
	const lines = [`${i.address}: ${eventText(model, i)}`];
	if (i.kind >= LOOP) {
		const line = lineOf(i);
		if (i.kind !== CUT)
			lines.push(`processes ${ranksText(model, i.lanes)}`);
		lines.push(line ? `events: ${inAll(line.events, line.executions)}\nmessages: ${inAll(line.messages, line.executions)}` : `${number(i.events)} events, ${number(i.messages)} messages`);
		if (i.kind === LOOP && i.inside >= 0)
			lines.push(state.folded.has(i.id) ? "double-click: unfold" : "double-click: fold");
		else if (i.kind === LOOP)
			lines.push("not opened: draw it with --loop " + i.address);
	}
	if (i.lost)
		lines.push(i.kind === SEND ? "receive not recorded" : "send not recorded");
	if (i.site)
		lines.push(i.site);
	if (i.share !== undefined)
		lines.push(`${percent(i.share)} of the run time of all processes`);
	if (i.multiplicity > 1)
		lines.push(`stands for ${number(i.multiplicity)} constructs alike`);
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
	if (state.closed.size)
		parts.set("fold", [...state.closed].join(","));
	if (state.selected || state.line)
		parts.set("select", state.selected ? state.selected.key : state.line.address);
	if (state.unroll)
		parts.set("unroll", state.unroll.item.key);
	if (state.query.trim())
		parts.set("find", state.query);
	if (state.ranks)
		parts.set("ranks", state.ranks);
	if (!state.hiding)
		parts.set("others", "dimmed");
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
	const parts = new URLSearchParams(location.hash.slice(1)), unrolled = byKey.get(parts.get("unroll"));
	state.closed = new Set((parts.get("fold") || "").split(",").filter((a) => model.lineOf.has(a) && model.lineOf.get(a).loop));
	state.unroll = unrolled && unrolled.inside >= 0 && Number(unrolled.count) > 1 ? { item: unrolled, count: Math.min(UNROLLED, Number(unrolled.count)) } : null;
	state.tagsShown = parts.get("tags") === "1";
	$("query").value = parts.get("find") || "";
	$("ranks").value = parts.get("ranks") || "";
	$("hide").checked = parts.get("others") !== "dimmed";
	if (["light", "dark"].includes(parts.get("theme")))
		chooseTheme(parts.get("theme"));
	moved = false;
	refold(null);
	search(false);
	filter();
	select(byKey.get(parts.get("select")) || null, false, model.lineOf.get(parts.get("select")));
	const numbers = (parts.get("view") || "").split(",").map(Number);
	if (numbers.length === 4 && numbers.every(Number.isFinite) && numbers[2] > 0 && numbers[3] > 0) {
		[view.x, view.y] = numbers;
		view.sx = Math.min(12, Math.max(0.002, numbers[2]));
		view.sy = Math.min(5, Math.max(0.05, numbers[3]));
		moved = true;
	}
	pressTags();
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
	colourText();
	drawMatrix();
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
	fit, zoom: () => zoomTo(state.selected), next: () => nextFound(1), before: () => nextFound(-1), in: () => middle(1.4), out: () => middle(1 / 1.4), export: save, help: () => $("help").showModal(),
	tags: () => {
		state.tagsShown = !state.tagsShown;
		pressTags();
		change();
	},
	theme: () => chooseTheme(state.theme === "dark" ? "light" : "dark"),
};

const KEYS = [
	["0", "fit everything", fit],
	["z", "zoom to the selection", doing.zoom],
	["+", "zoom in", doing.in, "="],
	["-", "zoom out", doing.out, "_"],
	["←", "move", () => pan(80, 0), "ArrowLeft"],
	["→", "move", () => pan(-80, 0), "ArrowRight"],
	["↑", "move", () => pan(0, 60), "ArrowUp"],
	["↓", "move", () => pan(0, -60), "ArrowDown"],
	["]", "next loop", () => step(1)],
	["[", "loop before", () => step(-1)],
	["Enter", "fold or unfold the selected loop", foldSelected],
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
	if (e.target.closest("aside, #tables, #legend, .handle") && e.key.startsWith("Arrow"))
		return;
	const key = KEYS.find(([name, , , other]) => e.key === name || e.key === other);
	if (!key)
		return;
	e.preventDefault();
	key[2]();
}

/* ------------------------------------------------------------------ pointers: one drags, two pinch, a click selects, two fold */

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
		if (item && e.pointerType === "mouse")
			hover(e);
	};
	canvas.addEventListener("dblclick", (e) => {
		const box = canvas.getBoundingClientRect(), line = lineOf(pointed(e.clientX - box.left, e.clientY - box.top));
		if (line && line.loop)
			fold(line);
	});
	canvas.addEventListener("pointerup", up);
	canvas.addEventListener("pointercancel", up);
	canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
}

/* ------------------------------------------------------------------ panels: handles between them; on small screens one at a time */

const PANELS = ["program", "details"];

function sizePanels(panel, width) {
	if (panel)
		document.documentElement.style.setProperty("--" + panel, Math.round(Math.max(120, Math.min(window.innerWidth * 0.6, width))) + "px");
	for (const name of PANELS) {
		const now = Math.round($(name).getBoundingClientRect().width), handle = $("handle-" + name);
		handle.setAttribute("aria-valuenow", now);
		handle.setAttribute("aria-valuemin", Math.min(120, now));
		handle.setAttribute("aria-valuemax", Math.max(now, Math.round(window.innerWidth * 0.6)));
	}
}

function listenToHandles() {
	for (const name of PANELS) {
		const handle = $("handle-" + name), sign = name === "program" ? 1 : -1, width = () => $(name).getBoundingClientRect().width;
		handle.addEventListener("pointerdown", (e) => handle.setPointerCapture(e.pointerId));
		handle.addEventListener("pointermove", (e) => {
			const box = $(name).getBoundingClientRect();
			if (handle.hasPointerCapture(e.pointerId))
				sizePanels(name, sign > 0 ? e.clientX - box.left : box.right - e.clientX);
		});
		handle.addEventListener("keydown", (e) => {
			const step = { ArrowLeft: -24, ArrowRight: 24 }[e.key];
			if (!step)
				return;
			e.preventDefault();
			sizePanels(name, width() + sign * step);
		});
	}
}

function showPanel(name) {
	document.body.dataset.panel = name;
	for (const b of document.querySelectorAll("#panels button"))
		b.setAttribute("aria-pressed", b.dataset.panel === name);
	if (name === "program")
		markSelected();
	if (name === "picture" && state.selected) {
		resize();
		reveal(state.selected);
		change();
	}
	drawMatrix();
}

/* ------------------------------------------------------------------ legend, keys, start */

function makeLegend() {
	const parts = model.families.slice(0, 21).map((f) => {
		const span = document.createElement("span");
		span.innerHTML = `<svg width="26" height="10" aria-hidden="true"><path d="M1 5H18" stroke="${f[state.theme]}" stroke-width="1.5" stroke-dasharray="${DASHES[f.style].join(" ")}"/>` +
			`<path d="M25 5L17 2V8Z" fill="${f[state.theme]}"/></svg>`;
		span.append(f.name);
		return span;
	});
	const note = (text) => parts.push(part("span", text));
	if (model.families.length > 21)
		note(`… and ${number(model.families.length - 21)} more`);
	const counted = model.loops.find((i) => isCounted(i) && !i.words && Number(i.count) > 1), times = counted && number(Number(counted.count));
	const line = !model.roles || !model.banded ? "A line is a process" : model.opened ? "A line is a process, or several that do the same" : "A line is a role: processes that do the same";
	note(line + ", time runs to the right" + (model.loops.length ? ", a box is a loop" + (counted ? `: ${times} × is ${times} iterations` : "") + (model.loops.some(isCall) ? ", or a procedure" : "") : ""));
	if (model.items.some((i) => i.kind === SYNC))
		note("┆ collective");
	const stubs = model.arrows.filter((a) => a.kind === OUT || a.kind === IN), lost = (a) => model.items[a.kind === OUT ? a.from : a.to].lost;
	if (stubs.some((a) => !lost(a)))
		note(model.roles ? "short arrow: within a line, or the other end is not drawn" : "short arrow: the other end is not drawn");
	if (stubs.some(lost))
		note("short arrow with ×: the other end was not recorded");
	if (model.arrows.some((a) => a.kind === BUNDLE && a.count > 1))
		note("×n: so many messages between loops that were not joined");
	if (model.times) {
		const span = document.createElement("span"), steps = [...Array(11).keys()].map((k) => `${cssColour(heatOf(model.shares, k / 10))} ${k * 10}%`);
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

function makeKeys() {
	for (const [name, what] of KEYS) {
		const row = $("keys").insertRow();
		row.append(document.createElement("td"), part("td", what));
		row.cells[0].append(Object.assign(document.createElement("kbd"), { textContent: name }));
	}
	const mouse = $("keys").insertRow();
	mouse.append(part("td", "mouse"), part("td", "wheel zooms around the pointer (with shift only in time), drag moves, click selects, double-click folds"));
}

function start() {
	const { events, loops } = model.figures, roles = model.roles && !model.opened;
	$("title").textContent = model.title || "Model";
	$("subtitle").textContent = `${number(model.processes)} process${model.processes === 1 ? "" : "es"}` + (roles ? ` in ${model.lanes.length} role${model.lanes.length === 1 ? "" : "s"}` : model.roles && model.banded ? ` on ${model.lanes.length} lines` : model.banded ? ` in ${model.lanes.length} bands` : "") +
		`, ${number(events)} events, ${number(loops)} loop${loops === 1 ? "" : "s"}` + (model.part ? ` (a part, ${model.part})` : "");
	canvas.setAttribute("aria-label", `Communication of ${model.title || "the model"}: ${$("subtitle").textContent}`);
	const dark = window.matchMedia("(prefers-color-scheme: dark)");
	const follow = () => {
		if (!document.documentElement.dataset.chosen) {
			state.theme = dark.matches ? "dark" : "light";
			document.documentElement.dataset.theme = state.theme;
			readColours();
			makeLegend();
			colourText();
			drawMatrix();
			change(true);
		}
	};
	dark.addEventListener("change", follow);
	state.map = makeMap(model, state.folded, null);
	makeText();
	follow();
	makeKeys();
	sizePanels();
	readAddress();
	new ResizeObserver(resize).observe($("stage"));
	resize();
	listenToPointers();
	listenToText();
	listenToMatrix();
	listenToHandles();
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
	$("hide").addEventListener("change", filter);
	for (const b of document.querySelectorAll("[data-do]"))
		b.addEventListener("click", () => doing[b.dataset.do]());
	for (const b of document.querySelectorAll("#panels button"))
		b.addEventListener("click", () => showPanel(b.dataset.panel));
	window.addEventListener("hashchange", readAddress);
}

start();
