/*
 * test.mjs -- the page in a real browser: node test.mjs BROWSER PAGE.html [OTHER.html ...]
 *
 * PAGE is of a model with nested loops and several tags. Of the others, tables.html is of one with tables and guards, report.html what `report` writes; those whose names begin with "large" must be quick;
 * all are only walked through for errors and looked over by axe-core. Prints "ok WHY" or "FAILED WHY: what"; screenshots go to the directory TRACENEST_SHOTS, where it is set.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, file, ...others] = process.argv.slice(2);
let address = pathToFileURL(resolve(file)).href;
const browser = await chromium.launch({
	executablePath,
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--process-per-site" /* a process for each page takes longer than all that it is tested for */],
});
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const complaints = [];
let failed = 0;

function check(why, good, what = "") {
	if (!good)
		failed++;
	console.log(good ? `ok ${why}` : `FAILED ${why}: ${what}`);
}

async function shoot(page, name) {
	if (process.env.TRACENEST_SHOTS)
		await page.screenshot({ path: `${process.env.TRACENEST_SHOTS}/${name}.png` });
}

/* The page keeps nothing: those that are opened alike share a context. */
const contexts = new Map();

async function contextOf(options) {
	const key = JSON.stringify(options);
	if (!contexts.has(key)) {
		contexts.set(key, await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options }));
		contexts.get(key).setDefaultTimeout(600000);
	}
	return contexts.get(key);
}

async function openPage(hash = "", options = {}) {
	const page = await (await contextOf(options)).newPage();
	page.on("console", (m) => !/willReadFrequently/.test(m.text()) /* what the tests read back */ && complaints.push(`console: ${m.text()}`));
	page.on("pageerror", (e) => complaints.push(`exception: ${e.message}`));
	page.on("request", (r) => r.url().split("#")[0] !== address && !/^(data|blob):/.test(r.url()) && complaints.push(`request: ${r.url()}`));
	await page.goto(address + hash);
	await frames(page);
	return page;
}

const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const settle = async (page) => {
	await frames(page);
	await page.evaluate(() => new Promise((done) => setTimeout(done, 250))); /* behind the timer of the page that writes the address */
};

/* Pixels of the canvas that are not paper. */
const inked = (page) => page.evaluate(() => {
	const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
	let count = 0;
	for (let i = 0; i < data.length; i += 4)
		count += data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 2] !== data[2];
	return count / (data.length / 4);
});

/* The middle of the heading of a loop, on the screen. */
const headingOf = (page, at) => page.evaluate((a) => {
	const i = byKey.get(a), box = canvas.getBoundingClientRect();
	return {
		x: box.left + (Math.max(mapX(state.map, i.x0), view.x) + 5 - view.x) * view.sx,
		y: box.top + (i.y0 + 3 - view.y) * view.sy,
	};
}, at);

const outer = (page) => page.evaluate(() => model.loops.filter((i) => i.inside >= 0 && model.systems[i.inside].items.some((k) => k.kind === LOOP))
	.sort((a, b) => Number(b.events) - Number(a.events))[0].address);

async function testLoading() {
	const page = await openPage();
	check("the picture is drawn", (await inked(page)) > 0.02, `${await inked(page)} of the canvas is inked`);
	check("the title is that of the model", (await page.textContent("#title")).length > 0);
	check("the program is there, line by line", (await page.locator('[role="treeitem"]').count()) === (await page.evaluate(() => model.lineOf.size)));
	check("every statement of the picture has its line", await page.evaluate(() => model.items.every((i) => i.kind === CUT || model.lineOf.has(i.address))));
	await shoot(page, "load");
	await page.close();
}

async function testZooming() {
	const page = await openPage();
	const box = await page.locator("#canvas").boundingBox(), x = Math.round(box.x + box.width * 0.6), y = Math.round(box.y + box.height * 0.4);
	const at = () => page.evaluate(([px, py]) => [view.x + px / view.sx, view.y + py / view.sy, view.sx], [x - box.x, y - box.y]);
	const before = await at();
	await page.mouse.move(x, y);
	await page.mouse.wheel(0, -300);
	await frames(page);
	const after = await at();
	check("the wheel zooms in", after[2] > before[2] * 1.2, `${before[2]} to ${after[2]}`);
	check("... around the pointer", Math.abs(after[0] - before[0]) < 0.5 && Math.abs(after[1] - before[1]) < 0.5, `${before} to ${after}`);
	await page.mouse.down();
	await page.mouse.move(x - 90, y - 20, { steps: 4 });
	await page.mouse.up();
	const dragged = await at();
	check("dragging moves what is under the pointer along", Math.abs((dragged[0] - after[0]) * after[2] - 90) < 2, `${(dragged[0] - after[0]) * after[2]} pixels`);
	await page.focus("#canvas");
	await page.keyboard.press("+");
	check("+ zooms in", (await at())[2] > dragged[2]);
	await page.keyboard.press("0");
	await frames(page);
	check("0 fits", Math.abs((await at())[2] - before[2]) < 1e-6);
	await page.keyboard.press("ArrowLeft");
	check("arrows move", (await page.evaluate(() => moved)) === true);
	await page.close();
}

/* Nothing waits for a frame: with none at all, the picture is there. */
async function testFirstPaint() {
	const page = await (await contextOf({})).newPage();
	await page.addInitScript(() => (window.requestAnimationFrame = () => 0));
	await page.goto(address);
	check("painted before the first frame", (await inked(page)) > 0.02);
	await page.close();
}

const closed = (page) => page.evaluate(() => [...state.closed].join());
const selected = (page) => page.evaluate(() => state.line && state.line.address);

async function testFolding() {
	const page = await openPage(), loop = await outer(page);
	const width = () => page.evaluate(() => state.map.width);
	const before = await width(), at = await headingOf(page, loop), line = page.locator(`[data-line="${await page.evaluate((a) => model.lineOf.get(a).number, loop)}"]`);
	await page.mouse.click(at.x, at.y);
	await settle(page);
	check("a click on a box selects it, and folds nothing", (await selected(page)) === loop && (await closed(page)) === "");
	check("... and its line in the program, which is scrolled to", (await line.getAttribute("aria-selected")) === "true" && (await line.evaluate((e) => {
		const box = e.getBoundingClientRect(), panel = document.getElementById("program").getBoundingClientRect();
		return box.top >= panel.top - 1 && box.bottom <= panel.bottom + 1;
	})));
	await page.mouse.dblclick(at.x, at.y);
	await settle(page);
	check("a double click folds it", (await closed(page)) === loop && (await width()) <= before, `${await closed(page)}, width ${before} to ${await width()}`);
	check("... and the program", (await line.getAttribute("aria-expanded")) === "false" && (await page.locator("#text .away").count()) > 0);
	await shoot(page, "fold");
	const again = await headingOf(page, loop);
	await page.mouse.dblclick(again.x, again.y);
	await frames(page);
	check("another one unfolds it", (await closed(page)) === "" && (await width()) === before && (await page.locator("#text .away").count()) === 0);
	await page.evaluate(() => select(null));
	await page.evaluate(() => zoom(6, 0, 0));
	await line.click();
	check("a click on the line selects the box", (await page.evaluate((a) => state.selected.address === a && state.same.has(state.selected.id), loop)));
	check("... and moves it into the picture", await page.evaluate(() => {
		const { x0, x1 } = extent(state.selected);
		return (x0 - view.x) * view.sx < size.width && (x1 - view.x) * view.sx > 0;
	}));
	await line.dblclick();
	check("a double click on the line folds", (await closed(page)) === loop);
	await page.focus("#canvas");
	await page.keyboard.press("Enter");
	check("Enter unfolds what is selected", (await closed(page)) === "");
	await page.keyboard.press("z");
	await frames(page);
	const part = await page.evaluate(() => {
		const { x0, x1, y0, y1 } = extent(state.selected);
		return [((x1 - x0) * view.sx) / size.width, ((y1 - y0) * view.sy) / size.height, (x0 - view.x) * view.sx, size.width - (x1 - view.x) * view.sx];
	});
	check("z zooms to it: it fills the picture and is whole", Math.max(part[0], part[1]) > 0.6 && part[2] > 0 && part[3] > 0, part.join(" "));
	await page.keyboard.press("0");
	await page.keyboard.press("u");
	await frames(page);
	check("u unrolls", (await page.evaluate(() => state.unroll && state.map.room > 0)) === true);
	await shoot(page, "unroll");
	await page.keyboard.press("u");
	check("... and back", (await page.evaluate(() => state.unroll)) === null);
	const over = await headingOf(page, loop);
	await page.mouse.move(over.x, over.y);
	const tip = await page.textContent("#tip");
	check("hovering tells address, iterations, processes, events and messages", tip.startsWith(loop + ":") && /iterations/.test(tip) && /processes/.test(tip) && /events/.test(tip) && /messages/.test(tip), tip);
	await page.close();
}

/* What is found by a query: lines of the program, and how many items are marked. */
async function find(page, query) {
	await page.fill("#query", query);
	await frames(page);
	return page.evaluate(() => ({ lines: found.map((l) => l.text), hits: state.hits.size, told: document.getElementById("found").value }));
}

async function testSearching() {
	const page = await openPage();
	await page.focus("#canvas");
	await page.keyboard.press("/");
	check("/ goes to the search field", (await page.evaluate(() => document.activeElement.id)) === "query");
	const all = await page.evaluate(() => model.lines.filter((l) => l.address !== undefined).map((l) => l.text));
	for (const [query, is] of [["send", / send /], ["x+1", /x\+1\b/], ["tag3", /tag3\b/], ["p send tag1", /p send .* tag1\b/], ["allreduce", /MPI_Allreduce/], ["10 ×", /= 0 to 9\b/]]) {
		const { lines, hits, told } = await find(page, query), wanted = all.filter((t) => is.test(t));
		check(`"${query}" is found`, wanted.length > 0 && lines.join("\n") === wanted.join("\n") && hits > 0 && told === `${wanted.length} found`, `${told}: ${lines.join("; ")}`);
		check("... and marked in the program", (await page.locator("#text .hit").count()) === wanted.length);
	}
	const rank = await find(page, "rank 1");
	check("a rank is found where it takes part", rank.hits > 0 && (await page.evaluate(() => [...state.hits].every((id) => model.items[id].lanes.includes(1)))) === true);
	await find(page, "send");
	await page.press("#query", "Enter");
	check("Enter selects what was found", (await page.textContent("#found")).startsWith("1 of") && / send /.test(await page.evaluate(() => state.line.text)));
	const first = await selected(page);
	await page.click('[data-do="next"]');
	check("... and so does the button, the next", (await selected(page)) !== first && (await page.textContent("#found")).startsWith("2 of"));
	await shoot(page, "search");
	const inner = await page.evaluate(() => model.loops.find((i) => i.address.includes(".")).address);
	await page.fill("#query", inner);
	await page.press("#query", "Enter");
	check("an address is found", (await selected(page)) === inner);
	check("what is not there is said to be not there", /nothing/.test((await find(page, "no such thing")).told));
	await page.close();
}

async function testRanks() {
	const page = await openPage();
	const names = () => page.evaluate(() => {
		const painter = new SvgPainter(size.width, size.height, "#fff"), drawing = new Drawing(model, state, painter, view, size, colours);
		drawing.all();
		return painter.out.filter((t) => /text-anchor="end"/.test(t)).map((t) => />(.*)</.exec(t)[1]).join();
	});
	const high = () => page.evaluate(() => heightNow());
	const before = await high();
	check("all lines have their names", (await names()) === "0,1,2,3", await names());
	await page.fill("#ranks", "1-2");
	await frames(page);
	check("other ranks are hidden, their names and their room, too", (await names()) === "1,2" && (await high()) < 0.9 * before, `${await names()}, ${before} to ${await high()}`);
	check("... and what only they do", (await page.evaluate(() => model.items.some((i) => state.gone[i.id]) && model.items.every((i) => state.gone[i.id] === !i.lanes.some((l) => l === 1 || l === 2)))) === true);
	await shoot(page, "hidden");
	await page.click("#hide");
	check("or dimmed", (await names()) === "0,1,2,3" && (await high()) === before && (await page.evaluate(() => state.lanes.size)) === 2);
	await page.fill("#ranks", "1-");
	check("a set of ranks that is none is marked", (await page.getAttribute("#ranks", "aria-invalid")) === "true");
	await page.fill("#ranks", "99");
	check("... and said to be none", (await page.evaluate(() => $("ranks-said").value)) === "no such rank: they are 0 to 3");
	await page.fill("#ranks", "1");
	await frames(page);
	check("the matrix is that of the ranks shown", await page.evaluate(() => !state.hiding || [...heat.sum.keys()].every((k) => k.split(",").includes("1"))));
	await page.evaluate(() => { $("matrix").hidden = true; });
	check("what is hidden is not seen", !(await page.isVisible("#matrix")));
	check("loops are counted once", await page.evaluate(() => $("subtitle").textContent.includes(`, ${model.figures.loops} loop`) && $("facts").textContent.includes(`loops${model.figures.loops}`)));
	await page.close();
}

async function testMatrix() {
	const page = await openPage(), loop = await outer(page);
	const sum = () => page.evaluate(() => [...heat.sum.values()].reduce((n, [messages]) => n + messages, 0));
	const whole = await page.evaluate(() => model.lines.filter((l) => l.address !== undefined && !l.parent).reduce((n, l) => n + Number(l.messages), 0));
	check("the matrix of the whole run holds all messages", (await sum()) === whole && whole > 0, `${await sum()} of ${whole}`);
	const inner = await page.evaluate((a) => model.lines.find((l) => l.loop && l.parent && l.parent.address === a).number, loop);
	await page.click(`[data-line="${inner}"]`);
	const line = await page.evaluate((n) => model.lines[n], inner), fact = await page.textContent("#facts");
	const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	check("the matrix of an inner loop holds its messages in all iterations of the outer one", (await sum()) === line.messages, `${await sum()} of ${line.messages}`);
	check("... which stand beside those of one", fact.includes(`${grouped(line.messages)} in all, ${grouped(line.messages / line.executions)} each time`) && line.executions > 1, fact);
	const fits = () => page.evaluate(() => {
		const box = document.getElementById("matrix"), n = heat.lanes.length;
		return box.clientWidth <= document.getElementById("details").clientWidth && heat.left + n * heat.cell <= box.clientWidth + 1 && heat.top + n * heat.cell <= box.clientHeight + 1;
	});
	check("it fits its panel", await fits());
	const one = await page.evaluate(() => [...heat.sum][0]), [row, column] = one[0].split(",").map(Number);
	const box = await page.locator("#matrix").boundingBox(), at = await page.evaluate(([r, c]) => [heat.left + (heat.lanes.indexOf(c) + 0.5) * heat.cell, heat.top + (heat.lanes.indexOf(r) + 0.5) * heat.cell], [row, column]);
	await page.mouse.move(box.x + at[0], box.y + at[1]);
	check("a cell tells its pair: rows send", (await page.textContent("#cell")).startsWith(`${row} → ${column}: ${grouped(one[1][0])} message`), await page.textContent("#cell"));
	await page.focus("#matrix");
	await page.keyboard.press("ArrowLeft");
	check("arrows go from cell to cell", /→/.test(await page.textContent("#cell")));
	await page.click("#busiest summary");
	await frames(page);
	check("it is there as a table", (await page.locator("#pairs tbody tr").count()) === (await page.evaluate(() => heat.sum.size)));
	const wide = () => page.evaluate(() => document.getElementById("details").clientWidth), before = await wide();
	await page.focus("#handle-details");
	await page.keyboard.press("ArrowLeft");
	check("panels are widened by keys", (await wide()) > before + 20);
	const handle = await page.locator("#handle-program").boundingBox();
	await page.mouse.move(handle.x + 3, handle.y + 200);
	await page.mouse.down();
	await page.mouse.move(handle.x + 103, handle.y + 200, { steps: 3 });
	await page.mouse.up();
	const moved = await page.locator("#handle-program").boundingBox();
	check("... and by dragging", Math.abs(moved.x - handle.x - 100) < 8, `${handle.x} to ${moved.x}`);
	check("... and the heat map with them", await fits());
	await page.close();
}

async function testTables() {
	address = pathToFileURL(resolve(others.find((o) => o.endsWith("tables.html")))).href;
	const page = await openPage();
	await page.click("text=send 0 tag3");
	check("one of those that a table names: said so", /one →0/.test(await page.textContent("#facts")), await page.textContent("#facts"));
	await page.click("text=p send $w[i0]");
	check("... and at the other end", /→one of 1-7/.test(await page.textContent("#facts")), await page.textContent("#facts"));
	check("... with the table", /Table \$w/.test(await page.textContent("#lookups")));
	await page.click("#text >> text=if {i0%7}");
	check("a guarded part with its guard", /only if/.test(await page.textContent("#facts")) && (await page.evaluate(() => state.selected.kind === LOOP && isGuard(state.selected))) === true, await page.textContent("#facts"));
	const words = await page.evaluate(() => model.items.filter((i) => i.words).map((i) => i.words).join("; "));
	check("the picture has both", /one of 1-7/.test(words) && /if \{i0%7\}/.test(words), words);
	for (const query of ["solve.c:203", "solve.c:203 solve"]) {
		const site = await find(page, query);
		check(`a place in the source is found: ${query}`, site.lines.length === 1 && /MPI_Barrier/.test(site.lines[0]) && site.hits > 0, JSON.stringify(site));
	}
	await shoot(page, "tables");
	await page.close();
	address = pathToFileURL(resolve(file)).href;
}

async function testSmallScreen() {
	const page = await openPage("", { viewport: { width: 390, height: 800 }, hasTouch: true });
	const over = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
	check("390 pixels are wide enough", (await over()) <= 0 && (await inked(page)) > 0.02, `${await over()} pixels over`);
	await page.tap('#panels [data-panel="program"]');
	check("the program has a panel of its own", (await page.isVisible("#text")) && !(await page.isVisible("#canvas")) && (await over()) <= 0);
	const loop = await outer(page);
	await page.tap(`[data-line="${await page.evaluate((a) => model.lineOf.get(a).number, loop)}"]`);
	await page.tap('#panels [data-panel="details"]');
	check("... and so has the selection", (await page.textContent("#selected")).includes(loop) && (await page.isVisible("#matrix")) && (await over()) <= 0);
	await shoot(page, "small-details");
	await page.tap('#panels [data-panel="picture"]');
	await settle(page);
	check("... which is in the picture then", (await page.evaluate(() => size.width > 300 && (extent(state.selected).x1 - view.x) * view.sx > 0 && (extent(state.selected).x0 - view.x) * view.sx < size.width)) && (await inked(page)) > 0.02,
		await page.evaluate(() => JSON.stringify([size, view, extent(state.selected)])));
	await shoot(page, "small");
	await page.close();
}

/* By axe-core (https://github.com/dequelabs/axe-core), in the states that the page has. */
async function testAccessibility(name, hash = "", options = {}, prepare = async () => {}) {
	const page = await openPage(hash, { bypassCSP: true, ...options });
	await prepare(page);
	await page.evaluate(axe);
	const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`));
	check(`axe-core finds nothing: ${name}`, found.length === 0, found.join("; "));
	await page.close();
}

async function testStates() {
	await testAccessibility("as it opens");
	const loop = await openPage().then(async (p) => [await outer(p), await p.close()][0]);
	await testAccessibility("selected, found, folded", `#select=${loop}&fold=${loop}&find=send&ranks=0-1&theme=light`);
	await testAccessibility("dark", `#select=${loop}&find=send&theme=dark`);
	await testAccessibility("keys", "", {}, (p) => p.click('[data-do="help"]'));
	await testAccessibility("tables open", `#select=${loop}`, {}, (p) => p.click("#busiest summary"));
	for (const panel of ["program", "picture", "details"])
		await testAccessibility(`small, ${panel}`, `#select=${loop}`, { viewport: { width: 390, height: 800 } }, (p) => p.click(`#panels [data-panel="${panel}"]`));
}

async function testAddress() {
	const page = await openPage(), loop = await outer(page);
	const inner = await page.evaluate((a) => model.loops.find((i) => i.address.startsWith(a + ".")).address, loop);
	await page.click(`[data-line="${await page.evaluate((a) => model.lineOf.get(a).number, inner)}"]`);
	await page.focus("#canvas");
	await page.keyboard.press("Enter");
	await page.keyboard.press("+");
	await page.fill("#query", "tag");
	await page.fill("#ranks", "0");
	await settle(page);
	const hash = await page.evaluate(() => location.hash);
	const told = (p) => p.evaluate(() => JSON.stringify([view.x, view.y, view.sx, view.sy].map((v) => v.toPrecision(4)).concat([...state.closed], state.selected.key, state.query, state.ranks, state.hiding)));
	const other = await openPage(hash);
	check("a view can be shared by its address", (await told(page)) === (await told(other)), `${hash}: ${await told(page)} and ${await told(other)}`);
	for (const bad of ["#fold=,,9.9,x&view=1,2&unroll=77&select=%22%3Cb%3E", "#view=NaN,Infinity,0,-1", "#find=%E0%A4%A", "#%%%&&==", "#ranks=5-&theme=red"]) {
		const p = await openPage(bad);
		check(`a broken address does no harm (${bad})`, (await inked(p)) > 0.01);
		await p.close();
	}
	await page.close();
	await other.close();
}

async function testKeyboard() {
	const page = await openPage();
	await page.focus('[role="tree"] [tabindex="0"]');
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	check("the program is walked with the arrows", (await page.evaluate(() => state.line && document.activeElement === shown.get(state.line) && state.line === model.lines.filter((l) => l.address !== undefined)[2])) === true);
	await page.keyboard.press("End");
	check("... to its end", (await page.evaluate(() => state.line === model.lines.filter((l) => l.address !== undefined).pop())) === true);
	await page.evaluate((a) => selectLine(model.lineOf.get(a)), await outer(page));
	await page.focus('[role="tree"] [tabindex="0"]');
	await page.keyboard.press("ArrowLeft");
	check("left folds", (await closed(page)) === (await outer(page)));
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	check("right unfolds, then goes in", (await closed(page)) === "" && (await selected(page)).startsWith((await outer(page)) + "."));
	await page.keyboard.press("ArrowLeft");
	check("left goes out", [await outer(page)].includes(await selected(page)) || (await closed(page)) !== "");
	await page.focus("#canvas");
	await page.keyboard.press("]");
	check("brackets go from loop to loop, and it is said", (await page.textContent("#status")).length > 0);
	await page.keyboard.press("?");
	check("? lists the keys", await page.isVisible("#help"));
	await shoot(page, "keys");
	await page.keyboard.press("Escape");
	check("Escape closes the list", !(await page.isVisible("#help")));
	const before = await page.evaluate(() => state.theme);
	await page.focus("#canvas");
	await page.keyboard.press("t");
	check("t changes the theme", (await page.evaluate(() => state.theme)) !== before);
	await page.keyboard.press("l");
	check("l shows the tags", (await page.getAttribute('[data-do="tags"]', "aria-pressed")) === "true");
	const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, [role], canvas, nav, aside")].filter((e) => !e.closest("[hidden]") &&
		!(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.labels?.length || ["tooltip", "status", "group"].includes(e.getAttribute("role")))).map((e) => e.outerHTML.slice(0, 80)));
	check("everything has a name for screen readers", nameless.length === 0, nameless.join(" "));
	const tabs = new Set();
	for (let i = 0; i < 40; i++) {
		await page.keyboard.press("Tab");
		tabs.add(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.do || document.activeElement.getAttribute("role") || document.activeElement.tagName));
	}
	check("the tab key reaches everything", ["query", "before", "next", "ranks", "hide", "fit", "zoom", "in", "out", "tags", "export", "theme", "help", "treeitem", "handle-program", "canvas", "legend", "handle-details", "details", "matrix", "SUMMARY"].every((t) => tabs.has(t)), [...tabs].join(" "));
	await page.close();
}

async function testSaving() {
	const page = await openPage("", { acceptDownloads: true });
	const [download] = await Promise.all([page.waitForEvent("download"), page.click('[data-do="export"]')]);
	const svg = await readFile(await download.path(), "utf8");
	const parsed = await page.evaluate((text) => {
		const d = new DOMParser().parseFromString(text, "image/svg+xml");
		return { bad: d.querySelectorAll("parsererror").length, texts: d.querySelectorAll("text").length, paths: d.querySelectorAll("path").length };
	}, svg);
	check("the view is saved as SVG, text as text", parsed.bad === 0 && parsed.texts > 3 && parsed.paths > 0, JSON.stringify(parsed));
	check("the file is named after the model", download.suggestedFilename().endsWith(".svg"));
	await page.close();
}

async function testThemes() {
	const page = await openPage("", { colorScheme: "dark" });
	check("dark where the system is", (await page.evaluate(() => state.theme)) === "dark" && (await inked(page)) > 0.02);
	await shoot(page, "dark");
	await page.close();
	const narrow = await openPage("", { viewport: { width: 700, height: 500 } });
	check("drawn in a small window", (await inked(narrow)) > 0.02);
	await narrow.close();
}

/* Frame after frame while it scrolls and zooms; the time of the processor that one takes, painting it and all, since machines are shared. */
async function testSpeed(page, name) {
	const client = await page.context().newCDPSession(page);
	await client.send("Performance.enable", { timeDomain: "threadTicks" });
	const busy = async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
	const steps = [["zooming", "zoom(i % 20 < 10 ? 1.25 : 0.8, size.width / 2, size.height / 2)"], ["scrolling", "pan(i % 20 < 10 ? 37 : -37, 0)"], ["scrolling far in", "(i || zoom(20, size.width / 2, size.height / 2), pan(i % 20 < 10 ? 137 : -137, 0))"]];
	for (const [what, step] of steps) {
		await page.evaluate("fit()");
		await frames(page);
		const before = await busy();
		const longest = await page.evaluate(`(async () => {
			let longest = 0;
			for (let i = 0; i < 20; i++) {
				${step};
				await new Promise((done) => requestAnimationFrame(done));
				const start = performance.now();
				context.getImageData(0, 0, 1, 1); /* what was drawn has to be there */
				longest = Math.max(longest, state.took + performance.now() - start);
			}
			return longest;
		})()`);
		const mean = ((await busy()) - before) * 50;
		check(`${name}, ${what}: a frame below 50 ms`, mean < 50, `${mean.toFixed(1)} ms`);
		console.log(`note ${name}, ${what}: ${mean.toFixed(1)} ms a frame, the longest ${longest.toFixed(1)} ms by the clock, ${await page.evaluate("model.items.length")} items`);
	}
}

for (const test of [testLoading, testFirstPaint, testZooming, testFolding, testSearching, testRanks, testMatrix, testTables, testSmallScreen, testStates, testAddress, testKeyboard, testSaving, testThemes]) {
	try {
		await test();
	} catch (e) {
		check(test.name, false, e.message.split("\n").slice(0, 3).join(" "));
	}
}
/* What is written on the canvas, as it is painted: labels that overlap, by their own measure. */
const overlapping = (page) => page.evaluate(() => new Promise((done) => {
	const proto = CanvasRenderingContext2D.prototype, paint = proto.fillText, said = [];
	proto.fillText = function (text, x, y) {
		if (this === canvas.getContext("2d")) {
			const wide = this.measureText(text).width, left = x - { left: 0, right: wide, center: wide / 2 }[this.textAlign], half = parseFloat(this.font) * 0.4;
			said.push([left + 0.5, left + wide - 0.5, y - half, y + half, text]);
		}
		paint.apply(this, arguments);
	};
	change(true);
	requestAnimationFrame(() => requestAnimationFrame(() => {
		proto.fillText = paint;
		const over = (a, b) => a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
		done([said.length, said.flatMap((a, i) => said.slice(0, i).filter((b) => over(a, b)).map((b) => `${a[4]} | ${b[4]}`))]);
	}));
}));

/* Every key, on models at the edge of what there is. */
for (const other of others) {
	const before = complaints.length;
	address = pathToFileURL(resolve(other)).href;
	if (other.endsWith("report.html")) {
		await testAccessibility("what report writes");
		continue;
	}
	const page = await openPage();
	const large = /large[^/]*$/.test(other), [written, over] = await overlapping(page);
	check(`${other.replace(/.*\//, "")}: no label on another`, over.length === 0 && (written > 0 || other.endsWith("none.html")), `${written} labels, ${over.slice(0, 5).join("; ")}`);
	for (const key of large ? ["]", "Enter"] : ["]", "]", "Enter", "u", "u", "Enter", "[", "+", "-", "l", "t", "n", "p", "ArrowLeft", "Escape", "0"]) {
		await page.focus("#canvas");
		await page.keyboard.press(key);
	}
	await page.fill("#query", "0");
	await page.press("#query", "Enter");
	await settle(page);
	await shoot(page, other.replace(/.*\//, ""));
	if (large)
		await testSpeed(page, other.replace(/.*\/|\.html$/g, ""));
	check(`${other.replace(/.*\//, "")}: walked through`, complaints.length === before, complaints.slice(before).join("; "));
	await page.close();
}
check("no error and no request to the network", complaints.length === 0, complaints.slice(0, 5).join("; "));
await browser.close();
process.exit(failed ? 1 : 0);
