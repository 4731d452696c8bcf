/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * published_table.h - a published comparison of volblocksize on a pool of SSD mirrors, as printed:
 * operations/s and MiB/s, whose digits give the rounding ("10.0k" is 9,950 to 10,050). For tests of
 * the checks, beside the truth of which figures contradict each other.
 *
 * How the truth was worked out, apart from the checks, in exact fractions: a cell contradicts
 * itself where no number of operations within its printed half unit, times the request size, is
 * within the half unit of the printed MiB/s. 10 of the 90 figures do. The nearest miss (64K,
 * VMware_Appliances, write) needs 489.06 MiB/s at the least and prints 488 (at most 488.5); the
 * nearest hit (4K, Security_Onion_Search) has 0.06 % to spare.
 */
#ifndef TESTS_PUBLISHED_TABLE_H
#define TESTS_PUBLISHED_TABLE_H

struct published_workload {
	const char *name, *options;
};

struct published_figure {
	const char *level, *workload, *direction;
	const char *iops, *mib_per_s;
	int contradicts;
};

static const struct published_workload published_workloads[] = {
	{"General_IO",
	 "bs=4k,128k rw=randrw rwmixread=50 size=4G iodepth=32 numjobs=12 runtime=60"},
	{"Exchange", "bs=8k rw=randrw rwmixread=70 size=4G iodepth=32 numjobs=12 runtime=120"},
	{"Security_Onion_Ingest", "bs=128k rw=write size=16G iodepth=64 numjobs=16 runtime=300"},
	{"Security_Onion_Search", "bs=4k rw=randread size=8G iodepth=32 numjobs=12 runtime=300"},
	{"Elastiflow", "bs=64k rw=write size=10G iodepth=32 numjobs=8 runtime=300"},
	{"Trellix", "bs=8k rw=randrw rwmixread=50 size=4G iodepth=32 numjobs=16 runtime=120"},
	{"File_Server",
	 "bs=4k,64k rw=randrw rwmixread=60 size=8G iodepth=16 numjobs=10 runtime=180"},
	{"VMware_Appliances",
	 "bs=4k,32k rw=randrw rwmixread=70 size=16G iodepth=64 numjobs=16 runtime=180"},
	{"Mixed_VMs",
	 "bs=4k,128k rw=randrw rwmixread=50 size=32G iodepth=32 numjobs=24 runtime=300"},
};

static const struct published_figure published_figures[] = {
	{"4K", "General_IO", "read", "4.2k", "16.2", 0},
	{"4K", "General_IO", "write", "4.2k", "521", 0},
	{"4K", "Exchange", "read", "33.8k", "264", 0},
	{"4K", "Exchange", "write", "14.5k", "114", 0},
	{"4K", "Security_Onion_Ingest", "write", "6.8k", "847", 0},
	{"4K", "Security_Onion_Search", "read", "378k", "1475", 0},
	{"4K", "Elastiflow", "write", "9.5k", "592", 0},
	{"4K", "Trellix", "read", "24.1k", "188", 0},
	{"4K", "Trellix", "write", "24.1k", "188", 0},
	{"4K", "File_Server", "read", "8.7k", "33.8", 0},
	{"4K", "File_Server", "write", "5.8k", "360", 0},
	{"4K", "VMware_Appliances", "read", "22.4k", "87.6", 0},
	{"4K", "VMware_Appliances", "write", "9.6k", "301", 0},
	{"4K", "Mixed_VMs", "read", "3.9k", "15.1", 0},
	{"4K", "Mixed_VMs", "write", "3.9k", "483", 0},
	{"8K", "General_IO", "read", "6.1k", "23.7", 0},
	{"8K", "General_IO", "write", "6.1k", "759", 0},
	{"8K", "Exchange", "read", "36.5k", "285", 0},
	{"8K", "Exchange", "write", "15.6k", "122", 0},
	{"8K", "Security_Onion_Ingest", "write", "8.9k", "1107", 0},
	{"8K", "Security_Onion_Search", "read", "398k", "1556", 0},
	{"8K", "Elastiflow", "write", "12.4k", "773", 0},
	{"8K", "Trellix", "read", "25.9k", "188", 1},
	{"8K", "Trellix", "write", "25.9k", "188", 1},
	{"8K", "File_Server", "read", "12.1k", "47.2", 0},
	{"8K", "File_Server", "write", "8.1k", "503", 0},
	{"8K", "VMware_Appliances", "read", "29.9k", "117", 0},
	{"8K", "VMware_Appliances", "write", "12.8k", "401", 0},
	{"8K", "Mixed_VMs", "read", "5.6k", "22.0", 0},
	{"8K", "Mixed_VMs", "write", "5.6k", "704", 0},
	{"16K", "General_IO", "read", "5.9k", "22.9", 0},
	{"16K", "General_IO", "write", "5.9k", "735", 0},
	{"16K", "Exchange", "read", "37.4k", "292", 0},
	{"16K", "Exchange", "write", "16.1k", "125", 0},
	{"16K", "Security_Onion_Ingest", "write", "6.7k", "841", 0},
	{"16K", "Security_Onion_Search", "read", "379k", "1480", 0},
	{"16K", "Elastiflow", "write", "13.6k", "850", 0},
	{"16K", "Trellix", "read", "27.8k", "217", 0},
	{"16K", "Trellix", "write", "27.8k", "217", 0},
	{"16K", "File_Server", "read", "15.0k", "58.7", 0},
	{"16K", "File_Server", "write", "10.0k", "626", 0},
	{"16K", "VMware_Appliances", "read", "32.7k", "128", 0},
	{"16K", "VMware_Appliances", "write", "15.7k", "438", 1},
	{"16K", "Mixed_VMs", "read", "7.2k", "28.1", 0},
	{"16K", "Mixed_VMs", "write", "7.2k", "900", 0},
	{"32K", "General_IO", "read", "8.2k", "32.0", 0},
	{"32K", "General_IO", "write", "8.2k", "1024", 0},
	{"32K", "Exchange", "read", "41.2k", "322", 0},
	{"32K", "Exchange", "write", "17.7k", "138", 0},
	{"32K", "Security_Onion_Ingest", "write", "8.7k", "1091", 0},
	{"32K", "Security_Onion_Search", "read", "375k", "1464", 0},
	{"32K", "Elastiflow", "write", "12.8k", "841", 1},
	{"32K", "Trellix", "read", "30.8k", "241", 0},
	{"32K", "Trellix", "write", "30.8k", "241", 0},
	{"32K", "File_Server", "read", "16.0k", "62.4", 0},
	{"32K", "File_Server", "write", "10.6k", "626", 1},
	{"32K", "VMware_Appliances", "read", "36.2k", "128", 1},
	{"32K", "VMware_Appliances", "write", "15.7k", "438", 1},
	{"32K", "Mixed_VMs", "read", "7.1k", "27.9", 0},
	{"32K", "Mixed_VMs", "write", "7.1k", "704", 1},
	{"64K", "General_IO", "read", "8.4k", "32.9", 0},
	{"64K", "General_IO", "write", "8.4k", "1053", 0},
	{"64K", "Exchange", "read", "44.5k", "347", 0},
	{"64K", "Exchange", "write", "19.1k", "149", 0},
	{"64K", "Security_Onion_Ingest", "write", "8.4k", "1053", 0},
	{"64K", "Security_Onion_Search", "read", "363k", "1417", 0},
	{"64K", "Elastiflow", "write", "12.8k", "803", 0},
	{"64K", "Trellix", "read", "33.0k", "258", 0},
	{"64K", "Trellix", "write", "33.0k", "258", 0},
	{"64K", "File_Server", "read", "17.0k", "66.5", 0},
	{"64K", "File_Server", "write", "11.3k", "709", 0},
	{"64K", "VMware_Appliances", "read", "36.4k", "142", 0},
	{"64K", "VMware_Appliances", "write", "15.7k", "488", 1},
	{"64K", "Mixed_VMs", "read", "7.3k", "28.7", 0},
	{"64K", "Mixed_VMs", "write", "7.3k", "918", 0},
	{"128K", "General_IO", "read", "7.2k", "28.3", 0},
	{"128K", "General_IO", "write", "7.3k", "907", 0},
	{"128K", "Exchange", "read", "41.9k", "327", 0},
	{"128K", "Exchange", "write", "18.0k", "140", 0},
	{"128K", "Security_Onion_Ingest", "write", "8.4k", "1047", 0},
	{"128K", "Security_Onion_Search", "read", "366k", "1430", 0},
	{"128K", "Elastiflow", "write", "13.9k", "867", 0},
	{"128K", "Trellix", "read", "33.3k", "260", 0},
	{"128K", "Trellix", "write", "33.4k", "261", 0},
	{"128K", "File_Server", "read", "16.8k", "65.8", 0},
	{"128K", "File_Server", "write", "11.2k", "701", 0},
	{"128K", "VMware_Appliances", "read", "36.4k", "142", 0},
	{"128K", "VMware_Appliances", "write", "15.6k", "488", 0},
	{"128K", "Mixed_VMs", "read", "8.3k", "28.7", 1},
	{"128K", "Mixed_VMs", "write", "8.3k", "1032", 0},
};

#endif
