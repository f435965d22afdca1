/*
 * map.js -- where the x of the layout comes to stand when boxes are folded, and one is unrolled; and its y, when lines are hidden.
 *
 * A piecewise linear map. Folding squeezes the stretches of x in which nothing is left but folded boxes; what runs beside a folded box on
 * other lines keeps its room. Unrolling makes room behind the box for copies of its body.
 */
const FOLDED_WIDTH = 48;

function hiddenSystems(m, folded) {
	const hidden = new Set();
	m.systems.forEach((s, id) => {
		if (s.owner >= 0 && (folded.has(s.owner) || hidden.has(m.items[s.owner].system)))
			hidden.add(id);
	});
	return hidden;
}

function makeMap(m, folded, unroll) {
	const hidden = hiddenSystems(m, folded);
	const ends = [0, m.width];
	for (const i of m.items) {
		if (hidden.has(i.system))
			continue;
		ends.push(i.x0);
		if (i.x1 !== i.x0)
			ends.push(i.x1);
	}
	const outermost = [...folded].map((f) => m.items[f]).filter((i) => !hidden.has(i.system)).sort((a, b) => a.x0 - b.x0);
	const moves = new Set(); /* inside of folded boxes: lines come back to where they were */
	for (const move of m.moves) {
		if (outermost.some((i) => i.x0 <= move.x0 && i.x1 >= move.x1 && i.lanes.includes(move.lane)))
			moves.add(move);
		else
			ends.push(move.x0, move.x1);
	}
	ends.sort((a, b) => a - b);
	const from = [0], to = [0];
	let shift = 0, next = 0, reach = -1;
	for (let k = 1; k < ends.length; k++) {
		const a = ends[k - 1], b = ends[k];
		if (b <= a)
			continue;
		while (next < outermost.length && outermost[next].x0 <= a)
			reach = Math.max(reach, outermost[next++].x1);
		const inside = reach >= b;
		from.push(b);
		if (inside && b - a > FOLDED_WIDTH)
			shift -= b - a - FOLDED_WIDTH;
		to.push(b + shift);
	}
	const map = { hidden, moves, from, to, room: 0, at: Infinity, body: 0 };
	if (unroll && !hidden.has(unroll.item.system) && !folded.has(unroll.item.id)) {
		const at = lookUp(from, to, unroll.item.x1), start = lookUp(from, to, unroll.item.x0);
		map.at = unroll.item.x1;
		map.body = at - start;
		map.room = map.body * (unroll.count - 1);
	}
	map.width = to[to.length - 1] + map.room;
	return map;
}

function lookUp(from, to, x) {
	let low = 0, high = from.length - 1;
	if (x <= from[0])
		return to[0] + x - from[0];
	if (x >= from[high])
		return to[high] + x - from[high];
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (from[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return to[low] + ((x - from[low]) * (to[high] - to[low])) / (from[high] - from[low]);
}

/* behind: of x = the end of the unrolled box, behind its copies. */
function mapX(map, x, behind) {
	const y = lookUp(map.from, map.to, x);
	return x > map.at || (behind && x === map.at) ? y + map.room : y;
}

/* The places of lines on which none of those shown ever is lose their height, but for what is above and below all lines, where boxes have their names.
   shown: lanes, or null: all. */
function makeRows(m, shown) {
	if (!shown)
		return null;
	const used = new Set(shown);
	for (const lane of shown)
		for (const move of m.movesOf[lane])
			used.add(move.from).add(move.to);
	const order = m.slots.map((y, slot) => [y, slot]).sort((a, b) => a[0] - b[0]), from = [0], to = [0];
	let shift = 0;
	order.forEach(([y, slot], k) => {
		const last = k + 1 === order.length, below = last ? m.height : (y + order[k + 1][0]) / 2;
		if (!k && !used.has(slot)) {
			from.push(y);
			to.push(y);
		}
		const above = from[from.length - 1], end = last && !used.has(slot) ? y : below;
		if (!used.has(slot)) {
			shift += end - above;
			from.push(end);
			to.push(end - shift);
		}
		from.push(below);
		to.push(below - shift);
	});
	return { from, to, height: m.height - shift };
}

const mapY = (rows, y) => (rows ? lookUp(rows.from, rows.to, y) : y);
