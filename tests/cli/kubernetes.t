#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# packaging/kubernetes: the manifests field by field, and their command lines as they stand.
# tests/packages/container.t runs them in a container.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip_all "no PyYAML (package python3-yaml)"
[ -d "$top/packaging/kubernetes" ] || skip_all "no packaging folder"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
manifests="/usr/bin/python3 $tests_dir/manifests.py"
folder=$top/packaging/kubernetes
files=$(cd "$folder" && echo *.yaml)

# ---- field by field
check "there are four" [ "$files" = 'daemonset-device.yaml daemonset.yaml job-device.yaml job.yaml' ]
for file in $files; do
	run $manifests check "$folder/$file"
	check "$file has what the API demands, and nothing else" [ "$status" = 0 ]
	check "the README has $file" grep -q "$file" "$folder/README.md"
done
for kind in job daemonset; do
	run $manifests alike "$folder/$kind.yaml" "$folder/$kind-device.yaml"
	check "the variants of $kind differ in their rights alone" [ "$status" = 0 ]
	check "one has no more than it needs" sh -c "! grep -q privileged: '$folder/$kind.yaml'"
	check "the other has all" [ "$(grep -c 'privileged: true' "$folder/$kind-device.yaml")" = 2 ]
done

# finds WORD FILE SED: so changed, the file is found wrong
finds() {
	sed "$3" "$folder/$2" >changed.yaml
	run $manifests check changed.yaml
	check "found: $2, $1" sh -c "[ $status = 1 ] && grep -qE '$1' .out .err"
}
finds 'no such field' job.yaml 's/allowPrivilegeEscalation/allowPrivilegesEscalation/'
finds 'template: is required' job.yaml 's/^  template/  templates/'
finds 'none of batch/v1' job.yaml 's,batch/v1,batch/v1beta1,'
finds 'Never or OnFailure' job.yaml 's/Policy: Never/Policy: Always/'
finds 'list of nodes differ' job.yaml 's/\[node-a, node-b\]/[node-a]/'
finds 'type int' job.yaml 's/completions: 2/completions: "2"/'
finds 'whole CPUs' job.yaml 's/cpu: "2"/cpu: 1500m/'
finds 'of the form' job.yaml 's/256Mi/256MB/'
finds 'limits differ' daemonset.yaml '0,/256Mi/s//128Mi/'
finds 'does not match' daemonset.yaml '/^    matchLabels/,+1s/app: rtgauge/app: other/'
finds 'Always only' daemonset.yaml 's/^      enableServiceLinks.*/      restartPolicy: Never/'
finds 'other capabilities' daemonset.yaml 's/SYS_NICE, /SYS_ADMIN, SYS_NICE, /'
finds 'only root' daemonset.yaml 's/runAsUser: 0/runAsUser: 1000/'
finds 'stands twice' daemonset.yaml 's/^  name: rtgauge/&\n&/'
finds 'should be a list' daemonset.yaml 's/\[ALL\]/ALL/'

# ---- by the types of Kubernetes itself: kubectl drops fields that these do not have
if have kubectl; then
	KUBECONFIG=/dev/null HOME=$T
	export KUBECONFIG HOME
	for file in $files; do
		run kubectl set env --local -f "$folder/$file" -o json TEST=1
		check "kubectl reads $file" [ "$status" = 0 ]
		cp .out "$file.json"
		run $manifests kept "$folder/$file" "$file.json"
		check "and loses nothing of it" [ "$status" = 0 ]
	done
	sed 's/runAsUser/runsAsUser/' "$folder/job.yaml" >changed.yaml
	kubectl set env --local -f changed.yaml -o json TEST=1 >changed.json 2>/dev/null
	check "it would lose a wrong one" sh -c "! /usr/bin/python3 $tests_dir/manifests.py kept changed.yaml changed.json >/dev/null"
else
	skip "no kubectl here, which knows the types of Kubernetes"
fi

# ---- the command lines, shorter: documents on stdout, words where the pod's status shows them
$manifests commands "$folder/job.yaml" >commands
for file in $files; do
	$manifests commands "$folder/$file" | grep -v '^keep' | cmp -s - commands || fail "$file has other commands"
done
check "they run cyclictest, then oslat" [ "$(cut -f 1 commands | tr '\n' ' ')" = 'cyclictest oslat ' ]
check "they take their CPUs from their own set" sh -c "! grep -E -- ' -(a|c) ?[0-9]|--(affinity|cpu-list)' commands"
if ! has_json; then
	skip "running them: built without json-c (JSON=0)"
	done_testing
fi
if ! can_rt; then
	skip "running them: no real-time priorities here"
	done_testing
fi
words=$T/termination-log
: >log
sed "s/ -D1[0-9]*m / -D1 /; s,/dev/termination-log,$words," commands | cut -f 2 >lines
while read -r line; do
	run sh -c "$line"
	check "exit 0: $line" [ "$status" = 0 ]
	check "it says its words elsewhere" [ ! -s .err ]
	check "and there they are" [ -s "$words" ]
	sed 's/^/2026-01-01T00:00:00.5Z stdout F /' .out >>log
	sed 's/^/2026-01-01T00:00:00.5Z stderr F /' "$words" >>log
	cat .out >>plain
done <lines
for name in log plain; do
	run "$top/scripts/rt-hist" merge "$name"
	check "rt-hist merges what they wrote, $name" [ "$status" = 0 ]
	says '"kind":"wakeup"'
	says '"kind":"gap"'
	check "each is there once" [ "$(grep -c '"file":' .out)" = 2 ]
done
check "what a pod's status keeps is short" [ "$(wc -c <"$words")" -lt 4096 ]
done_testing
