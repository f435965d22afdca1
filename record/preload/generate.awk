# generate.awk -- from record/mpi.def: `awk -f generate.awk what=regions record/mpi.def` the names of the regions in the order of their numbers,
# `what=fortran` the symbols that Fortran programs call, `what=wrappers record/mpi.def mpi.i` (mpi.h, preprocessed) the wrappers in C.
# `what=known NAMES record/mpi.def -` says of each symbol on standard input how the table knows it, `what=kept` for the manual
# what is kept of each function.

function fail(why) { print FILENAME ":" FNR ": " why >"/dev/stderr"; failed = 1; exit 1 }

function add(name, parameters, kind) {
	if (name in kind_of) fail("MPI_" name " stands here twice")
	order[++functions] = name
	kind_of[name] = kind
	parameters_of[name] = parameters
	if (kind != "watched") region_of[name] = regions++
	last[1] = name
	lasts = 1
}

function add_collective(name, parameters, operation) {
	add(name, parameters, "collective")
	add("I" tolower(substr(name, 1, 1)) substr(name, 2), parameters ", request", "posted")
	last[2] = order[functions]
	add(name "_init", parameters ", info, request", "persistent")
	last[3] = order[functions]
	last[1] = name
	last[2] = order[functions - 1]
	lasts = 3
	for (i = 1; i <= 3; i++) operation_of[last[i]] = operation
}

# ---------------------------------------------------------------------------------------------------------- the table

function table_line(line, words, n, i, name, parameters) {
	if (line ~ /^#/ || line ~ /^[ \t]*$/) return
	if (line ~ /^\t/) {
		sub(/^\t/, "", line)
		for (i = 1; i <= lasts; i++)
			if (line ~ /^</) before[last[i]] = before[last[i]] substr(line, 2)
			else if (line ~ /^>/) after[last[i]] = after[last[i]] substr(line, 2)
			else if (line ~ /^=/) description[last[i]] = description[last[i]] substr(line, 2)
			else fail("neither <, > nor =")
		return
	}
	if (line ~ /^left /) {
		sub(/^left /, "", line)
		i = index(line, ": ")
		n = split(substr(line, i + 2), words, " ")
		while (n) { left_pattern[++patterns] = words[n]; left_reason[patterns] = substr(line, 1, i - 1); n-- }
		return
	}
	if (line ~ /^(region|moving|posting|own) /) {
		n = split(line, words, " ")
		for (i = 2; i <= n; i++) add(words[i], "", words[1])
		return
	}
	if (!match(line, /\(.*\)/)) fail("not understood")
	name = substr(line, 1, RSTART - 1)
	parameters = substr(line, RSTART + 1, RLENGTH - 2)
	if (sub(/^watched /, "", name)) add(name, parameters, "watched")
	else if (sub(/^poll /, "", name)) {
		line = substr(line, RSTART + RLENGTH)
		sub(/^: */, "", line)
		add(name, parameters, "call")
		yes_of[name] = line
	}
	else if (sub(/^collective /, "", name)) {
		line = substr(line, RSTART + RLENGTH)
		sub(/^: */, "", line)
		add_collective(name, parameters, line)
	} else add(name, parameters, "call")
}

# ---------------------------------------------------------------------------------------------------------- prototypes

function prototype(s, head, name) {
	while (match(s, /__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/)) s = substr(s, 1, RSTART - 1) substr(s, RSTART + RLENGTH)
	gsub(/[ \t]+/, " ", s)
	sub(/^ */, "", s)
	sub(/^extern /, "", s)
	if (s !~ /^int MPI_[A-Za-z0-9_]* ?\(/) return
	match(s, /\(/)
	head = substr(s, 1, RSTART - 1)
	s = substr(s, RSTART + 1)
	sub(/\) *$/, "", s)
	sub(/ $/, "", head)
	sub(/^int MPI_/, "", head)
	if (!(head in declared)) wrap(head, s)
	declared[head] = 1
}

function is_handle(declared) { return declared ~ /^(const )?MPI_(Comm|Datatype|Errhandler|File|Group|Info|Message|Op|Request|Session|Win) *$/ }

function wrap(name, list, base, n, names, given, i, p, types, call, declaration, array, wide, narrow) {
	base = name
	if (!(base in kind_of) && name ~ /_c$/) base = substr(name, 1, length(name) - 2)
	if (!(base in kind_of) || kind_of[base] == "own") return
	n = list == "void" ? 0 : split(list, types, ",")
	given = split(parameters_of[base], names, ", ")
	if (parameters_of[base] != "" && given != n) fail("MPI_" name " has " n " parameters, the table names " given)
	call = declaration = wide = narrow = ""
	for (i = 1; i <= n; i++) {
		p = types[i]
		sub(/^ */, "", p)
		sub(/ *$/, "", p)
		array = ""
		if (match(p, /\[.*$/)) {
			array = substr(p, RSTART)
			p = substr(p, 1, RSTART - 1)
		}
		if (!match(p, /[A-Za-z_0-9]+ *$/)) fail("a parameter of MPI_" name " without a name: " p)
		if (parameters_of[base] == "") names[i] = kind_of[base] == "posting" && i == n ? "request" : "a" i
		p = substr(p, 1, RSTART - 1)
		declaration = declaration (i > 1 ? ", " : "") p names[i] array
		wide = wide (i > 1 ? ", " : "") (is_handle(p) && array == "" ? "uintptr_t " : p) names[i] array
		narrow = narrow (i > 1 ? ", " : "") (is_handle(p) && array == "" ? "(" p ")" : "") names[i]
		call = call (i > 1 ? ", " : "") names[i]
	}
	if (declaration == "") declaration = wide = "void"
	print "\ntypedef int next_" name "(" declaration ");"
	print "typedef int wide_" name "(" wide ");"
	body(name, base, declaration, call)
	entry("MPI_" name, name, wide, call, narrow, kind_of[base])
	entry("PMPI_" name, name, wide, call, narrow, kind_of[base])
}

function body(name, base, declaration, call, kind) {
	kind = kind_of[base]
	print "static int wrap_" name "(next_" name " *next, struct call *c" (declaration == "void" ? "" : ", " declaration) ")\n{"
	if (kind == "watched") {
		print "\t(void)c;\n\trecorder_lock();"
		if (base in before) print "\t" before[base]
		print "\trecorder_unlock();\n\tint result = next(" call ");\n\trecorder_lock();"
		if (base in after) print "\t" after[base]
		print "\trecorder_unlock();\n\treturn result;\n}"
		return
	}
	if (base in yes_of) print "\tc->polls = true;"
	print "\tcall_begin(c);"
	if (base in operation_of) {
		print "\tstruct collective d = collective_on(OPERATION_" operation_of[base] ", comm);"
		print "\tif (d.k) {" description[base] " }"
		print "\tif (d.k && d.k->inter)\n\t\tcall_moved(c); /* between groups, which no record tells */"
		if (kind == "collective") print "\tcollective_begin(c, &d);"
		else if (kind == "posted") print "\tstruct request *r = request_collective(c, &d);"
	}
	if (base in before) print "\t" before[base]
	if (kind == "posting") print "\tstruct request *r = request_other();"
	print "\tcall_go(c);\n\tint result = next(" call ");\n\tcall_returned(c);"
	if (kind == "collective") print "\tcollective_end(c, result, &d);"
	else if (kind == "posted" || kind == "posting") print "\trequest_posted(r, result, request);"
	else if (kind == "persistent") print "\trequest_persistent_collective(result, &d, c, request);"
	if (kind == "moving" || kind == "posting") print "\tif (result == MPI_SUCCESS)\n\t\tcall_moved(c);"
	if (base in after) print "\t" after[base]
	if (base in yes_of) print "\tc->said_no = result == MPI_SUCCESS && !(" yes_of[base] ");"
	print "\tcall_end(c);\n\treturn result;\n}"
}

# The program may be one of another MPI, whose handles are wider than ours: what is passed on is all that came.
function entry(symbol, name, wide, call, narrow, kind, base) {
	base = name
	if (!(base in region_of)) sub(/_c$/, "", base)
	print "EXPORTED int entry_" symbol "(" wide ") __asm__(\"" symbol "\");"
	print "int entry_" symbol "(" wide ")\n{"
	print "\tstatic void *found;"
	print "\tvoid *next = next_function(&found, \"" symbol "\", __builtin_return_address(0));"
	print "\tif (" (kind == "watched" ? "!recorder_runs()" : "!recorder_listens()") ")\n\t\treturn ((wide_" name " *)next)(" call ");"
	print "\tCALL(c, " (kind == "watched" ? "0" : region_of[base]) ");"
	print "\treturn wrap_" name "((next_" name " *)next, &c" (narrow == "" ? "" : ", " narrow) ");\n}"
}

# ---------------------------------------------------------------------------------------------------------- what comes out

# The first row whose function the code of a call has says what is kept of it.
function how_kept(name, code, i) {
	if (kind_of[name] ~ /^(collective|posted|persistent)$/)
		return description[name] ~ /NEIGHBOURS/ ? "a message to each neighbour, and one from each" : "an event: a collective"
	if (kind_of[name] == "moving" || kind_of[name] == "posting") return "a region, counted: it moves data that are no event"
	if (kind_of[name] == "watched") return "no record: what it makes or frees is followed"
	code = before[name] " " after[name]
	for (i = 1; i <= kept_rows; i++)
		if (code ~ kept_call[i]) return kept_words[i]
	return name in yes_of ? "a region, one as long as it is told no" : "a region"
}

function kept(call, words) { kept_call[++kept_rows] = call; kept_words[kept_rows] = words }

BEGIN {
	kept("message_sent.*message_received|request_receive.*request_send", "two events: a message sent, and one received")
	kept("message_sent|request_send|request_persistent_send", "an event: a message sent")
	kept("message_received|request_receive|request_persistent_receive|request_partitioned_receive", "an event: a message received")
	kept("requests?_claim", "a region, in which events complete")
	kept("requests?_started", "a region, in which events begin")
	kept("one_sided", "an event: an access to a window")
	kept("window_(locked|epoch|group)", "an event: an epoch of a window")
	kept("window_(made|synced|freed)", "an event: a collective of the window")
	kept("communicator_|request_communicator", "a region; the communicator has its members and name")
}

function how_known(name, i, pattern, base) {
	base = name
	if (!(base in kind_of)) sub(/_c$/, "", base)
	if (base in kind_of) return "wrapped"
	for (i = 1; i <= patterns; i++) {
		pattern = left_pattern[i]
		gsub(/\*/, ".*", pattern)
		if (name ~ "^" pattern "$" || base ~ "^" pattern "$") return "left: " left_reason[i]
	}
	return "unknown"
}

FILENAME ~ /mpi\.def$/ { table_line($0); next }
what == "wrappers" {
	if ($0 ~ /^#/) next
	text = text " " $0
	while ((at = index(text, ";")) > 0) {
		prototype(substr(text, 1, at - 1))
		text = substr(text, at + 1)
	}
	next
}
what == "known" { sub(/^MPI_/, ""); print "MPI_" $0 ": " how_known($0) }

END {
	if (failed) exit 1
	if (what == "regions")
		for (i = 1; i <= functions; i++)
			if (order[i] in region_of) print "\"MPI_" order[i] "\","
	if (what == "kept") {
		for (i = 1; i <= functions; i++) print "MPI_" order[i] "\t" how_kept(order[i])
		for (i = 1; i <= patterns; i++) print "MPI_" left_pattern[i] "\tnothing: it " left_reason[i]
	}
	if (what == "numbers")
		for (i = 1; i <= functions; i++)
			if (kind_of[order[i]] == "own") print "#define REGION_" toupper(order[i]) " " region_of[order[i]]
	if (what == "fortran")
		for (i = 1; i <= functions; i++)
			if (kind_of[order[i]] != "watched") {
				name = "mpi_" tolower(order[i])
				print "entry " name "\nentry " name "_\nentry " name "__\nentry " toupper(name) "\nentry " name "_f08_\nentry " name "_f08ts_\nentry " name "_f08ts_large_"
			}
}
