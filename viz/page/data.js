"use strict";
/*
 * data.js -- the layout as it was written by viz/page.c: rows of numbers become objects.
 */
const SEND = 0, RECV = 1, SYNC = 2, LOCAL = 3, LOOP = 4, BLOCK = 5, CUT = 6;
const MESSAGE = 0, WITHIN = 1, BUNDLE = 2, OUT = 3, IN = 4;

function readItem(row, id, sets) {
	const [kind, system, set, address, alike, x0, x1, top, bottom, a, b, c, d, e, f] = row;
	const item = { id, kind, system, lanes: sets[set], address, alike: Number(alike), x0, x1, top, bottom };
	if (kind === SEND || kind === RECV)
		return Object.assign(item, { process: a, peer: b, tag: c, carried: d || "" });
	if (kind === SYNC)
		return Object.assign(item, { name: a, root: b, carried: c || "" });
	if (kind === LOCAL)
		return Object.assign(item, { process: a, what: b, carried: c || "" });
	return Object.assign(item, { y0: a, y1: b, count: c, events: d, messages: e, inside: f });
}

function readModel(raw) {
	const m = Object.assign({}, raw);
	m.lanes = raw.lanes.map(([name, ranks, count]) => ({ name, ranks, count }));
	m.moves = raw.moves.map(([lane, from, to, x0, x1]) => ({ lane, from, to, x0, x1 }));
	m.systems = raw.systems.map(([owner, x, width, flow]) => ({ owner, x, width, flow, items: [], arrows: [] }));
	m.items = raw.items.map((row, id) => readItem(row, id, raw.sets));
	for (const id in raw.words) {
		const [words, below, statement] = raw.words[id];
		Object.assign(m.items[id], { words, below, statement });
	}
	for (const id in raw.sites)
		m.items[id].site = raw.sites[id];
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
		return `${i.process} local ${i.what}`;
	if (i.kind === LOOP)
		return isGuard(i) ? i.words : `loop of ${i.words || number(i.count)} iterations`;
	if (i.kind === BLOCK)
		return `${number(i.count)} events, not drawn one by one`;
	return `${number(i.count)} constructs left out`;
}

/* Messages of a construct (null: of the whole picture), in all its iterations: Map "from,to" -> count; lane -1: has no line. */
function messagesOf(m, selected) {
	const sum = new Map();
	const add = (flow, times) => {
		for (const [from, to, count] of flow) {
			const key = from + "," + to;
			sum.set(key, (sum.get(key) || 0) + Number(count) * times);
		}
	};
	const addSystem = (id, times) => {
		const s = m.systems[id];
		add(s.flow, times);
		for (const i of s.items)
			if (i.kind >= LOOP)
				addItem(i, times);
	};
	const addItem = (i, times) => {
		if (i.kind === LOOP && i.inside >= 0)
			addSystem(i.inside, times * Number(i.count));
		else
			add(m.hidden[i.id] || [], times);
	};
	if (selected)
		addItem(selected, 1);
	else
		addSystem(0, 1);
	return sum;
}
