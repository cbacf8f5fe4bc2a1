// Confidence sequences of the library confseq (Steven Howard, Ian Waudby-Smith), recorded in
// data/confseq_limits.json.
//
//   g++ -O2 -I FOLDER -I BOOST make_sequences.cpp -o make && ./make > data/confseq_limits.json
//
// FOLDER holds the library's src/confseq/uniform_boundaries.h (recorded: revision 70b1ef30 of
// October 2024), BOOST the headers of Boost (1.74). A mixture is asked for by the variance at which
// it is tightest, that of best_at rows.
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include "uniform_boundaries.h"

int main() {
  const double levels[] = {0.95, 0.9, 0.99};
  std::printf("{\"normal\": [\n");
  bool first = true;
  for (double level : levels) {
    for (double best_at : {100.0, 500.0}) {
      for (double n : {50.0, 500.0, 5000.0}) {
        // the boundary of a sum of n values of variance 1, as a distance of their mean
        const double alpha = 1 - level;
        const double bound = confseq::normal_mixture_bound(n, alpha, best_at, alpha, false);
        std::printf("%s{\"level\": %.17g, \"best_at\": %.17g, \"n\": %.17g, \"half\": %.15g}",
                    first ? "" : ",\n", level, best_at, n, bound / n);
        first = false;
      }
    }
  }
  std::printf("],\n\"share\": [\n");
  first = true;
  for (double level : levels) {
    for (double required : {0.5, 0.85, 0.95}) {
      for (double n : {60.0, 400.0, 2000.0}) {
        for (double share : {0.8, 0.9}) {
          const double alpha = 1 - level, best_at = 500, x = std::round(share * n);
          // evidence against p0 itself: the logarithm of the mixture's likelihood ratio
          const double told = confseq::beta_binomial_log_mixture(
              x - n * required, required * (1 - required) * n,
              required * (1 - required) * best_at, required, 1 - required, alpha, false);
          std::printf("%s{\"level\": %.17g, \"required\": %.17g, \"best_at\": %.17g, "
                      "\"n\": %.17g, \"x\": %.17g, \"log_evidence\": %.15g}",
                      first ? "" : ",\n", level, required, best_at, n, x, told);
          first = false;
        }
      }
    }
  }
  std::printf("]}\n");
}
