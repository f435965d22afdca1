# Archives with missing, cut and damaged files: refused where that can be seen, survived everywhere, and never half a result.
. "$ROOT/tests/checks.sh"
LIMIT=30

fresh() { # NAME
	rm -rf archive
	cp -r "$SAMPLES/$1" archive
	anchor=$(ls archive/*.otf2)
}
size() { stat -c %s "$1"; }
flip() { # FILE POSITION MASK
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf "\\$(printf %03o $((byte ^ $3)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

for name in bt.S.4.ez bt.S.4.tau is.S.4.scorep; do
	fresh "$name"
	files=$(find archive -type f | LC_ALL=C sort)
	first=$(ls archive/*/*.evt | head -n 1)

	rm -r archive/*/
	refused "$name: an anchor without its files" 2 "$anchor" model "$anchor" -o result
	fresh "$name"
	rm archive/*/*.evt
	refused "$name: an anchor without its event files" 2 '\.evt|event' model "$anchor" -o result
	refused "$name: the same for events" 2 '\.evt|event' events "$anchor"
	fresh "$name"
	rm "$first"
	refused "$name: one event file is missing" 2 '\.evt|event|location' model "$anchor" -o result
	fresh "$name"
	rm archive/*.def
	refused "$name: no definitions" 2 "$anchor|\.def" model "$anchor" -o result

	for file in $files; do
		case $file in */*/*.def) continue ;; esac # may be empty of meaning
		for cut in $(enough half 0 1); do
			fresh "$name"
			case $cut in
			0) keep=0 ;;
			half) keep=$(($(size "$file") / 2)) ;;
			1) keep=$(($(size "$file") - 1)) ;;
			esac
			truncate -s "$keep" "$file"
			case $file:$cut in
			*.evt:1) # cuts the mark at the end, no event
				survived "$name: $(basename "$file") cut to $keep bytes" events "$anchor" -o cut.events || continue
				"$TRACENEST" events "$SAMPLES/$name/$(basename "$anchor")" -o uncut.events 2>err
				if [ "$status" = 2 ]; then ok "$name: $(basename "$file") cut to $keep bytes"
				else same "$name: $(basename "$file") cut to $keep bytes loses nothing" cut.events uncut.events; fi
				rm -f cut.events
				;;
			*.evt:*)
				refused "$name: $(basename "$file") cut to $keep bytes" 2 'rank [0-9].*\.evt: .*--lenient reads the others' model "$anchor" -o result
				accepted "$name: without $(basename "$file") --lenient reads the others" model --lenient "$anchor" -o result
				cp err said
				holds "... and says so" grep -q 'no events of rank [0-9]*: .*\.evt: ' said
				rm -f result
				;;
			*)
				survived "$name: $(basename "$file") cut to $keep bytes" model "$anchor" -o result &&
					ok "$name: $(basename "$file") cut to $keep bytes"
				;;
			esac
		done
	done

	# The archives of the fuzz targets have many more.
	flips=$(sanitized && echo 1 || echo 4)
	for file in $files; do
		bytes=$(size "$file")
		step=$((bytes / flips + 1))
		at=0
		good=1
		fresh "$name"
		cp "$file" whole
		while [ $at -lt "$bytes" ]; do
			cp whole "$file"
			flip "$file" $at $((1 << (at % 8)))
			survived "$name: $(basename "$file") with a bit flipped at $at" model "$anchor" -o result || good=0
			at=$((at + step))
		done
		[ $good = 0 ] || ok "$name: $(basename "$file") with bits flipped"
	done
done

fresh is.S.4.scorep
for file in archive/*.def archive/*/0.evt; do
	cp "$file" whole
	head -c 3000 "$TRACENEST" >"$file"
	refused "$file replaced by junk" 2 "$(basename "$file")|location|damaged" model "$anchor" -o result
	cp whole "$file"
done
head -c 3000 "$TRACENEST" >"$anchor"
refused "an anchor replaced by junk" 2 "$anchor" model "$anchor" -o result
refused "a directory with an archive in it" 2 'otf2|traces' model archive -o result
refused "an event file instead of the anchor" 2 'a part of an OTF2 archive: name its anchor, archive/traces.otf2' model archive/traces/0.evt -o result
refused "the definitions instead of the anchor" 2 'a part of an OTF2 archive: name its anchor, archive/traces.otf2' model archive/traces.def -o result
