/*
 * windows.h -- one-sided communication in C: is there a window for all of it?
 */
#ifndef TRACENEST_REPLAY_WINDOWS_H
#define TRACENEST_REPLAY_WINDOWS_H

#include "ask/overview.h"

/* Does the program say how its windows are made, and name them where something is put or got? If
   not, a mini-app leaves out what is one-sided. */
bool windows_are_made(const struct overview *);
bool windows_are_made_in(struct run *);

#endif
