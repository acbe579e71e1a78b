#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <new>

#include "core/base/rank_link.hpp"
#include "core/distributed/threads.hpp"
#include "core/distributed/transport.hpp"

namespace linden {
namespace {

class SelfTransport final : public Transport {
public:
    std::string_view name() const override { return "self"; }
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void all_gather(const void* mine, std::size_t bytes, void* all) override { copy(mine, bytes, all); }
    void all_to_all(const void* mine, std::size_t bytes, void* theirs) override { copy(mine, bytes, theirs); }
    std::unique_ptr<PendingExchange> start(std::span<const Message> sent, std::span<const Message> received) override
    {
        for (std::size_t i = 0; i < sent.size() && i < received.size(); ++i) {
            copy(sent[i].data, sent[i].bytes, received[i].data);
        }
        struct Done final : PendingExchange {
            void wait() override {}
        };
        return std::make_unique<Done>();
    }
    void look() override {}
    std::unique_ptr<PendingExchange> start_gather(const void* mine, std::size_t bytes, void* all) override
    {
        all_gather(mine, bytes, all);
        return start({}, {});
    }
    void fail(const FailureNotice&) noexcept override {}

private:
    static void copy(const void* from, std::size_t bytes, void* to)
    {
        if (bytes != 0) {
            std::memcpy(to, from, bytes);
        }
    }
};

/// The name of the exception's type, the most derived one that is known here.
std::string_view type_name(const std::exception& e)
{
    const auto is = [&]<class E>(E*) { return dynamic_cast<const E*>(&e) != nullptr; };
    if (is(static_cast<DimensionMismatch*>(nullptr))) {
        return "DimensionMismatch";
    }
    if (is(static_cast<InvalidParameter*>(nullptr))) {
        return "InvalidParameter";
    }
    if (is(static_cast<OutOfMemory*>(nullptr))) {
        return "OutOfMemory";
    }
    if (is(static_cast<FileError*>(nullptr))) {
        return "FileError";
    }
    if (is(static_cast<NotSupported*>(nullptr))) {
        return "NotSupported";
    }
    if (is(static_cast<VendorError*>(nullptr))) {
        return "VendorError";
    }
    if (is(static_cast<KernelNotAvailable*>(nullptr))) {
        return "KernelNotAvailable";
    }
    if (is(static_cast<std::bad_alloc*>(nullptr))) {
        return "std::bad_alloc";
    }
    return is(static_cast<Error*>(nullptr)) ? "Error" : "std::exception";
}

template <std::size_t N>
void copy_text(std::string_view text, char (&target)[N])
{
    const auto length = std::min(text.size(), N - 1);
    std::copy_n(text.data(), length, target);
    target[length] = '\0';
}

}  // namespace

std::vector<std::int32_t> Transport::parts_of(const distributed::SpreadGraph&, int, const Communicator&)
{
    throw NotSupported("ptscotch", "these ranks are not processes of MPI, but " + std::string(name()));
}

FailureNotice make_notice(int rank, std::exception_ptr failure)
{
    FailureNotice notice;
    notice.rank = rank;
    try {
        std::rethrow_exception(failure);
    } catch (const RemoteError& e) {  // who failed first is what others want to know
        notice.rank = e.rank;
        copy_text(e.type, notice.type);
        copy_text(e.message, notice.message);
    } catch (const std::exception& e) {
        copy_text(type_name(e), notice.type);
        copy_text(e.what(), notice.message);
    } catch (...) {
        copy_text("an exception", notice.type);
        copy_text("of a type that is not std::exception", notice.message);
    }
    return notice;
}

Communicator::Communicator(std::shared_ptr<Transport> transport) : transport_(std::move(transport)) {}

Communicator Communicator::self()
{
    static const auto transport = std::make_shared<SelfTransport>();
    return Communicator(transport);
}

std::vector<Communicator> Communicator::threads(int n)
{
    if (n < 1) {
        throw InvalidParameter("n", std::to_string(n), "at least 1");
    }
    std::vector<Communicator> ranks;
    for (auto& transport : detail::make_thread_transports(n)) {
        ranks.emplace_back(std::move(transport));
    }
    return ranks;
}

int Communicator::rank() const { return transport_->rank(); }

int Communicator::size() const { return transport_->size(); }

std::string_view Communicator::transport_name() const { return transport_->name(); }

CommunicatorCounters Communicator::counters() const
{
    auto sum = transport_->counters;
    for (const auto& link : transport_->links) {
        const auto more = link->counters();
        sum.gathers += more.gathers;
        sum.exchanges += more.exchanges;
        sum.bytes_sent += more.bytes_sent;
    }
    return sum;
}

Communicator Communicator::with_transport(DeviceTransport transport) const
{
    auto result = *this;
    result.device_transport_ = transport;
    return result;
}

void Communicator::check() const
{
    for (const auto& link : transport_->links) {
        if (link->was_aborted()) {
            (void)all_gather(std::int32_t{});  // who failed has said so to all
            throw Error("a kernel was told that another rank has failed");
        }
    }
}

Communicator Communicator::reproducible() const
{
    auto result = *this;
    result.is_reproducible_ = true;
    return result;
}

Communicator Communicator::with_rows(const RowRange& rows) const
{
    auto result = *this;
    result.own_rows_ = rows;
    return result;
}

void Communicator::agree(std::exception_ptr failure) const
{
    if (is_single()) {
        if (failure) {
            std::rethrow_exception(failure);
        }
        return;
    }
    const auto failed = all_gather(static_cast<std::int32_t>(failure != nullptr));
    if (std::find(failed.begin(), failed.end(), 1) == failed.end()) {
        return;
    }
    const auto notices = all_gather(failure ? make_notice(rank(), failure) : FailureNotice{});
    try {
        if (failure) {
            std::rethrow_exception(failure);
        }
        std::find_if(notices.begin(), notices.end(), [](const auto& notice) { return notice.rank >= 0; })->raise();
    } catch (...) {
        transport_->agreed_failure = std::current_exception();
        throw;
    }
}

bool Communicator::is_agreed(const std::exception_ptr& failure) const
{
    return failure != nullptr && failure == transport_->agreed_failure;
}

void Communicator::fail(std::exception_ptr failure) const noexcept
{
    if (is_single() || is_agreed(failure)) {
        return;
    }
    for (const auto& link : transport_->links) {
        link->abort();
    }
    try {
        transport_->fail(make_notice(rank(), failure));
    } catch (...) {  // no memory to say more: the others hear of it all the same
        transport_->fail({.rank = rank(), .type = "std::bad_alloc", .message = "out of memory"});
    }
}

void Communicator::all_gather(const void* mine, std::size_t bytes, void* all) const
{
    ++transport_->counters.gathers;
    const AddSeconds timer(transport_->gather_seconds);
    transport_->all_gather(mine, bytes, all);
    transport_->agreed_failure = nullptr;
}

}  // namespace linden
