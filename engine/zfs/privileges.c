/* SPDX-License-Identifier: GPL-3.0-or-later */
/* privileges.c - see privileges.h; what `zfs allow` prints is read in delegation.c. */
#include "engine/zfs/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>

#include "engine/base/text.h"

#define LIST_BYTES 384
#define NAME_BYTES 64

/* ---- who this is ---- */

/* Whether the programs that are started can do everything: root's get what the bounding set has,
 * another's only what is ambient (capabilities(7)). */
static bool program_has(int capability)
{
	if (geteuid() == 0)
		return prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1;
}

static const char *user_name(char buffer[NAME_BYTES])
{
	char space[4096];
	struct passwd entry, *found = NULL;

	if (getpwuid_r(geteuid(), &entry, space, sizeof(space), &found) == 0 && found)
		return text_clean(found->pw_name, buffer, NAME_BYTES);
	return NULL;
}

/* Its groups, by number and name; both arrays are heap. */
struct groups {
	size_t count;
	gid_t *ids;
	char **names; /* each NULL where it has none */
};

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; groups->names && i < groups->count; i++)
		free(groups->names[i]);
	free(groups->names);
	free(groups->ids);
}

static char *group_name(gid_t id)
{
	struct group entry, *found = NULL;
	AUTO_FREE char *space = malloc(65536); /* its members are in it */

	if (!space || getgrgid_r(id, &entry, space, 65536, &found) != 0 || !found)
		return NULL;
	return strdup(found->gr_name);
}

static int groups_read(struct groups *groups)
{
	int more = getgroups(0, NULL);
	size_t count = more < 0 ? 0 : (size_t)more;

	*groups = (struct groups){.ids = calloc(count + 1, sizeof(gid_t))};
	if (!groups->ids)
		return -ENOMEM;
	more = getgroups((int)count, groups->ids);
	groups->count = more < 0 ? 0 : (size_t)more;
	groups->ids[groups->count++] = getegid();
	groups->names = calloc(groups->count, sizeof(*groups->names));
	if (!groups->names)
		return -ENOMEM;
	for (size_t i = 0; i < groups->count; i++)
		groups->names[i] = group_name(groups->ids[i]);
	return 0;
}

/* ---- what is wanted ---- */

static void want(struct privileges_want *wants, size_t *count, const char *name, bool on_parent)
{
	/* Setting a user property, whichever, is one permission. */
	const char *permission = strchr(name, ':') ? "userprop" : name;

	for (size_t i = 0; i < *count; i++)
		if (strcmp(wants[i].name, permission) == 0)
			return;
	wants[(*count)++] = (struct privileges_want){
		.name = permission, .on_parent = on_parent, .on_made = true};
}

int privileges_wanted(const struct target_spec *spec, struct privileges_want **ret_wants,
		      size_t *ret_count)
{
	struct privileges_want *wants = calloc(spec->properties.count + 6, sizeof(*wants));
	size_t count = 0;

	if (!wants)
		return -ENOMEM;
	want(wants, &count, "create", true);
	wants[0].on_made = false;
	want(wants, &count, "mount", true);
	want(wants, &count, "destroy", false);
	want(wants, &count, "userprop", false);
	want(wants, &count, "volmode", false);
	if (!spec->sparse)
		want(wants, &count, "refreservation", false);
	for (size_t i = 0; i < spec->properties.count; i++)
		/* Part of the creation itself: zvol_create_cb() takes them out of what is set. */
		if (strcmp(spec->properties.list[i].name, "volblocksize") != 0)
			want(wants, &count, spec->properties.list[i].name, false);
	*ret_wants = wants;
	*ret_count = count;
	return 0;
}

/* ---- the check ---- */

int privileges_check_access(struct error *err)
{
	AUTO_CLOSE int fd = open("/dev/zfs", O_RDWR | O_CLOEXEC);
	char buffer[NAME_BYTES];
	const char *user;
	int sys = errno;

	if (fd >= 0)
		return 0;
	if (sys == EPERM) /* of the control group, not of the file */
		return error_set(
			err, ERROR_ZFS_PERMISSION, "",
			"/dev/zfs may not be opened in this control group; the service needs "
			"DeviceAllow=/dev/zfs rw");
	user = user_name(buffer);
	return error_set(err, ERROR_ZFS_PERMISSION, "",
			 "The user %s may not open /dev/zfs (%s); root lets everybody with: chmod "
			 "666 /dev/zfs, and for good with a udev rule, as most systems have it",
			 user ? user : "of this process", strerrordesc_np(sys));
}

/* Whether an administrator has laid down a rule that gives nodes of zvols away. */
static bool rule_there(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)) != NULL)
		found = strstr(entry->d_name, PRIVILEGES_UDEV_RULE ".rules") != NULL;
	if (stream)
		(void)closedir(stream); /* only read */
	return found;
}

static bool in_group(const struct groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->names[i] && strcmp(groups->names[i], name) == 0)
			return true;
	return false;
}

static int check_node(const char *user, const struct groups *groups, struct error *err)
{
	if (program_has(CAP_DAC_OVERRIDE) || in_group(groups, "disk") ||
	    rule_there("/etc/udev/rules.d") || rule_there("/run/udev/rules.d") ||
	    rule_there("/usr/lib/udev/rules.d") || rule_there("/lib/udev/rules.d"))
		return 0;
	return error_set(
		err, ERROR_ZFS_PERMISSION, "",
		"The nodes of zvols (/dev/zd*) cannot be opened by the user %s: they belong "
		"to the group disk, unless a udev rule gives those beneath the dataset to "
		"another (" PRIVILEGES_UDEV_RULE ".rules, see README)",
		user ? user : "of this process");
}

/* "create,mount", what is not delegated. */
static int list_missing(const struct target_spec *spec, const struct privileges_who *who,
			const char *text, char list[LIST_BYTES])
{
	struct privileges_want *wants;
	size_t count, used = 0;
	int r = privileges_wanted(spec, &wants, &count);

	if (r < 0)
		return r;
	list[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (privileges_delegated(text, spec->path, who, &wants[i]))
			continue;
		(void)snprintf(list + used, LIST_BYTES - used, "%s%s", used ? "," : "",
			       wants[i].name);
		used += strlen(list + used);
	}
	free(wants);
	return 0;
}

static int check_delegated(const struct target_spec *spec, const char *text, const char *user,
			   const struct groups *groups, struct error *err)
{
	const struct privileges_who who = {
		.user = user,
		.uid = geteuid(),
		.group_count = groups->count,
		.groups = (const char *const *)groups->names,
		.gids = groups->ids,
	};
	char list[LIST_BYTES], id[NAME_BYTES];

	if (list_missing(spec, &who, text, list) < 0)
		return error_no_memory(err);
	if (list[0] == '\0')
		return 0;
	(void)snprintf(id, sizeof(id), "%u", geteuid());
	return error_set(err, ERROR_ZFS_PERMISSION, "",
			 "The user %s lacks permissions for it; root gives them with: zfs allow -u "
			 "%s %s %s",
			 user ? user : id, user ? user : id, list, spec->path);
}

static int check_zvol(const struct target_spec *spec, const struct zfs_patience *patience,
		      const char *user, const struct groups *groups, struct error *err)
{
	const char *const arguments[] = {"allow", spec->path, NULL};
	AUTO_FREE char *text = NULL;
	int r = 0;

	if (!program_has(CAP_SYS_ADMIN)) {
		r = zfs_do(ZFS_PROGRAM_ZFS, arguments, patience, "Reading what is delegated", &text,
			   err);
		if (r == 0)
			r = check_delegated(spec, text, user, groups, err);
	}
	return r < 0 ? r : check_node(user, groups, err);
}

int privileges_check(const struct target_spec *spec, const struct zfs_patience *patience,
		     struct error *err)
{
	char buffer[NAME_BYTES];
	struct groups groups;
	int r;

	if (program_has(CAP_SYS_ADMIN) && (geteuid() == 0 || spec->kind == TARGET_DATASET))
		return 0;
	if (spec->kind == TARGET_DATASET)
		return error_set(
			err, ERROR_ZFS_PERMISSION, "",
			"On Linux only root, or who has CAP_SYS_ADMIN, can mount a dataset, "
			"whatever zfs allow delegates: run Volbench so, or test a zvol");
	r = groups_read(&groups);
	r = r < 0 ? error_no_memory(err)
		  : check_zvol(spec, patience, user_name(buffer), &groups, err);
	groups_done(&groups);
	return r;
}
