/*
 * viridis.h -- colours of much and little: even steps of lightness, so that they survive gray paper
 * and eyes that do not tell red from green.
 */
#ifndef TRACENEST_VIZ_VIRIDIS_H
#define TRACENEST_VIZ_VIRIDIS_H

/* 0xRRGGBB for 0 (little) to 1 (much); what is beyond is as the ends are. */
unsigned viridis(double part);

/* The same, so light that lines and texts of all colours can be seen on it. */
unsigned viridis_tint(double part);

/* White or black: what is better read on a colour. */
const char *viridis_ink(unsigned colour);

#endif
