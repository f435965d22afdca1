# Names from strangers stay names: in C, a shell, pages, pictures, JSON, CSV, XML, SARIF, SQL, texts and on terminals. What stands in them must not be executed,
# computed, obeyed or read as anything else, whatever the writer. The traces carry such a name wherever a name can be.
. "$ROOT/tests/checks.sh"

if sanitized || ! command -v python3 >/dev/null; then skip "hostile names: not for this build, or no python3"; exit 0; fi
python=/usr/bin/python3 # whose packages are Debian's
canary=$PWD/canary

cat >make.py <<'END'
# Three traces of 2 ranks, alike but for times: OTF2 where the bindings are here; and a text trace with what texts can hold.
import sys
code = '*/(void)!system("touch$IFS$CANARY"),/*'
page = '</title></script><script>document.title="pwned"</script><img/src=x/onerror=document.title="pwned">"><svg/onload=document.title="pwned">'
bad = [code, page, '=1+cmd|"/C calc"!A0', "`touch $CANARY`$(touch $CANARY)'\"\\", "x\x1b]0;t\x07\x1b[2J\x7f\u009b31m\x01", "a\n0 local injected\r\n??/\n//\t,;#{}", "'; DROP TABLE statement; --", "\\", "@{0=1}"]
def quoted(text):
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\/#;' else "\\x%02x" % b for b in text.encode()) + '"'
def word(text): # as texts have names
    return "".join("%%%02X" % b if b < 33 or b > 126 or b in b"#;{}" else chr(b) for b in text.encode()).replace("//", "/%2F")
for run in range(3):
    with open("hostile%d.trace" % run, "w") as out:
        for i in range(3):
            time = 1000 + 40000 * i
            for k, name in enumerate(bad):
                time += 400 + 100 * run + k
                attributes = "site=%s type=%s file=%s %s=%s" % (quoted("x%d.c:7 f < %s < %s < %s:3 main" % (k, name, name.replace(" ", ""), name)), quoted(name), quoted(name), word(name).replace("=", "-").replace('"', "'").replace("/%2F", "/"), quoted(name))
                for p in (0, 1):
                    print("%d sync %s 0-1 ; time=%d bytes=8 %s" % (p, word(name), time + p, attributes), file=out)
                print("0 send 1 %s ; time=%d bytes=8 %s" % (word(name).replace("@", "a"), time + 20, attributes), file=out)
                print("0 recv 1 %s ; time=%d bytes=8 %s" % (word(name).replace("@", "a"), time + 60, attributes), file=out)
                print("0 local %s ; time=%d %s" % (word(name), time + 30, attributes), file=out)
try:
    import otf2
except ImportError:
    sys.exit(0)
from otf2.enums import GroupType, Paradigm, Type
for run, ranks in enumerate((2, 2, 4)):
    with otf2.writer.open("archive%d" % run, timer_resolution=1000000000) as archive:
        d = archive.definitions
        world = archive.definitions.system_tree_node(bad[4], bad[1])
        writers, locations = [], []
        for p in range(ranks):
            process = d.location_group(bad[5] + str(p), system_tree_parent=world)
            locations.append(d.location(bad[4] + str(p), group=process))
        d.group(bad[4], group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=locations)
        members = d.group(bad[5], group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=locations)
        comm = d.comm(bad[1], members)
        regions = [d.region(name, source_file=name, begin_line_number=7) for name in bad]
        d.rma_win(bad[3], comm)
        d.io_regular_file(bad[1], scope=world)
        parameter = d.parameter(bad[5])
        attributes = [d.attribute(name, type=Type.STRING) for name in bad] + [d.attribute("site", type=Type.STRING)]
        for p in range(ranks):
            w = archive.event_writer_from_location(locations[p])
            time = 1000
            for i in range(3):
                for k, name in enumerate(bad):
                    time += 1000 + 300 * run
                    w.enter(time, regions[k])
                    with_site = {attributes[k]: name, attributes[-1]: "x%d.c:7 f < %s < %s:3 main" % (k, name, name)}
                    if p % 2 == 0:
                        w.mpi_send(time + 10, p + 1, comm, k, 8, attributes=with_site)
                    else:
                        w.mpi_recv(time + 60, p - 1, comm, k, 8, attributes=with_site)
                    w.leave(time + 90, regions[k])
END
cat >texts.py <<'END'
# No byte that a terminal obeys; no line of a stranger. argv: files.
import sys
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    for line in data.split(b"\n"):
        text = line.decode("utf-8", "surrogateescape")
        wrong = [c for c in text if (c < " " and c != "\t") or "\x7f" <= c <= "\x9f" or "\udc80" <= c < "\udca0"]
        assert not wrong, (name, wrong, line[:200])
        assert not line.startswith(b"0 local injected"), (name, line)
END
cat >parsed.py <<'END'
# Each is what its name says.
import csv, json, sqlite3, sys, xml.dom.minidom
for name in sys.argv[1:]:
    kind = name.rsplit(".", 1)[1]
    if kind in ("json", "sarif"):
        json.load(open(name, encoding="utf-8"))
    elif kind in ("xml", "svg"):
        xml.dom.minidom.parse(name)
    elif kind == "csv":
        rows = list(csv.reader(open(name, encoding="utf-8", newline="")))
        assert len({len(row) for row in rows}) == 1, (name, {len(row) for row in rows})
        for row in rows:
            for cell in row:
                assert not cell or cell[0] not in "=+-@\t\r" or cell.lstrip("-").replace(".", "").isdigit(), (name, cell)
    elif kind == "db":
        assert sqlite3.connect(name).execute("SELECT count(*) FROM statement").fetchone()[0] > 0, name
END
export CANARY=$canary
holds "traces with hostile names" $python make.py

# A collective that MPI does not know, and whose name is code; a site that is a statement.
cat >inject.trace <<'END'
0 sync MPI_X*/(void)!system("touch$IFS$CANARY"),/* 0-1
1 sync MPI_X*/(void)!system("touch$IFS$CANARY"),/* 0-1
0 send 1 a*/abort(),/*
0 recv 1 a*/abort(),/*
0 local a*/abort(),/* \
0 local ba
END
turning=$(printf '\342\200\256')
sed -i "s/local ba/local b${turning}a/" inject.trace
printf '0 local a ; site="x.c:1\\x0a0 local injected"\n0 local b\n' >newline.trace
accepted "a model of a collective that is code" model inject.trace -o inject.nest
accepted "its mini-app" skeleton --lenient inject.nest -o inject.c
compiles "is C" inject.c
accepted "a model of a site that is a statement" model newline.trace -o newline.nest
accepted "is read" show newline.nest -o newline.shown
same "and printed as it was" newline.nest newline.shown
holds "has two events" grep -qx '// events 2' newline.nest
holds "has the site" grep -qxF '// "x.c\x3a1\x0a0 local injected"' newline.nest

say() { # OUTPUT ARGS...: what it says goes to OUTPUT.err; it must neither crash nor fail
	to=$1
	shift
	timeout -s KILL $HANGS "$TRACENEST" "$@" -o "$to" >"$to.out" 2>"$to.err"
	status=$?
	[ $status = 0 ] || { cp "$to.err" err; fail "$*" "status $status"; }
}
written() { # NAME TRACE OTHER LARGER
	name=$1 trace=$2 other=$3
	say "$name.events" events --values all --times "$trace"
	say "$name.nest" model --values all "$trace"
	say "$name.bare.nest" model "$trace"
	for model in "$name.nest" "$name.bare.nest"; do
		say "$model.shown" show "$model"
		same "$model: printed, read and printed again" "$model" "$model.shown"
		say "$model.check" check "$model" "$trace"
	done
	say "$name.expand" expand --values all "$name.nest"
	for what in stat matrix; do
		for form in "" "--by site"; do
			say "$name.$what${form#--by }.txt" $what $form "$name.nest"
			say "$name.$what${form#--by }.json" $what $form --json "$name.nest"
			say "$name.$what${form#--by }.csv" $what $form --csv "$name.nest"
		done
	done
	for to in svg dot html pdf; do say "$name.drawn.$to" draw "$name.nest"; done
	say "$name.roles.svg" draw --roles --labels tags "$name.nest"
	say "$name.heat.svg" matrix --by site "$name.nest"
	say "$name.times.svg" time "$name.nest" "$trace"
	say "$name.skeleton.c" skeleton --lenient "$name.nest"
	say "$name.scan.c" scan "$name.nest" --at 0 --get type
	say "$name.perfetto.json" export --to perfetto "$name.nest"
	say "$name.smpi" export --to smpi "$name.nest"
	say "$name.goal" export --to goal "$name.nest"
	say "$name.time.csv" time --csv "$name.nest" "$trace"
	say "$name.time.json" time --json "$name.nest" "$trace"
	say "$name.time.txt" time "$name.nest" "$trace"
	if [ -n "${4:-}" ]; then
		say "$name.db" profile --exact "$name.nest" "$trace"
		say "$name.at.txt" at --profile "$name.db" --time 5us "$name.nest"
		say "$name.at.json" at --json --profile "$name.db" --time 5us "$name.nest"
		say "$name.at.csv" at --csv --profile "$name.db" --time 5us "$name.nest"
		say "$name.talp.json" export --to talp "$trace"
		say "$name.extrap" export --to extra-p "$trace" "$4"
		holds "Extra-P: no line is a name's" awk '!/^(PARAMETER|POINTS|METRIC|REGION|DATA) / { exit 1 }' "$name.extrap"
		say "$name.small.nest" model --by-site "$trace"
		say "$name.large.nest" model --by-site "$4"
		say "$name.app" generalize "$name.small.nest" "$name.large.nest"
		say "$name.instance.nest" instantiate --define P=4 "$name.app"
		say "$name.instance.check" check "$name.instance.nest" "$4"
		say "$name.archive" export --to otf2 --profile "$name.db" "$name.nest"
		for to in txt html; do say "$name.report.$to" report "$trace"; done
		say "$name.report.json" report --json "$trace"
		say "$name.diff.txt" diff "$trace" "$other"
		say "$name.diff.json" diff --json "$trace" "$other"
		for to in txt html; do say "$name.scaling.$to" scaling "$trace" "$4"; done
		say "$name.scaling.csv" scaling --csv "$trace" "$4"
		say "$name.scaling.json" scaling --json "$trace" "$4"
	fi
	grep -v -e 'recv' -e 'send' "$name.bare.nest" | sed '/^\/\/ events/d' >"$name.golden.nest"
	"$TRACENEST" test "$name.golden.nest" "$trace" --junit "$name.xml" --sarif "$name.sarif" >"$name.test.txt" 2>"$name.test.err"
	[ -s "$name.sarif" ] || { cp "$name.test.err" err; fail "changes of $name" "no SARIF"; }
	"$TRACENEST" model --nonsense "$trace" 2>"$name.usage.err" || :
	sed 's/^0 /0 x/' "$trace" >wrong 2>err && "$TRACENEST" model wrong >"$name.wrong.txt" 2>"$name.wrong.err" || :
}
written text hostile0.trace hostile1.trace
if [ -d archive2 ]; then written otf2 archive0/traces.otf2 archive1/traces.otf2 archive2/traces.otf2
else skip "hostile names in archives: the bindings of OTF2 are not here"; fi

texts() { for file in text.* otf2.*; do case $file in *.pdf | *.db | *.smpi_files | *.archive) ;; *) [ ! -f "$file" ] || printf '%s\n' "$file" ;; esac; done; }
holds "no text has what a terminal obeys, or a line of a name" $python texts.py $(texts)
holds "JSON, SARIF, CSV, XML, SVG and databases are such" $python parsed.py $(ls text.*.json text.*.csv text.*.sarif text.xml text.*.svg otf2.*.json otf2.*.csv otf2.*.sarif otf2.xml otf2.*.svg otf2.db 2>/dev/null)

# C: compiled without a warning, and run.
for name in inject text otf2; do
	[ -s $name.nest ] || continue
	[ -s $name.skeleton.c ] || { cp $name.c $name.skeleton.c; "$TRACENEST" scan --quiet $name.nest --at 0 -o $name.scan.c; }
	compiles "the mini-app of $name is C" $name.skeleton.c
	holds "the scanner of $name is C" cc -Wall -Wextra -Werror -Wno-unused -std=c17 -fsyntax-only -I"$(dirname "$TRACENEST")/include" $name.scan.c
	for mpi in mpich openmpi; do
		if ! command -v mpirun.$mpi >/dev/null; then skip "the mini-app of $name by $mpi (not installed)"; continue; fi
		holds "the mini-app of $name runs on $mpi" env LD_PRELOAD="$(polite $mpi)" timeout $HANGS "$TRACENEST" replay --lenient --with "mpirun.$mpi -n 2" $name.nest
	done
done
# Files with such names, in results and in messages.
odd=$(printf 'a b;touch $CANARY;$(touch $CANARY)*\033]0;t\007%s\n"<script>' "$turning")
cp text.nest "$odd"
"$TRACENEST" skeleton --lenient "$odd" -o odd.c >odd.out 2>odd.err && compiles "a model of a hostile name" odd.c
"$TRACENEST" scan "$odd" --at 0 -o odd.c >>odd.out 2>>odd.err
holds "its scanner is C" cc -Wall -Wextra -Werror -Wno-unused -std=c17 -fsyntax-only -I"$(dirname "$TRACENEST")/include" odd.c
"$TRACENEST" draw "$odd" -o odd.svg >>odd.out 2>>odd.err
holds "its picture is XML" $python parsed.py odd.svg
holds "and has the name" grep -q '<text.*\\x1b\]0;t' odd.svg
while read -r words; do
	timeout -s KILL $HANGS "$TRACENEST" $words "$odd" </dev/null >>odd.out 2>>odd.err
	[ $? -le 3 ] || fail "$words, of a hostile name" "it crashes, or hangs"
done <<'END'
show
stat
stat --json
matrix
check
expand --rank
scan --at 0 --run hostile0.trace
scan --at
show --loop
model
report
diff text.nest
generalize text.nest
instantiate
scaling hostile0.trace
replay --lenient --with
replay --lenient inject.nest --simulate cluster:2,1us,1GBps --iterations
replay --lenient text.nest --simulate
export --to smpi text.nest --profile
record -o
name
nlr
test text.nest
show text.nest -o /none
END
"$TRACENEST" test "$odd" hostile0.trace >>odd.out 2>>odd.err
"$TRACENEST" show text.nest -o "none/$odd" >>odd.out 2>>odd.err
"$TRACENEST" show --"$odd" >>odd.out 2>>odd.err
"$TRACENEST" "$odd" >>odd.out 2>>odd.err
holds "what is said of it is for a terminal" $python texts.py odd.out odd.err

printf '0 send 1 a ; site="m.c:1 =f"\n0 recv 1 a ; site="m.c:2 =f"\n0 local b ; site="m.c:3 main"\n' >formula.trace
accepted "a model of a function that is a formula" model formula.trace -o formula.nest
accepted "its loop in a matrix" matrix --loop =f/0 --csv formula.nest -o formula.csv
holds "is no formula" $python parsed.py formula.csv

# A platform of SimGrid from a stranger.
if command -v smpirun >/dev/null; then
	printf '<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf;touch $CANARY" bw="1GBps" lat="1us"/></platform>' >platform.xml
	refused "the speed of a host that is a command" 2 "'smpirun' failed" replay --lenient --simulate platform.xml inject.nest
else skip "a hostile platform (SimGrid is not installed)"; fi

# Python: what a notebook shows, and what is raised.
cat >names.py <<'END'
import sys, tracenest
odd, written = sys.argv[1], []
for name in sys.argv[2:]:
    model = tracenest.model(name)
    written += [model.text, repr(model), *model.notes, *map(repr, model.statements), *map(str, model.walk(0))]
    assert "<script>" not in model._repr_html_() + model.draw(title=odd)._repr_svg_()
for refuse in (lambda: tracenest.model("none" + odd), lambda: tracenest.parse("", odd), lambda: model.matrix(odd), lambda: model.matrix(tag=odd),
               lambda: model.draw(to="none/" + odd), lambda: model.write("none/" + odd), lambda: model.check("none" + odd)):
    try: refuse()
    except tracenest.Error as error: written.append(str(error))
    else: assert False
open("names.txt", "w").write("\n".join(written))
END
if $python -c 'import cffi, numpy' 2>err; then
	holds "Python takes names for names" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/python" TRACENEST_LIBRARY="$(dirname "$TRACENEST")/libtracenest.so" \
		$python names.py "$odd" $(ls text.nest otf2.nest 2>/dev/null)
	holds "and tells them to terminals" $python texts.py names.txt
else skip "hostile names in Python (cffi and NumPy are not here)"; fi
if [ -e canary ]; then fail "nothing of a name is executed" "a shell or a compiler's program did"; else ok "nothing of a name is executed"; fi

# Pages in a browser: the titles stay ours.
browser=
for command in chromium chromium-browser google-chrome; do [ -n "$browser" ] || browser=$(command -v $command || :); done
if [ -z "$browser" ]; then skip "hostile pages in a browser: there is none (apt-get install chromium)"; exit 0; fi
for page in text.*.html text.[dh]*.svg otf2.*.html otf2.[dh]*.svg; do
	[ -s "$page" ] || continue
	HOME=$PWD XDG_CONFIG_HOME=$PWD/config timeout 120 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "file://$PWD/$page" >dom 2>err || :
	if [ ! -s dom ]; then skip "$page: the browser does not start here"
	elif grep -q -e '<title>pwned' -e '<script>document' -e '<svg/onload' -e '<img' dom; then fail "$page runs nothing of a name" "it does"
	else ok "$page runs nothing of a name"; fi
done
