#pragma once

#include <string>

namespace linden::omp {

/// The processors that the control groups of this process grant it, rounded up; 0: no limit. Reads, below `root`,
/// proc/self/cgroup and then cpu.max (version 2) or cpu.cfs_quota_us and cpu.cfs_period_us (version 1) in
/// sys/fs/cgroup, of the process's group and of those around it; the least counts. What cannot be read is no limit.
int cgroup_processors(const std::string& root = "/");

/// The processors that this process may use: its affinity, and at most its quota. At least 1.
int available_processors(const std::string& root = "/");

}  // namespace linden::omp
