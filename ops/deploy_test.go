package ops_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"

	"shiplog/events/ledger"
)

// A composition is docker-compose.yml, as far as it is looked at here; tools/manifests
// holds it to the schema.
type composition struct {
	Services map[string]struct {
		Image   string
		Volumes []string
	}
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
	t.Setenv("STORE_DIR", "/data")
	o, err := server.ProcessConfigFile("deploy/cluster/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !o.SyncAlways || !o.JetStream || len(o.Routes) != 3 || o.ServerName != "nats-1" || o.StoreDir != "/data" {
		t.Errorf("sync always %v, JetStream %v, %d routes, name %s, store %s", o.SyncAlways, o.JetStream, len(o.Routes), o.ServerName, o.StoreDir)
	}
	if o.MaxPayload != ledger.MaxPayload {
		t.Errorf("messages of %d bytes, want %d", o.MaxPayload, ledger.MaxPayload)
	}
}

// What Grafana is given is where its provisioning looks for it.
func TestProvisioning(t *testing.T) {
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
	if len(boards.Providers) == 0 {
		t.Fatal("no dashboards are provisioned")
	}
	for _, p := range boards.Providers {
		mount := "./ops/grafana/dashboards:" + p.Options.Path + ":ro"
		if !slices.Contains(compose(t).Services["grafana"].Volumes, mount) || p.AllowUIUpdates || !p.DisableDeletion {
			t.Errorf("provider %+v, want the mount %s", p, mount)
		}
	}
}

// A datasource is one that Grafana is given. What it may hold in jsonData is that of
// its type.
type datasource struct {
	Name, UID, Type, Access, URL string
	IsDefault                    bool `yaml:"isDefault"`
	Editable                     bool
	JSONData                     yaml.Node `yaml:"jsonData"`
}

// Data sources lead to services, and to each other by their fixed uids: an exemplar
// to its trace, a rule to who is told.
func TestDatasources(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []datasource
	}
	decodeYAML(t, "grafana/provisioning/datasources/shiplog.yml", &sources)
	types := map[string]string{}
	for _, s := range sources.Datasources {
		types[s.UID] = s.Type
		host, _, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
		if _, known := compose(t).Services[host]; !known || s.Editable || s.UID == "" || s.Access != "proxy" {
			t.Errorf("data source %+v", s)
		}
	}
	for _, s := range sources.Datasources {
		switch s.Type {
		case "prometheus":
			var data struct {
				TimeInterval                string `yaml:"timeInterval"`
				HTTPMethod                  string `yaml:"httpMethod"`
				ManageAlerts                bool   `yaml:"manageAlerts"`
				AlertmanagerUID             string `yaml:"alertmanagerUid"`
				ExemplarTraceIDDestinations []struct {
					Name          string
					DatasourceUID string `yaml:"datasourceUid"`
				} `yaml:"exemplarTraceIdDestinations"`
			}
			fields(t, s, &data)
			if types[data.AlertmanagerUID] != "alertmanager" || !data.ManageAlerts {
				t.Errorf("alerts lead to %q", data.AlertmanagerUID)
			}
			if d := data.ExemplarTraceIDDestinations; len(d) != 1 || d[0].Name != "trace_id" || types[d[0].DatasourceUID] != "tempo" {
				t.Errorf("exemplars lead to %+v", d)
			}
			if want := scrapeInterval(t); data.TimeInterval != want {
				t.Errorf("Grafana counts with a scrape each %s, Prometheus scrapes each %s", data.TimeInterval, want)
			}
		case "alertmanager":
			fields(t, s, &struct {
				Implementation             string
				HandleGrafanaManagedAlerts bool `yaml:"handleGrafanaManagedAlerts"`
			}{})
		case "tempo":
			fields(t, s, &struct {
				NodeGraph struct{ Enabled bool } `yaml:"nodeGraph"`
			}{})
		default:
			t.Errorf("nothing is known of %s, a data source of the type %s", s.Name, s.Type)
		}
	}
}

// fields reads what a data source holds of its type, and nothing else.
func fields(t *testing.T, s datasource, into any) {
	t.Helper()
	raw, err := yaml.Marshal(&s.JSONData)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Errorf("%s: %v", s.Name, err)
	}
}

// scrapeInterval is how often Prometheus looks.
func scrapeInterval(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("prometheus/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Global struct {
			ScrapeInterval string `yaml:"scrape_interval"`
		}
	}
	if err := yaml.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	return config.Global.ScrapeInterval
}

// The Prometheus of docker-compose.yml keeps native histograms, which a dashboard reads,
// beside the classic ones, and is otherwise set up as any other.
func TestComposeScrapesNativeHistograms(t *testing.T) {
	const native = "prometheus/prometheus-native.yml"
	if !slices.Contains(compose(t).Services["prometheus"].Volumes, "./ops/"+native+":/etc/prometheus/prometheus.yml:ro") {
		t.Errorf("Prometheus is not run with %s", native)
	}
	var plain, with map[string]any
	decodeYAML(t, "prometheus/prometheus.yml", &plain)
	decodeYAML(t, native, &with)
	job := with["scrape_configs"].([]any)[0].(map[string]any)
	for _, key := range []string{"scrape_native_histograms", "always_scrape_classic_histograms"} {
		if job[key] != true {
			t.Errorf("%s does not set %s", native, key)
		}
		delete(job, key)
	}
	if diff := cmp.Diff(plain, with); diff != "" {
		t.Errorf("the configurations differ otherwise (-plain +native):\n%s", diff)
	}
}

// Tempo takes what nodes send and keeps it where its volume is. Its own types are not
// to be had under a licence that fits here, so these are the fields that are used.
func TestTempo(t *testing.T) {
	type endpoint struct{ Endpoint string }
	var config struct {
		Server struct {
			HTTPListenPort int    `yaml:"http_listen_port"`
			LogLevel       string `yaml:"log_level"`
		}
		Distributor struct {
			Receivers struct {
				OTLP struct {
					Protocols struct{ HTTP, GRPC endpoint }
				}
			}
		}
		Storage struct {
			Trace struct {
				Backend    string
				Local, WAL struct{ Path string }
			}
		}
		Overrides struct {
			Defaults struct {
				Compaction struct {
					BlockRetention time.Duration `yaml:"block_retention"`
				}
			}
		}
		UsageReport struct {
			ReportingEnabled bool `yaml:"reporting_enabled"`
		} `yaml:"usage_report"`
	}
	decodeYAML(t, "tempo/tempo.yml", &config)
	volumes := compose(t).Services["tempo"].Volumes
	for _, path := range []string{config.Storage.Trace.Local.Path, config.Storage.Trace.WAL.Path} {
		if !slices.ContainsFunc(volumes, func(v string) bool {
			name, at, _ := strings.Cut(v, ":")
			return !strings.HasPrefix(name, ".") && strings.HasPrefix(path, at+"/")
		}) {
			t.Errorf("%s is on none of the volumes %v", path, volumes)
		}
	}
	if got := config.Distributor.Receivers.OTLP.Protocols.HTTP.Endpoint; got != "0.0.0.0:4318" {
		t.Errorf("traces are taken at %q", got)
	}
	if config.Overrides.Defaults.Compaction.BlockRetention <= 0 || config.UsageReport.ReportingEnabled {
		t.Error("traces are kept for ever, or usage is reported")
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
