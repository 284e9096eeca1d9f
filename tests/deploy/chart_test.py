#!/usr/bin/env python3
"""The Helm chart: Helm's own engine lints and renders it with each example of ci/, Kubernetes' schemas take what comes
out, the daemon takes its configuration file, and the schema of the values refuses bad ones.

    chart_test.py BUILD    (by python_test.sh)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import helm_python as helm
import jsonschema
import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "acceld"
BUILD = pathlib.Path(sys.argv.pop()).resolve()
# The oldest that Chart.yaml allows, and a recent one.
KUBERNETES = ("1.25", "1.37")
# Of Prometheus' operator: not of Kubernetes' schemas.
CUSTOM_KINDS = ("PrometheusRule", "ServiceMonitor")
REMOTE = ("remote-cache-url", "remote-cache-password-file", "remote-cache-key-file")

# Values that are no good, over those of an example, and the end of what is said about them.
BAD_VALUES = {
    "an unknown key": ("cpu", {"replica": 2}),
    "an unknown kind": ("cpu", {"kind": "StatefulSet"}),
    "no replicas": ("replicas", {"replicas": 0}),
    "a replica count that is text": ("replicas", {"replicas": "3"}),
    "an unknown accelerator": ("cpu", {"accelerator": "tpu"}),
    "half a GPU": ("team", {"gpu": {"count": 0.5}}),
    "a mode without octal digits": ("cpu", {"socket": {"mode": "rw-rw-rw-"}}),
    "a relative folder": ("cpu", {"socket": {"hostPath": "run/acceld"}}),
    "a principal without a kind": ("cpu", {"access": {"users": ["ann"]}}),
    "a size in other units": ("cpu", {"cache": {"diskSize": "4 gigabytes"}}),
    "an unknown volume": ("cpu", {"cache": {"type": "nfs"}}),
    "a port beyond the last": ("team", {"tls": {"port": 65536}}),
    "a remote cache without a key": ("team", {"remoteCache": {"keySecret": ""}}),
    "a remote cache that is no Redis": ("team", {"remoteCache": {"url": "http://redis"}}),
    "a password for all to read": ("team", {"remoteCache": {"url": "redis://:secret@redis:6379"}}),
    "a user's password for all to read": ("team", {"remoteCache": {"url": "rediss://ann:secret@redis:6379"}}),
    "a setting that the chart makes itself": ("cpu", {"config": {"listen": ["unix:/tmp/x"]}}),
    "a quota that is a list": ("cpu", {"config": {"quota": {"default": []}}}),
    "a drain that never ends": ("cpu", {"drain": {"seconds": -1}}),
}
# Well formed each for itself, but not together: what is said.
CONTRADICTIONS = {
    "tls.enabled needs tls.secret": ("team", {"tls": {"secret": ""}}),
    "without either nobody is known": ("team", {"tls": {"clientCaSecret": ""}, "access": {"tokensSecret": ""}}),
    "nobody gets to this Deployment": ("team", {"tls": {"enabled": False}}),
    "a cache folder is one daemon's": ("team", {"replicas": 2}),
    "two daemons on a node": ("replicas", {"socket": {"onHost": True}}),
    "tls.port and metrics.port are the same": ("team", {"tls": {"port": 9464}}),
    "has to lead to the Redis": ("team", {"networkPolicy": {"egress": []}}),
}


def overlay(base, changes):
    result = dict(base)
    for key, value in changes.items():
        result[key] = overlay(result.get(key, {}), value) if isinstance(value, dict) and value else value
    return result


def example(name):
    return helm.values_from_yaml((CHART / "ci" / f"{name}-values.yaml").read_text())


def rendered(values):
    """The manifests, and the notes."""
    with helm.Chart.load(CHART) as chart:
        files = chart.render(values, name="team", namespace="ml")
    notes = [text for path, text in files.items() if path.endswith("NOTES.txt")]
    documents = [yaml.safe_load_all(text) for path, text in files.items() if not path.endswith("NOTES.txt")]
    return [d for group in documents for d in group if d], notes[0]


def of_kind(manifests, *kinds):
    return [m for m in manifests if m["kind"] in kinds]


def workload(manifests):
    return of_kind(manifests, "DaemonSet", "Deployment")[0]


class ChartTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.examples = {p.name.removesuffix("-values.yaml"): helm.values_from_yaml(p.read_text())
                        for p in sorted((CHART / "ci").glob("*-values.yaml"))}
        cls.examples["defaults"] = {}
        cls.rendered = {name: rendered(values) for name, values in cls.examples.items()}

    def each(self):
        """What came out of each example."""
        return [(name, manifests, notes) for name, (manifests, notes) in self.rendered.items()]

    def test_lints(self):
        for name, values in self.examples.items():
            report = helm.lint(CHART, values, strict=True)
            findings = [m["error"] for m in report["messages"] if m["severity"] > 1]
            self.assertEqual(report["errors"] + findings, [], name)

    def test_values_are_as_their_schema_says(self):
        schema = yaml.safe_load((CHART / "values.schema.json").read_text())
        validator = jsonschema.Draft7Validator(schema)
        validator.check_schema(schema)
        defaults = yaml.safe_load((CHART / "values.yaml").read_text())
        for name, values in self.examples.items():
            errors = [e.message for e in validator.iter_errors(overlay(defaults, values))]
            self.assertEqual(errors, [], name)
        # Every value has a default, so that values.yaml is a list of all there is.
        self.assertEqual(sorted(defaults), sorted(set(schema["properties"]) - {"global"}))
        for section, properties in schema["properties"].items():
            if section != "config" and defaults.get(section) and "properties" in properties:
                self.assertEqual(sorted(defaults[section]), sorted(properties["properties"]), section)

    def test_bad_values_are_refused(self):
        with helm.Chart.load(CHART) as chart:
            for what, (name, changes) in BAD_VALUES.items():
                with self.subTest(what):
                    values = overlay(self.examples[name], changes)
                    with self.assertRaises(helm.HelmError) as refused:
                        chart.validate_schema(values)
                    self.assertIn(list(changes)[0], str(refused.exception))

    def test_contradictions_are_refused(self):
        for message, (name, changes) in CONTRADICTIONS.items():
            with self.subTest(message), self.assertRaises(helm.HelmError) as refused:
                rendered(overlay(self.examples[name], changes))
            self.assertIn(message, str(refused.exception))

    def test_kubernetes_takes_it(self):
        for name, manifests, _ in self.each():
            for manifest in manifests:
                if manifest["kind"] not in CUSTOM_KINDS:
                    for version in KUBERNETES:
                        kubernetes_validate.validate(manifest, version, strict=True)
            names = [(m["kind"], m["metadata"]["name"]) for m in manifests]
            self.assertEqual(len(names), len(set(names)), name)

    def test_kubernetes_schemas_refuse_what_is_wrong(self):
        daemon = workload(self.rendered["cpu"][0])
        daemon = overlay(daemon, {"spec": {"updateStrategie": {"type": "OnDelete"}}})
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(daemon, KUBERNETES[-1], strict=True)

    def test_pods_are_confined(self):
        for _, manifests, _ in self.each():
            pod = workload(manifests)["spec"]["template"]["spec"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertFalse(pod["automountServiceAccountToken"])
            daemon, = pod["containers"]
            self.assertNotIn("runAsUser", daemon["securityContext"])
            for container in pod["containers"] + pod.get("initContainers", []):
                context = container["securityContext"]
                self.assertTrue(context["readOnlyRootFilesystem"])
                self.assertFalse(context["allowPrivilegeEscalation"])
                self.assertEqual(context["capabilities"]["drop"], ["ALL"])
            self.assertEqual({m["mountPath"] for m in daemon["volumeMounts"] if not m.get("readOnly")},
                             {"/run/acceld", "/var/cache/acceld", "/tmp"})

    def test_volumes_are_those_that_are_mounted(self):
        for _, manifests, _ in self.each():
            pod = workload(manifests)["spec"]["template"]["spec"]
            volumes = [v["name"] for v in pod["volumes"]]
            mounted = {m["name"] for c in pod["containers"] for m in c["volumeMounts"]}
            self.assertEqual(set(volumes), mounted)
            self.assertEqual(len(volumes), len(mounted))

    def test_pods_have_the_time_to_drain(self):
        for name, manifests, _ in self.each():
            pod = workload(manifests)["spec"]["template"]["spec"]
            drain = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
            self.assertEqual(drain[0], "timeout")
            grace = pod["terminationGracePeriodSeconds"]
            shutdown = self.settings(manifests)["shutdown-grace"]
            # A daemon may take 16 seconds more than its grace.
            self.assertGreater(grace, int(drain[1]) + shutdown + 16, name)

    def test_a_pod_that_is_not_to_drain_ends_at_once(self):
        # `timeout 0` would be no limit at all.
        manifests, _ = rendered(overlay(self.examples["cpu"], {"drain": {"seconds": 0}}))
        pod = workload(manifests)["spec"]["template"]["spec"]
        self.assertNotIn("lifecycle", pod["containers"][0])
        self.assertEqual(pod["terminationGracePeriodSeconds"], 40)

    def test_a_pod_that_hangs_is_not_drained(self):
        pod = workload(self.rendered["gpu-nodes"][0])["spec"]["template"]["spec"]
        self.assertEqual(pod["terminationGracePeriodSeconds"], 340)
        self.assertEqual(pod["containers"][0]["livenessProbe"]["terminationGracePeriodSeconds"], 30)

    def test_containers_that_prepare_get_no_gpu(self):
        for changes in ({"gpu": {"count": 0}}, {"gpu": {"count": 2}}):
            manifests, _ = rendered(overlay(self.examples["gpu-nodes"], changes))
            container, = workload(manifests)["spec"]["template"]["spec"]["initContainers"]
            self.assertEqual(container["env"], [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}])

    def test_every_container_that_prepares_has_limits(self):
        for _, manifests, _ in self.each():
            for container in workload(manifests)["spec"]["template"]["spec"].get("initContainers", []):
                self.assertEqual(set(container["resources"]["limits"]), {"cpu", "memory"})

    def test_probes_and_hooks_are_commands_of_accelctl(self):
        pod = workload(self.rendered["cpu"][0])["spec"]["template"]["spec"]
        daemon = pod["containers"][0]
        commands = [daemon[p]["exec"]["command"] for p in ("startupProbe", "livenessProbe", "readinessProbe")]
        commands.append(daemon["lifecycle"]["preStop"]["exec"]["command"][2:])
        for command in commands:
            self.assertEqual(command[0], "accelctl")
            # Nobody answers there; what is wrong with a command line ends with more than 100.
            said = subprocess.run([BUILD / "bin" / "accelctl", *command[1:], "--address", "unix:/nonexistent"],
                                  capture_output=True, text=True)
            self.assertEqual(said.returncode, 1, said.stderr)
            self.assertIn("no acceld daemon answers", said.stderr)

    def settings(self, manifests):
        """The configuration file, as far as it is numbers and text."""
        file, = [m for m in of_kind(manifests, "ConfigMap") if "config.toml" in m["data"]]
        return {key.strip(): yaml.safe_load(value) for key, _, value in
                (line.partition(" = ") for line in file["data"]["config.toml"].splitlines()) if value}

    def test_the_daemon_takes_its_configuration(self):
        daemon = BUILD / "bin" / "acceld"
        knows_remote = "--remote-cache-url" in subprocess.run([daemon, "--help"], capture_output=True, text=True).stdout
        if not knows_remote:
            print("this daemon has no remote cache: its settings are not checked", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            for name, manifests, _ in self.each():
                file, = [m for m in of_kind(manifests, "ConfigMap") if "config.toml" in m["data"]]
                lines = file["data"]["config.toml"].splitlines()
                if not knows_remote:
                    lines = [line for line in lines if line.partition(" = ")[0] not in REMOTE]
                path = pathlib.Path(folder, name)
                path.write_text("\n".join(lines) + "\n")
                # What the pod's environment gives, besides.
                pod = workload(manifests)["spec"]["template"]["spec"]
                variables = {v["name"]: "4" for v in pod["containers"][0].get("env", []) if "valueFrom" in v}
                said = subprocess.run([daemon, "--config", path, "--print-config"], capture_output=True, text=True,
                                      env=os.environ | variables)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertIn(f"  # {path}:", said.stdout)
                for variable in variables:
                    setting = variable.removeprefix("ACCELD_").lower().replace("_", "-")
                    self.assertIn(f"{setting} = 4  # environment", said.stdout)

    def test_gpus_are_asked_for(self):
        def pod(name):
            return workload(self.rendered[name][0])["spec"]["template"]["spec"]
        team = pod("team")
        self.assertEqual(team["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], 4)
        self.assertEqual(team["runtimeClassName"], "nvidia")
        self.assertTrue(team["containers"][0]["image"].endswith("-gpu"))
        all_of_them = pod("gpu-nodes")
        self.assertNotIn("nvidia.com/gpu", all_of_them["containers"][0]["resources"].get("limits", {}))
        cpu = pod("cpu")
        self.assertNotIn("nvidia.com/gpu", cpu["containers"][0]["resources"]["limits"])
        self.assertNotIn("runtimeClassName", cpu)
        self.assertTrue(cpu["containers"][0]["image"].endswith("-cpu"))

    def test_services_lead_to_ports_of_the_pods(self):
        for name, manifests, notes in self.each():
            template = workload(manifests)["spec"]["template"]
            ports = {p["name"] for p in template["spec"]["containers"][0].get("ports", [])}
            for service in of_kind(manifests, "Service"):
                self.assertLessEqual(service["spec"]["selector"].items(), template["metadata"]["labels"].items())
                for port in service["spec"]["ports"]:
                    self.assertIn(port["targetPort"], ports)
                if service["spec"].get("clusterIP") != "None":
                    self.assertEqual(service["spec"]["sessionAffinity"], "ClientIP", name)
            names = {s["metadata"]["name"] for s in of_kind(manifests, "Service")}
            self.assertEqual("team-acceld-headless" in names, name in ("team", "replicas"))
            self.assertEqual("tls://team-acceld-headless.ml.svc:7070" in notes, name == "replicas")

    def test_what_is_watched_is_what_the_release_has(self):
        manifests, _ = self.rendered["gpu-nodes"]
        monitor, = of_kind(manifests, "ServiceMonitor")
        wanted = monitor["spec"]["selector"]["matchLabels"]
        found = [s["metadata"]["name"] for s in of_kind(manifests, "Service")
                 if wanted.items() <= s["metadata"]["labels"].items()]
        self.assertEqual(found, ["team-acceld-metrics"])
        rules, = of_kind(manifests, "PrometheusRule")
        self.assertEqual(rules["spec"], yaml.safe_load((ROOT / "deploy/prometheus/acceld.rules.yml").read_text()))
        dashboard, = [m for m in of_kind(manifests, "ConfigMap") if "acceld.json" in m["data"]]
        self.assertEqual(yaml.safe_load(dashboard["data"]["acceld.json"]),
                         yaml.safe_load((ROOT / "deploy/grafana/acceld.json").read_text()))

    def test_a_closed_in_team_reaches_what_it_is_to_reach(self):
        policy, = of_kind(self.rendered["team"][0], "NetworkPolicy")
        grpc, metrics = policy["spec"]["ingress"]
        self.assertEqual(grpc["from"][0]["namespaceSelector"]["matchLabels"], {"team": "ml"})
        self.assertEqual(metrics["ports"][0]["port"], "metrics")
        self.assertEqual([p["port"] for rule in policy["spec"]["egress"] for p in rule["ports"]], [53, 53, 6379])
        budget, = of_kind(self.rendered["team"][0], "PodDisruptionBudget")
        self.assertEqual(budget["spec"]["maxUnavailable"], 1)


if __name__ == "__main__":
    unittest.main()
