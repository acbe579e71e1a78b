#include <linden/distributed/matrix.hpp>
#include <linden/distributed/session.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <signal.h>
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "test/support/problems.hpp"

/// usage: failure [throw|kill|pipelined [BACKEND TRANSPORT]]
/// A solve in which the preconditioner of the last rank throws in its seventh application. Every rank ends with exit
/// code 3 by a typed error, and with 1 otherwise; if one waits for ever, so does the test. With `kill` that rank is
/// killed there (kill -9): it cannot tell the others, which the launcher ends, or which end by themselves, as above,
/// where it lets them. With `pipelined` sums are on their
/// way there. On devices, which ranks take in turn, the transport is staged, peer or nccl.
namespace {

using namespace linden;

class Faulty final : public LinOp<double> {
public:
    Faulty(const LinOpPtr<double>& matrix, bool fails, bool is_killed)
        : LinOp<double>(matrix->executor(), matrix->size()),
          fails_(fails),
          is_killed_(is_killed)
    {
    }
    std::string name() const override { return "Faulty"; }

protected:
    using LinOp<double>::apply_impl;
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        if (++num_applications_ == 7 && fails_) {
            if (is_killed_) {
                std::printf("rank is killed\n");
                std::fflush(stdout);
                raise(SIGKILL);
            }
            throw std::runtime_error("application 7");
        }
        x.copy_from(b);
    }

private:
    bool fails_, is_killed_;
    mutable int num_applications_ = 0;
};

DeviceTransport transport_of(std::string_view name)
{
    return name == "peer" ? DeviceTransport::peer : name == "nccl" ? DeviceTransport::nccl : DeviceTransport::staged;
}

Executor executor_of(std::string_view backend, int rank)
{
    for (const auto device_backend : {Backend::cuda, Backend::hip}) {
        if (backend == name(device_backend)) {
            const auto num_devices = static_cast<int>(backend_info(device_backend).devices.size());
            return Executor::create(backend, {.device = rank % std::max(1, num_devices)});
        }
    }
    return Executor::create(backend);
}

int run(const Communicator& ranks, std::string_view fault, std::string_view backend)
{
    const bool is_killed = fault == "kill";
    const bool fails = ranks.rank() == ranks.size() - 1;
    try {
        const auto exec = executor_of(backend, ranks.rank());
        const auto matrix = share(distributed::Matrix<double, DefaultIndex>::from_whole(
            exec, ranks, distributed::Partition::stripes(400, ranks.size()), test::laplace_2d<double>(20)));
        const auto faulty = make_factory<double>(
            [&](const LinOpPtr<double>& a) { return std::make_unique<Faulty>(a, fails, is_killed); });
        const auto solver =
            Cg<double>::factory({.preconditioner = faulty, .pipelined = fault == "pipelined"}).generate(matrix);
        const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
        auto x = Dense<double>::filled(exec, b.size(), 0);
        solver->solve(b, x);
    } catch (const RemoteError& e) {
        const bool right = !fails && e.rank == ranks.size() - 1 &&
                           e.message == (is_killed ? "its process has ended" : "application 7");
        std::printf("rank %d: %s\n", ranks.rank(), e.what());
        return right ? 3 : 1;
    } catch (const std::runtime_error& e) {
        std::printf("rank %d: its own: %s\n", ranks.rank(), e.what());
        return fails ? 3 : 1;
    }
    return 1;
}

}  // namespace

int main(int argc, char** argv)
{
    const distributed::Session session;
    const auto ranks = session.world().with_transport(transport_of(argc > 3 ? argv[3] : ""));
    const int code = run(ranks, argc > 1 ? argv[1] : "throw", argc > 2 ? argv[2] : "reference");
    std::printf("rank %d ends with %d\n", session.world().rank(), code);
    std::fflush(stdout);  // the launcher kills ranks as soon as the first has ended with an exit code other than 0
    return code;
}
