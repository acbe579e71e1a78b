#include "omp/team/processors.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>

namespace linden::omp {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

double quotient(double quota, double period) { return quota > 0 && period > 0 ? quota / period : no_limit; }

double limit_of_version_2(const std::string& folder)
{
    std::ifstream file(folder + "/cpu.max");
    double quota = 0, period = 0;
    return file >> quota >> period ? quotient(quota, period) : no_limit;  // "max" is no number
}

double limit_of_version_1(const std::string& folder)
{
    std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
    double quota = 0, period = 0;
    return quota_file >> quota && period_file >> period ? quotient(quota, period) : no_limit;
}

/// The least limit of `group` below `mount` and of the groups around it. In a container the group may be named as the
/// host sees it, while the mount shows the container's own: its top is read in any case.
template <class Limit>
double least_limit(const std::string& mount, std::string group, const Limit& limit)
{
    double least = limit(mount);
    while (group.size() > 1) {
        least = std::min(least, limit(mount + group));
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
    return least;
}

bool names_cpu(std::string_view controllers)
{
    return ("," + std::string(controllers) + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

int cgroup_processors(const std::string& root)
{
    const std::string mount = root + "/sys/fs/cgroup";
    std::ifstream file(root + "/proc/self/cgroup");
    double least = no_limit;
    for (std::string line; std::getline(file, line);) {  // "NUMBER:CONTROLLERS:GROUP"
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto group = line.substr(second + 1);
        if (controllers.empty()) {
            least = std::min(least, least_limit(mount, group, limit_of_version_2));
        } else if (names_cpu(controllers)) {
            least = std::min({least, least_limit(mount + "/cpu", group, limit_of_version_1),
                              least_limit(mount + "/" + controllers, group, limit_of_version_1)});
        }
    }
    constexpr double most = std::numeric_limits<int>::max();
    return least < most ? static_cast<int>(std::ceil(least)) : 0;
}

int available_processors(const std::string& root)
{
    const int quota = cgroup_processors(root);
    const int affinity = std::max(1, omp_get_num_procs());
    return quota == 0 ? affinity : std::min(affinity, quota);
}

}  // namespace linden::omp
