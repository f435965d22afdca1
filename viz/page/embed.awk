# Files as C strings: awk -f embed.awk NAME="FILE FILE..." ; one array per NAME, its files one behind the other.
function quoted(line,    out, i, c) {
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\\" || c == "\"" || c == "?") # "??" would begin a trigraph
			out = out "\\"
		out = out c
	}
	return out
}
BEGIN {
	for (i = 1; i < ARGC; i++) {
		split(ARGV[i], side, "=")
		printf "static const char page_%s[] =", side[1]
		n = split(side[2], file, " ")
		for (k = 1; k <= n; k++) {
			while ((got = (getline line < file[k])) > 0)
				printf "\n\t\"%s\\n\"", quoted(line)
			if (got < 0) {
				print "embed: cannot read " file[k] > "/dev/stderr"
				exit 1
			}
			close(file[k])
		}
		print ";"
	}
}
