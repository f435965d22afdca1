"use strict";
/*
 * data.js -- the layout as it was written by viz/page.c: rows of numbers become objects.
 */
const SEND = 0, RECV = 1, SYNC = 2, LOCAL = 3, LOOP = 4, BLOCK = 5, CUT = 6;
const MESSAGE = 0, WITHIN = 1, BUNDLE = 2, OUT = 3, IN = 4;

function readItem(row, id, sets) {
	const [kind, system, set, address, multiplicity, x0, x1, top, bottom, a, b, c, d, e, f] = row;
	const item = { id, kind, system, lanes: sets[set], address, multiplicity: Number(multiplicity), x0, x1, top, bottom };
	if (kind === SEND || kind === RECV)
		return Object.assign(item, { process: a, peer: b, tag: c, carried: d || "" });
	if (kind === SYNC)
		return Object.assign(item, { name: a, root: b, carried: c || "" });
	if (kind === LOCAL)
		return Object.assign(item, { process: a, what: b, carried: c || "" });
	return Object.assign(item, { y0: a, y1: b, count: c, events: d, messages: e, inside: f });
}

/* Lines: of statements, with what they come to; `done`; then the tables, by name. */
function readProgram(m) {
	const open = [];
	m.lineOf = new Map();
	m.tables = new Map();
	let tables = null;
	m.lines = m.lines.map((row, number) => {
		const [text, address, executions, iterations, events, messages, bytes, pairs, factor] = typeof row === "string" ? [row] : row;
		const depth = text.length - text.trimStart().length, line = { number, text: text.trim(), depth: depth / 2, address, parent: null, past: number + 1 };
		if (text === "// tables")
			tables = [];
		else if (tables)
			(depth && tables.length ? tables[tables.length - 1] : tables[tables.push([]) - 1]).push(text);
		while (open.length && open[open.length - 1].depth >= line.depth + (address === undefined))
			open.pop();
		line.parent = open[open.length - 1] || null;
		if (address === undefined)
			return line;
		for (const around of open)
			around.past = number + 1;
		open.push(line);
		m.lineOf.set(address, line);
		return Object.assign(line, { executions, iterations, events, messages, bytes, pairs, factor, loop: /(^|\] )for |^if |^else$/.test(line.text) });
	});
	for (const table of tables || [])
		m.tables.set(/^\$\w+/.exec(table[0])[0], table.join("\n"));
	m.lines = tables ? m.lines.slice(0, m.lines.findIndex((l) => l.text === "// tables")) : m.lines;
}

function readModel(raw) {
	const m = Object.assign({}, raw);
	m.lanes = raw.lanes.map(([name, ranks, count]) => ({ name, ranks, count }));
	m.moves = raw.moves.map(([lane, from, to, x0, x1]) => ({ lane, from, to, x0, x1 }));
	m.systems = raw.systems.map(([owner, x, width]) => ({ owner, x, width, items: [], arrows: [] }));
	m.items = raw.items.map((row, id) => readItem(row, id, raw.sets));
	for (const id in raw.words) {
		const [words, below, statement] = raw.words[id];
		Object.assign(m.items[id], { words, below, statement });
	}
	for (const id in raw.sites)
		m.items[id].site = raw.sites[id];
	for (const id of raw.told)
		m.items[id].told = true;
	for (const id of raw.lost)
		m.items[id].lost = true;
	m.arrows = raw.arrows.map(([kind, x0, y0, x1, y1, from, to, tag, count]) => ({ kind, x0, y0, x1, y1, from, to, tag, count: Number(count) }));
	m.families = raw.families.map(([name, look, light, dark, style]) => ({ name, look, light, dark, style }));
	m.looks = new Map(m.families.map((f) => [f.look, f]));
	for (const item of m.items)
		m.systems[item.system].items.push(item);
	for (const arrow of m.arrows) {
		arrow.system = m.items[arrow.from >= 0 ? arrow.from : arrow.to].system;
		m.systems[arrow.system].arrows.push(arrow);
	}
	m.movesOf = m.lanes.map(() => []);
	for (const move of m.moves)
		m.movesOf[move.lane].push(move);
	for (const item of m.items)
		item.share = raw.times && raw.times.share[item.id];
	readProgram(m);
	m.loops = m.items.filter((i) => i.kind === LOOP);
	for (const s of m.systems)
		s.depth = s.owner < 0 ? 0 : m.systems[m.items[s.owner].system].depth + 1;
	return m;
}

function slotAt(m, lane, x) {
	let slot = lane;
	for (const move of m.movesOf[lane]) {
		if (move.x0 > x)
			break;
		slot = move.to;
	}
	return slot;
}

/* Items by their keys: addresses, "2.0.1"; where a statement is drawn several times, "2.0.1~2" is the third. */
function itemsByKey(m) {
	const map = new Map(), seen = new Map();
	for (const item of m.items) {
		const before = seen.get(item.address) || 0;
		seen.set(item.address, before + 1);
		item.key = before ? item.address + "~" + before : item.address;
		map.set(item.key, item);
	}
	return map;
}

function ranksText(m, lanes) {
	if (lanes.length === m.lanes.length && lanes.length > 1)
		return "all";
	const numbers = lanes.map((l) => m.lanes[l].ranks);
	if (numbers.some((n) => !/^\d+$/.test(n)))
		return numbers.join(",");
	const runs = [];
	for (const n of numbers.map(Number).sort((a, b) => a - b)) {
		const last = runs[runs.length - 1];
		if (last && last[1] === n - 1)
			last[1] = n;
		else
			runs.push([n, n]);
	}
	return runs.map(([a, b]) => (a === b ? a : a + "-" + b)).join(",");
}

/* "0-3,8" as runs, or null if it is no set of ranks. */
function parseRanks(text) {
	const runs = [];
	for (const part of text.split(",")) {
		const found = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part);
		if (!found)
			return null;
		runs.push([Number(found[1]), Number(found[2] === undefined ? found[1] : found[2])]);
	}
	return runs;
}

function hasRank(runs, rank) {
	return runs.some(([a, b]) => rank >= a && rank <= b);
}

function lanesOfRanks(m, runs) {
	const lanes = new Set();
	m.lanes.forEach((lane, i) => {
		if (parseRanks(lane.ranks).some(([a, b]) => runs.some(([c, d]) => a <= d && c <= b)))
			lanes.add(i);
	});
	return lanes;
}

function number(n) {
	return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/* As the pictures have it: "31 %", "3.1 %". */
function percent(share) {
	const p = 100 * share;
	return p > 0 && p < 0.05 ? "< 0.1 %" : p.toFixed(p >= 9.95 || p <= 0 ? 0 : 1) + " %";
}

/* What an event is, and what it carries. */
function eventText(m, i) {
	return plainText(m, i) + (i.carried || "");
}

/* A loop of one iteration or none, whose words are its condition. */
function isGuard(i) {
	return /^(if |else$)/.test(i.words || "");
}

/* The statements of a call of a procedure: a loop of one iteration, with a statement of its own. */
function isCall(i) {
	return i.kind === LOOP && Boolean(i.statement);
}

function isCounted(i) {
	return i.kind === LOOP && !isGuard(i) && !isCall(i);
}

function plainText(m, i) {
	if (i.statement)
		return i.statement;
	if (i.kind === SEND)
		return `${i.process} send ${i.peer} ${m.tags[i.tag] ? m.tags[i.tag][0] : ""}`;
	if (i.kind === RECV)
		return `${i.peer} recv ${i.process} ${m.tags[i.tag] ? m.tags[i.tag][0] : ""}`;
	if (i.kind === SYNC)
		return `${i.name} of ${ranksText(m, i.lanes)}${i.root >= 0 ? ", root " + i.root : ""}`;
	if (i.kind === LOCAL)
		return `${i.process} ${i.what}`;
	if (i.kind === LOOP)
		return isGuard(i) ? i.words : `loop of ${i.words || number(i.count)} iterations`;
	if (i.kind === BLOCK)
		return `${number(i.count)} events, not drawn one by one`;
	return `${number(i.count)} constructs left out`;
}

/* Who sends to whom in a statement (null: in the whole run), in all its executions: Map "from,to" -> [messages, bytes]; lane -1: has no line. */
function messagesOf(m, line) {
	const sum = new Map();
	const add = (list, factor) => {
		for (const [from, to, messages, bytes] of list < 0 ? [] : m.pairs[list]) {
			const key = from + "," + to, before = sum.get(key) || [0, 0];
			sum.set(key, [before[0] + Number(messages) * Number(factor), before[1] + Number(bytes) * Number(factor)]);
		}
	};
	for (const l of line ? m.lines.slice(line.number, line.past) : m.lines)
		if (l.address !== undefined)
			add(l.pairs, l.factor);
	if (!line)
		add(...m.pairs_of_all);
	return sum;
}

function bytesText(n) {
	for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
		if (n >= size)
			return `${(n / size).toPrecision(3)} ${unit}`;
	return `${number(n)} B`;
}
