/*
 * viridis.c -- viridis, turned so that much is dark, by its values at fifteenths (van der Walt and
 * Smith, public domain).
 */
#include "viz/viridis.h"

#include <math.h>

static const unsigned char heat[][3] = {{253, 231, 37}, {210, 226, 27}, {165, 219, 54}, {122, 209, 81}, {84, 197, 104},
	{53, 183, 121}, {34, 168, 132}, {31, 152, 139}, {35, 136, 142}, {42, 120, 142}, {49, 104, 142}, {57, 86, 140},
	{65, 68, 135}, {71, 47, 125}, {72, 26, 108}, {68, 1, 84}};

unsigned viridis(double part)
{
	double place = fmin(fmax(part, 0), 1) * 15;
	int below = place >= 15 ? 14 : (int)place;
	unsigned colour = 0;
	for (int i = 0; i < 3; i++)
		colour = colour << 8 |
			 (unsigned)lround(heat[below][i] + (place - below) * (heat[below + 1][i] - heat[below][i]));
	return colour;
}

static unsigned hot(double part, double white)
{
	static const unsigned char stop[][3] = {{74, 111, 150}, {232, 174, 66}, {170, 20, 28}};
	double place = fmin(fmax(part, 0), 1) * 2;
	int below = place >= 1;
	unsigned colour = 0;
	for (int i = 0; i < 3; i++) {
		double pure = stop[below][i] + (place - below) * (stop[below + 1][i] - stop[below][i]);
		colour = colour << 8 | (unsigned)lround(pure + white * (255 - pure));
	}
	return colour;
}

unsigned heat_of_share(double part)
{
	return hot(part, 0);
}

unsigned heat_tint_of_share(double part)
{
	return hot(part, 0.75);
}

const char *viridis_ink(unsigned colour)
{
	double light = 0.299 * (colour >> 16) + 0.587 * (colour >> 8 & 255) + 0.114 * (colour & 255);
	return light > 140 ? "#000000" : "#ffffff";
}
