# Where the time goes: what must add up on every archive, and what is refused.
. "$ROOT/tests/checks.sh"

# Losses sum to run x (1 - efficiency), computation and calls of each process to its time, the critical path to the run.
cat >adds_up.py <<'END'
import json, sys
a = json.load(open(sys.argv[1]))
n = a["processes"]
assert sum(c["loss"] for c in a["constructs"]) == n * a["run"] - a["work"], "losses"
assert all(c["loss"] == c["imbalance"] + c["serialization"] + c["transfer"] for c in a["constructs"]), "parts of losses"
assert a["path_work"] + a["path_call"] == a["run"], "path"
assert all(p["last"] - p["first"] == p["work"] + p["call"] + p["apart"] for p in a["process"]), "processes"
for c in a["constructs"]:
    assert c["total"]["call"] >= c["total"]["late_sender"] + c["total"]["late_receiver"] + c["total"]["collective"], "waiting"
END

# What is printed adds up, too: the last row to what the efficiency leaves, the others to the last.
cat >rows.py <<'END'
import json, re, sys
rows = [re.match(r"([ \d.-]{5}) (?:[ \d.-]{5} ){3}[ \d.-]{5}  ", line) for line in open(sys.argv[1])]
lost = [float(row[1]) for row in rows if row]
a = json.load(open(sys.argv[2]))
assert len(lost) > 2, "rows"
assert abs(sum(lost[:-1]) - lost[-1]) < 0.05, f"{sum(lost[:-1])} of {lost[-1]}"
assert abs(lost[-1] - 100 * (1 - a["work"] / a["run"] / a["processes"])) < 0.2, "all"
END

# So do the rows of the page, and those of --json; what a link leads to is there.
cat >page.py <<'END'
import json, re, sys
page, a = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
table = page[page.index("What is lost, in %"):]
rows = [float(x) for x in re.findall(r"<tr[^>]*><t[dh]>([\d.-]+)</t[dh]>", table[:table.index("</table>")])]
share = 100 / (a["processes"] * a["run"])
assert abs(sum(rows[:-1]) - rows[-1]) < 0.05, f"{sum(rows[:-1])} of {rows[-1]}"
assert abs(sum(c["loss"] for c in a["constructs"]) * share - rows[-1]) < 0.05, "of --json"
links = re.findall(r'href="#([^"]*)"', page)
assert len(links) > 2 and all(f'id="{link}"' in page for link in links), links
END

for name in $(archives); do
	accepted "report of $name" report --lenient --json "$(anchor "$name")"
	if command -v python3 >/dev/null; then holds "$name adds up" python3 adds_up.py out; fi
	cp out told.json
	accepted "its page" report --lenient "$(anchor "$name")"
	if command -v python3 >/dev/null && ! grep -q 'is not known' out; then holds "$name adds up as printed" python3 rows.py out told.json; fi
	case $name in
	*.scorep)
		if command -v python3 >/dev/null && command -v otf2-print >/dev/null; then
			holds "POP's factors of $name" sh -c 'otf2-print "$1" | python3 "$ROOT/tests/e2e/pop.py" told.json' sh "$(anchor "$name")"
		fi ;;
	esac
done
accepted "a page" report "$(anchor bt.S.4.scorep)"
holds "of at most 30 lines" test "$(wc -l <out)" -le 30
holds "with the efficiency" grep -q 'parallel efficiency 0\.[0-9]* = load balance' out
accepted "the model of the trace" model -q "$(anchor bt.S.4.scorep)" -o bt.nest
mv out page
accepted "its report" report "$(anchor bt.S.4.scorep)" bt.nest
"$TRACENEST" report "$(anchor bt.S.4.scorep)" >page 2>/dev/null
same "is the same" page out
refused "the model of another trace" 3 'is not that of the model bt.nest' report "$(anchor is.S.4.scorep)" bt.nest -o result
refused "a text trace" 2 'a text trace does not say when calls begin' report "$PAPER/pair.trace" -o result
accepted "a page for the browser" report "$(anchor bt.S.4.scorep)" -o report.html
holds "which is whole" sh -c 'head -n 1 report.html | grep -q "^<!DOCTYPE html>" && tail -n 1 report.html | grep -q "</html>$"'
holds "with strips, the program and the path" sh -c 'test "$(grep -c "<svg" report.html)" -ge 3 && grep -q "critical path" report.html'
holds "and refers to nothing outside" sh -c '! grep -q -e "src=" -e "<link" report.html && ! grep -o "href=\"[^\"]*" report.html | grep -q -v "href=\"#"'
accepted "its figures" report --json "$(anchor bt.S.4.scorep)"
mv out told.json
if command -v python3 >/dev/null; then holds "which adds up, as the page does" python3 page.py report.html told.json; fi
accepted "a summary" report --summary --units us "$(anchor bt.S.4.scorep)"
cat >summary.py <<'END'
import json, sys
a, lines = json.load(open(sys.argv[1])), [line.split() for line in open(sys.argv[2])]
us = 1e6 / a["ticks_per_second"]
computation, mpi = (float(word) for word in next(line for line in lines if line[0] == "all")[1:3])
assert abs(computation - a["work"] * us) < 0.01, "computation"
assert abs(mpi - sum(c["total"]["call"] for c in a["constructs"]) * us) < 0.01, "MPI"
sites = [float(line[1]) for line in lines[lines.index(next(line for line in lines if line[0] == "MPI,")) + 1:]]
assert 99 < sum(sites) <= 100.5, "call sites"
END
if command -v python3 >/dev/null; then holds "whose sums are those of the run" python3 summary.py told.json out; fi
is=is.S.4.scorep
refused "an eager limit that is none" 2 eager report --eager x "$(anchor $is)"
accepted "an eager limit" report --lenient --eager 0 --json "$(anchor $is)"
if command -v python3 >/dev/null; then holds "with which it adds up, too" python3 adds_up.py out; fi
cp -r "$SAMPLES/$is" cut
truncate -s 1000 cut/traces/0.evt
refused "an archive that is cut short" 2 'cut off' report cut/traces.otf2 -o result

# A recording on shared cores: 0.3 ms that ranks 0-1 compute more are not what makes 456 ms of waiting.
mkdir headline
zstd -dc "$ROOT/tests/hard/headline.tar.zst" | tar -xf - -C headline
headline=$(echo headline/*/traces.otf2)
accepted "a loss that is transfer" report "$headline"
holds "is named by what its row says" sh -c 'head -n 1 out | grep -q "43.0 % .*: transfer that is not overlapped$" && grep -q "^ 43.0 .* transfer  *0-3" out'
accepted "a run beside itself" diff "$headline" "$(anchor bt.S.4.scorep)" -o told
holds "is not accused of computation either" sh -c '! grep -q "slow computation" told'

# Who loses nothing is not accused, and who is late is named.
# NAME DIRECTORY: into ./NAME
unpacked() { zstd -dcq "$ROOT/tests/hard/$1.tar.zst" | tar -xf - && mv "$2" "$1"; }
unpacked open-chain-healthy healthy
unpacked inner-fixed-healthy-bare fixed.False.True
unpacked alltoall_late alltoall_late.otf2d
unpacked cart_20ms cart_20ms.otf2d
for name in open-chain-healthy inner-fixed-healthy-bare; do
	accepted "$name" report $name/traces.otf2
	holds "accuses nobody" sh -c 'head -n 1 out | grep -q "^Nothing stands out"'
done
accepted "the balance of a chain whose ends stand in a loop of their own" report open-chain-healthy/traces.otf2
holds "is that of those who take part" grep -q 'balance of each iteration 1\.000' out
for name in alltoall_late cart_20ms; do # hostile builds know iterations by eights: the last of four bins is short
	accepted "$name" report $name/traces.otf2
	holds "names who comes last" sh -c 'sed -n 2p out | grep -q "^  rank 0: computes 22.8 ms while the others wait"'
	sanitized || holds "in all iterations" sh -c 'sed -n 3p out | grep -qx "  iterations: all 30"'
done
