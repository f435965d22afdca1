/*
 * viridis.c -- viridis, turned so that much is dark, by its values at fifteenths (van der Walt and
 * Smith, public domain).
 */
#include "viz/viridis.h"

#include <math.h>

static const unsigned char heat[][3] = {{253, 231, 37}, {210, 226, 27}, {165, 219, 54}, {122, 209, 81}, {84, 197, 104},
	{53, 183, 121}, {34, 168, 132}, {31, 152, 139}, {35, 136, 142}, {42, 120, 142}, {49, 104, 142}, {57, 86, 140},
	{65, 68, 135}, {71, 47, 125}, {72, 26, 108}, {68, 1, 84}};

/* The colour, with so much of white in it. */
static unsigned mixed(double part, double white)
{
	double place = fmin(fmax(part, 0), 1) * 15;
	int below = place >= 15 ? 14 : (int)place;
	unsigned colour = 0;
	for (int i = 0; i < 3; i++) {
		double pure = heat[below][i] + (place - below) * (heat[below + 1][i] - heat[below][i]);
		colour = colour << 8 | (unsigned)lround(pure + white * (255 - pure));
	}
	return colour;
}

unsigned viridis(double part)
{
	return mixed(part, 0);
}

unsigned viridis_tint(double part)
{
	return mixed(part, 0.75);
}

const char *viridis_ink(unsigned colour)
{
	double light = 0.299 * (colour >> 16) + 0.587 * (colour >> 8 & 255) + 0.114 * (colour & 255);
	return light > 140 ? "#000000" : "#ffffff";
}
