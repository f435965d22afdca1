# mutate.awk -- record/mpi.def with one wrapper wrong: `awk -v nth=N -f mutate.awk record/mpi.def`; with nth=0 a line "N NAME: WHAT" for each way that there is.
# What a wrapper is told comes out different (a tag, a size), or what it does is left out.

function wrong(way) {
	ways++
	if (nth == 0) print ways, name ": " way
	return ways == nth
}

/^[A-Z].*\(/ { name = $0; sub(/\(.*/, "", name) }
/^(watched|collective) / { name = $2; sub(/\(.*/, "", name) }
/^\t/ {
	if (/message_sent|request_send|request_persistent_send/) {
		if (wrong("tag of what is sent")) sub(/tag, comm/, "tag + 1, comm")
		if (wrong("number of elements sent")) sub(/count, /, "count + 1, ")
	} else if (/^\t=/) {
		if (wrong("bytes sent")) $0 = $0 " d.sent += 4;"
		if (wrong("bytes received")) $0 = $0 " d.received += 4;"
	} else if (/requests?_claim\(|requests?_started\(/) {
		if (wrong("requests not seen")) { sub(/c, (in)?count, /, "c, 0, "); sub(/\(request\)/, "(\\&recorder.mpi.no_request)"); sub(/\(c, request\)/, "(c, \\&recorder.mpi.no_request)") }
	} else if (/^\t> request_posted/) {
		if (wrong("request forgotten")) $0 = "\t> request_posted(r, MPI_ERR_OTHER, request);"
	} else if (/request_receive\(|request_receive_matched\(/) {
		if (wrong("datatype of what is received")) sub(/datatype|recvtype/, "recorder.mpi.byte")
	} else if (/^\t[<>] [^;]*;$/ && !/struct/) {
		if (wrong("left out")) $0 = substr($0, 1, 2) " (void)0;"
	} else if (/message_take/) {
		if (wrong("message forgotten")) sub(/message_take\(\*message\)/, "message_take(recorder.mpi.no_process)")
	}
}
nth > 0 { print }
