/*
 * demangle.c -- names of symbols, by their scheme of mangling.
 *
 * C++ is left to the __cxa_demangle of a libstdc++ that is loaded when the first such name comes: a
 * machine that runs C++ programs has one, whatever tracenest was built with; libiberty, static,
 * would have to be there where it is built. It gives signatures, of which the name is cut out here.
 */
#include "record/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/lines.h"

struct demangler {
	bool tried;
	void *library;
	char *(*cxa)(const char *mangled, char *buffer, size_t *length, int *status);
};

struct demangler *demangler_new(void)
{
	return mem_zero(sizeof(struct demangler));
}

void demangler_free(struct demangler *d)
{
	if (d->library)
		dlclose(d->library);
	free(d);
}

/* ------------------------------------------------------------------ names in signatures */

/* Behind what the bracket here encloses. Within parentheses, < is an operator. */
static const char *behind_group(const char *at)
{
	static const char open[] = "(<{[", close[] = ")>}]";
	char end = close[strchr(open, *at++) - open];
	while (*at && *at != end) {
		bool nested = strchr(open, *at) && (*at != '<' || end == '>');
		at = nested ? behind_group(at) : at + 1;
	}
	return at + (*at == end);
}

static const char *put_operator(const char *at, struct text *out)
{
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->",
		"==", "!=", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "&&", "||", "++", "--", "()", "[]", "<",
		">"};
	const char *end = at + strlen("operator");
	size_t known = 0;
	while (known < sizeof symbols / sizeof *symbols && !text_begins_with(end, symbols[known]))
		known++;
	if (known < sizeof symbols / sizeof *symbols)
		end += strlen(symbols[known]);
	else if (*end == ' ') /* new, delete[], of a type */
		end += strcspn(end, "(<");
	else
		end += *end != '\0';
	text_add(out, at, (size_t)(end - at));
	return end[0] == ' ' && end[1] == '<' ? end + 1 : end;
}

/* before: the character of the name; '\0': none. */
static bool is_operator(const char *at, char before)
{
	char behind = text_begins_with(at, "operator") ? at[strlen("operator")] : 'x';
	return (!before || before == ':') && !is_letter(behind) && !is_digit(behind);
}

/* "{lambda(int)#1}::operator()" is {lambda#1}. */
static const char *put_unnamed(const char *at, struct text *out)
{
	static const char lambda[] = "{lambda(", call[] = "::operator()";
	const char *end = behind_group(at);
	if (!text_begins_with(at, lambda)) {
		text_add(out, at, (size_t)(end - at));
		return end;
	}
	const char *number = behind_group(at + strlen(lambda) - 1);
	text_put(out, "{lambda");
	if (number < end)
		text_add(out, number, (size_t)(end - number));
	return text_begins_with(end, call) ? end + strlen(call) : end;
}

static const char *behind_qualifiers(const char *at)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
	for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
		if (text_begins_with(at, qualifiers[i]))
			at += strlen(qualifiers[i]);
	return at;
}

/* What stands before a blank is the type of the result; what is local to a function comes behind its
   parameters. */
static void put_name(const char *at, struct text *out)
{
	static const char anonymous[] = "(anonymous namespace)::";
	while (*at) {
		if (text_begins_with(at, anonymous))
			at += strlen(anonymous);
		else if (is_operator(at, out->length ? out->data[out->length - 1] : '\0'))
			at = put_operator(at, out);
		else if (*at == '<') {
			at = behind_group(at);
			text_put(out, "<...>");
		} else if (*at == '{')
			at = put_unnamed(at, out);
		else if (*at == '[') /* [abi:cxx11] */
			at = behind_group(at);
		else if (*at == ' ' || text_begins_with(at, "(*") ||
			 text_begins_with(at, "(&")) { /* the result is a pointer to a function */
			text_truncate(out, 0);
			at += *at == ' ' ? 1 : 2;
		} else if (*at == '(') {
			at = behind_qualifiers(behind_group(at));
			if (*at != ':' && *at != ' ')
				break;
		} else
			text_char(out, *at++);
	}
}

/* A function and its class say enough: of "LAMMPS_NS::Verlet::run", Verlet::run. */
static void drop_namespaces(struct text *name)
{
	const char *last = name->data, *class = last;
	for (const char *at = last; at && *at && !is_operator(at, at > name->data ? at[-1] : '\0');) {
		if (text_begins_with(at, "::")) {
			at += 2;
			class = *at == '{' ? class : last;
			last = *at == '{' ? last : at;
		} else
			at = *at == '<' || *at == '{' ? behind_group(at) : at + 1;
	}
	if (class > name->data) {
		char *kept = mem_text(class);
		text_truncate(name, 0);
		text_put(name, kept);
		free(kept);
	}
}

static void find_cxa(struct demangler *d)
{
	d->tried = true;
	d->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	void *found = d->library ? dlsym(d->library, "__cxa_demangle") : NULL;
	memcpy(&d->cxa, &found, sizeof found);
}

static bool put_cxx(struct demangler *d, const char *symbol, struct text *out)
{
	if (!d->tried)
		find_cxa(d);
	int status = 0;
	char *signature = d->cxa ? d->cxa(symbol, NULL, NULL, &status) : NULL;
	if (signature)
		put_name(signature, out);
	drop_namespaces(out);
	free(signature);
	return out->length;
}

/* ------------------------------------------------------------------ Rust */

#define HASH_DIGITS 16

/* "17h" and 16 digits: the last part of a name, if it ends in E. */
static bool is_hash(const char *part)
{
	return text_begins_with(part, "17h") && strspn(part + 3, "0123456789abcdef") == HASH_DIGITS &&
	       !strcmp(part + 3 + HASH_DIGITS, "E");
}

static void put_rust_part(const char *part, size_t length, struct text *out)
{
	static const struct {
		const char *escaped, *plain;
	} escapes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"}, {"$LP$", "("},
		{"$RP$", ")"}, {"$C$", ","}, {"$u20$", " "}, {"$u27$", "'"}, {"$u5b$", "["}, {"$u5d$", "]"},
		{"$u7b$", "{"}, {"$u7d$", "}"}, {"$u7e$", "~"}, {"..", "::"}};
	const char *at = part, *end = part + length;
	if (text_begins_with(at, "_$"))
		at++;
	while (at < end) {
		size_t i = 0;
		while (i < sizeof escapes / sizeof *escapes && !text_begins_with(at, escapes[i].escaped))
			i++;
		bool escaped = i < sizeof escapes / sizeof *escapes && strlen(escapes[i].escaped) <= (size_t)(end - at);
		if (escaped)
			text_put(out, escapes[i].plain);
		else
			text_char(out, *at);
		at += escaped ? strlen(escapes[i].escaped) : 1;
	}
}

static bool put_rust(const char *symbol, struct text *out)
{
	const char *at = symbol + strlen("_ZN");
	while (is_digit(*at) && !is_hash(at)) {
		char *part;
		size_t length = strtoull(at, &part, 10);
		if (!length || length > strlen(part))
			break;
		text_put(out, out->length ? "::" : "");
		put_rust_part(part, length, out);
		at = part + length;
	}
	if (!is_hash(at))
		text_truncate(out, 0);
	return out->length;
}

/* ------------------------------------------------------------------ Rust, v0 */

/* (RFC 2603.) Names alone are wanted: what stands for types, arguments of generics and traits is
   passed unless the name is of it. */
struct rust {
	const char *start, *at;
	struct text *out; /* NULL: nothing is printed */
	int depth;
	bool bad;
};

#define RUST_DEPTH 64 /* paths inside each other; those that refer back may do so forever */
#define RUST_LENGTH 4096 /* of a name: what refers back may double it each time */

static void rust_path(struct rust *);
static void rust_type(struct rust *);

static bool rust_takes(struct rust *r, char c)
{
	bool takes = *r->at == c;
	r->at += takes;
	return takes;
}

static void rust_put(struct rust *r, const char *words, size_t length)
{
	if (r->out)
		text_add(r->out, words, length);
	r->bad = r->bad || (r->out && r->out->length > RUST_LENGTH);
}

/* "_": 0; "0_": 1. */
static size_t rust_number(struct rust *r)
{
	size_t n = 0;
	for (bool first = true; !rust_takes(r, '_'); first = false, r->at++) {
		int digit = is_digit(*r->at)                 ? *r->at - '0'
			    : *r->at >= 'a' && *r->at <= 'z' ? *r->at - 'a' + 10
			    : *r->at >= 'A' && *r->at <= 'Z' ? *r->at - 'A' + 36
							     : -1;
		if (digit < 0) {
			r->bad = true;
			return 0;
		}
		n = (first ? 0 : (n - 1) * 62) + (size_t)digit + 1;
	}
	return n;
}

/* between: what stands before it, if it has a name. */
static void rust_identifier(struct rust *r, const char *between)
{
	if (rust_takes(r, 's'))
		rust_number(r);
	rust_takes(r, 'u');
	size_t length = 0;
	while (is_digit(*r->at) && length < RUST_LENGTH)
		length = length * 10 + (size_t)(*r->at++ - '0');
	rust_takes(r, '_');
	r->bad = r->bad || strnlen(r->at, length) < length;
	if (r->bad)
		return;
	if (length)
		rust_put(r, between, strlen(between));
	rust_put(r, r->at, length);
	r->at += length;
}

/* What is not printed has been read before: to do so each time would take forever where each refers
   to the one before twice. */
static void rust_back(struct rust *r, void (*what)(struct rust *))
{
	size_t to = rust_number(r);
	const char *at = r->at;
	r->bad = r->bad || to >= (size_t)(at - r->start);
	if (r->bad || !r->out)
		return;
	r->at = r->start + to;
	what(r);
	r->at = at;
}

static void rust_silently(struct rust *r, void (*what)(struct rust *))
{
	struct text *out = r->out;
	r->out = NULL;
	what(r);
	r->out = out;
}

static void rust_constant(struct rust *r)
{
	if (rust_takes(r, 'p'))
		return;
	if (rust_takes(r, 'B')) {
		rust_number(r);
		return;
	}
	rust_type(r);
	r->at += strcspn(r->at, "_");
	r->bad = !rust_takes(r, '_') || r->bad;
}

/* Lifetimes, constants, types. */
static void rust_argument(struct rust *r)
{
	if (rust_takes(r, 'L')) {
		rust_number(r);
	} else if (rust_takes(r, 'K')) {
		rust_constant(r);
	} else {
		rust_type(r);
	}
}

static void rust_arguments(struct rust *r)
{
	while (!r->bad && !rust_takes(r, 'E'))
		rust_argument(r);
}

static void rust_function(struct rust *r)
{
	if (rust_takes(r, 'G'))
		rust_number(r);
	rust_takes(r, 'U');
	if (rust_takes(r, 'K') && !rust_takes(r, 'C'))
		rust_identifier(r, "");
	rust_arguments(r);
	rust_type(r);
}

static void rust_binding(struct rust *r)
{
	rust_identifier(r, "");
	rust_type(r);
}

static void rust_dynamic(struct rust *r)
{
	if (rust_takes(r, 'G'))
		rust_number(r);
	for (bool first = true; !r->bad && !rust_takes(r, 'E'); first = false) {
		rust_put(r, " + ", first ? 0 : 3);
		rust_path(r);
		while (!r->bad && rust_takes(r, 'p')) {
			rust_silently(r, rust_binding);
		}
	}
	if (rust_takes(r, 'L'))
		rust_number(r);
}

static void rust_type(struct rust *r)
{
	static const char *const own[] = {"i8", "bool", "char", "f64", "str", "f32", "", "u8", "isize", "usize", "",
		"i32", "u32", "i128", "u128", "_", "", "", "i16", "u16", "()", "...", "", "i64", "u64", "!"};
	char kind = *r->at;
	if (r->bad || !kind || ++r->depth > RUST_DEPTH) {
		r->bad = true;
		return;
	}
	if (strchr("CMXYNI", kind)) {
		rust_path(r);
	} else if (r->at++, kind == 'B') {
		rust_back(r, rust_type);
	} else if (kind == 'A' || kind == 'S') {
		rust_put(r, "[", 1);
		rust_type(r);
		rust_put(r, "]", 1);
		if (kind == 'A')
			rust_silently(r, rust_constant);
	} else if (kind == 'T') {
		rust_put(r, "(...)", strlen("(...)"));
		rust_silently(r, rust_arguments);
	} else if (kind == 'F') {
		rust_put(r, "fn", strlen("fn"));
		rust_silently(r, rust_function);
	} else if (kind == 'D') {
		rust_put(r, "dyn ", strlen("dyn "));
		rust_dynamic(r);
	} else if (strchr("RQPO", kind)) {
		rust_put(r, strchr("RQ", kind) ? "&" : "*", 1);
		if (rust_takes(r, 'L'))
			rust_number(r);
		rust_type(r);
	} else if (kind >= 'a' && kind <= 'z') {
		rust_put(r, own[kind - 'a'], strlen(own[kind - 'a']));
	} else {
		r->bad = true;
	}
	r->depth--;
}

static void rust_path(struct rust *r)
{
	char kind = *r->at, space;
	if (r->bad || !kind || ++r->depth > RUST_DEPTH) {
		r->bad = true;
		return;
	}
	r->at++;
	switch (kind) {
	case 'C':
		rust_identifier(r, "");
		break;
	case 'N':
		space = *r->at;
		r->at += space != 0;
		rust_path(r);
		if (space == 'C')
			rust_put(r, "::{closure}", strlen("::{closure}"));
		rust_identifier(r, "::");
		break;
	case 'M':
	case 'X':
		if (rust_takes(r, 's'))
			rust_number(r);
		rust_silently(r, rust_path);
		rust_type(r);
		if (kind == 'X')
			rust_silently(r, rust_path);
		break;
	case 'Y':
		rust_type(r);
		rust_silently(r, rust_path);
		break;
	case 'I':
		rust_path(r);
		rust_silently(r, rust_arguments);
		break;
	case 'B':
		rust_back(r, rust_path);
		break;
	default:
		r->bad = true;
	}
	r->depth--;
}

static bool put_rust_v0(const char *symbol, struct text *out)
{
	struct rust r = {.start = symbol + strlen("_R"), .out = out};
	r.at = r.start;
	rust_path(&r);
	if (r.bad)
		text_truncate(out, 0);
	return out->length;
}

/* ------------------------------------------------------------------ Fortran */

/* MODULE::PROCEDURE, around what a compiler puts between them. */
static bool put_module(const char *symbol, const char *before, const char *between, struct text *out)
{
	const char *module = symbol + strlen(before);
	const char *cut = text_begins_with(symbol, before) ? strstr(module, between) : NULL;
	if (!cut || cut == module || !cut[strlen(between)])
		return false;
	text_add(out, module, (size_t)(cut - module));
	text_format(out, "::%s", cut + strlen(between));
	return true;
}

/* gfortran's __solver_MOD_step, flang's _QMsolverPstep, ifort's solver_mp_step_; flang's are in small
   letters. */
static bool put_fortran(const char *symbol, struct text *out)
{
	size_t length = strlen(symbol);
	return put_module(symbol, "__", "_MOD_", out) || put_module(symbol, "_QM", "P", out) ||
	       (text_begins_with(symbol, "_QP") && (text_put(out, symbol + strlen("_QP")), out->length)) ||
	       (length && symbol[length - 1] == '_' && put_module(symbol, "", "_mp_", out));
}

/* ------------------------------------------------------------------ any */

/* Are these the parts, each behind a dot, that compilers add to a name? */
static bool is_of_clone(const char *at)
{
	static const char *const parts[] = {"constprop", "isra", "part", "cold", "lto_priv", "llvm", "localalias",
		"_omp_fn", "_omp_cpyfn", "resolver", "default"};
	while (*at == '.') {
		size_t length = strcspn(++at, "."), i = 0;
		while (i < sizeof parts / sizeof *parts &&
			(strlen(parts[i]) != length || memcmp(parts[i], at, length) != 0))
			i++;
		if (i == sizeof parts / sizeof *parts && strspn(at, "0123456789") != length)
			return false;
		at += length;
	}
	return !*at;
}

static void cut_additions(struct text *symbol)
{
	const char *version = symbol->length ? strchr(symbol->data + 1, '@') : NULL;
	if (version)
		text_truncate(symbol, (size_t)(version - symbol->data));
	for (size_t i = 1; i < symbol->length; i++)
		if (symbol->data[i] == '.' && is_of_clone(symbol->data + i))
			text_truncate(symbol, i);
}

static bool put_demangled(struct demangler *d, const char *symbol, struct text *out)
{
	if (text_begins_with(symbol, "_R"))
		return put_rust_v0(symbol, out);
	if (!text_begins_with(symbol, "_Z"))
		return put_fortran(symbol, out);
	size_t length = strlen(symbol), hash = strlen("17h") + HASH_DIGITS + 1;
	bool rust = text_begins_with(symbol, "_ZN") && length > hash && is_hash(symbol + length - hash);
	return (rust && put_rust(symbol, out)) || put_cxx(d, symbol, out);
}

char *demangler_name(struct demangler *d, const char *symbol)
{
	struct text plain = {0}, name = {0};
	text_put(&plain, symbol);
	cut_additions(&plain);
	bool demangled = plain.length && put_demangled(d, plain.data, &name);
	if (!demangled) {
		text_truncate(&name, 0);
		text_put(&name, symbol);
		text_truncate(&name, plain.length);
	}
	while (name.length > 1 && name.data[name.length - 1] == '_' && !text_begins_with(symbol, "_Z"))
		text_truncate(&name, name.length - 1);
	text_clear(&plain);
	return name.data ? name.data : mem_text("");
}

bool demangler_is_qualified(const char *symbol)
{
	struct text name = {0};
	bool qualified = text_begins_with(symbol, "_Z") || text_begins_with(symbol, "_R") || put_fortran(symbol, &name);
	text_clear(&name);
	return qualified;
}
