#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/matrix.h"

namespace dragoman::test {

/// Double precision: the definition that the core is compared with.
using Real = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The model written down from the papers, all positions at once: no cache, no rows of several sentences, no kernels,
/// and no reader of ours. It knows all variants of src/model/README.md by the words of config.json and the names of
/// tensors.
class FullModel {
 public:
  /// tensors: by their names in the file; biases and the like are one row.
  FullModel(nlohmann::json config, std::map<std::string, Real> tensors);
  /// Of a folder whose model.safetensors is F32 or F16.
  explicit FullModel(const std::string& folder);

  const nlohmann::json& config() const { return c_; }
  /// The memory [S, M].
  Real encode(const std::vector<int>& source) const;
  /// Logits [T, V] of the start and the tokens `prefix`, T - 1 of them. cross receives the cross-attention [T, S] of
  /// every layer and head.
  Real decode(const std::vector<int>& prefix, const Real& memory, std::vector<Real>& cross) const;

 private:
  struct Side {
    std::string name;  // encoder or decoder
    int width, heads, head_width;
    bool norm_first;
  };

  template <class Value>
  Value option(const std::string& key, Value missing) const {
    return c_.value(key, missing);
  }
  const Real& tensor(const std::string& name) const { return tensors_.at(name); }
  Side side(const std::string& name) const;
  int layer(const Side& side, int i) const;
  Real embed(const Side& side, const std::vector<int>& tokens) const;
  Real finish(const Side& side, const Real& x) const;
  Real linear(const std::string& name, const Real& x, const char* dot = ".") const;
  Real norm(const std::string& name, Real x) const;
  Real activate(const Real& x) const;
  Real ssru(const std::string& name, const Real& x) const;
  Real attend(const Side& side, const std::string& name, const Real& x, const Real& memory, bool is_cross,
              std::vector<Real>* weights) const;
  Real feed_forward(const Side& side, const std::string& layer, const Real& x) const;
  template <class F>
  Real sublayer(const Side& side, const std::string& norm_name, const Real& x, F f) const;

  nlohmann::json c_;
  std::map<std::string, Real> tensors_;
};

}  // namespace dragoman::test
