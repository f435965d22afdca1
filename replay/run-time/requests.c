/*
 * requests.c -- requests in a list, found by the message that they are for.
 */
#include "replay/run-time/messages.c"

/* HELPER REQUESTS */
/* Requests under way, in the order in which they were made. */
static struct request {
	int send, peer, tag, done;
	MPI_Comm comm;
	MPI_Request request;
	char *place; /* of what is received */
	int *active; /* of a persistent one: this is no longer so when it is done */
} *requests;
static int under_way, most_requests;

static struct request *add_request(int send, int peer, int tag, MPI_Comm comm)
{
	if (under_way == most_requests)
		requests = realloc(requests, (size_t)(most_requests = 2 * under_way + 64) * sizeof *requests);
	requests[under_way] = (struct request){.send = send, .peer = peer, .tag = tag, .comm = comm};
	return &requests[under_way++];
}

static void forget_done(void)
{
	int kept = 0;
	for (int i = 0; i < under_way; i++) {
		if (!requests[i].done)
			requests[kept++] = requests[i];
		else if (requests[i].active)
			*requests[i].active = 0;
		else
			free(requests[i].place);
	}
	under_way = kept;
}

/* HELPER PLACE */
static char *place_for(long count, MPI_Datatype type)
{
	int size;
	MPI_Type_size(type, &size);
	return malloc((size_t)scaled(count, type) * (size_t)size + 1);
}

/* HELPER POSTED */
/* The first one posted of those from there. */
static struct request *posted_receive(int from, int tag, MPI_Comm comm)
{
	int i = 0;
	while (i < under_way && (requests[i].send || requests[i].done || requests[i].peer != from || requests[i].tag != tag ||
		requests[i].comm != comm))
		i++;
	if (i == under_way)
		MPI_Abort(MPI_COMM_WORLD, 3);
	return &requests[i];
}

/* HELPER POST_SEND */
static void post_send(long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to != MPI_PROC_NULL)
		MPI_Isend(out, scaled(count, type), type, to, tag, comm, &add_request(1, to, tag, comm)->request);
}

/* HELPER POST_RECEIVE */
static void post_receive(long count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	if (from == MPI_PROC_NULL)
		return;
	struct request *r = add_request(0, from, tag, comm);
	r->place = place_for(count, type);
	MPI_Irecv(r->place, scaled(count, type), type, from, tag, comm, &r->request);
}

/* HELPER PERSISTENT */
/* Persistent requests are made where they are started first. */
struct persistent {
	int send, count, peer, tag, active;
	MPI_Datatype type;
	MPI_Comm comm;
	MPI_Request request;
	struct persistent *next;
};

/* HELPER START */
static void start(int send, long count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
	static struct persistent *known;
	struct persistent *p = known;
	int n = scaled(count, type);
	if (peer == MPI_PROC_NULL)
		return;
	while (p && (p->active || p->send != send || p->count != n || p->type != type || p->peer != peer || p->tag != tag ||
		p->comm != comm))
		p = p->next;
	if (!p) {
		p = malloc(sizeof *p);
		*p = (struct persistent){send, n, peer, tag, 0, type, comm, MPI_REQUEST_NULL, known};
		known = p;
		if (send)
			MPI_Send_init(out, n, type, peer, tag, comm, &p->request);
		else
			MPI_Recv_init(place_for(count, type), n, type, peer, tag, comm, &p->request);
	}
	p->active = 1;
	MPI_Start(&p->request);
	struct request *r = add_request(send, peer, tag, comm);
	r->request = p->request;
	r->active = &p->active;
}

/* HELPER WAIT_FOR */
static void wait_for(int from, int tag, MPI_Comm comm)
{
	if (from == MPI_PROC_NULL)
		return;
	struct request *r = posted_receive(from, tag, comm);
	MPI_Wait(&r->request, MPI_STATUS_IGNORE);
	r->done = 1;
	forget_done();
}

/* HELPER COLLECT */
/* It is complete behind the next wait_all(). */
static void collect(int from, int tag, MPI_Comm comm)
{
	if (from != MPI_PROC_NULL)
		posted_receive(from, tag, comm)->done = 1;
}

/* HELPER WAIT_SENDS */
static void wait_for_sends(void)
{
	for (int i = 0; i < under_way; i++)
		if (requests[i].send) {
			MPI_Wait(&requests[i].request, MPI_STATUS_IGNORE);
			requests[i].done = 1;
		}
	forget_done();
}

/* HELPER WAIT_ALL */
/* For all sends, and what was collected. */
static void wait_all(void)
{
	static MPI_Request *all;
	static MPI_Status *statuses;
	static int room;
	int n = 0;
	if (room < under_way) {
		room = under_way;
		all = realloc(all, (size_t)room * sizeof *all);
		statuses = realloc(statuses, (size_t)room * sizeof *statuses);
	}
	for (int i = 0; i < under_way; i++)
		if ((requests[i].done |= requests[i].send))
			all[n++] = requests[i].request;
	if (n)
		MPI_Waitall(n, all, statuses);
	forget_done();
}
