/*
 * viridis.h -- colours of much and little: even steps of lightness, so that they survive gray paper
 * and eyes that do not tell red from green.
 */
#ifndef TRACENEST_VIZ_VIRIDIS_H
#define TRACENEST_VIZ_VIRIDIS_H

/* 0xRRGGBB for 0 (little) to 1 (much); what is beyond is as the ends are. */
unsigned viridis(double part);

/* Of shares of time: from cold, blue, over amber to hot, red: what takes no time is neither bright
   nor hot. The same with much white. */
unsigned heat_of_share(double part);
unsigned heat_tint_of_share(double part);

/* White or black: what is better read on a colour. */
const char *viridis_ink(unsigned colour);

#endif
