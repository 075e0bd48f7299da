// Episode book: where episodes are folded. What is said twice (by a rank's log and by the launcher
// that tees it, or again and again) is one episode with a count and up to four places.
//
// Two contributions are one episode if class, rule, reporter, subject, communicator, number and
// captures (but for addresses' ports and free texts) are equal. The count is the largest that any
// one source tells: a tee'd copy adds a place, not an occurrence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "timeline/scene.h"

namespace firstfault {

struct Contribution {
  std::int32_t attempt = 0;
  Episode episode;           // without evidence and count
  std::uint32_t source = 0;  // index into Facts::sources
  const Item* item = nullptr;
};

class EpisodeBook {
 public:
  explicit EpisodeBook(const Scene& scene) : scene_(scene), drafts_(scene.attempts.count()) {}

  void add(const Contribution& contribution);
  // Adds a place to the episode of that class about or by `rank`, if there is one.
  bool add_place(std::int32_t attempt, const std::string& cls, std::int32_t rank,
                 std::uint32_t source, const Quote& quote);
  bool has(std::int32_t attempt, const std::string& cls, std::int32_t rank) const;
  // Does that rank report, or is it the subject of, an episode whose class starts with a prefix?
  bool any(std::int32_t attempt, std::int32_t rank, std::string_view prefix) const;

  std::vector<Episode> take(std::int32_t attempt);  // in canonical order

 private:
  struct Draft {
    Episode episode;
    std::map<std::uint32_t, std::uint64_t> count;  // by source
    std::vector<Evidence> late;                    // last occurrences: quoted if there is room
    bool sure = false;                             // some contribution is no guess
    bool in_window = false;
    bool merged = false;  // into another draft
  };
  struct Book {
    std::vector<Draft> drafts;
    std::map<std::string, std::vector<std::size_t>> index;  // fold key -> drafts
    std::map<std::pair<std::int32_t, std::string>, std::vector<std::size_t>>
        by_rank;  // (rank, class)
  };

  static bool same(const Episode& a, const Episode& b);
  static void merge_unplaced(Book* book);
  void index_rank(Book* book, std::size_t i);

  const Scene& scene_;
  std::vector<Book> drafts_;
};

}  // namespace firstfault
