# The functions of mini-apps as C strings, by helper: awk -f embed.awk FILE... prints what helpers.c includes. Each function stands behind a line
# "/* HELPER ID */"; what is before the first one is for the compiler alone.
function quoted(line,    out, i, c) {
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\t")
			c = "\\t"
		else if (c == "\\" || c == "\"" || c == "?") # "??" would begin a trigraph
			out = out "\\"
		out = out c
	}
	return out
}
function ended() {
	if (printing)
		print "\n\t\"\\n\","
}
FNR == 1 { ended(); printing = blank = 0 }
$1 == "/*" && $2 == "HELPER" {
	ended()
	printing = 1
	blank = 0
	printf "[HELPER_%s] =", $3
	next
}
printing && $0 == "" { blank++; next } # one ends each function
printing {
	for (; blank; blank--)
		printf "\n\t\"\\n\""
	printf "\n\t\"%s\\n\"", quoted($0)
}
END { ended() }
