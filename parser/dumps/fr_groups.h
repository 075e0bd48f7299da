// Members and progress of the process groups of a Flight Recorder dump.
//
// pg_config is keyed by group name and lists only groups whose communicator exists; two groups of
// one name overwrite each other, and gloo (torch 2.14) writes one row under "". pg_status is keyed
// by a number that is local to the process. A row is joined to a group
//   1. by the number that the group's entries carry (pg_status, and pg_config before format 2);
//   2. by name, if the description agrees (pg_config);
//   3. by position, if every pg_config row has exactly one pg_status row, all names are numbers
//   (they and
//      pg_ids are given in order of creation) and the joins made by entries agree with that order.
// Everything else stays absent.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/result.h"
#include "model/flight_recorder.h"
#include "parser/dumps/document.h"

namespace firstfault {

// `pg_ids` is parallel to dump->groups as the entries gave them. Groups of pg_config that have no
// entry are added behind them. Error: the member lists take more memory than an honest dump would
// need.
Status join_groups(const Document& doc, const Value& pg_config, const Value& pg_status,
                   std::vector<std::set<std::int64_t>> pg_ids, FrDump* dump);

}  // namespace firstfault
