/*
 * paint.js -- what is seen of a layout, on a canvas or as SVG: the same drawing for two painters.
 *
 * Strokes of one style are collected and painted together, but not too many: a path gets slower the more of it overlaps. Far out, arrows lose their heads and texts their room, but
 * every box, arrow and collective leaves a stroke.
 */
const SHADES = {
	light: ["#f3f3f3", "#e6e6e6", "#d9d9d9", "#cccccc", "#bfbfbf"],
	dark: ["#23262a", "#2d3136", "#383d43", "#43494f", "#4e555c"],
};
const DASHES = { solid: [], dashed: [5, 3], dotted: [1.5, 2.5] };

/* Of a tag's id, or of none. */
function lookOf(m, theme, tag) {
	const look = m.looks.get(m.tags[tag] ? m.tags[tag][1] : -1);
	return look ? { colour: look[theme], dash: DASHES[look.style] } : { colour: theme === "dark" ? "#999999" : "#777777", dash: [] };
}

/* The colour at a place of the scale, from 0 to 1, as [red, green, blue]. */
function heatOf(scale, share) {
	const place = Math.min(1, share) * (scale.length - 1), below = Math.min(scale.length - 2, Math.floor(place));
	return [16, 8, 0].map((shift) => {
		const [a, b] = [below, below + 1].map((k) => (scale[k] >> shift) & 255);
		return Math.round(a + (b - a) * (place - below));
	});
}

function tintOf(heat, theme) {
	const paper = theme === "dark" ? [23, 25, 28] : [255, 255, 255];
	return heat.map((c, i) => Math.round(0.25 * c + 0.75 * paper[i]));
}

const cssColour = (rgb) => `rgb(${rgb.join(",")})`;
const inkOn = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#ffffff");

const STROKES = 60; /* in a path */

class CanvasPainter {
	constructor(context) {
		this.c = context;
		this.strokes = new Map();
		this.fills = new Map();
	}
	rect(x, y, w, h, fill, stroke, dash, width) {
		this.c.fillStyle = fill;
		this.c.fillRect(x, y, w, h);
		if (!stroke)
			return;
		this.c.strokeStyle = stroke;
		this.c.lineWidth = width;
		this.c.setLineDash(dash);
		this.c.strokeRect(x, y, w, h);
	}
	path(colour, width, dash, alpha) {
		const key = colour + width + dash + alpha;
		let s = this.strokes.get(key);
		if (!s)
			this.strokes.set(key, (s = { paths: [], used: 0, colour, width, dash, alpha }));
		return this.next(s);
	}
	fill(colour, alpha) {
		const key = colour + alpha;
		let s = this.fills.get(key);
		if (!s)
			this.fills.set(key, (s = { paths: [], used: 0, colour, alpha }));
		return this.next(s);
	}
	next(style) {
		if (style.used++ % STROKES === 0)
			style.paths.push(new Path2D());
		return style.paths[style.paths.length - 1];
	}
	flush() {
		for (const s of this.strokes.values()) {
			this.c.globalAlpha = s.alpha;
			this.c.strokeStyle = s.colour;
			this.c.lineWidth = s.width;
			this.c.setLineDash(s.dash);
			s.paths.forEach((path) => this.c.stroke(path));
		}
		for (const s of this.fills.values()) {
			this.c.globalAlpha = s.alpha;
			this.c.fillStyle = s.colour;
			s.paths.forEach((path) => this.c.fill(path));
		}
		this.c.globalAlpha = 1;
		this.strokes.clear();
		this.fills.clear();
	}
	text(x, y, string, size, colour, align, halo) {
		this.c.font = size + FONT;
		this.c.textAlign = align;
		this.c.textBaseline = "middle";
		if (halo) {
			this.c.strokeStyle = halo;
			this.c.lineWidth = 3;
			this.c.lineJoin = "round";
			this.c.setLineDash([]);
			this.c.strokeText(string, x, y);
		}
		this.c.fillStyle = colour;
		this.c.fillText(string, x, y);
	}
	clip(x, y, w, h) {
		this.c.save();
		this.c.beginPath();
		this.c.rect(x, y, w, h);
		this.c.clip();
	}
	unclip() {
		this.c.restore();
	}
}

function svgEscape(text) {
	return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}

class SvgPath {
	constructor() {
		this.d = "";
	}
	moveTo(x, y) {
		this.d += `M${x.toFixed(1)} ${y.toFixed(1)}`;
	}
	lineTo(x, y) {
		this.d += `L${x.toFixed(1)} ${y.toFixed(1)}`;
	}
	bezierCurveTo(a, b, c, d, x, y) {
		this.d += "C" + [a, b, c, d, x, y].map((v) => v.toFixed(1)).join(" ");
	}
	arc(x, y, r) {
		this.d += `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
	}
	closePath() {
		this.d += "Z";
	}
}

class SvgPainter {
	constructor(width, height, paper) {
		this.width = width;
		this.height = height;
		this.out = [`<rect width="${width}" height="${height}" fill="${paper}"/>`];
		this.strokes = new Map();
		this.fills = new Map();
		this.clips = 0;
	}
	rect(x, y, w, h, fill, stroke, dash, width) {
		this.out.push(`<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}" fill="${fill}"` +
			(stroke ? ` stroke="${stroke}" stroke-width="${width}"` + (dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "") : "") + "/>");
	}
	path(colour, width, dash, alpha) {
		const key = colour + width + dash + alpha;
		if (!this.strokes.has(key))
			this.strokes.set(key, { path: new SvgPath(), colour, width, dash, alpha });
		return this.strokes.get(key).path;
	}
	fill(colour, alpha) {
		const key = colour + alpha;
		if (!this.fills.has(key))
			this.fills.set(key, { path: new SvgPath(), colour, alpha });
		return this.fills.get(key).path;
	}
	flush() {
		for (const s of this.strokes.values())
			this.out.push(`<path d="${s.path.d}" fill="none" stroke="${s.colour}" stroke-width="${s.width}" opacity="${s.alpha}"` +
				(s.dash.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : "") + "/>");
		for (const s of this.fills.values())
			this.out.push(`<path d="${s.path.d}" fill="${s.colour}" opacity="${s.alpha}"/>`);
		this.strokes.clear();
		this.fills.clear();
	}
	text(x, y, string, size, colour, align) {
		const anchor = { left: "start", right: "end", center: "middle" }[align];
		this.out.push(`<text x="${x.toFixed(1)}" y="${(y + size * 0.35).toFixed(1)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}">${svgEscape(string)}</text>`);
	}
	clip(x, y, w, h) {
		const id = "clip" + ++this.clips;
		this.out.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#${id})">`);
	}
	unclip() {
		this.out.push("</g>");
	}
	finish(title) {
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" ` +
			`font-family="Helvetica, Arial, sans-serif"><title>${svgEscape(title)}</title>\n${this.out.join("\n")}\n</svg>\n`;
	}
}

const FONT = "px Helvetica, Arial, sans-serif";
const measuring = { context: document.createElement("canvas").getContext("2d"), known: new Map() };

/* How wide a text comes out, measured once at a size at which rounding does not matter. */
function textWidth(string, size) {
	let wide = measuring.known.get(string);
	if (wide === undefined) {
		measuring.context.font = 100 + FONT;
		wide = measuring.context.measureText(string).width / 100;
		if (measuring.known.size > 20000)
			measuring.known.clear();
		measuring.known.set(string, wide);
	}
	return wide * size;
}

/* Who comes first has the room: is there any for a label? */
class Room {
	constructor() {
		this.cells = new Map(); /* of 48 times 16 pixels: what reaches into them */
	}
	take([x, y, string, size, , align]) {
		const wide = textWidth(string, size), left = x - { left: 0, right: wide, center: wide / 2 }[align], right = left + wide, top = y - size * 0.45, below = y + size * 0.45;
		const keys = [];
		for (let row = Math.floor(top / 16); row <= Math.floor(below / 16); row++)
			for (let column = Math.floor(left / 48); column <= Math.floor(right / 48); column++)
				keys.push(row * 65536 + column);
		if (keys.some((key) => (this.cells.get(key) || []).some((b) => left < b[1] && b[0] < right && top < b[3] && b[2] < below)))
			return false;
		for (const key of keys)
			this.cells.set(key, [...(this.cells.get(key) || []), [left, right, top, below]]);
		return true;
	}
}

/*
 * One drawing. view: { x, y, sx, sy } (layout to pixels), size: { width, height }, scene: what is folded, selected, ... (see page.js).
 */
class Drawing {
	constructor(model, state, painter, view, size, colours) {
		this.m = model;
		this.s = state;
		this.p = painter;
		this.v = view;
		this.size = size;
		this.k = colours;
		this.font = fontAt(view);
		this.offset = 0;
		this.far = model.column * view.sx < 3;
		this.met = new Set();
	}
	x(x, behind) {
		return (mapX(this.s.map, x, behind) + this.offset - this.v.x) * this.v.sx;
	}
	y(y) {
		return (mapY(this.s.rows, y) - this.v.y) * this.v.sy;
	}
	seen(a, b) {
		return b >= -20 && a <= this.size.width + 20;
	}
	/* Boxes from the outermost in, then all strokes. */
	all() {
		this.labels = [];
		this.bundles = [];
		this.boxes(0);
		this.eachCopy((item) => this.boxes(item.inside));
		this.lines();
		this.strokes(0);
		this.eachCopy((item) => this.strokes(item.inside));
		this.p.flush();
		const room = new Room();
		this.labels.filter((l) => room.take(l)).forEach((l) => this.p.text(...l));
		this.margin();
	}
	/* The second and later iterations of the unrolled loop. */
	eachCopy(draw) {
		if (!this.s.map.room)
			return;
		const item = this.s.unroll.item;
		for (let j = 1; j < this.s.unroll.count; j++) {
			this.offset = j * this.s.map.body;
			if (draw.length)
				this.separator(item, j);
			draw(item);
			this.offset = 0;
		}
	}
	separator(item, j) {
		const x = this.x(item.x0), path = this.p.path(this.k.edge, 1, [2, 3], 1);
		path.moveTo(x, this.y(item.y0));
		path.lineTo(x, this.y(item.y1));
		const label = [x + 3, this.y(item.y0) + this.font * 0.8, "iteration " + (j + 1), this.font, this.k.faint, "left"];
		if (this.s.map.body * this.v.sx > 5.5 * this.font && !this.labels.some((l) => l[0] === label[0] && l[2] === label[2]))
			this.labels.push(label);
	}
	isShown(lane) {
		return !this.s.hiding || !this.s.lanes || this.s.lanes.has(lane);
	}
	alphaOf(item) {
		return !this.s.lanes || this.s.hiding || item.lanes.some((l) => this.s.lanes.has(l)) ? 1 : 0.12;
	}
	boxes(id) {
		for (const i of this.m.systems[id].items) {
			if ((i.kind !== LOOP && i.kind !== BLOCK) || this.s.gone[i.id])
				continue;
			const x0 = this.x(i.x0), x1 = this.x(i.x1, true);
			if (!this.seen(x0, x1))
				continue;
			this.frame(i, x0, Math.max(x1, x0 + 1.5));
			if (i.kind === LOOP && i.inside >= 0 && !this.s.folded.has(i.id))
				this.boxes(i.inside);
		}
	}
	frame(i, x0, x1) {
		const depth = this.m.systems[i.system].depth, closed = i.kind === BLOCK || i.inside < 0 || this.s.folded.has(i.id);
		const heat = i.share === undefined ? null : heatOf(this.m.shares, i.share / this.m.times.top);
		const shade = heat ? cssColour(tintOf(heat, this.k.theme)) : i.kind === BLOCK ? this.k.paper : this.k.shades[Math.min(4, depth + (closed ? 1 : 0))];
		const y0 = this.y(i.y0), y1 = this.y(i.y1), selected = this.s.same.has(i.id);
		const hit = this.s.hits.has(i.id);
		this.p.rect(x0, y0, x1 - x0, y1 - y0, shade, selected || hit ? this.k.accent : this.k.edge, closed ? [4, 3] : [], selected ? 2.5 : hit ? 2 : 0.8);
		if (heat)
			this.p.rect(x0, y0, x1 - x0, Math.min(11 * this.v.sy, y1 - y0), cssColour(heat), null);
		const ink = heat ? inkOn(heat) : this.k.ink;
		if (i.kind === BLOCK) {
			if (x1 - x0 > textWidth(number(i.count), this.font - 2))
				this.labels.push([(x0 + x1) / 2, (y0 + y1) / 2 - 4, number(i.count), this.font - 2, this.k.ink, "center"]);
			return;
		}
		const count = i.words || number(i.count);
		let text = count + (isCounted(i) ? " ×" : "") + (i.multiplicity > 1 ? ` (${number(i.multiplicity)} alike)` : "");
		if (closed)
			text += " …";
		if (heat)
			text += "  " + percent(i.share);
		const left = Math.max(x0, 0);
		if (i.told && !closed && !selected)
			return this.ranksAtLeft(i, x0);
		if (x1 - left > textWidth(text, this.font) + 5)
			this.labels.push([left + 3, y0 + Math.min(this.font * 0.8, 5.5 * this.v.sy), text, this.font, ink, "left"]);
		else if (x0 >= 0) {
			const size = Math.min(this.font - 1.5, (x1 - x0 - 3) / textWidth(count, 1)); /* smaller where it fits then, but legible */
			if (size >= 9)
				this.labels.push([x0 + 2, y0 + Math.min(this.font * 0.8, 5.5 * this.v.sy), count, size, ink, "left"]);
		}
		this.ranksAtLeft(i, x0);
	}
	/* Where the lines of a box are not at their usual height. */
	ranksAtLeft(i, x0) {
		if (this.v.sy < 0.6)
			return;
		const slots = i.lanes.filter((lane) => this.isShown(lane)).map((lane) => [lane, slotAt(this.m, lane, i.x0 - 0.05)]);
		if (slots.every(([lane, slot]) => lane === slot))
			return;
		for (const [lane, slot] of slots)
			this.labels.push([x0 - 2, this.y(this.m.slots[slot]) - this.font * 0.42, this.m.lanes[lane].name, this.font - 2, this.k.ink, "right"]);
	}
	strokes(id) {
		for (const i of this.m.systems[id].items) {
			if (this.s.gone[i.id])
				continue;
			if (i.kind === SYNC)
				this.collective(i);
			else if (i.kind === CUT)
				this.cut(i);
			else if (i.kind === LOCAL)
				this.local(i);
			else if (i.kind === LOOP && i.inside >= 0 && !this.s.folded.has(i.id) && this.seen(this.x(i.x0), this.x(i.x1, true)))
				this.strokes(i.inside);
			else if (i.words)
				this.words(i);
		}
		for (const a of this.m.systems[id].arrows)
			this.arrow(a);
		this.counts();
	}
	/* Where calls begin and end: brackets, with their names. */
	local(i) {
		const side = /^local call /.test(i.what) ? 1 : /^local return /.test(i.what) ? -1 : 0;
		if (!side || this.far)
			return this.dot(i, this.k.faint, 1.6);
		const x = this.x(i.x0), y = this.y(this.m.slots[i.top]), high = 4.5 * Math.min(this.v.sy, 1.5), path = this.p.path(this.k.ink, 1, [], this.alphaOf(i));
		if (!this.seen(x, x))
			return;
		path.moveTo(x + 3 * side, y - high);
		path.lineTo(x, y - high);
		path.lineTo(x, y + high);
		path.lineTo(x + 3 * side, y + high);
		if (i.words && this.m.column * this.v.sx > 12)
			this.labels.push([x, y - high - 5, i.words, Math.min(this.font - 1.5, 7 * this.v.sx), this.k.ink, "left"]);
	}
	dot(i, colour, radius) {
		const x = this.x(i.x0), y = this.y(this.m.slots[i.top]);
		if (!this.seen(x, x) || this.far)
			return;
		const path = this.p.fill(colour, this.alphaOf(i));
		path.moveTo(x + radius, y);
		path.arc(x, y, radius, 0, 7);
	}
	collective(i) {
		const x = this.x(i.x0), half = (i.words || i.name).length * this.font * 0.28;
		if (!this.seen(x - half, x + half))
			return;
		const hit = this.s.hits.has(i.id) || this.s.same.has(i.id), alpha = this.alphaOf(i);
		const slots = i.lanes.filter((lane) => this.isShown(lane)).map((lane) => slotAt(this.m, lane, i.x0)).sort((a, b) => a - b);
		const colour = hit ? this.k.accent : this.k.ink;
		for (let k = 0; k < slots.length; k++) {
			const y = this.y(this.m.slots[slots[k]]);
			if (!this.far) {
				const dot = this.p.fill(colour, alpha);
				dot.moveTo(x + 2, y);
				dot.arc(x, y, 2, 0, 7);
			}
			if (k === 0)
				continue;
			const near = slots[k] === slots[k - 1] + 1;
			const path = near ? this.p.path(colour, hit ? 2.4 : 1.1, [4, 3], alpha) : this.p.path(this.k.faint, 0.8, [1, 3], alpha);
			path.moveTo(x, this.y(this.m.slots[slots[k - 1]]));
			path.lineTo(x, y);
		}
		this.name(i, x, this.y(this.m.slots[slots[0]]) - 9.5 * Math.min(this.v.sy, 1.5), colour);
	}
	/* The layout left room for the name at 8.5 points; where that has become too little, it goes without its prefix, or not at all. */
	name(i, x, y, colour) {
		if (this.v.sy < 0.55)
			return;
		const whole = i.words || i.name;
		for (const text of [whole, whole.replace(/^MPI_/, "")]) {
			const size = Math.min(this.font - 0.5, (8.5 * this.v.sx * whole.length) / text.length);
			if (size >= 8.5) {
				this.labels.push([x, y, text, size, colour, "center"]);
				return;
			}
		}
	}
	/* What a message is, on the side of the line that has fewer arrows; as large as the layout left room for. */
	words(i) {
		const x = this.x(i.x0), size = Math.min(this.font - 1.5, 7 * this.v.sx);
		if (size < 5 || !this.seen(x - 40, x + 40))
			return;
		this.labels.push([x, this.y(this.m.slots[i.top]) + (i.below ? 7 : -7) * Math.min(this.v.sy, 1.5), i.words, size, lookOf(this.m, this.k.theme, i.tag).colour, "center"]);
	}
	cut(i) {
		const x = (this.x(i.x0) + this.x(i.x1)) / 2, y0 = this.y(i.y0), y1 = this.y(i.y1);
		if (!this.seen(x - 60, x + 60))
			return;
		for (const side of [-3, 3]) {
			const path = this.p.path(this.k.faint, 1, [], 1);
			path.moveTo(x + side, y0);
			for (let y = y0 + 6, k = 1; y < y1; y += 6, k++)
				path.lineTo(x + side + (k % 2 ? 3 : -3), y);
		}
		this.labels.push([x, y0 - 10 * Math.min(this.v.sy, 1.5), number(i.count) + " constructs left out", this.font - 0.5, this.k.faint, "center"]);
	}
	head(x, y, angle, colour, alpha, size) {
		const path = this.p.fill(colour, alpha);
		path.moveTo(x, y);
		path.lineTo(x - size * Math.cos(angle - 0.36), y - size * Math.sin(angle - 0.36));
		path.lineTo(x - size * Math.cos(angle + 0.36), y - size * Math.sin(angle + 0.36));
		path.closePath();
	}
	/* Far out: has another of these been drawn on the same pixels? */
	isMet(x0, x1, y0, y1, tag) {
		const key = (((Math.round(x0) * 16384 + Math.round(x1)) * 1024 + Math.round(y0)) * 1024 + Math.round(y1)) * 64 + (tag % 64), before = this.met.size;
		return this.met.add(key).size === before;
	}
	arrow(a) {
		const gone = [a.from, a.to].filter((e) => e >= 0).map((e) => this.s.gone[e]);
		if (gone.every(Boolean))
			return;
		const x0 = this.x(a.x0), x1 = this.x(a.x1), y0 = this.y(a.y0), y1 = this.y(a.y1);
		if (!this.seen(Math.min(x0, x1), Math.max(x0, x1)))
			return;
		if (this.far && this.isMet(x0, x1, a.y0, a.y1, a.tag))
			return;
		const look = lookOf(this.m, this.k.theme, a.tag);
		const hit = [this.s.hits, this.s.same].some((set) => set.has(a.from) || set.has(a.to));
		let alpha = gone.some(Boolean) ? 0.35 : 1;
		if (this.s.lanes && !this.s.hiding)
			alpha = [a.from, a.to].some((e) => e >= 0 && this.m.items[e].lanes.some((l) => this.s.lanes.has(l))) ? 1 : 0.12;
		if (this.s.dimming && !hit)
			alpha *= 0.25;
		const width = (a.kind === BUNDLE ? 2.4 : this.far ? 0.7 : 1.1) + (hit ? 1.2 : 0);
		const path = this.p.path(look.colour, width, look.dash, alpha), size = this.far ? 0 : Math.min(8, 3.5 + this.v.sx * 2.5);
		path.moveTo(x0, y0);
		if (a.kind === WITHIN) {
			const high = 8 * this.v.sy;
			path.bezierCurveTo(x0 + (x1 - x0) * 0.2, y0 - high, x1 - (x1 - x0) * 0.2, y1 - high, x1, y1);
			if (size)
				this.head(x1, y1, 1.0, look.colour, alpha, size);
		} else {
			path.lineTo(x1, y1);
			if (size)
				this.head(x1, y1, Math.atan2(y1 - y0, x1 - x0), look.colour, alpha, size);
		}
		if (size && a.from >= 0 && a.kind !== BUNDLE) {
			const dot = this.p.fill(look.colour, alpha);
			dot.moveTo(x0 + 1.7, y0);
			dot.arc(x0, y0, 1.7, 0, 7);
		}
		if (size && a.kind === OUT && this.m.items[a.from].lost)
			this.labels.push([x1, y1, "×", this.font, look.colour, "center"]);
		else if (size && a.kind === IN && this.m.items[a.to].lost)
			this.labels.push([x0, y0, "×", this.font, look.colour, "center"]);
		if (this.s.tagsShown && !this.m.roles && this.m.column * this.v.sx > 18 && (a.kind === MESSAGE || a.kind === WITHIN) && this.m.tags[a.tag])
			this.labels.push([(x0 + x1) / 2, (y0 + y1) / 2 - (a.kind === WITHIN ? 7 * this.v.sy : 0), this.m.tags[a.tag][0], this.font - 3, look.colour, "center", this.k.paper]);
		else if (a.kind === BUNDLE && !this.far)
			this.bundles.push([x0, y0, x1, y1, a.count]);
	}
	/* The counts of bundles, those between the same two loops as one; where there is no room, the smaller ones go without. An arrow is one by itself. */
	counts() {
		const sums = new Map();
		for (const [x0, y0, x1, y1, count] of this.bundles) {
			const key = [x0, y0, x1, y1].map(Math.round).join(","), before = sums.get(key);
			sums.set(key, [(x0 + x1) / 2 + 4, (y0 + y1) / 2, count + (before ? before[2] : 0)]);
		}
		for (const [x, y, count] of [...sums.values()].sort((a, b) => b[2] - a[2])) {
			if (count > 1)
				this.labels.push([x, y, "×" + number(count), this.font - 1.5, this.k.ink, "left", this.k.paper]);
		}
		this.bundles = [];
	}
	/* The line of a lane from x to another. */
	line(lane, from, to, last) {
		const path = this.p.path(this.k.line, 0.8, [], !this.s.lanes || this.s.lanes.has(lane) ? 1 : 0.15);
		let slot = slotAt(this.m, lane, from), y = this.y(this.m.slots[slot]);
		path.moveTo(this.x(from, this.offset === 0), y);
		for (const move of this.m.movesOf[lane]) {
			if (move.x0 < from || move.x1 > to || this.s.map.moves.has(move))
				continue;
			const a = this.x(move.x0, true), b = this.x(move.x1), below = this.y(this.m.slots[move.to]);
			path.lineTo(a, y);
			path.bezierCurveTo((a + b) / 2, y, (a + b) / 2, below, b, below);
			y = below;
		}
		path.lineTo(this.x(to, last), y);
	}
	lines() {
		const m = this.m, unroll = this.s.map.room ? this.s.unroll : null;
		for (let lane = 0; lane < m.lanes.length; lane++) {
			if (!this.isShown(lane))
				continue;
			if (!unroll || !unroll.item.lanes.includes(lane)) {
				this.line(lane, 0, m.width, true);
				continue;
			}
			const item = unroll.item;
			this.line(lane, 0, item.x1, false);
			for (let j = 1; j < unroll.count; j++) {
				this.offset = j * this.s.map.body;
				this.line(lane, item.x0, item.x1, false);
				this.offset = 0;
			}
			this.line(lane, item.x1, m.width, true);
		}
	}
	/* The names of the lines stay in sight at the left. */
	margin() {
		const m = this.m, width = marginWidth(m, this.font), x = Math.max(this.x(0) - 4, width - 6);
		const seen = m.lanes.map((lane, i) => [i, slotAt(m, i, this.s.leftmost)]).filter(([lane]) => this.isShown(lane));
		if (this.x(0) < width) {
			this.p.rect(0, 0, width, this.size.height, this.k.paper, null);
			const path = this.p.path(this.k.rule, 1, [], 1);
			path.moveTo(width, 0);
			path.lineTo(width, this.size.height);
			this.p.flush();
		}
		let last = -100;
		for (const [lane, slot] of seen.sort((a, b) => a[1] - b[1])) {
			const y = this.y(m.slots[slot]);
			if (y - last < this.font * 0.95)
				continue;
			last = y;
			const dim = this.s.lanes && !this.s.lanes.has(lane);
			this.p.text(x, y, m.lanes[lane].name, this.font, dim ? this.k.faint : this.k.ink, "right");
		}
	}
}

/* Texts grow with the picture, but stay legible. */
function fontAt(view) {
	return Math.max(9, Math.min(14, 8.5 * view.sy));
}

function marginWidth(m, font) {
	let longest = 1;
	for (const lane of m.lanes)
		longest = Math.max(longest, lane.name.length);
	return longest * font * 0.56 + 16;
}
