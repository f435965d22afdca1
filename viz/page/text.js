/*
 * text.js -- the program beside the picture: a tree of lines, which is linked with the boxes and arrows by addresses.
 *
 * The keys of a tree: up and down go from line to line and select, left and right fold and unfold.
 */
const shown = new Map(); /* lines to their elements */

function part(kind, text, className) {
	const e = document.createElement(kind);
	e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

/* The sample of a tag's colour, where the statement is a message that is drawn. */
function sampleOf(line) {
	const sample = part("i", "", "tag"), item = itemsAt(line.address).find((i) => i.kind === SEND || i.kind === RECV), family = item && model.tags[item.tag];
	if (family)
		sample.dataset.look = family[1];
	return sample;
}

/* How often a loop runs, where that is a number: "62"; "236–274" where it depends on the process. */
function timesOf(line) {
	const loops = line.loop ? itemsAt(line.address).filter(isCounted) : [], counts = loops.map((i) => Number(i.count));
	if (!loops.length || loops.some((i) => i.words))
		return "";
	const [least, most] = [Math.min(...counts), Math.max(...counts)];
	return number(least) + (most > least ? "–" + number(most) : "");
}

/* "[0-3] for i0 = 0 to 9 ; ... // ...": the set, what is done, the rest; of a loop also how often. */
function fillLine(row, line) {
	const [, set, what, rest] = /^(\[[^\]]*\] )?(.*?)(( ;| \/\/).*)?$/.exec(line.text);
	row.append(part("span", "", "fold"), "  ".repeat(line.depth - model.lines[0].depth));
	if (!line.loop)
		row.append(sampleOf(line));
	row.append(part("small", set || ""), line.loop ? part("b", what) : what);
	if (timesOf(line))
		row.append(part("small", `  ${timesOf(line)} ×`));
	row.append(part("small", rest || ""));
}

const LINES = 64; /* in a block */

function makeText() {
	const list = document.createDocumentFragment();
	let block = null; /* what is out of sight costs nothing, block by block */
	for (const line of model.lines) {
		if (line.number % LINES === 0)
			list.append((block = part("div", "", "block")));
		const row = document.createElement("div");
		shown.set(line, row);
		row.dataset.line = line.number;
		if (line.address === undefined) {
			row.setAttribute("aria-hidden", "true");
			row.append(part("span", "", "fold"), part("small", "  ".repeat(Math.max(0, line.depth - model.lines[0].depth)) + line.text));
		} else {
			row.setAttribute("role", "treeitem");
			row.setAttribute("aria-level", line.depth + 1);
			row.tabIndex = -1;
			fillLine(row, line);
		}
		block.append(row);
	}
	$("text").append(list);
	if (!model.lineOf.size)
		$("text").replaceWith(Object.assign(part("p", "The program has no statements."), { id: "text" }));
	for (const [name, text] of model.tables)
		$("tables").append(tableOf(name, text));
}

function tableOf(name, text) {
	const box = document.createElement("details"), pre = part("pre", text);
	box.append(part("summary", `Table ${name}`), pre);
	pre.tabIndex = 0;
	return box;
}

/* The colours of tags: of light or dark paper. */
function colourText() {
	for (const sample of document.querySelectorAll("#text [data-look]")) {
		const look = model.looks.get(Number(sample.dataset.look));
		if (look)
			sample.style.borderTop = `3px ${look.style} ${look[state.theme]}`;
	}
}

const marked = { line: null, lines: new Set() }; /* as it is seen */

/* Into the middle, if it is out of sight. */
function bringIntoSight(row) {
	const panel = $("program"), box = panel.getBoundingClientRect(), at = row.getBoundingClientRect();
	if (at.top < box.top || at.bottom > box.bottom)
		panel.scrollTop += (at.top + at.bottom - box.top - box.bottom) / 2;
}

function markSelected() {
	const first = model.lines.find((l) => l.address !== undefined);
	for (const line of [marked.line || first, state.line || first])
		if (line) {
			shown.get(line).setAttribute("aria-selected", line === state.line);
			shown.get(line).tabIndex = line === (state.line || first) ? 0 : -1;
		}
	marked.line = state.line;
	if (state.line)
		bringIntoSight(shown.get(state.line));
}

function markFound() {
	for (const line of marked.lines)
		shown.get(line).classList.remove("hit");
	for (const line of state.lines)
		shown.get(line).classList.add("hit");
	marked.lines = state.lines;
}

function markFolded() {
	const away = new Set();
	for (const [line, row] of shown) {
		if (line.parent && (away.has(line.parent) || state.closed.has(line.parent.address)))
			away.add(line);
		row.classList.toggle("away", away.has(line));
		if (line.loop)
			row.setAttribute("aria-expanded", !state.closed.has(line.address));
	}
}

function lineAt(target) {
	const row = target.closest && target.closest("#text [role=treeitem]");
	return row ? model.lines[row.dataset.line] : null;
}

function listenToText() {
	const text = $("text");
	text.addEventListener("click", (e) => {
		const line = lineAt(e.target);
		if (!line)
			return;
		if (e.target.className === "fold" && line.loop)
			fold(line);
		else
			selectLine(line);
		shown.get(line).focus();
	});
	text.addEventListener("dblclick", (e) => {
		const line = lineAt(e.target);
		if (line && line.loop && e.target.className !== "fold")
			fold(line);
	});
	text.addEventListener("keydown", textKeys);
}

function textKeys(e) {
	const line = lineAt(e.target);
	if (!line || e.ctrlKey || e.altKey || e.metaKey)
		return;
	const all = model.lines.filter((l) => l.address !== undefined && !shown.get(l).classList.contains("away")), at = all.indexOf(line);
	const go = (to) => {
		if (to) {
			selectLine(to);
			shown.get(to).focus();
		}
	};
	const keys = {
		ArrowDown: () => go(all[at + 1]),
		ArrowUp: () => go(all[at - 1]),
		Home: () => go(all[0]),
		End: () => go(all[all.length - 1]),
		ArrowRight: () => (line.loop && state.closed.has(line.address) ? fold(line) : line.loop && go(all[at + 1])),
		ArrowLeft: () => (line.loop && !state.closed.has(line.address) ? fold(line) : go(line.parent)),
		Enter: () => (line.loop ? fold(line) : selectLine(line)),
		" ": () => selectLine(line),
	};
	if (keys[e.key]) {
		e.preventDefault();
		e.stopPropagation();
		keys[e.key]();
	}
}
