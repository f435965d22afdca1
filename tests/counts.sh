# counts.sh -- what a model says is passed on, and what tests/mpi_counter.c has counted, in the same lines; communicators are told by how many are in them.

said() { # MODEL
	"$TRACENEST" expand --values bytes "$1" | awk '
	function members(set, n, i, part, ends) {
		n = 0
		sub(/@.*/, "", set)
		for (i = split(set, part, ","); i > 0; i--) n += split(part[i], ends, "-") > 1 ? ends[2] - ends[1] + 1 : 1
		return n
	}
	$2 == "send" { tag = $4; gsub(/^tag|@.*/, "", tag); bytes = $6; sub(/.*=/, "", bytes); count["send\t" $1 "\t" $3 "\t" tag "\t" bytes]++ }
	$2 == "sync" { name = $3; if (name ~ /^MPI_I[a-z]/) name = "MPI_" toupper(substr(name, 6, 1)) substr(name, 7); count["collective\t" $1 "\t" name "\t" members($4)]++ }
	END { for (line in count) print line "\t" count[line] }' | sort
}
counted() { # FILE...
	cat "$@" | awk -F '\t' '
	$1 == "send" { count[$1 "\t" $2 "\t" $3 "\t" $4 "\t" $5] += $7 }
	$1 == "collective" { sub(/#.*/, "", $4); count[$1 "\t" $2 "\t" $3 "\t" split($4, members, ",")] += $5 }
	END { for (line in count) print line "\t" count[line] }' | sort
}

# ... by which functions messages are posted, where the model says so.
said_calls() { # MODEL
	"$TRACENEST" expand --values call,other "$1" | awk '
	function value(name, i) {
		for (i = 5; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2)
		return ""
	}
	$2 == "send" { count[$1 "\t" value("call")]++ }
	$2 == "recv" { count[$3 "\t" (value("other") == "" ? value("call") : value("other"))]++ }
	END { for (line in count) print line "\t" count[line] }' | sort
}
counted_calls() { # FILE...
	cat "$@" | awk -F '\t' '$1 == "call" { print $2 "\t" $3 "\t" $4 }' | sort
}
