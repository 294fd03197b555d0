package ops_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"
)

// A composition is docker-compose.yml, as far as it is looked at.
type composition struct {
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image       string
	User        string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Profiles    []string
	Entrypoint  []string
	Ports       []string
	Volumes     []string
	Healthcheck *struct{ Test []string }
}

func compose(t *testing.T) composition {
	t.Helper()
	raw, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	if err := yaml.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	pinned  = regexp.MustCompile(`:v?\d+\.\d+\.\d+(-[a-z]+)?$`)
	ownWord = "shiplog:${SHIPLOG_VERSION:-dev}"
)

// Whatever runs is pinned, hardened, looked after, and reached from this machine
// alone; only the node starts unasked.
func TestComposeIsHardened(t *testing.T) {
	c := compose(t)
	for name, s := range c.Services {
		if s.Image != ownWord && !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %s is not pinned", name, s.Image)
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s is not hardened: %+v", name, s)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s publishes %s to everybody", name, p)
			}
		}
		if (len(s.Profiles) == 0) != (name == "shiplog") {
			t.Errorf("%s has the profiles %v", name, s.Profiles)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(strings.ReplaceAll(v, "${SHIPLOG_TARGETS:-targets}", "targets"), ":")
			if strings.HasPrefix(from, "./") {
				if _, err := os.Stat("../" + from); err != nil || !strings.HasSuffix(v, ":ro") {
					t.Errorf("%s: volume %s: %v", name, v, err)
				}
			} else if _, known := c.Volumes[from]; !known {
				t.Errorf("%s: there is no volume %s", name, from)
			}
		}
		if s.Entrypoint != nil {
			continue // does one thing and ends
		}
		if s.Healthcheck == nil || s.User == "" || strings.HasPrefix(s.User, "0") {
			t.Errorf("%s: user %q, health check %v", name, s.User, s.Healthcheck)
		}
	}
}

// The cluster's servers are of the version that is built in, and sync always.
func TestComposeNATSIsAsBuiltIn(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`nats-server/v2 v(\S+)`).FindSubmatch(mod)[1]
	for _, name := range []string{"nats-1", "nats-2", "nats-3", "nats-volumes"} {
		if got, want := compose(t).Services[name].Image, "nats:"+string(version)+"-alpine"; got != want {
			t.Errorf("%s: image %s, want %s", name, got, want)
		}
	}
	t.Setenv("SERVER_NAME", "nats-1")
	o, err := server.ProcessConfigFile("deploy/cluster/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !o.SyncAlways || !o.JetStream || len(o.Routes) != 3 || o.ServerName != "nats-1" || o.StoreDir != "/data" {
		t.Errorf("sync always %v, JetStream %v, %d routes, name %s, store %s", o.SyncAlways, o.JetStream, len(o.Routes), o.ServerName, o.StoreDir)
	}
}

// What Grafana is given is where its provisioning looks for it.
func TestProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Name, UID, Type, Access, URL string
			IsDefault                    bool `yaml:"isDefault"`
			Editable                     bool
			JSONData                     map[string]any `yaml:"jsonData"`
		}
	}
	decodeYAML(t, "grafana/provisioning/datasources/prometheus.yml", &sources)
	for _, s := range sources.Datasources {
		host := strings.TrimPrefix(s.URL, "http://")
		host, _, _ = strings.Cut(host, ":")
		if _, known := compose(t).Services[host]; !known || s.Editable || s.UID == "" {
			t.Errorf("data source %+v", s)
		}
	}
	var boards struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Folder, Type    string
			FolderUID             string `yaml:"folderUid"`
			DisableDeletion       bool   `yaml:"disableDeletion"`
			AllowUIUpdates        bool   `yaml:"allowUiUpdates"`
			UpdateIntervalSeconds int    `yaml:"updateIntervalSeconds"`
			Options               struct{ Path string }
		}
	}
	decodeYAML(t, "grafana/provisioning/dashboards/shiplog.yml", &boards)
	for _, p := range boards.Providers {
		mount := "./ops/grafana/dashboards:" + p.Options.Path + ":ro"
		if !slices.Contains(compose(t).Services["grafana"].Volumes, mount) || p.AllowUIUpdates || !p.DisableDeletion {
			t.Errorf("provider %+v, want the mount %s", p, mount)
		}
	}
}

// Every metric of ours is drawn, or used by a rule, or says why not.
func TestMetricsAreUsed(t *testing.T) {
	unused := map[string]string{}
	var all strings.Builder
	for _, path := range slices.Concat(glob(t, "grafana/dashboards/*.json"), glob(t, "prometheus/rules/*.yml")) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	page, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metricRow.FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(m[1], "shiplog_") && !strings.Contains(all.String(), m[1]) && unused[m[1]] == "" {
			t.Errorf("%s is on no dashboard, in no rule and on no list of exceptions", m[1])
		}
	}
	names := known(t)
	for _, path := range glob(t, "grafana/dashboards/*.json") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range regexp.MustCompile(`"expr": "((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(raw), -1) {
			for _, name := range metricsIn(strings.ReplaceAll(strings.ReplaceAll(e[1], `\"`, `"`), `\n`, " ")) {
				if !names[name] {
					t.Errorf("%s draws %s, which neither METRICS.md nor a recording rule has", path, name)
				}
			}
		}
	}
}

// Manifests are YAML whose pods nobody can use to get at the machine.
func TestManifestsAreHardened(t *testing.T) {
	raw, err := os.ReadFile("deploy/kubernetes/base/statefulset.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false", "drop: [ALL]",
		"seccompProfile: {type: RuntimeDefault}", "automountServiceAccountToken: false", "path: /readyz", "path: /healthz",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the pod does not say %s", want)
		}
	}
	for _, path := range glob(t, "deploy/kubernetes/*/*.yaml") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(string(raw), "apiVersion:", "apiversion:")), &m); err != nil || m.Kind == "" || m.APIVersion == "" {
			t.Errorf("%s: %v, kind %q of %q", path, err, m.Kind, m.APIVersion)
		}
	}
}
