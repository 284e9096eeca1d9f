#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/array.h"
#include "client/tracing/tensor.h"
#include "common/ir/types/type.h"

// Trees: values that are made of tensors, as parameters of a model are.
//
// A tree is a Tensor, an Array or an ir::TensorType (its leaf type); a std::vector, std::array,
// std::pair, std::tuple, std::optional or std::map of trees; or a struct template with one type
// parameter, itself a tree, that names its members in a static function Fields:
//
//   template <typename T>
//   struct Layer {
//     T weights, bias;
//     static auto Fields(auto& layer) { return std::tie(layer.weights, layer.bias); }
//   };
//
// Layer<Tensor> is what a traced function takes and returns, and Layer<Array> is what the function
// is called with: Rebind converts one type to the other. All functions that are transformed, looped
// over or compiled take and return trees.
namespace acceld::client {

// The types of the leaves: values in a trace, values on the daemon, and types.
template <typename T>
concept Leaf = std::same_as<T, Tensor> || std::same_as<T, Array> || std::same_as<T, ir::TensorType>;

// A parameter of a function that is compiled anew for each value of it, such as a number of
// iterations or the name of an activation: f(x, Static(3)). The function itself receives the value.
// The value must be a number, an enumerator or a string.
template <typename T>
struct Static {
  T value;
};
template <typename T>
Static(T) -> Static<T>;
Static(const char*) -> Static<std::string>;

namespace internal {

// How a type is a tree. Each specialization has
//   Rebind<To>           the same tree with leaves of the type To
//   LeafType             the type of its leaves; void if it cannot have any
//   Visit(tree, f)       calls f with a reference to each leaf, in order
//   Map<To>(tree, f)     the tree of f(leaf) for each leaf
//   Describe(tree, text) appends what tells trees of this type apart, besides their leaves
template <typename T>
struct TreeTraits {
  static constexpr bool kIsTree = false;
};

}  // namespace internal

template <typename T>
concept Tree = internal::TreeTraits<std::remove_cvref_t<T>>::kIsTree;

template <Tree T, Leaf To>
using Rebind = typename internal::TreeTraits<T>::template Rebind<To>;
template <Tree T>
using LeafOf = typename internal::TreeTraits<T>::LeafType;

namespace internal {

// The leaf type of several trees: that of the first that has leaves, or void.
template <typename... T>
struct FirstLeaf {
  using Type = void;
};
template <typename T, typename... Rest>
struct FirstLeaf<T, Rest...> {
  using Type =
      std::conditional_t<std::is_void_v<LeafOf<T>>, typename FirstLeaf<Rest...>::Type, LeafOf<T>>;
};

template <Leaf T>
struct TreeTraits<T> {
  static constexpr bool kIsTree = true;
  using LeafType = T;
  template <Leaf To>
  using Rebind = To;
  template <typename Self, typename F>
  static void Visit(Self& leaf, F&& f) {
    f(leaf);
  }
  template <Leaf To, typename F>
  static To Map(const T& leaf, F&& f) {
    return f(leaf);
  }
  static void Describe(const T&, std::string& text) { text += '*'; }
};

template <typename T>
struct TreeTraits<Static<T>> {
  static constexpr bool kIsTree = true;
  using LeafType = void;
  template <Leaf>
  using Rebind = Static<T>;
  template <typename Self, typename F>
  static void Visit(Self&, F&&) {}
  template <Leaf, typename F>
  static Static<T> Map(const Static<T>& value, F&&) {
    return value;
  }
  static void Describe(const Static<T>& value, std::string& text) {
    if constexpr (std::is_enum_v<T>) {
      absl::StrAppend(&text, "=", static_cast<std::underlying_type_t<T>>(value.value), ";");
    } else if constexpr (std::is_floating_point_v<T>) {
      absl::StrAppendFormat(&text, "=%a;", value.value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      absl::StrAppend(&text, "=", value.value, ";");
    } else {
      static_assert(std::convertible_to<T, absl::string_view>,
                    "the value of a Static is a number, an enumerator or a string");
      const absl::string_view characters = value.value;
      absl::StrAppend(&text, "=", characters.size(), ":", characters, ";");
    }
  }
};

// Containers whose elements have one type.
template <typename Sequence>
struct SequenceTraits {
  static constexpr bool kIsTree = true;
  using Element = typename Sequence::value_type;
  using LeafType = LeafOf<Element>;
  template <typename Self, typename F>
  static void Visit(Self& elements, F&& f) {
    for (auto& element : elements) TreeTraits<Element>::Visit(element, f);
  }
  static void Describe(const Sequence& elements, std::string& text) {
    absl::StrAppend(&text, elements.size(), "[");
    for (const auto& element : elements) TreeTraits<Element>::Describe(element, text);
    text += ']';
  }
};

template <Tree E>
struct TreeTraits<std::vector<E>> : SequenceTraits<std::vector<E>> {
  template <Leaf To>
  using Rebind = std::vector<acceld::client::Rebind<E, To>>;
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::vector<E>& elements, F&& f) {
    Rebind<To> mapped;
    mapped.reserve(elements.size());
    for (const E& element : elements) {
      mapped.push_back(TreeTraits<E>::template Map<To>(element, f));
    }
    return mapped;
  }
};

template <Tree E, size_t N>
struct TreeTraits<std::array<E, N>> : SequenceTraits<std::array<E, N>> {
  template <Leaf To>
  using Rebind = std::array<acceld::client::Rebind<E, To>, N>;
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::array<E, N>& elements, F&& f) {
    Rebind<To> mapped;
    for (size_t i = 0; i < N; ++i) mapped[i] = TreeTraits<E>::template Map<To>(elements[i], f);
    return mapped;
  }
};

template <typename K, Tree E>
struct TreeTraits<std::map<K, E>> {
  static constexpr bool kIsTree = true;
  using LeafType = LeafOf<E>;
  template <Leaf To>
  using Rebind = std::map<K, acceld::client::Rebind<E, To>>;
  template <typename Self, typename F>
  static void Visit(Self& entries, F&& f) {
    for (auto& [key, element] : entries) TreeTraits<E>::Visit(element, f);
  }
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::map<K, E>& entries, F&& f) {
    Rebind<To> mapped;
    for (const auto& [key, element] : entries) {
      mapped.emplace(key, TreeTraits<E>::template Map<To>(element, f));
    }
    return mapped;
  }
  static void Describe(const std::map<K, E>& entries, std::string& text) {
    text += '{';
    for (const auto& [key, element] : entries) {
      TreeTraits<Static<K>>::Describe({key}, text);
      TreeTraits<E>::Describe(element, text);
    }
    text += '}';
  }
};

template <Tree E>
struct TreeTraits<std::optional<E>> {
  static constexpr bool kIsTree = true;
  using LeafType = LeafOf<E>;
  template <Leaf To>
  using Rebind = std::optional<acceld::client::Rebind<E, To>>;
  template <typename Self, typename F>
  static void Visit(Self& element, F&& f) {
    if (element.has_value()) TreeTraits<E>::Visit(*element, f);
  }
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::optional<E>& element, F&& f) {
    if (!element.has_value()) return std::nullopt;
    return TreeTraits<E>::template Map<To>(*element, f);
  }
  static void Describe(const std::optional<E>& element, std::string& text) {
    text += element.has_value() ? '+' : '-';
    if (element.has_value()) TreeTraits<E>::Describe(*element, text);
  }
};

template <Tree A, Tree B>
struct TreeTraits<std::pair<A, B>> {
  static constexpr bool kIsTree = true;
  using LeafType = typename FirstLeaf<A, B>::Type;
  template <Leaf To>
  using Rebind = std::pair<acceld::client::Rebind<A, To>, acceld::client::Rebind<B, To>>;
  template <typename Self, typename F>
  static void Visit(Self& both, F&& f) {
    TreeTraits<A>::Visit(both.first, f);
    TreeTraits<B>::Visit(both.second, f);
  }
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::pair<A, B>& both, F&& f) {
    auto first = TreeTraits<A>::template Map<To>(both.first, f);
    return {std::move(first), TreeTraits<B>::template Map<To>(both.second, f)};
  }
  static void Describe(const std::pair<A, B>& both, std::string& text) {
    TreeTraits<A>::Describe(both.first, text);
    TreeTraits<B>::Describe(both.second, text);
  }
};

template <Tree... E>
struct TreeTraits<std::tuple<E...>> {
  static constexpr bool kIsTree = true;
  using LeafType = typename FirstLeaf<E...>::Type;
  template <Leaf To>
  using Rebind = std::tuple<acceld::client::Rebind<E, To>...>;
  template <typename Self, typename F>
  static void Visit(Self& elements, F&& f) {
    std::apply([&](auto&... element) { (TreeTraits<E>::Visit(element, f), ...); }, elements);
  }
  template <Leaf To, typename F>
  static Rebind<To> Map(const std::tuple<E...>& elements, F&& f) {
    // The braces make the order that of the elements.
    return std::apply(
        [&](const E&... element) {
          return Rebind<To>{TreeTraits<E>::template Map<To>(element, f)...};
        },
        elements);
  }
  static void Describe(const std::tuple<E...>& elements, std::string& text) {
    std::apply([&](const E&... element) { (TreeTraits<E>::Describe(element, text), ...); },
               elements);
  }
};

// Struct templates that name their members.
template <typename T>
concept HasFields = requires(T& tree) { T::Fields(tree); };

template <template <typename> typename S, Tree P>
  requires HasFields<S<P>>
struct TreeTraits<S<P>> {
  static constexpr bool kIsTree = true;
  using LeafType = LeafOf<P>;
  template <Leaf To>
  using Rebind = S<acceld::client::Rebind<P, To>>;
  template <typename Self, typename F>
  static void Visit(Self& tree, F&& f) {
    std::apply(
        [&](auto&... field) {
          (TreeTraits<std::remove_cvref_t<decltype(field)>>::Visit(field, f), ...);
        },
        S<P>::Fields(tree));
  }
  template <Leaf To, typename F>
  static Rebind<To> Map(const S<P>& tree, F&& f) {
    Rebind<To> mapped{};
    MapFields<To>(S<P>::Fields(tree), Rebind<To>::Fields(mapped), f);
    return mapped;
  }
  static void Describe(const S<P>& tree, std::string& text) {
    text += '(';
    std::apply(
        [&](const auto&... field) {
          (TreeTraits<std::remove_cvref_t<decltype(field)>>::Describe(field, text), ...);
        },
        S<P>::Fields(tree));
    text += ')';
  }

 private:
  template <Leaf To, size_t I = 0, typename From, typename Into, typename F>
  static void MapFields(const From& from, const Into& into, F& f) {
    if constexpr (I < std::tuple_size_v<From>) {
      using Field = std::remove_cvref_t<std::tuple_element_t<I, From>>;
      std::get<I>(into) = TreeTraits<Field>::template Map<To>(std::get<I>(from), f);
      MapFields<To, I + 1>(from, into, f);
    }
  }
};

}  // namespace internal

// The leaves of a tree, in order.
template <Tree T>
auto Flatten(const T& tree) {
  using L = std::conditional_t<std::is_void_v<LeafOf<T>>, Tensor, LeafOf<T>>;
  std::vector<L> leaves;
  internal::TreeTraits<T>::Visit(tree, [&](const L& leaf) { leaves.push_back(leaf); });
  return leaves;
}

template <Tree T>
size_t NumLeaves(const T& tree) {
  return Flatten(tree).size();
}

// A tree of the form of `like`, with these leaves, of which there must be as many.
template <Leaf L, Tree T>
Rebind<T, L> Unflatten(const T& like, absl::Span<const L> leaves) {
  size_t next = 0;
  return internal::TreeTraits<T>::template Map<L>(like,
                                                  [&](const auto&) { return leaves[next++]; });
}

// The tree of f(leaf), whose leaves have another type: MapLeaves<ir::TensorType>(tree, f).
template <Leaf To, Tree T, typename F>
Rebind<T, To> MapLeaves(const T& tree, const F& f) {
  return internal::TreeTraits<T>::template Map<To>(tree, f);
}

namespace internal {

// Whether trees have as many leaves as each other. If not, that becomes the error of the trace.
bool CheckLeafCounts(absl::Span<const size_t> counts);

}  // namespace internal

// The tree of f(a, b, ...), for leaves of trees of one form: MapTree(f, parameters, gradients).
template <typename F, Tree T, Tree... More>
T MapTree(const F& f, const T& tree, const More&... more) {
  if (!internal::CheckLeafCounts({{NumLeaves(tree), NumLeaves(more)...}})) return tree;
  const auto others = std::make_tuple(Flatten(more)...);
  size_t next = 0;
  return internal::TreeTraits<T>::template Map<LeafOf<T>>(tree, [&](const auto& leaf) {
    const size_t i = next++;
    return std::apply([&](const auto&... other) { return f(leaf, other[i]...); }, others);
  });
}

// What tells trees apart, besides their leaves: their type, and the sizes of their containers.
template <Tree T>
std::string StructureOf(const T& tree) {
  std::string text = absl::StrCat(typeid(T).name(), ":");
  internal::TreeTraits<T>::Describe(tree, text);
  return text;
}

}  // namespace acceld::client
