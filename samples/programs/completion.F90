! completion.F90 -- the calls of completion.c: each process writes to the next one and hears from the one before, many messages at a time, and
! every call that completes requests has its turn.
#include "interface.inc"
program completion
  USE_INTERFACE
  use tally
  use iso_c_binding, only: c_int
  implicit none
  INCLUDE_INTERFACE
  integer, parameter :: messages = 6, most = 16, rounds = 3, ways = 8
  integer :: rank, processes, following, previous, way, error, incoming(most, messages), outgoing(most)
  REQUEST :: requests(messages), barrier

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  following = mod(rank + 1, processes)
  previous = mod(rank + processes - 1, processes)
  outgoing = rank
  do way = 1, ways
    call post_all()
    call send_all()
    call complete_all()
  end do
  call persistent()
  call modes()
  call probes()
  call cancelled()
  call MPI_Ibarrier(MPI_COMM_WORLD, barrier, error)
  call tally_collective("MPI_Barrier"//achar(0), HANDLE(MPI_COMM_WORLD))
  call MPI_Wait(barrier, MPI_STATUS_IGNORE, error)
  if (rank == 0) print '(i0, a, i0, a)', processes, " processes, ", way, " ways to complete"
  call tally_write()
  call MPI_Finalize(error)

contains

  ! Message k of a way carries k numbers under the tag 10 way + k.
  subroutine sent(k)
    integer, intent(in) :: k
    call tally_send(following, 10*way + k, k, HANDLE(MPI_INTEGER), HANDLE(MPI_COMM_WORLD))
  end subroutine

  subroutine received(answer)
    STATUS(answer)
    integer :: words
    call MPI_Get_count(answer, MPI_INTEGER, words, error)
    call tally_recv(SOURCE_OF(answer), TAG_OF(answer), words, HANDLE(MPI_INTEGER), HANDLE(MPI_COMM_WORLD))
  end subroutine

  subroutine post_all()
    integer :: k, source
    do k = 1, messages
      source = merge(MPI_ANY_SOURCE, previous, mod(k, 2) == 0)
      call MPI_Irecv(incoming(1, k), most, MPI_INTEGER, source, 10*way + k, MPI_COMM_WORLD, requests(k), error)
    end do
  end subroutine

  subroutine send_all()
    integer :: k
    do k = 1, messages
      call MPI_Send(outgoing, k, MPI_INTEGER, following, 10*way + k, MPI_COMM_WORLD, error)
      call sent(k)
    end do
  end subroutine

  logical function come(flag)
    logical, intent(in) :: flag
    come = tally_come(merge(1_c_int, 0_c_int, flag)) /= 0
  end function

  subroutine complete_all()
    integer :: left, k, done, which(messages), one
    logical :: flag
    STATUS(answer)
    STATUSES(answers, messages)
    left = messages
    do while (left > 0)
      done = 0
      select case (way)
      case (1) ! one after the other
        call MPI_Wait(requests(messages - left + 1), answer, error)
        done = -1
      case (2)
        call MPI_Test(requests(messages - left + 1), flag, answer, error)
        if (come(flag)) done = -1
      case (3)
        call MPI_Waitany(messages, requests, one, answer, error)
        done = -1
      case (4)
        call MPI_Testany(messages, requests, one, flag, answer, error)
        if (come(flag)) done = -1
      case (5)
        call MPI_Waitsome(messages, requests, done, which, answers, error)
      case (6)
        call MPI_Testsome(messages, requests, done, which, answers, error)
        flag = come(done /= 0)
      case (7)
        call MPI_Waitall(messages, requests, answers, error)
        done = messages
      case (8)
        call MPI_Testall(messages, requests, flag, answers, error)
        if (come(flag)) done = messages
      end select
      if (done < 0) then
        call received(answer)
        done = 1
      else
        do k = 1, done
          call received(STATUS_AT(answers, k))
        end do
      end if
      left = left - done
    end do
  end subroutine

  subroutine persistent()
    integer :: k, round
    REQUEST :: starting(messages)
    STATUSES(answers, messages)
    do k = 1, messages
      call MPI_Send_init(outgoing, k, MPI_INTEGER, following, 10*way + k, MPI_COMM_WORLD, starting(k), error)
      call MPI_Recv_init(incoming(1, k), most, MPI_INTEGER, previous, 10*way + k, MPI_COMM_WORLD, requests(k), error)
    end do
    do round = 1, rounds
      call MPI_Startall(messages, requests, error)
      do k = 1, messages
        call MPI_Start(starting(k), error)
        call sent(k)
      end do
      call MPI_Waitall(messages, requests, answers, error)
      call MPI_Waitall(messages, starting, MPI_STATUSES_IGNORE, error)
      do k = 1, messages
        call received(STATUS_AT(answers, k))
      end do
    end do
    do k = 1, messages
      call MPI_Request_free(starting(k), error)
      call MPI_Request_free(requests(k), error)
    end do
    way = way + 1
  end subroutine

  subroutine modes()
    integer :: k
    REQUEST :: starting(3)
    STATUSES(answers, messages)
    call post_all()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call tally_collective("MPI_Barrier"//achar(0), HANDLE(MPI_COMM_WORLD))
    call MPI_Ssend(outgoing, 1, MPI_INTEGER, following, 10*way + 1, MPI_COMM_WORLD, error)
    call MPI_Rsend(outgoing, 2, MPI_INTEGER, following, 10*way + 2, MPI_COMM_WORLD, error)
    call MPI_Issend(outgoing, 3, MPI_INTEGER, following, 10*way + 3, MPI_COMM_WORLD, starting(1), error)
    call MPI_Isend(outgoing, 4, MPI_INTEGER, following, 10*way + 4, MPI_COMM_WORLD, starting(2), error)
    call MPI_Irsend(outgoing, 5, MPI_INTEGER, following, 10*way + 5, MPI_COMM_WORLD, starting(3), error)
    call MPI_Isend(outgoing, 6, MPI_INTEGER, following, 10*way + 6, MPI_COMM_WORLD, barrier, error)
    call MPI_Request_free(barrier, error)
    do k = 1, messages
      call sent(k)
    end do
    call MPI_Waitall(messages, requests, answers, error)
    do k = 1, messages
      call received(STATUS_AT(answers, k))
    end do
    call MPI_Waitall(3, starting, MPI_STATUSES_IGNORE, error)
    way = way + 1
  end subroutine

  subroutine probes()
    integer :: k
    logical :: there
    MESSAGE :: message
    REQUEST :: receiving
    STATUS(answer)
    do k = 1, messages
      call MPI_Isend(outgoing, k, MPI_INTEGER, following, 10*way + k, MPI_COMM_WORLD, requests(k), error)
      call sent(k)
    end do
    do k = 1, messages
      there = .false.
      select case (mod(k, 4))
      case (0)
        call MPI_Mprobe(previous, 10*way + k, MPI_COMM_WORLD, message, answer, error)
        call MPI_Mrecv(incoming(1, k), most, MPI_INTEGER, message, answer, error)
      case (1)
        do while (.not. come(there))
          call MPI_Improbe(MPI_ANY_SOURCE, 10*way + k, MPI_COMM_WORLD, there, message, answer, error)
        end do
        call MPI_Imrecv(incoming(1, k), most, MPI_INTEGER, message, receiving, error)
        call MPI_Wait(receiving, answer, error)
      case (2)
        do while (.not. come(there))
          call MPI_Iprobe(previous, 10*way + k, MPI_COMM_WORLD, there, answer, error)
        end do
        call MPI_Recv(incoming(1, k), most, MPI_INTEGER, previous, 10*way + k, MPI_COMM_WORLD, answer, error)
      case default
        call MPI_Sendrecv_replace(incoming(1, k), k, MPI_INTEGER, following, 10*way + 9, MPI_ANY_SOURCE, 10*way + 9, &
                                  MPI_COMM_WORLD, answer, error)
        call tally_send(following, 10*way + 9, k, HANDLE(MPI_INTEGER), HANDLE(MPI_COMM_WORLD))
        call received(answer)
        call MPI_Probe(previous, 10*way + k, MPI_COMM_WORLD, answer, error)
        call MPI_Recv(incoming(1, k), most, MPI_INTEGER, previous, 10*way + k, MPI_COMM_WORLD, answer, error)
      end select
      call received(answer)
    end do
    call MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE, error)
    way = way + 1
  end subroutine

  subroutine cancelled()
    STATUS(answer)
    logical :: gone
    call MPI_Irecv(incoming, most, MPI_INTEGER, previous, 10*way, MPI_COMM_WORLD, requests(1), error)
    call MPI_Cancel(requests(1), error)
    call MPI_Wait(requests(1), answer, error)
    call MPI_Test_cancelled(answer, gone, error)
    if (.not. gone) print '(a)', "a receive without a message could not be cancelled"
  end subroutine
end program
