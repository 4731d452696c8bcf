/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zfs_facts.c (codec) - see zfs_facts.h. */
#include "server/codec/zfs_facts.h"

#define PERCENT_MAX 100.0

json_t *zfs_facts_encode(const struct zfs_facts *facts)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "pool", facts->pool);
	failed |= put_text_if(value, "version", facts->version);
	failed |= put_text_if(value, "health", facts->health);
	failed |= put_bool(value, "readonly", facts->readonly);
	failed |= put_u64(value, "size_bytes", facts->size_bytes);
	failed |= put_u64(value, "free_bytes", facts->free_bytes);
	if (facts->fragmentation_percent >= 0)
		failed |= put_real(value, "fragmentation_percent", facts->fragmentation_percent);
	if (facts->ashift)
		failed |= put_u64(value, "ashift", facts->ashift);
	failed |= put_text_if(value, "layout", facts->layout);
	failed |= put_bool(value, "parity", facts->parity);
	if (facts->recommended_volblocksize)
		failed |=
			put_u64(value, "recommended_volblocksize", facts->recommended_volblocksize);
	return put_end(value, failed);
}

static int numbers_decode(const struct fields *in, struct zfs_facts *facts)
{
	uint64_t ashift = 0;
	int r = get_u64(in, "size_bytes", UINT64_MAX, &facts->size_bytes);

	if (r == 0)
		r = get_u64(in, "free_bytes", UINT64_MAX, &facts->free_bytes);
	facts->fragmentation_percent = -1;
	if (r == 0 && fields_have(in, "fragmentation_percent"))
		r = get_real(in, "fragmentation_percent", PERCENT_MAX,
			     &facts->fragmentation_percent);
	if (r == 0 && fields_have(in, "ashift"))
		r = get_u64(in, "ashift", UINT32_MAX, &ashift);
	if (r == 0 && fields_have(in, "recommended_volblocksize"))
		r = get_u64(in, "recommended_volblocksize", UINT64_MAX,
			    &facts->recommended_volblocksize);
	facts->ashift = (unsigned int)ashift;
	return r;
}

int zfs_facts_decode(const struct fields *in, struct zfs_facts *ret_facts)
{
	struct zfs_facts facts = {.pool = ""};
	int r = get_text_into(in, "pool", false, facts.pool, sizeof(facts.pool));

	if (r == 0)
		r = get_text_into(in, "version", true, facts.version, sizeof(facts.version));
	if (r == 0)
		r = get_text_into(in, "health", true, facts.health, sizeof(facts.health));
	if (r == 0)
		r = get_text_into(in, "layout", true, facts.layout, sizeof(facts.layout));
	if (r == 0)
		r = get_bool(in, "readonly", &facts.readonly);
	if (r == 0)
		r = get_bool(in, "parity", &facts.parity);
	if (r == 0)
		r = numbers_decode(in, &facts);
	if (r == 0)
		*ret_facts = facts;
	return r;
}
