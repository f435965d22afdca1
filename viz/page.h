/*
 * page.h -- a layout as one HTML file that needs nothing else.
 */
#ifndef TRACENEST_VIZ_PAGE_H
#define TRACENEST_VIZ_PAGE_H

#include "viz/layout.h"

bool page_write(const struct layout *, const struct viz_options *, struct output *, struct error *);

#endif
