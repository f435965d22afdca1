# Powers, products of tables, what one process has alone, groups of communicators in every place of a model: every verb says the same of it as of the plain listing.
. "$ROOT/tests/checks.sh"

# A butterfly, levels of a multigrid as a procedure, dissemination, blocks of a product.
cat >levels.nest <<'END'
// tracenest 1
// processes 8
[0-7] for i0 = 0 to 9
  [0-7] for i1 = 0 to 2
    [0-7] p send p^{2^i1} tag{2^i1} ; bytes={8*2^i1}
    [0-7] p^{2^i1} recv p tag{2^i1} ; bytes={8*2^i1}
  done
  [0-7] for i1 = 0 to 3
    call exchange(16*4^(3-i1)+8,1)
  done
  call exchange(8,5)
  [0-7] for i1 = 1 to 3
    call exchange(16*4^i1+16*2^i1,$d[i1-1]*$d[0])
  done
  [0-7] for i1 = 0 to 2
    [0-7] p send (p+2^i1)%8 tag20 ; bytes=$f[p%4]*$g[i1]
    [0-7] (p-2^i1)%8 recv p tag20 ; bytes=$h[p,i1]*$g[i1]
  done
  [0-7] p sync MPI_Allreduce 0-7 ; bytes={8*2^i0} received={8*2^i0}
  [0-7] p sync MPI_Bcast 0-7 root=0 ; bytes={8*2^i0 at 0} received={8*2^i0 not at 0}
  call collect($g[i0%3])
  call collect(5)
done
// procedures
procedure collect(n)
  [0-7] p sync MPI_Gather 0-7 root=3 ; bytes={n} received={8*n at 3}
done
procedure exchange(n,d)
  [0-7] p send (p+d)%8 tag9 ; bytes={n}
  [0-7] (p-d)%8 recv p tag9 ; bytes={n}
done
// tables
$d[i1] = 1 2 1
$f[p] = 1 2 1 2
$g[i1] = 8 16 24
$h[p,i1] = (2 1 1 | 1 2 2 |)*4
END
# Counts and guards: by index, by process, of both.
cat >counts.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 5
  [0-3] for i1 = 0 to {2^i0-2}
    [0-3] p send (p+1)%4 tag1
    [0-3] (p-1)%4 recv p tag1
    if {2^i1} in {2,8,64}
      [0-3] p local small
    done
  done
  [0-3] for i1 = 0 to {2^p-1}
    [0-3] p local own
  done
  [0-3] for i1 = 0 to {$a[i0]*$b[p]-3}
    [0-3] p local block
  done
  [0-3] for i1 = 0 to {20-2^i0+i0}
    [0-3] p local less
  done
  if {2^(i0+1)-3*2^p} = 2
    [0-3] p local equal
  else
    [0-3] p local other
  done
  [0-3] p sync MPI_Barrier 0-3
done
[0-3] for i0 = 0 to 1
  [{2^i0}] p send 3 tag2
  [3] {2^i0} recv p tag2
done
// tables
$a[i0] = 1 2 3 0 2 1
$b[p] = 0 1 2 5
END

# Groups that communicators tell: nodes of three to five processes, new communicators of them each time, a part of all processes.
cat >groups.nest <<'END'
// tracenest 1
// processes 12
[0-11] for i0 = 0 to 4
  [0-11] p sync MPI_Reduce @$t[p] root=$r[p] ; bytes=8 received=$b[p]
  [0,3,7] p sync MPI_Allreduce 0,3,7@50 ; bytes=8 received=8
  [0-11] p sync MPI_Allgather @{$t[p]+100*i0} ; bytes=8 received=$a[p]
  call both(60)
done
call both(70)
// procedures
procedure both(n)
  [0-3,6-9] p sync MPI_Barrier @{n+p%2}
  [0-11] p sync MPI_Alltoall @$t[p] ; bytes=$a[p] received=$a[p]
done
// tables
$t[p] = 8 8 8 (3)*4 (14)*5
$r[p] = (0)*3 (3)*4 (7)*5
$b[p] = 8 0 0 8 0 0 0 8 0 0 0 0
$a[p] = (24)*3 (32)*4 (40)*5
END

for m in levels counts groups; do
	accepted "$m: show" show $m.nest -o shown.nest
	accepted "$m: again" show shown.nest -o result
	same "$m: reads back" shown.nest result
	accepted "$m: without procedures" show --procedures=off $m.nest -o said.nest
	accepted "$m: expand" expand $m.nest -o streams
	accepted "$m: expand without procedures" expand said.nest -o result
	same "$m: the same" streams result
	accepted "$m: show --plain" show --plain $m.nest -o plain.nest
	holds "$m: which has no formulas" sh -c "! grep -q -e '\\$' -e '[\^]' -e '^ *if ' plain.nest"
	accepted "$m: of one process" show --rank 3 $m.nest -o rank.nest
	"$TRACENEST" expand --rank 3 $m.nest -o wanted 2>err
	"$TRACENEST" expand rank.nest -o result 2>err
	same "$m: the same of one process" wanted result
	accepted "$m: expand of the plain listing" expand plain.nest -o result
	same "$m: the same streams" streams result
	accepted "$m: check" check $m.nest
	"$TRACENEST" matrix --csv plain.nest -o matrix.plain 2>err
	accepted "$m: matrix" matrix --csv $m.nest -o matrix
	same "$m: the same matrix" matrix.plain matrix
	"$TRACENEST" stat plain.nest | sed -n '/^processes/p;/^events  /p' >stat.plain
	"$TRACENEST" stat $m.nest | sed -n '/^processes/p;/^events  /p' >stat
	same "$m: the same figures" stat.plain stat
	accepted "$m: draw" draw --roles $m.nest -o picture.svg
	accepted "$m: positions" show --positions $m.nest -o positions.nest
	accepted "$m: skeleton" skeleton $m.nest -o $m.c
	compiles "$m: which compiles" $m.c
done
sent=$("$TRACENEST" expand --values bytes levels.nest | sed -n 's/ send .*bytes=/ /p' | awk '{ n += $2 } END { print n }')
holds "levels: bytes are those of the events" test "$("$TRACENEST" stat levels.nest | awk '/^bytes sent/ { gsub(",", ""); print $3 }')" = "$sent"

# Each event of a stream has its number, which a scanner finds by formulas.
"$TRACENEST" expand counts.nest -o streams
awk '{ p = $2 == "recv" ? $3 : $1; print $0 " ; time=" n[p]++ }' streams >timed
for at in small own block less equal other; do
	awk -v name=$at '$2 == "local" && $3 == name { sub(/.*time=/, ""); print }' timed | sort -n >wanted
	awk -v name=$at '/ local / && $NF == name { print "get \"x\" {*}.time ->" } { print }' counts.nest >annotated.nest
	accepted "a scanner of $at" scan annotated.nest --run timed -o result
	awk -F, 'NR > 1 { print $NF }' result | sort -n >have
	same "what it fetches" wanted have
	holds "which is something" test -s have
done
