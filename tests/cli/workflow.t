#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# workflow - the workflow file is valid YAML and does what .ci/run does, no more.

. "${0%/*}/tap.sh"

file=$top/.github/workflows/ci.yml
[ -f "$file" ] || skip_all "no workflow file here"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip_all "no PyYAML (package python3-yaml)"

# YAML 1.1 reads the key "on" as true
cat >look.py <<'END'
import sys, yaml
flow = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
print("events", *sorted(flow[True]))
for job in flow["jobs"].values():
    print("image", job["container"]["image"])
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
        print("step", step.get("run") or step["uses"])
END
run /usr/bin/python3 look.py "$file"
check "it can be read" [ "$status" = 0 ]
says '^events pull_request push$'
says '^image debian:12$'
says '^step \.ci/run$'
check "git is there before the clone is made" [ "$(grep -nE 'git|checkout' .out | sed -n '1s/.*install.*/first/p')" = first ]
check "it builds and tests by .ci/run alone" sh -c '! grep -E "^step.*(make|prove|bootstrap)" .out'
check "no host is named" sh -c "! grep -E '://|[a-z]\\.(com|org|io|net)' '$file'"
check "what it calls can be run" [ -x "$top/.ci/run" ]
done_testing
