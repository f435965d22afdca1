# A row for each call of MPI: those that otf2-print tells of, of all recorders, as CSV and as Parquet; of text traces; what cannot be a table.
. "$ROOT/tests/checks.sh"

for name in conjugate_gradient.4 is.S.4.scorep bt.S.4.scorep bt.S.4.tau lu.S.4.tau bt.S.4.ez mg.S.4.ez; do
	trace=$(anchor $name)
	accepted "$name: as CSV" events -q --csv --values received "$trace" -o rows.csv
	parquet=
	case $name in conjugate_gradient.4 | is.*)
		accepted "$name: as Parquet" events -q --parquet --values received "$trace" -o rows.parquet
		parquet=rows.parquet
		;;
	esac
	holds "$name: are its calls" python3 "$ROOT/tests/e2e/call_rows.py" "$trace" rows.csv $parquet
	accepted "$name: of one process" events -q --csv --values received --rank 2 "$trace"
	grep -e '^rank,' -e '^2,' rows.csv >own
	same "$name: are its own" own out
done

# Of text: what is outside of all calls, calls that do not end, do not begin, lie inside of each other; words for tags; quotes.
cat >calls.trace <<'END'
0 local call MPI_Sendrecv ; time=1000 site="a \x22b\x22, c < main"
0 send 1 tag5 ; time=1100 bytes=8
0 recv 1 halo7@2 ; bytes=8
0 local call PMPI_Isend ; time=1200
0 send 1 halo7@2
0 local return MPI_Isend ; time=1300
0 recv 1 tag5 ; time=1500 bytes=16
0 local return MPI_Sendrecv ; time=2000
0 local call compute
0 local return MPI_Wait ; time=2100
0 sync MPI_Bcast 0-1 root=1 ; time=3000000000 bytes=0 received=4
1 sync MPI_Bcast 0-1 root=1
1 local call MPI_Barrier ; time=3000000001
END
cat >expected <<'END'
rank,thread,function,peer,tag,communicator,bytes,begin,end,site,path,event
1,0,,0,halo7,2,8,,,,,recv
0,0,MPI_Isend,1,halo7,2,,0.000001200,0.000001300,,,send
1,0,,0,5,world,16,0.000001500,0.000001500,,,recv
0,0,MPI_Sendrecv,1,5,world,8,0.000001000,0.000002000,"a ""b"", c","main > a ""b"", c",send
0,0,MPI_Bcast,1,,world,0,3.000000000,3.000000000,,,MPI_Bcast
1,0,MPI_Bcast,1,,world,,,,,,MPI_Bcast
1,0,MPI_Barrier,,,,,3.000000001,,,,
END
accepted "a text trace" events -q --csv calls.trace
same "has these rows" expected out
accepted "with columns that are asked for" events -q --csv --values received,count calls.trace
refused "a column is there once" 2 "'site' is a column already" events --csv --values received,site calls.trace
refused "no names of columns" 2 '--values all: a table needs' events --csv --values all calls.trace
refused "a table of Parquet has a file" 2 '--parquet: name the file with -o' events --parquet calls.trace
refused "one or the other" 2 'exclude each other' events --csv --parquet calls.trace -o x
refused "tags are numbers in Parquet" 2 "the tag 'halo7' is a word" events --parquet calls.trace -o x
holds "and leaves nothing" test ! -e x
refused "a rank that is not there" 2 'no rank 7' events --csv --rank 7 calls.trace
accepted "what changes nothing" events --csv --times "$(anchor is.S.4.scorep)" -o rows.csv
cp err told
holds "is told" grep -q '^tracenest: --times changes nothing: ' told
grep -v halo calls.trace >plain.trace
accepted "no thread, no site" events -q --parquet plain.trace -o x.parquet
holds "is a file of Parquet" test "$(head -c 4 x.parquet)" = PAR1
