# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a Kubernetes manifest what the API takes, and what packaging/kubernetes promises?

    manifests.py check FILE            each field: known, of its type, required ones there
    manifests.py commands FILE         a line a container: name, its command quoted for sh
    manifests.py podman FILE           a line a container: name, its rights as podman's options
    manifests.py alike FILE FILE       the same but for securityContext
    manifests.py kept FILE JSON        every field of FILE is in JSON, as kubectl printed it

What is wrong is printed, a line each with the path of the field; status 1.
"""

import json
import re
import shlex
import sys

import yaml

# ---- the fields that are used here, of the types in the API's reference -------------------
# {name: type}, "!" for required ones; [type]: a list; (words): one of these; a compiled
# pattern: a text that matches; {"*": type}: any names.
NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
LABEL = re.compile(r"([a-z0-9.-]+/)?[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?")
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|M|G|Ki|Mi|Gi)?")
LABELS = {"*": LABEL}
AMOUNTS = {"*": QUANTITY}
METADATA = {"name!": NAME, "labels": LABELS}
SELECTOR = {"matchLabels!": LABELS}
TERM = {"matchExpressions!": [{"key!": LABEL, "operator!": ("In", "NotIn", "Exists", "DoesNotExist"),
                               "values": [str]}]}
SECURITY = {"runAsUser": int, "runAsNonRoot": bool, "allowPrivilegeEscalation": bool, "privileged": bool,
            "readOnlyRootFilesystem": bool,
            "seccompProfile": {"type!": ("RuntimeDefault", "Unconfined", "Localhost")},
            "capabilities": {"drop": [re.compile("[A-Z_]+")], "add": [re.compile("[A-Z_]+")]}}
CONTAINER = {"name!": NAME, "image!": str, "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
             "command": [str], "resources": {"requests": AMOUNTS, "limits": AMOUNTS},
             "securityContext": SECURITY}
AFFINITY = {
    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms!": [TERM]}},
    "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                        [{"labelSelector": SELECTOR, "topologyKey!": LABEL}]}}
POD = {"restartPolicy": ("Always", "OnFailure", "Never"), "nodeSelector": LABELS, "affinity": AFFINITY,
       "tolerations": [{"operator": ("Exists", "Equal"), "key": LABEL, "value": str,
                        "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute")}],
       "automountServiceAccountToken": bool, "enableServiceLinks": bool,
       "terminationGracePeriodSeconds": int, "initContainers": [CONTAINER], "containers!": [CONTAINER]}
TEMPLATE = {"metadata!": {"labels!": LABELS}, "spec!": POD}
KINDS = {
    "Job": {"apiVersion!": ("batch/v1",), "kind!": ("Job",), "metadata!": METADATA,
            "spec!": {"parallelism": int, "completions": int, "backoffLimit": int, "template!": TEMPLATE}},
    "DaemonSet": {"apiVersion!": ("apps/v1",), "kind!": ("DaemonSet",), "metadata!": METADATA,
                  "spec!": {"selector!": SELECTOR, "template!": TEMPLATE}}}


class OnceLoader(yaml.SafeLoader):
    """PyYAML lets a key stand twice; the API server does not."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"line {node.start_mark.line + 1}: {key} stands twice")
        return super().construct_mapping(node, deep)


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, OnceLoader)


def wrong_types(value, wanted, path):
    """Sentences about what differs from the table."""
    if isinstance(wanted, dict):
        yield from wrong_members(value, wanted, path)
    elif isinstance(wanted, list):
        if not isinstance(value, list) or not value:
            yield f"{path}: should be a list"
        else:
            for place, one in enumerate(value):
                yield from wrong_types(one, wanted[0], f"{path}[{place}]")
    elif isinstance(wanted, tuple):
        if value not in wanted:
            yield f"{path}: {value!r} is none of {', '.join(wanted)}"
    elif isinstance(wanted, re.Pattern):
        # the API reads a bare number as a quantity, but not as a label
        text = str(value) if wanted is QUANTITY and isinstance(value, int) else value
        if not isinstance(text, str) or not wanted.fullmatch(text):
            yield f"{path}: {value!r} is not of the form {wanted.pattern}"
    elif not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        yield f"{path}: {value!r} should be of type {wanted.__name__}"


def wrong_members(value, wanted, path):
    if not isinstance(value, dict):
        yield f"{path}: should have members"
        return
    for name, one in value.items():
        kind = wanted.get(name, wanted.get(f"{name}!", wanted.get("*")))
        if kind is None:
            yield f"{path}.{name}: no such field"
        else:
            yield from wrong_types(one, kind, f"{path}.{name}")
    for name in wanted:
        if name.endswith("!") and name[:-1] not in value:
            yield f"{path}.{name[:-1]}: is required"


# ---- what the API demands beyond types, and what packaging/kubernetes/README.md promises --
def containers(pod):
    return pod.get("initContainers", []) + pod["containers"]


def wrong_rules(document):
    spec, pod = document["spec"], document["spec"]["template"]["spec"]
    labels = document["spec"]["template"]["metadata"]["labels"]
    if document["kind"] == "DaemonSet":
        if not spec["selector"]["matchLabels"].items() <= labels.items():
            yield "spec.selector: does not match the labels of the template"
        if pod.get("restartPolicy", "Always") != "Always":
            yield "restartPolicy: a DaemonSet takes Always only"
    else:
        if pod.get("restartPolicy") not in ("Never", "OnFailure"):
            yield "restartPolicy: a Job takes Never or OnFailure only"
        yield from wrong_nodes(spec, pod, labels)
    names = [one["name"] for one in containers(pod)]
    if len(set(names)) != len(names):
        yield "containers: two have one name"
    for one in containers(pod):
        yield from wrong_container(one)


def wrong_nodes(spec, pod, labels):
    affinity = pod["affinity"]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    nodes = affinity["nodeAffinity"][required]["nodeSelectorTerms"][0]["matchExpressions"][0]["values"]
    if not spec["parallelism"] == spec["completions"] == len(nodes):
        yield "spec: parallelism, completions and the list of nodes differ"
    if affinity["podAntiAffinity"][required][0]["labelSelector"]["matchLabels"] != labels:
        yield "podAntiAffinity: keeps off other pods than these"


def wrong_container(one):
    name, security = one["name"], one.get("securityContext", {})
    resources = one.get("resources", {})
    if not resources or resources.get("requests") != resources.get("limits"):
        yield f"{name}: requests and limits differ, so the pod is not of the class Guaranteed"
    if set(resources.get("limits", {})) != {"cpu", "memory"}:
        yield f"{name}: limits need cpu and memory"
    if security.get("privileged") and (security.get("allowPrivilegeEscalation") is False or
                                       "capabilities" in security):
        yield f"{name}: privileged excludes these: the API refuses it, or they mean nothing"
    if one["command"] == ["sleep", "infinity"]:
        return
    if not str(resources["limits"]["cpu"]).isdigit():
        yield f"{name}: only whole CPUs are exclusive"
    if security.get("runAsUser") != 0:
        yield f"{name}: only root gets capabilities that were added"
    if not security.get("privileged") and security.get("capabilities") != {
            "drop": ["ALL"], "add": ["SYS_NICE", "IPC_LOCK"]}:
        yield f"{name}: other capabilities than SYS_NICE and IPC_LOCK"


def check(path):
    document = load(path)
    kind = KINDS.get(document.get("kind"))
    if kind is None:
        return [f"kind: {document.get('kind')!r} is none of {', '.join(KINDS)}"]
    return list(wrong_types(document, kind, path)) or list(wrong_rules(document))


def without_security(value):
    if isinstance(value, dict):
        return {name: without_security(one) for name, one in value.items() if name != "securityContext"}
    return [without_security(one) for one in value] if isinstance(value, list) else value


def not_kept(value, other, path):
    if isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(other, dict) or name not in other:
                yield f"{path}.{name}: is lost"
            else:
                yield from not_kept(one, other[name], f"{path}.{name}")
    elif isinstance(value, list):
        if not isinstance(other, list) or len(other) != len(value):
            yield f"{path}: another list"
        else:
            for place, (one, its) in enumerate(zip(value, other)):
                yield from not_kept(one, its, f"{path}[{place}]")
    elif str(value) != str(other):
        yield f"{path}: {value!r} became {other!r}"


def podman_options(security):
    """What a kubelet makes of these rights; it mounts no tmpfs over a read-only root."""
    options = [f"--user={security.get('runAsUser', 0)}"]
    if security.get("privileged"):
        options.append("--privileged")
    if security.get("allowPrivilegeEscalation") is False:
        options.append("--security-opt=no-new-privileges")
    if security.get("readOnlyRootFilesystem"):
        options += ["--read-only", "--read-only-tmpfs=false"]
    for what in ("drop", "add"):
        options += [f"--cap-{what}={name}" for name in security.get("capabilities", {}).get(what, [])]
    return options


def main(words):
    what, path, *others = words
    wrong = []
    if what == "check":
        wrong = check(path)
    elif what == "commands":
        for one in containers(load(path)["spec"]["template"]["spec"]):
            print(one["name"], shlex.join(one["command"]), sep="\t")
    elif what == "podman":
        for one in containers(load(path)["spec"]["template"]["spec"]):
            print(one["name"], shlex.join(podman_options(one["securityContext"])), sep="\t")
    elif what == "alike":
        wrong = [] if without_security(load(path)) == without_security(load(others[0])) else ["they differ"]
    else:
        with open(others[0], encoding="utf-8") as file:
            wrong = list(not_kept(load(path), json.load(file), path))
    print("".join(f"{sentence}\n" for sentence in wrong), end="")
    return 1 if wrong else 0


try:
    sys.exit(main(sys.argv[1:]))
except (OSError, ValueError, yaml.YAMLError) as error:
    sys.exit(f"{sys.argv[2]}: {error}")
