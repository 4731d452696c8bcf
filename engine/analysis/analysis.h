/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analysis.h - what the samples of a result show, and no more: differences between levels, and the
 * level to choose.
 *
 * A comparison is one workload (of a metadata workload one phase) at one combination of the levels
 * of all factors but the first, over the levels of the first. They come workload by workload, the
 * second factor fastest, a workload's phases in the order of file_phases.h within; each is judged
 * by one measure.
 *
 * Method. Logarithms of the measure follow block + level, a block being one repeat of all levels;
 * the residual of blocks that hold every level, with (repeats-1)(levels-1) degrees of freedom,
 * serves every pair (Student's t). A drift over the run that the blocks' means show is first taken
 * out, which costs a degree of freedom (drift.h). Where the levels' spreads differ a pair is judged
 * by the paired t of its own differences (repeats-1), and says so. Scores over all comparisons
 * (recommendation.h) are judged the same way. Holm's procedure covers every pair of levels of every
 * comparison and of the scores together: of a hundred results at most five hold any false verdict.
 * Sources stand with the functions (contrasts.h).
 *
 * Everything here is computed from the result when it is asked for; nothing of it is stored.
 *
 * Length: every figure of an analysis stands here, each with what it means.
 */
#ifndef ENGINE_ANALYSIS_ANALYSIS_H
#define ENGINE_ANALYSIS_ANALYSIS_H

#include "engine/analysis/cells.h"
#include "engine/analysis/statistics.h"

/* What a comparison is judged by. IOPS of all directions together, where every level has requests
 * of one size; bytes a second where the request size is a factor or no IOPS are known; the mean
 * latency, of which less is better, where rates say what is done; files a second of metadata. */
enum measure { MEASURE_IOPS, MEASURE_BANDWIDTH, MEASURE_LATENCY, MEASURE_FILES, MEASURE_COUNT };

extern const char *const measure_names[MEASURE_COUNT]; /* "iops", "bandwidth", "latency", "files" */

enum verdict {
	VERDICT_NONE,	       /* one sample of a level or none: nothing can be said */
	VERDICT_NO_DIFFERENCE, /* none was shown */
	VERDICT_DIFFERENT,
};

extern const char *const verdict_names[]; /* "none", "no_difference", "different" */

/* Level b beside level a. Ratios say how good b is: above 1 it is faster, of a latency it is lower.
 */
struct contrast {
	size_t a, b; /* levels of the first factor, a before b */
	size_t blocks;
	double ratio;	  /* of the geometric means over the blocks that have both; 0: no such */
	bool interval;	  /* at least two blocks; else the rest is meaningless */
	double low, high; /* 95 %, of this pair alone, and what rounding leaves open */
	double error;	  /* standard error of the ratio's logarithm that its test took */
	double open;	  /* what rounding leaves open of it, either way */
	double p, p_holm; /* two-sided */
	bool paired;	  /* judged by its own differences, since spreads differ (or blocks lack) */
	double degrees;
	/* The smallest ratio above 1 that these repeats would have shown, at the level at which
	 * Holm's procedure held this pair, with a probability of 80 %. */
	double detectable;
	enum verdict verdict;
};

struct comparison_level {
	size_t samples;			/* that have the measure; 0: the level was not measured */
	struct estimate_interval value; /* arithmetic mean: operations/s, bytes/s, or ns */
	double told_low, told_high; /* what rounding leaves open of the mean; both it where exact */
	double to_best; /* ratio of geometric means to the best level, at most 1; 0: not measured */
	bool in_set;	/* not shown worse than the best */
};

/* The highest of one direction, by the printed digits: several where rounding leaves it open. */
struct direction_best {
	bool known;
	size_t count;
	size_t *levels; /* heap, ascending */
};

struct comparison {
	size_t workload;
	size_t *levels; /* of all factors, the first's being 0; borrowed from the cells */
	bool files;	/* a phase of a metadata workload: this operation, in this order */
	int operation, order;
	enum measure measure;
	double weight;			  /* its share of its workload's, in the recommendation */
	struct comparison_level *figures; /* one a level of the first factor */
	const struct cell **cells;	  /* the same; NULL where there is none */
	size_t measured;		  /* levels with samples */
	size_t best;	 /* level, by geometric means; meaningless where measured is 0 */
	size_t blocks;	 /* that hold every measured level */
	double residual; /* pooled standard deviation of the logarithms; 0: unknown */
	double degrees;
	bool spreads_differ; /* between levels: pairs are judged by their own differences */
	/* How good the run's last place is beside its first, by the blocks' means, where that was
	 * taken out of the differences (drift.h); 0: none was shown. */
	double drift;
	size_t contrast_count;
	struct contrast *contrasts; /* all pairs of measured levels */
	struct direction_best bests[DIRECTION_COUNT];
};

/* A level over all comparisons, for the recommendation. */
struct recommended_level {
	bool complete; /* measured wherever two levels were; else the rest is meaningless */
	double score;  /* weighted geometric mean of level / geometric mean of all levels */
	bool interval; /* of the score, 95 %: */
	double low, high;
	double to_leader;		  /* ratio of the scores, at most 1 */
	double lead, lead_low, lead_high; /* the leader beside it: ratio, 95 % where interval */
	double p_holm;			  /* that the leader is no better; over all levels */
	bool in_set;			  /* not shown worse than the leader */
	double worst;			  /* its lowest to_best of any comparison, */
	size_t worst_comparison;	  /* and which */
	double write_amplification;	  /* mean over its cells that know it; 0: not known */
	double space; /* bytes taken a byte written, by its volumes; 0: not known */
};

/* The step from one level to the next in order: what is won and lost by it. */
struct trade_off {
	size_t from, to;	    /* levels, as shown: neighbours by size */
	double ratio;		    /* of the scores, to / from */
	size_t better, worse, open; /* comparisons shown better, worse, and those not told apart */
	double most_won, most_lost; /* largest and smallest ratio to / from of any comparison */
	size_t won, lost;	    /* comparisons those are of */
};

enum recommendation_kind {
	RECOMMENDATION_NONE,   /* nothing is compared, or no two levels were measured everywhere */
	RECOMMENDATION_SINGLE, /* single samples: all levels stay */
	RECOMMENDATION_SET,    /* several are not shown worse than the leader */
	RECOMMENDATION_LEVEL,  /* the leader alone is left */
};

extern const char *const recommendation_kind_names[]; /* "none", "single", "set", "level" */

struct recommendation {
	enum recommendation_kind kind;
	size_t leader; /* level */
	size_t set_count;
	size_t *set; /* levels, as shown */
	size_t level_count;
	struct recommended_level *levels; /* one a level of the first factor */
	size_t trade_off_count;
	struct trade_off *trade_offs;
	size_t blocks; /* repeats that the scores are of */
	/* Standard deviation of a level's score from repeat to repeat, of its logarithm. Single
	 * samples do not tell it: it is then assumed (RECOMMENDATION_SPREAD), and a sentence made
	 * of what follows from it says so. */
	double spread;
	bool spread_assumed;
	/* Repeats with which the leader would be set off from the next of its set, with a
	 * probability of 80 %, were difference and spread these; 0: more than
	 * DEFINITION_REPEATS_MAX, no difference, or none in the set beside it. */
	unsigned int repeats_needed;
	size_t next; /* that level; the leader where there is none */
};

/* A sentence that carries its numbers, for a reader; `code` for a program (statements.h). */
struct statement {
	const char *code; /* static, stable, snake_case */
	char *text;	  /* heap */
};

struct analysis {
	const struct result *result; /* borrowed */
	struct cells cells;
	const char *axis;   /* first factor's name; "" without factors */
	size_t level_count; /* of the first factor; 1 without */
	size_t *order;	    /* its levels as shown: by size where all are sizes, else as given */
	size_t comparison_count;
	struct comparison *comparisons;
	struct recommendation recommendation;
	size_t statement_count;
	struct statement *statements; /* what to read first stands first */
	struct findings findings;     /* checks that look at several samples (checks_result.h) */
};

/* result must outlive it. On failure (-ENOMEM, -EOVERFLOW) nothing is left to free. */
MUST_CHECK int analysis_make(const struct result *result, struct analysis *ret_analysis);
void analysis_done(struct analysis *analysis);

/* A level's name; "" without factors. level: an index of the factor's, not of order. */
const char *analysis_level(const struct analysis *analysis, size_t level);

/* Whether one volume was measured after another, for want of space. */
bool analysis_grouped_for_space(const struct result *result);

/* "Exchange", "Exchange, iodepth=16", "Mail, sequential create"; valid until the buffer changes. */
#define ANALYSIS_TITLE_MAX 400
const char *analysis_title(const struct analysis *analysis, const struct comparison *comparison,
			   char buffer[ANALYSIS_TITLE_MAX]);

/* Whether a level's figure is the best of its comparison, as far as rounding tells: the highest, of
 * latencies the lowest. All that can be said of single samples. */
bool analysis_tops(const struct comparison *comparison, size_t level);

/* The contrast of two levels, whichever comes first; NULL where there is none. */
const struct contrast *analysis_contrast(const struct comparison *comparison, size_t one,
					 size_t other);

#endif
