/*
 * details.js -- what the selection comes to in the run: figures, tables that it looks up, and who sends to whom as a heat map.
 */
const heat = { lanes: [], sum: new Map(), most: 0, cell: 0, left: 0, top: 0, at: null, bytes: false };

/* "370,512 in all, 1,488 each time": of a statement that is executed several times. */
function inAll(total, executions, unit = "") {
	const each = Number(total) / Number(executions), much = Number(executions) > 1 && !model.uneven;
	if (!much || Number(total) === 0)
		return number(total) + unit;
	return `${number(total)}${unit} in all, ${Number.isInteger(each) ? "" : "about "}${number(Math.round(each))} each time`;
}

function lineFacts(line) {
	const rows = [], item = state.selected;
	if (timesOf(line) || (line.loop && item && item.words))
		rows.push([item && isGuard(item) ? "only if" : "iterations", timesOf(line) || item.words.replace(/^if /, "")]);
	if (line.loop && Number(line.executions) > 1)
		rows.push([model.uneven ? "executed up to" : "executed", `${number(line.executions)} times, ${number(line.iterations)} iterations in all`]);
	else if (Number(line.executions) > 1)
		rows.push([model.uneven ? "executed up to" : "executed", `${number(line.executions)} times by each process`]);
	if (item && item.words && !line.loop)
		rows.push(["in short", item.words]);
	if (item && line.loop)
		rows.push(["processes", ranksText(model, item.lanes)]);
	rows.push(["events", inAll(line.events, line.executions)]);
	if (Number(line.messages) > 0) {
		rows.push(["messages", inAll(line.messages, line.executions)]);
		if (line.bytes !== -1)
			rows.push(["bytes", bytesText(Number(line.bytes)) + " in all"]);
	}
	return rows;
}

/* Of what is no statement of the text: constructs left out, events of a band. */
function itemFacts(item) {
	return [["what", plainText(model, item)], ["events", number(item.events)], ["messages", number(item.messages)]];
}

function facts() {
	const item = state.selected, line = state.line;
	if (!item && !line)
		return [["processes", number(model.processes)], ["events", number(model.figures.events)], ["statements", number(model.figures.statements)],
			["loops", number(model.figures.loops)], ["roles", number(model.figures.roles)], ["lines", model.lanes.length + (model.roles && !model.opened ? " (roles)" : model.banded ? " (bands of ranks)" : "")]];
	const rows = [["address", line ? line.address : item.address], ...(line ? lineFacts(line) : itemFacts(item))];
	if (!item)
		rows.push(["picture", "not drawn by itself: it is inside of what is not opened"]);
	if (item && item.site)
		rows.push(["source", item.site]);
	if (item && item.share !== undefined)
		rows.push(["run time", percent(item.share) + " of that of all processes"]);
	if (item && item.multiplicity > 1)
		rows.push(["stands for", number(item.multiplicity) + " constructs alike"]);
	return rows;
}

function button(text, action, pressed) {
	const b = part("button", text);
	b.type = "button";
	b.addEventListener("click", action);
	if (pressed !== undefined)
		b.setAttribute("aria-pressed", pressed);
	return b;
}

function showDetails() {
	const item = state.selected, line = state.line, loop = item && item.kind === LOOP;
	$("selected").textContent = !item && !line ? "Whole run" : `${loop && isCounted(item) ? "Loop " : ""}${line ? line.address : item.address}`;
	$("statement").textContent = line ? line.text : "";
	$("facts").replaceChildren(...facts().flatMap(([name, value]) => [part("dt", name), part("dd", value)]));
	const actions = [];
	if (line && line.loop)
		actions.push(button(state.closed.has(line.address) ? "Unfold" : "Fold", () => fold(line)));
	if (loop && item.inside >= 0 && Number(item.count) > 1)
		actions.push(button("Unroll first iterations", () => unroll(item), Boolean(state.unroll && state.unroll.item === item)));
	if (item)
		actions.push(button("Zoom to it", () => {
			showPanel("picture"); /* where there is one panel at a time */
			zoomTo(item);
		}));
	if (item || line)
		actions.push(button("Whole run", () => select(null)));
	$("actions").replaceChildren(...actions);
	const names = line ? new Set(line.text.match(/\$\w+/g)) : [];
	$("lookups").replaceChildren(...[...names].filter((n) => model.tables.has(n)).map((n) => tableOf(n, model.tables.get(n))));
	showMatrix(line);
}

/* ------------------------------------------------------------------ who sends to whom */

const laneName = (lane) => (lane < 0 ? "elsewhere" : model.lanes[lane].name);
const amount = (pair) => (heat.bytes ? pair[1] : pair[0]);
const amountText = (pair) => `${number(pair[0])} message${pair[0] === 1 ? "" : "s"}` + (pair[1] ? `, ${bytesText(pair[1])}` : "");

function showMatrix(line) {
	heat.sum = messagesOf(model, line);
	for (const key of state.hiding && state.lanes ? [...heat.sum.keys()] : [])
		if (!key.split(",").some((l) => state.lanes.has(Number(l))))
			heat.sum.delete(key);
	heat.lanes = [...new Set([...heat.sum.keys()].flatMap((key) => key.split(",").map(Number)))].sort((a, b) => (a < 0) - (b < 0) || a - b);
	heat.most = Math.max(0, ...[...heat.sum.values()].map(amount));
	heat.at = null;
	const sized = [...heat.sum.values()].some((pair) => pair[1]), none = !heat.sum.size;
	heat.bytes = heat.bytes && sized;
	$("matrix-title").textContent = `Who sends to whom: ${line ? line.address : "whole run"}` + (state.hiding && state.lanes ? `, ranks ${state.ranks}` : "");
	$("unit").replaceChildren(...(sized ? [["Messages", false], ["Bytes", true]].map(([name, bytes]) => button(name, () => {
		heat.bytes = bytes;
		showMatrix(state.line);
	}, heat.bytes === bytes)) : []));
	$("matrix-note").textContent = none ? "No messages." : `Rows send, columns receive; at most ${heat.bytes ? bytesText(heat.most) : number(heat.most)} from one to another.` + (line && Number(line.executions) > 1 ? " All executions." : "");
	$("cell").value = "";
	$("matrix").hidden = $("busiest").hidden = none;
	$("pairs").replaceChildren();
	if ($("busiest").open)
		listPairs();
	drawMatrix();
}

function listPairs() {
	const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody(), most = 100;
	const pairs = [...heat.sum].sort((a, b) => amount(b[1]) - amount(a[1]));
	table.createCaption().textContent = pairs.length > most ? `The ${most} busiest of ${number(pairs.length)} pairs` : "Pairs of processes";
	head.append(...["from", "to", "messages", "bytes"].map((t) => Object.assign(part("th", t), { scope: "col" })));
	for (const [key, pair] of pairs.slice(0, most))
		body.insertRow().append(...key.split(",").map((l) => part("td", laneName(Number(l)))), part("td", number(pair[0])), part("td", pair[1] ? number(pair[1]) : ""));
	$("pairs").replaceChildren(table);
}

/* As large as the panel is wide; names of lines where there is room for them. */
function drawMatrix() {
	const box = $("matrix"), n = heat.lanes.length, width = box.clientWidth, ratio = window.devicePixelRatio || 1;
	if (!n || !width)
		return;
	const names = heat.lanes.map(laneName), longest = Math.max(...names.map((t) => t.length)), c = box.getContext("2d");
	heat.left = Math.min(width * 0.3, longest * 6.2 + 6);
	heat.cell = Math.min(26, (width - heat.left - 1) / n);
	heat.top = longest > 3 ? heat.left : 16;
	const height = heat.top + heat.cell * n + 1;
	box.style.height = height + "px";
	box.width = Math.round(width * ratio);
	box.height = Math.round(height * ratio);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.fillStyle = colours.paper;
	c.fillRect(heat.left, heat.top, heat.cell * n, heat.cell * n);
	heat.lanes.forEach((from, row) => heat.lanes.forEach((to, column) => {
		const pair = heat.sum.get(from + "," + to);
		if (!pair)
			return;
		c.fillStyle = cssColour(heatOf(model.amounts, state.theme === "dark" ? 1 - amount(pair) / heat.most : amount(pair) / heat.most));
		c.fillRect(heat.left + column * heat.cell, heat.top + row * heat.cell, heat.cell, heat.cell);
	}));
	c.strokeStyle = colours.edge;
	c.strokeRect(heat.left, heat.top, heat.cell * n, heat.cell * n);
	c.fillStyle = colours.ink;
	c.font = "11px Helvetica, Arial, sans-serif";
	c.textBaseline = "middle";
	const every = Math.ceil(13 / heat.cell);
	for (let k = 0; k < n; k += every) {
		const at = (k + 0.5) * heat.cell;
		c.textAlign = "right";
		c.fillText(names[k], heat.left - 4, heat.top + at, heat.left - 6);
		c.save();
		c.translate(heat.left + at, heat.top - 4);
		if (longest > 3)
			c.rotate(-Math.PI / 2);
		c.textAlign = longest > 3 ? "left" : "center";
		c.fillText(names[k], 0, longest > 3 ? 0 : -4, longest > 3 ? heat.top - 6 : heat.cell * every);
		c.restore();
	}
	if (heat.at) {
		c.strokeStyle = colours.accent;
		c.lineWidth = 2;
		c.strokeRect(heat.left + heat.at[1] * heat.cell, heat.top + heat.at[0] * heat.cell, heat.cell, heat.cell);
	}
}

/* A cell by its row and column: what it is in words. */
function pointCell(row, column) {
	const n = heat.lanes.length;
	if (!n || row < 0 || column < 0 || row >= n || column >= n)
		return;
	const pair = heat.sum.get(heat.lanes[row] + "," + heat.lanes[column]) || [0, 0];
	heat.at = [row, column];
	$("cell").value = `${laneName(heat.lanes[row])} → ${laneName(heat.lanes[column])}: ${amountText(pair)}`;
	drawMatrix();
}

function listenToMatrix() {
	const box = $("matrix"), steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
	box.addEventListener("pointermove", (e) => pointCell(Math.floor((e.offsetY - heat.top) / heat.cell), Math.floor((e.offsetX - heat.left) / heat.cell)));
	box.addEventListener("pointerdown", (e) => pointCell(Math.floor((e.offsetY - heat.top) / heat.cell), Math.floor((e.offsetX - heat.left) / heat.cell)));
	box.addEventListener("keydown", (e) => {
		const step = steps[e.key];
		if (!step || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		e.stopPropagation();
		if (heat.at)
			pointCell(heat.at[0] + step[0], heat.at[1] + step[1]);
		else
			pointCell(0, 0);
	});
	$("busiest").addEventListener("toggle", () => $("busiest").open && listPairs());
	new ResizeObserver(drawMatrix).observe($("details"));
}
