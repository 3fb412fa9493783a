// CHOLMOD's supernodal Cholesky factorisation [Chen08], in builds with SELKIE_CHOLMOD only: its supernodal
// part is GPL, so it is off by default. Our own ordering is kept; BLAS must run one thread for repeatable
// bits.
#include <cholmod.h>

#include <cstring>

#include "selkie/core/check.h"
#include "selkie/linalg/detail/spd_factor.h"

namespace selkie::linalg::detail {
namespace {

class CholmodFactor final : public SpdFactor {
 public:
  CholmodFactor() {
    cholmod_start(&common_);
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_AUTO;
    common_.final_ll = 1;  // L Lᵀ also for small systems: L D Lᵀ would accept an indefinite matrix
    common_.quick_return_if_not_posdef = 1;
    common_.print = 0;
  }
  ~CholmodFactor() override {
    release();
    cholmod_finish(&common_);
  }
  CholmodFactor(const CholmodFactor&) = delete;
  CholmodFactor& operator=(const CholmodFactor&) = delete;

  void analyse(const Eigen::SparseMatrix<double>& upper) override {
    release();
    cholmod_sparse view = view_of(upper);
    factor_ = cholmod_analyze(&view, &common_);
    SELKIE_CHECK(factor_ != nullptr, "CHOLMOD analysed the pattern");
  }
  bool factorize(const Eigen::SparseMatrix<double>& upper) override {
    cholmod_sparse view = view_of(upper);
    cholmod_factorize(&view, factor_, &common_);
    return common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
  }
  void solve(std::span<double> x) override {
    cholmod_dense right{};
    right.nrow = right.d = right.nzmax = x.size();
    right.ncol = 1;
    right.x = x.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &right, nullptr, &solution_, nullptr, &y_, &e_, &common_);
    SELKIE_CHECK(solution_ != nullptr, "CHOLMOD solved");
    std::memcpy(x.data(), solution_->x, x.size() * sizeof(double));
  }
  std::size_t nonzeros() const override { return factor_->is_super ? factor_->xsize : factor_->nzmax; }

 private:
  static cholmod_sparse view_of(const Eigen::SparseMatrix<double>& upper) {
    cholmod_sparse view{};
    view.nrow = static_cast<std::size_t>(upper.rows());
    view.ncol = static_cast<std::size_t>(upper.cols());
    view.nzmax = static_cast<std::size_t>(upper.nonZeros());
    view.p = const_cast<int*>(upper.outerIndexPtr());  // CHOLMOD's views are not const-correct; it only reads
    view.i = const_cast<int*>(upper.innerIndexPtr());
    view.x = const_cast<double*>(upper.valuePtr());
    view.stype = 1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    return view;
  }
  void release() {
    cholmod_free_factor(&factor_, &common_);
    for (cholmod_dense** vector : {&solution_, &y_, &e_}) cholmod_free_dense(vector, &common_);
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *solution_ = nullptr, *y_ = nullptr, *e_ = nullptr;
};

}  // namespace

std::unique_ptr<SpdFactor> make_cholmod_factor() { return std::make_unique<CholmodFactor>(); }

}  // namespace selkie::linalg::detail
