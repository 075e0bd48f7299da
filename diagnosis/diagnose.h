// Job -> Diagnosis: which failure was first, why, and how sure that is. A pure function.
//
// Flow: detectors conclude Findings from the ledger and the settings (mismatch.h, waiting.h,
// minority.h); episodes and findings become nodes of an explanation graph (graph.h), whose roots
// explain the rest and are never echoes; the verdict is written from the roots (verdict_writer.h)
// with a checklist that says how sure it is (confidence.h).
#pragma once

#include "model/verdict.h"
#include "rules/rulebook.h"

namespace firstfault {

// The verdict is about the first attempt that failed; deterministic.
Diagnosis diagnose(const Job& job, const Rulebook& rules);

}  // namespace firstfault
