#!/usr/bin/env python3
"""compose.yaml, and the files of Prometheus, Grafana and Redis that it mounts: each read by the program that reads it,
as far as it is here, the rest by schemas; the dashboard's queries name metrics and labels that there are.

    compose_test.py BUILD    (by python_test.sh)
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import zipfile

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BUILD = pathlib.Path(sys.argv.pop()).resolve()
TOOLS = pathlib.Path(os.environ["ACCELD_DEPLOY_TOOLS"])
PROMTOOL = TOOLS / "prometheus/usr/bin/promtool"
PROMETHEUS = TOOLS / "prometheus/usr/bin/prometheus"


def run(command, **keywords):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **keywords)


def variables_of(path):
    """The variables of .env."""
    pairs = (line.split("=", 1) for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return dict(pairs)


def substitute(value, variables):
    """A document with compose's variables filled in: ${NAME:-default}, and $$ for a dollar."""
    if isinstance(value, dict):
        return {key: substitute(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, variables) for item in value]
    if not isinstance(value, str):
        return value
    pattern = r"\$\$|\$\{(\w+)(?::-([^}]*))?\}|\$(\w+)"

    def fill(match):
        if match.group(0) == "$$":
            return "$"
        name = match.group(1) or match.group(3)
        if name in variables:
            return variables[name]
        if match.group(2) is None:
            raise ValueError(f"${name} is set nowhere")
        return match.group(2)
    return re.sub(pattern, fill, value)


def load_compose(variables):
    return substitute(yaml.safe_load((DEPLOY / "compose.yaml").read_text()), variables)


class ComposeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.variables = variables_of(DEPLOY / ".env")
        cls.compose = load_compose(cls.variables)
        cls.services = cls.compose["services"]

    def test_is_as_the_specification_says(self):
        archive, = TOOLS.glob("docker_compose-*.whl")
        with zipfile.ZipFile(archive) as wheel:
            schema = json.loads(wheel.read("compose/config/compose_spec.json"))
        # A name of the whole is younger than this schema.
        compose = {key: value for key, value in self.compose.items() if key != "name"}
        errors = [f"{'.'.join(map(str, e.absolute_path))}: {e.message}"
                  for e in jsonschema.Draft7Validator(schema).iter_errors(compose)]
        self.assertEqual(errors, [])

    def test_defaults_in_the_file_are_those_of_env(self):
        self.assertEqual(load_compose({}), self.compose)

    def test_names_lead_somewhere(self):
        for name, service in self.services.items():
            for secret in service.get("secrets", []):
                self.assertIn(secret, self.compose["secrets"], name)
            for network in service["networks"]:
                self.assertIn(network, self.compose["networks"], name)
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue((DEPLOY / source).exists(), f"{name}: {source}")
                elif not source.startswith("/"):
                    self.assertIn(source, self.compose["volumes"], name)
        ignored = (ROOT / ".gitignore").read_text().splitlines()
        for secret in self.compose["secrets"].values():
            folder = secret["file"].removeprefix("./").split("/")[0]
            self.assertIn(f"/deploy/{folder}/", ignored)

    def test_containers_are_confined(self):
        for name, service in self.services.items():
            self.assertTrue(service["read_only"], name)
            self.assertEqual(service["cap_drop"], ["ALL"], name)
            self.assertIn("no-new-privileges:true", service["security_opt"], name)
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name}: {port}")

    def test_one_of_the_daemons_runs(self):
        profiles = {name: s.get("profiles") for name, s in self.services.items()}
        self.assertEqual(profiles["acceld"], [self.variables["COMPOSE_PROFILES"]])
        self.assertEqual(profiles["acceld-gpu"], ["gpu"])

    def test_the_daemon_takes_its_command(self):
        known = re.findall(r"--([a-z-]+)", run([BUILD / "bin/acceld", "--help"]).stdout)
        remote = set(self.compose["x-remote-cache"])
        for name in ("acceld", "acceld-gpu"):
            service = self.services[name]
            environment = {k: v for k, v in service["environment"].items() if "remote-cache-url" in known or k not in remote}
            said = run([BUILD / "bin/acceld", *service["command"], "--print-config"], env=os.environ | environment)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn(f'users = ["{self.variables["ACCELD_USERS"]}"]  # environment', said.stdout)
            grace = yaml.safe_load(re.search(r"^shutdown-grace = (\d+)", said.stdout, re.M).group(1))
            self.assertGreater(int(service["stop_grace_period"].removesuffix("s")), grace + 16)
            unknown = {variable for variable in service["environment"]
                       if variable.removeprefix("ACCELD_").lower().replace("_", "-") not in known}
            # One without a remote cache knows none of its settings.
            self.assertIn(unknown, [set(), remote] if "remote-cache-url" not in known else [set()])
            for variable, value in service["environment"].items():
                if value.startswith("/run/secrets/"):
                    self.assertIn(value.removeprefix("/run/secrets/"), service["secrets"], variable)

    def test_redis_takes_its_configuration(self):
        """Its command, as it stands, with the folders of this test; then as a client sees it."""
        shell, flag, script = self.services["redis"]["command"]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "redis-password").write_text("0123abcd\n")
            # On a socket, so that it needs no port.
            config = (DEPLOY / "redis/redis.conf").read_text()
            pathlib.Path(folder, "redis.conf").write_text(f"{config}\nport 0\nunixsocket {folder}/socket\n")
            script = script.replace("/usr/local/etc/redis", folder).replace("/run/secrets", folder)
            server = subprocess.Popen([shell, flag, script], cwd=folder, stdout=subprocess.PIPE, text=True)
            try:
                self.assertTrue(any("Ready to accept" in line or "ready to accept" in line for line in server.stdout))

                def ask(*command, password="0123abcd"):
                    environment = os.environ | {"REDISCLI_AUTH": password}
                    said = run(["redis-cli", "-s", f"{folder}/socket", *command], env=environment)
                    return said.stdout + said.stderr
                self.assertIn("NOAUTH", run(["redis-cli", "-s", f"{folder}/socket", "ping"]).stdout)
                self.assertIn("WRONGPASS", ask("ping", password="another"))
                self.assertEqual(ask("ping"), "PONG\n")
                memory = ask("info", "memory")
                self.assertIn(f"maxmemory:{4 << 30}", memory)
                self.assertIn("maxmemory_policy:allkeys-lru", memory)
                self.assertIn("unknown command", ask("config", "get", "requirepass"))
                self.assertNotIn("0123abcd", pathlib.Path(f"/proc/{server.pid}/cmdline").read_text())
                # The health check, too.
                kind, check = self.services["redis"]["healthcheck"]["test"]
                self.assertEqual(kind, "CMD-SHELL")
                check = check.replace("/run/secrets", folder).replace("redis-cli", f"redis-cli -s {folder}/socket")
                self.assertEqual(run(["sh", "-c", check]).returncode, 0)
            finally:
                server.terminate()
                server.communicate()
            self.assertEqual(server.returncode, 0)

    def test_prometheus_takes_its_configuration(self):
        said = run([PROMTOOL, "check", "config", DEPLOY / "prometheus/prometheus.yml"])
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        known = set(re.findall(r"--([a-z.-]+)", run([PROMETHEUS, "--help"]).stdout))
        for flag in self.services["prometheus"]["command"]:
            self.assertIn(flag.removeprefix("--").split("=")[0], known)
        # Every daemon is found by its alias.
        config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
        discovery, = config["scrape_configs"][0]["dns_sd_configs"]
        command = self.services["acceld"]["command"]
        self.assertIn(f"--metrics-listen=0.0.0.0:{discovery['port']}", command)
        self.assertEqual(discovery["names"], self.services["acceld"]["networks"]["watch"]["aliases"])

    def test_grafana_finds_source_and_dashboard(self):
        provisioning = DEPLOY / "grafana/provisioning"
        source, = yaml.safe_load((provisioning / "datasources/prometheus.yaml").read_text())["datasources"]
        self.assertIn(source["url"].removeprefix("http://").split(":")[0], self.services)
        provider, = yaml.safe_load((provisioning / "dashboards/acceld.yaml").read_text())["providers"]
        mounts = dict(v.split(":")[:2] for v in self.services["grafana"]["volumes"])
        self.assertEqual(str(pathlib.PurePath(mounts["./grafana/acceld.json"]).parent), provider["options"]["path"])
        self.assertEqual(mounts["./grafana/provisioning"], "/etc/grafana/provisioning")


class QueriesTest(unittest.TestCase):
    """The dashboard's and the alerts' queries."""

    @classmethod
    def setUpClass(cls):
        cls.metrics = {}
        for line in (DEPLOY / "METRICS.md").read_text().splitlines():
            if match := re.match(r"\| `(\w+)` \| (\w+) \| (.*?) \|", line):
                name, kind, labels = match.groups()
                labels = set(re.findall(r"`(\w+)`", labels)) | {"job", "instance"}
                if kind == "histogram":
                    cls.metrics |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
                else:
                    cls.metrics[name] = labels
        cls.dashboard = json.loads((DEPLOY / "grafana/acceld.json").read_text())
        cls.panels = [p for p in cls.dashboard["panels"] if p["type"] != "row"]
        cls.queries = [(p["title"], t["expr"], t["legendFormat"]) for p in cls.panels for t in p["targets"]]
        rules = yaml.safe_load((DEPLOY / "prometheus/acceld.rules.yml").read_text())
        cls.alerts = [rule for group in rules["groups"] for rule in group["rules"]]

    def test_there_are_metrics(self):
        self.assertGreater(len(self.metrics), 30)
        self.assertGreater(len(self.queries), 30)

    def check_names(self, where, query):
        names = re.findall(r"\bacceld_\w+", query)
        for name in names:
            self.assertIn(name, self.metrics, where)
        known = set().union(*(self.metrics[name] for name in names)) if names else {"job", "instance"}
        used = set(re.findall(r"[{,]\s*(\w+)\s*(?:=~|!=|=)", query))
        for labels in re.findall(r"\b(?:by|on) \(([^)]*)\)", query):
            used |= set(re.findall(r"\w+", labels))
        self.assertLessEqual(used, known, where)
        return known

    def test_the_dashboard_shows_metrics_that_there_are(self):
        for title, query, legend in self.queries:
            self.assertLessEqual(set(re.findall(r"{{(\w+)}}", legend)), self.check_names(title, query), title)
        shown = {name for _, query, _ in self.queries for name in re.findall(r"\bacceld_\w+", query)}
        histograms = {re.sub("_(bucket|sum|count)$", "", name) for name in shown}
        known = {re.sub("_(bucket|sum|count)$", "", name) for name in self.metrics}
        self.assertEqual(known - histograms, {"acceld_device_memory_peak_bytes", "acceld_uptime_seconds"})

    def test_alerts_are_about_metrics_that_there_are(self):
        for alert in self.alerts:
            known = self.check_names(alert["alert"], alert["expr"])
            shown = set(re.findall(r"\$labels\.(\w+)", alert["annotations"]["summary"]))
            self.assertLessEqual(shown, known, alert["alert"])

    def test_a_daemon_that_has_gone_altogether_is_missed(self):
        """One that discovery does not find any more has no `up` that could be 0."""
        def expect(series, *alerts):
            absent, down = ("AcceldAbsent" in alerts), ("AcceldDown" in alerts)
            return {"interval": "1m", "input_series": series, "alert_rule_test": [
                {"eval_time": "10m", "alertname": name, "exp_alerts": [labels] if firing else []}
                for name, firing, labels in (("AcceldAbsent", absent, gone), ("AcceldDown", down, silent))]}
        summaries = {alert["alert"]: alert["annotations"]["summary"] for alert in self.alerts}
        labels = {"job": "acceld", "severity": "critical"}
        gone = {"exp_labels": labels, "exp_annotations": {"summary": summaries["AcceldAbsent"]}}
        silent = {"exp_labels": labels | {"instance": "a:9464"},
                  "exp_annotations": {"summary": "a:9464 does not answer"}}
        up = 'up{job="acceld", instance="a:9464"}'
        tests = [expect([{"series": up, "values": "1x10"}]),
                 expect([{"series": up, "values": "0x10"}], "AcceldDown"),
                 expect([{"series": up, "values": "1 1 stale"}], "AcceldAbsent")]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"rule_files": [str(DEPLOY / "prometheus/acceld.rules.yml")], "tests": tests}, file)
            file.flush()
            said = run([PROMTOOL, "test", "rules", file.name])
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_queries_are_promql(self):
        rules = [{"record": f"query:{i}", "expr": query.replace("$__rate_interval", "5m")}
                 for i, (_, query, _) in enumerate(self.queries)]
        self.assertEqual(self.check_rules(rules).returncode, 0, self.check_rules(rules).stderr)
        self.assertNotEqual(self.check_rules([{"record": "query:x", "expr": "sum by acceld_sessions"}]).returncode, 0)

    @staticmethod
    def check_rules(rules):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}, file)
            file.flush()
            return run([PROMTOOL, "check", "rules", file.name])

    def test_the_daemon_serves_what_is_asked_for(self):
        """METRICS.md is made from the table that the daemon serves from; promtool reads what one does serve."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/log", "w+") as log:
                daemon = subprocess.Popen([BUILD / "bin/acceld", "--listen", f"unix:{folder}/socket", "--cache-dir",
                                           f"{folder}/cache", "--metrics-listen", "0", "--cuda-devices", "none"],
                                          stderr=log)
                try:
                    url = None
                    while url is None and daemon.poll() is None:
                        time.sleep(0.05)
                        url = re.search(r"http://\S+/metrics", pathlib.Path(folder, "log").read_text())
                    with urllib.request.urlopen(url.group(0)) as answer:
                        served = answer.read().decode()
                finally:
                    daemon.terminate()
                    daemon.wait()
        self.assertIn("acceld_build_info", served)
        lint = run([PROMTOOL, "check", "metrics"], input=served.rstrip("\n") + "\n")
        self.assertEqual(lint.returncode, 0, lint.stdout + lint.stderr)

    def test_panels_lie_beside_each_other(self):
        taken = set()
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
        ids = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        names = {variable["name"] for variable in self.dashboard["templating"]["list"]}
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(self.panels))) - {"__rate_interval"}
        self.assertLessEqual(used, names)


if __name__ == "__main__":
    unittest.main()
