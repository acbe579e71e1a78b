// Table 1 of R. Gupta, M. B. van Gijzen and C. Vuik, Efficient Two-Level Preconditioned Conjugate Gradient Method on
// the GPU (Delft University of Technology, Report 11-15, 2011): condition numbers of M^-1 A for the preconditioners of
// its section 3, by the Lanczos process. Its problem is twophase:64:1000:l, turned: the condition number of the scaled
// matrix with Dirichlet conditions on one side, at an end of the interface, is the nearest to the paper's 9.68e3, and
// those of Block-IC are nearer where its blocks cross the interface.

#include <linden/config/config.hpp>

#include "benchmark/papers/experiment.hpp"
#include "benchmark/papers/two-level.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_deflation_spectra [OPTION]... MATRIX...\n"
    "  MATRIX               a problem such as twophase:64:1000:l, or a Matrix Market file; positive definite\n"
    "  --executors=A        where operators are applied, one of reference, omp, cuda and hip [reference]\n"
    "  --preconditioner=P   instead of the paper's; as in `linden solve`; several times for several\n"
    "  --turned             rows are numbered y fastest: lines of them cross the interface of twophase\n"
    "  --steps=M            at most so many steps of the Lanczos process [1500]\n";

using Vector = std::vector<double>;

struct Method {
    std::string label;
    std::string preconditioner;  ///< as configurations have it
    double paper = NAN;          ///< condition number in the paper, over that of its matrix
};

struct Options : CommonOptions {
    std::vector<std::string> preconditioners;
    int steps = 1500;
    bool is_turned = false;
};

/// The ends of a spectrum.
struct Spectrum {
    double least = NAN;
    double largest = NAN;
    int steps = 0;
    bool is_settled = false;
    double condition() const { return largest / least; }
};

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    options.executors = {"reference"};
    for (const auto& argument : arguments) {
        if (argument.starts_with("--preconditioner=")) {
            options.preconditioners.push_back(value_of(argument));
        } else if (argument == "--turned") {
            options.is_turned = true;
        } else if (argument.starts_with("--steps=")) {
            options.steps = parse_count(argument, value_of(argument));
        } else {
            take_argument(argument, options);
        }
    }
    if (options.executors.size() != 1) {
        throw UsageError("--executors: expected one executor");
    }
    check_has_matrices(options);
    return options;
}

double dot(const Vector& x, const Vector& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// y := y + alpha x
void add(double alpha, const Vector& x, Vector& y)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] += alpha * x[i];
    }
}

/// The symmetric tridiagonal matrix of a Lanczos process.
class Tridiagonal {
public:
    void push(double diagonal, double off_diagonal)
    {
        diagonal_.push_back(diagonal);
        off_diagonal_.push_back(off_diagonal);
    }

    /// Eigenvalue `index` in increasing order, by bisection in [0, bound].
    double eigenvalue(std::size_t index, double bound) const
    {
        double low = 0, high = bound;
        for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
            (count_below(middle) > index ? high : low) = middle;
        }
        return high;
    }
    double least() const { return eigenvalue(0, norm()); }
    double largest() const { return eigenvalue(diagonal_.size() - 1, norm()); }

private:
    /// Sylvester's law of inertia.
    std::size_t count_below(double x) const
    {
        std::size_t count = 0;
        double pivot = 1;
        for (std::size_t i = 0; i < diagonal_.size(); ++i) {
            const double squared = i == 0 ? 0 : off_diagonal_[i - 1] * off_diagonal_[i - 1];
            pivot = diagonal_[i] - x - squared / pivot;
            pivot = pivot == 0 ? -1e-300 : pivot;
            count += pivot < 0;
        }
        return count;
    }
    /// Not below any row's sum of magnitudes.
    double norm() const
    {
        double largest = 0;
        for (std::size_t i = 0; i < diagonal_.size(); ++i) {
            largest = std::max(largest, std::abs(diagonal_[i]) + off_diagonal_[i] + (i > 0 ? off_diagonal_[i - 1] : 0));
        }
        return largest;
    }

    Vector diagonal_, off_diagonal_;
};

/// Applies an operator to a vector on the host; null is the identity.
Vector applied(const LinOp<V>* op, const Vector& x)
{
    if (op == nullptr) {
        return x;
    }
    Dense<V> y(op->executor(), {op->size().rows, 1});
    op->apply(Dense<V>::vector(op->executor(), x), y);
    return y.to_host();
}

/// The Lanczos process for M^-1 A, which is self-adjoint in the inner product x^T A y, with full orthogonalisation.
/// [Saad03, 6.6]
class Lanczos {
public:
    Lanczos(const LinOp<V>& a, const LinOp<V>* m) : a_(a), m_(m)
    {
        take(random_vector(static_cast<std::size_t>(a.size().rows)));
    }

    /// False when the space is exhausted.
    bool step()
    {
        auto z = applied(m_, images_.back());  // z := M^-1 A v
        const double alpha = dot(images_.back(), z);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t i = 0; i < basis_.size(); ++i) {
                add(-dot(images_[i], z), basis_[i], z);  // z := z - (v_i^T A z) v_i
            }
        }
        const double beta = take(std::move(z));
        const bool is_exhausted = !(beta > 1e-12 * alpha) || basis_.size() > basis_.front().size();
        t_.push(alpha, is_exhausted ? 0 : beta);
        return !is_exhausted;
    }

    const Tridiagonal& matrix() const { return t_; }

private:
    /// v := z / ||z||_A; returns the norm.
    double take(Vector z)
    {
        auto image = applied(&a_, z);
        const double norm = std::sqrt(std::max(dot(z, image), 0.0));
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] /= norm;
            image[i] /= norm;
        }
        basis_.push_back(std::move(z));
        images_.push_back(std::move(image));
        return norm;
    }

    const LinOp<V>& a_;
    const LinOp<V>* m_;
    std::vector<Vector> basis_, images_;  ///< v_i and A v_i
    Tridiagonal t_;
};

/// Until both ends have moved by less than 1e-8 of themselves in 100 steps.
Spectrum spectrum_of(const LinOp<V>& a, const LinOp<V>* m, int max_steps)
{
    constexpr int period = 100;
    Lanczos lanczos(a, m);
    Spectrum now;
    const auto look = [&] {
        const Spectrum before = now;
        now.least = lanczos.matrix().least();
        now.largest = lanczos.matrix().largest();
        const auto moved = [](double x, double y) { return !(std::abs(x - y) <= 1e-8 * x); };
        now.is_settled = !moved(now.least, before.least) && !moved(now.largest, before.largest);
    };
    while (now.steps < max_steps && !now.is_settled) {
        ++now.steps;
        if (!lanczos.step()) {
            look();
            now.is_settled = true;
        } else if (now.steps % period == 0 || now.steps == max_steps) {
            look();
        }
    }
    return now;
}

/// Null if configurations know no such preconditioner.
FactoryPtr<V> solver_with(const std::string& preconditioner)
{
    try {
        return config::parse_short<V>("cg", preconditioner);
    } catch (const InvalidParameter&) {
        return nullptr;
    }
}

std::vector<Method> methods_of(const Options& options, size_type rows)
{
    if (!options.preconditioners.empty()) {
        std::vector<Method> methods{{"scaling", "symmetric-scaling", 1}};
        for (const auto& preconditioner : options.preconditioners) {
            methods.push_back({preconditioner, preconditioner});
        }
        return methods;
    }
    const auto side = static_cast<size_type>(std::lround(std::sqrt(static_cast<double>(rows))));
    std::vector<Method> methods{{"scaling", "symmetric-scaling", 1}, {"none", "none"}, {"IC(0)", "ic0"}};
    for (const auto& [label, preconditioner, condition] : two_level_preconditioners(side)) {
        methods.push_back({label, preconditioner, condition / condition_of_scaling});
    }
    return methods;
}

void print_table(const Problem& problem, const Executor& exec, const Options& options)
{
    const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
    std::printf(
        "\n### %s\n\n| preconditioner | least | largest | condition | of scaling's | in the paper | steps |\n"
        "|---|---:|---:|---:|---:|---:|---:|\n",
        problem.name.c_str());
    std::string absent;
    double scaled = NAN;
    for (const auto& method : methods_of(options, a->size().rows)) {
        const auto factory = solver_with(method.preconditioner);
        if (factory == nullptr) {
            absent += "\n" + method.label + " is left out: this library has no preconditioner " +
                      method.preconditioner + ".\n";
            continue;
        }
        const auto solver = factory->make(a);
        const auto m = static_cast<const Solver<V>&>(*solver).preconditioner();
        const auto spectrum = spectrum_of(*a, m.get(), options.steps);
        scaled = std::isnan(scaled) ? spectrum.condition() : scaled;
        std::printf("| %s | %s | %s | %s | %s | %s | %d%s |\n", method.label.c_str(),
                    format("%.4g", spectrum.least).c_str(), format("%.4g", spectrum.largest).c_str(),
                    format("%.3e", spectrum.condition()).c_str(), format("%.3f", spectrum.condition() / scaled).c_str(),
                    format("%.3f", method.paper).c_str(), spectrum.steps, spectrum.is_settled ? "" : ", not settled");
        std::fflush(stdout);
    }
    std::printf("%s", absent.c_str());
}

void run(const std::vector<std::string>& arguments)
{
    const auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
        return;
    }
    const auto executors = executors_of(options);
    auto problems = load_all(options.matrices);
    for (auto& problem : problems) {
        problem = options.is_turned ? turned(problem) : problem;
    }
    check_positive(problems);
    for (const auto& preconditioner : options.preconditioners) {
        (void)config::parse_short<V>("cg", preconditioner);
    }
    std::printf("Extreme eigenvalues of M^-1 A by the Lanczos process with full orthogonalisation, double.\n");
    print_executors(executors);
    for (const auto& problem : problems) {
        print_table(problem, executors.front(), options);
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
