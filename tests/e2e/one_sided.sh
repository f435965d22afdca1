# One-sided communication: each verb says what it is, or that it leaves it out.
. "$ROOT/tests/checks.sh"

cat >halo.nest <<'TEXT'
// tracenest 1
// processes 4
[*] p sync MPI_Win_create *
[*] for i0 = 0 to 9
  [*] p put (p+1)%4 win2 ; bytes={800+8*i0}
  [1-3] p accumulate 0 win2 ; bytes=8
  [*] p get (p-1)%4 win2 ; bytes=80
  [0] p fetch_and_op 2 win2 ; bytes=8 received=8
  [*] p sync MPI_Win_fence *
done
TEXT
accepted "events of a text" expand halo.nest
mv out halo.trace
holds "are those of its lines" test "$(grep -c ' put ' halo.trace) $(grep -c '^2 get 1 win2' halo.trace) $(grep -c '^0 fetch_and_op 2 win2' halo.trace)" = "40 10 10"
accepted "its model" model --quiet halo.trace -o back.nest
holds "has them as statements" grep -q '^  \[\*\] p put (p+1)%4 win2$' back.nest
accepted "and is the trace" check back.nest halo.trace
accepted "the model itself is consistent" check halo.nest
accepted "messages by pair" matrix --csv --bytes halo.nest
holds "put goes there, get comes from there" grep -qx '1,2,20,9160' out
holds "what is updated at the root goes to it, and is got from it" grep -qx '1,0,10,80' out
holds "what is fetched comes back" grep -qx '2,0,20,160' out
accepted "words of a matrix" matrix halo.nest
holds "say how many are one-sided" grep -q '130 messages, 130 of them one-sided' out
accepted "no difference to itself" diff --exit-code halo.nest halo.nest
sed 's/put (p+1)/get (p+1)/' halo.nest >other.nest
run diff --exit-code halo.nest other.nest
holds "a get in place of a put is another program" test "$status" = 3
refused "simulators have messages alone" 3 'not in this export: 40 get, 40 put, 30 accumulate, 10 fetch_and_op' export --to goal halo.nest -o halo.goal
refused "archives name windows by their communicators" 3 'not in this export: 40 get' export --to otf2 halo.nest -o halo.otf2
accepted "a picture" draw halo.nest -o halo.svg
holds "has their targets" sh -c 'grep -q ">put 1<" halo.svg && grep -q ">fetch_and_op 2<" halo.svg && grep -q "sided communication, with its target" halo.svg && ! grep -q "local event" halo.svg'
accepted "a page" draw halo.nest -o halo.html
accepted "Perfetto has calls" export --to perfetto halo.nest -o halo.json
holds "by their names in MPI" grep -q '"MPI_Get"' halo.json
refused "a rank that is not of the run" 2 'would be 4' check /dev/stdin <<'TEXT'
// tracenest 1
// processes 4
0 put 4 win2
TEXT
