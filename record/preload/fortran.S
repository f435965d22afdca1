/*
 * fortran.S -- the names by which Fortran calls MPI: note where the call returns to (here.fortran), and
 * go on. Calls are recorded where they end, in C (recorder.h); but there they seem to come from MPI's
 * own Fortran layer.
 *
 * No argument is looked at, so one piece of code serves all functions, compilers and interfaces. What
 * stands behind a name is looked up when it is called first. On machines without code here, Fortran's
 * call sites are in that layer.
 */
#if defined(__x86_64__) && defined(__linux__)

#define FORTRAN 8 /* offset of `fortran` in struct here */

	.macro entry name
	.text
	.globl \name
	.type \name, @function
\name:
	movq (%rsp), %r11
	movq here@gottpoff(%rip), %rax
	movq %r11, %fs:FORTRAN(%rax)
	jmpq *slot_\name(%rip)
find_\name:
	leaq name_\name(%rip), %rax
	leaq slot_\name(%rip), %r11
	jmp find
	.size \name, . - \name
	.section .rodata.fortran, "a", @progbits
name_\name:
	.asciz "\name"
	.data
slot_\name:
	.quad find_\name
	.endm

	.text
	.type find, @function
/* rax: a name, r11: its slot; the registers of arguments are kept. */
find:
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $8, %rsp
	movq %r11, %rdi
	movq %rax, %rsi
	movq 56(%rsp), %rdx
	call fortran_find
	addq $8, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	jmpq *%rax
	.size find, . - find

#include "record/preload/fortran.inc"

#endif

	.section .note.GNU-stack, "", @progbits
