/*
 * test_platform.c -- clusters in a word.
 */
#include <math.h>

#include "replay/platform.h"
#include "tests/rows.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * b;
}

static void test_clusters(void)
{
	static const struct {
		const char *why, *words;
		bool good;
		struct platform platform;
	} cases[] = {
		{"units", "cluster:16,10us,1.25GBps", true, {16, 10e-6, 1.25e9, 1e9}},
		{"bits", "cluster:2,1ms,10Gbps,2Gf", true, {2, 1e-3, 1.25e9, 2e9}},
		{"none: seconds, bytes, flops", "cluster:4,0.5,1e6,3e9", true, {4, 0.5, 1e6, 3e9}},
		{"no latency at all", "cluster:4,0s,1GBps", true, {4, 0, 1e9, 1e9}},
		{"no hosts", "cluster:0,1us,1GBps", false, {0}},
		{"no bandwidth", "cluster:4,1us", false, {0}},
		{"a bandwidth of nothing", "cluster:4,1us,0GBps", false, {0}},
		{"another unit", "cluster:4,1us,1GB", false, {0}},
		{"seconds are no bandwidth", "cluster:4,1us,1us", false, {0}},
		{"something behind", "cluster:4,1us,1GBps,1Gf,", false, {0}},
		{"below zero", "cluster:4,-1us,1GBps", false, {0}},
		{"no cluster", "torus:4,1us,1GBps", false, {0}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct platform p;
		struct error error = {0};
		ROW(cases[i].why, platform_parse(cases[i].words, &p, &error) == cases[i].good);
		if (!cases[i].good) {
			row_contains(cases[i].why, error.message, cases[i].words);
			continue;
		}
		const struct platform *want = &cases[i].platform;
		ROW(cases[i].why, p.hosts == want->hosts && near(p.latency, want->latency));
		ROW(cases[i].why, near(p.bandwidth, want->bandwidth) && near(p.speed, want->speed));
	}
}

static void test_hosts(void)
{
	struct platform p = {2, 4e-6, 1e9, 1e9};
	struct text text = {0};
	struct error error = {0};
	platform_print(&p, &text);
	row_contains("two links make the latency", text.data, "radical=\"0-1\" speed=\"1e+09f\" bw=\"1e+09Bps\"");
	row_contains("two links make the latency", text.data, "lat=\"2e-06s\"");
	text_truncate(&text, 0);
	CU_ASSERT_TRUE(platform_print_hosts(&p, 2, &text, &error));
	row_same("a process on each host", text.data, "node0\nnode1\n");
	CU_ASSERT_FALSE(platform_print_hosts(&p, 3, &text, &error));
	row_same("too few hosts", error.message, "the platform has 2 hosts, and there are 3 processes");
	text_clear(&text);
}

void suite_platform(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_clusters);
	CU_ADD_TEST(suite, test_hosts);
}
