/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.c (codec) - see verify.h. */
#include "server/codec/verify.h"

#define SECONDS_MAX 1e9

static json_t *fault_encode(const struct verify_fault *fault)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "kind", verify_kind_names[fault->kind]);
	failed |= put_u64(value, "job", fault->job);
	failed |= put_u64(value, "block", fault->block);
	failed |= put_u64(value, "offset", fault->offset);
	failed |= put_u64(value, "byte", fault->byte);
	failed |= put_u64(value, "generation", fault->generation);
	if (fault->kind == VERIFY_FLIPPED_BIT)
		failed |= put_u64(value, "bit", fault->bit);
	if (fault->kind == VERIFY_TORN)
		failed |= put_u64(value, "end", fault->end);
	if (fault->kind == VERIFY_TORN || fault->kind == VERIFY_STALE)
		failed |= put_u64(value, "found_generation", fault->found_generation);
	if (fault->kind == VERIFY_MISPLACED)
		failed |= put_u64(value, "found_offset", fault->found_offset);
	return put_end(value, failed);
}

json_t *verify_encode(const struct sample *sample)
{
	const struct verify_result *verify = &sample->verify;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "method", sample_verify_method(sample));
	failed |= put_u64(value, "blocks", verify->blocks);
	failed |= put_u64(value, "bytes", verify->bytes);
	failed |= put_real(value, "seconds", verify->seconds);
	failed |= put_u64(value, "unknown", verify->unknown);
	failed |= put_u64(value, "errors", verify->errors);
	if (verify->errors > 0)
		failed |= put_value(value, "first", fault_encode(&verify->first));
	return put_end(value, failed);
}

static int fault_decode(const struct fields *in, struct verify_fault *fault)
{
	const struct {
		const char *name;
		uint64_t max, *value;
	} members[] = {
		{"job", UINT64_MAX, &fault->job},
		{"block", UINT64_MAX, &fault->block},
		{"offset", UINT64_MAX, &fault->offset},
		{"byte", UINT64_MAX, &fault->byte},
		{"generation", UINT64_MAX, &fault->generation},
		{"end", UINT64_MAX, &fault->end},
		{"found_generation", UINT64_MAX, &fault->found_generation},
		{"found_offset", UINT64_MAX, &fault->found_offset},
	};
	size_t kind = 0;
	uint64_t bit = 0;
	int r = get_choice(in, "kind", verify_kind_names, VERIFY_KIND_COUNT, &kind);

	for (size_t i = 0; i < ARRAY_SIZE(members) && r == 0; i++)
		if (i < 5 || fields_have(in, members[i].name))
			r = get_u64(in, members[i].name, members[i].max, members[i].value);
	if (r == 0 && fields_have(in, "bit"))
		r = get_u64(in, "bit", 7, &bit);
	fault->kind = (enum verify_kind)kind;
	fault->bit = (unsigned int)bit;
	return r;
}

int verify_decode(const struct fields *in, struct verify_result *verify)
{
	struct fields inner, first;
	int r;

	r = get_object(in, "verify", &inner);
	if (r == 0)
		r = get_u64(&inner, "blocks", UINT64_MAX, &verify->blocks);
	if (r == 0)
		r = get_u64(&inner, "bytes", UINT64_MAX, &verify->bytes);
	if (r == 0)
		r = get_real(&inner, "seconds", SECONDS_MAX, &verify->seconds);
	if (r == 0)
		r = get_u64(&inner, "unknown", UINT64_MAX, &verify->unknown);
	if (r == 0)
		r = get_u64(&inner, "errors", UINT64_MAX, &verify->errors);
	if (r == 0 && verify->errors > 0)
		r = get_object(&inner, "first", &first);
	if (r == 0 && verify->errors > 0)
		r = fault_decode(&first, &verify->first);
	verify->done = r == 0;
	return r;
}
