/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition.h (codec) - JSON definitions and run requests <-> struct definition.
 *
 * A definition: {"schema"?: "volbench.definition/1", "name", "description"?, "parent"?, "target" |
 * "targets", "factors"?, "defaults"?, "workloads", "repeats"?, "order"?, "seed"?, "override"?}. A
 * workload is an object of options with a "name" (by its pattern where it lacks one), or {"name"?,
 * "fio": COMMAND LINE}; each may have a "weight", its own in a recommendation. "repeats" is a
 * number, or {"min"?, "max", "until_ci_percent"}. "jobs" beside its options is a list of such
 * objects, jobs that run together, laid over them. "targets" are named and make the factor
 * "target", the last one unless "factors" holds "target" with all their names as levels. A seed is
 * drawn where there is none. A target
 * {"zvol": {"parent"?, "size"?, "sparse"?, "properties"?}} or {"dataset": {"parent"?,
 * "properties"?}} that names no parent has the definition's.
 *
 * A request names one instead: {"definition": NAME, "parent"?, "target"?, "targets"?, "factors"?,
 * "repeats"?, "order"?, "seed"?, "override"?}; what it gives replaces the definition's member
 * ("override" is merged option by option, a zvol over a zvol member by member:
 * definition_request.h). Every error has the pointer of the document that was handed in:
 * "/definition" where a request's named definition is to blame.
 * What comes back has passed definition_check().
 *
 * That of an imported result has "imported": true, factors whose levels are texts, workloads with
 * the options that are known, and "repeats"; nothing else.
 */
#ifndef SERVER_CODEC_DEFINITION_H
#define SERVER_CODEC_DEFINITION_H

#include <stddef.h>

#include "engine/plan/definition.h"
#include "server/codec/json.h"

#define DEFINITION_SCHEMA "volbench.definition/1"

/*
 * Finds a saved or built-in definition: its JSON text (heap) or -ENOENT. NULL lookup: requests by
 * name are UNKNOWN_DEFINITION.
 */
typedef int definition_lookup(void *arg, const char *name, char **ret_text);

/* `definition` must be fresh (definition_init); on failure it is left fresh. */
MUST_CHECK int definition_decode(const json_t *value, definition_lookup *lookup, void *arg,
				 struct definition *definition, struct error *err);
MUST_CHECK int definition_decode_text(const char *text, size_t size, definition_lookup *lookup,
				      void *arg, struct definition *definition, struct error *err);

/* The definition of a result that is read: as above, but it may be an imported one ("imported":
 * true), which nothing can be run by: there it is refused as CONFLICT at "/imported". */
MUST_CHECK int definition_decode_stored(const json_t *value, struct definition *definition,
					struct error *err);

/*
 * A definition to save (PUT): name, target or its parent, and with it sizes may be missing, a
 * request brings them; what is there is checked. Decodes and drops it.
 */
MUST_CHECK int definition_validate_saved(const json_t *value, struct error *err);

/* The whole definition, options as they were given (canonical), seed included. NULL: no memory. */
json_t *definition_encode(const struct definition *definition);
char *definition_encode_text(const struct definition *definition);

/*
 * One workload's set options, or all of a completed one that have a value and do something:
 * {"rw": "randread", "bs": "4k", ...}; counts, flags and whole seconds are numbers. A size or
 * runtime of 0 is none. Decoding marks all that is there as set; it is not completed again, so of a
 * completed workload from_fio and what was given are lost. On failure *workload is unchanged, else
 * what it held is freed.
 *
 * A workload with jobs has them as "jobs", a list of such objects; of a completed one all options
 * stand there, and beside the list once more those that all jobs have alike, for a reader.
 */
json_t *workload_encode(const struct workload *workload, bool completed);
MUST_CHECK int workload_decode(const json_t *value, const char *pointer, struct workload *workload,
			       struct error *err);

#endif
