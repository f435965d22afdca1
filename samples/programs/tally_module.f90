! tally_module.f90 -- tally.h for Fortran; handles as integers.
module tally
  use iso_c_binding, only: c_int, c_char
  implicit none
  interface
    subroutine tally_send(to, tag, count, datatype, comm) bind(C, name="tally_fortran_send")
      import :: c_int
      integer(c_int), value :: to, tag, count, datatype, comm
    end subroutine
    subroutine tally_recv(from, tag, count, datatype, comm) bind(C, name="tally_fortran_recv")
      import :: c_int
      integer(c_int), value :: from, tag, count, datatype, comm
    end subroutine
    ! The operation's name ends with achar(0).
    subroutine tally_collective(operation, comm) bind(C, name="tally_fortran_collective")
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: operation(*)
      integer(c_int), value :: comm
    end subroutine
    ! flag: 1 or 0; waits a moment where it is 0.
    integer(c_int) function tally_come(flag) bind(C, name="tally_come")
      import :: c_int
      integer(c_int), value :: flag
    end function
    subroutine tally_write() bind(C, name="tally_write")
    end subroutine
  end interface
end module
