package manifests_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// repository is the root of the project.
const repository = "../.."

const composeFile = repository + "/docker-compose.yml"

// profiles are what each profile starts beside the node.
var profiles = map[string][]string{
	"observability": {"alertmanager", "grafana", "prometheus", "tempo"},
	"cluster":       {"nats-1", "nats-2", "nats-3", "nats-volumes", "proxy", "shiplog-1", "shiplog-2"},
}

// load reads a file as Compose does: it interpolates, holds it to the schema and to
// itself, and fails for whatever is not known.
func load(t *testing.T, file string, env []string, profiles ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{file}, cli.WithEnv(env), cli.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

func mustLoad(t *testing.T, env []string, profiles ...string) *types.Project {
	t.Helper()
	project, err := load(t, composeFile, env, profiles...)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// Unasked, the node runs alone; a profile adds what it is said to add.
func TestProfiles(t *testing.T) {
	if got := mustLoad(t, nil).ServiceNames(); !slices.Equal(got, []string{"shiplog"}) {
		t.Errorf("without a profile %v run", got)
	}
	for name, want := range profiles {
		got := mustLoad(t, nil, name).ServiceNames()
		if want := slices.Sorted(slices.Values(append(slices.Clone(want), "shiplog"))); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("the profile %s runs %v, want %v", name, got, want)
		}
	}
}

// The same check refuses what Compose would refuse.
func TestSchemaIsAsked(t *testing.T) {
	raw, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"a key that is misspelt":            {"read_only: true", "read_once: true"},
		"a service that is not there":       {"shiplog-1: {condition", "shiplog-9: {condition"},
		"a volume that is not declared":     {"- prometheus:/prometheus", "- prometheuss:/prometheus"},
		"a duration that is none":           {"interval: 15s", "interval: often"},
		"a condition that nobody can reach": {"service_healthy", "service_cheerful"},
	} {
		text := strings.Replace(string(raw), change[0], change[1], 1)
		if text == string(raw) {
			t.Fatalf("%s: %q does not occur", name, change[0])
		}
		file := filepath.Join(t.TempDir(), "docker-compose.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load(t, file, nil, "*"); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

var pinned = regexp.MustCompile(`:v?\d+\.\d+\.\d+(-[a-z]+)?$`)

// Whatever runs is pinned, hardened, looked after, and reached from this machine
// alone.
func TestServicesAreHardened(t *testing.T) {
	for name, s := range mustLoad(t, nil, "*").Services {
		if s.Image != "shiplog:dev" && !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %s is not pinned", name, s.Image)
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.Privileged {
			t.Errorf("%s is not hardened: read-only %v, drops %v, %v", name, s.ReadOnly, s.CapDrop, s.SecurityOpt)
		}
		if s.MemLimit == 0 || s.PidsLimit == 0 || s.Logging == nil || s.Logging.Driver != "local" {
			t.Errorf("%s is not bounded: memory %d, processes %d, log %v", name, s.MemLimit, s.PidsLimit, s.Logging)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %d on %q", name, p.Target, p.HostIP)
			}
		}
		if s.Entrypoint != nil {
			continue // does one thing and ends
		}
		if s.HealthCheck == nil || len(s.HealthCheck.Test) < 2 || s.User == "" || strings.HasPrefix(s.User, "0") {
			t.Errorf("%s: user %q, health check %v", name, s.User, s.HealthCheck)
		}
		if s.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s: restart %q", name, s.Restart)
		}
	}
}

// What is mounted is there, and nobody writes to it; what is kept has a volume.
func TestMounts(t *testing.T) {
	for _, targets := range []string{"targets", "targets-cluster"} {
		project := mustLoad(t, []string{"SHIPLOG_TARGETS=" + targets}, "*")
		used := map[string]bool{}
		for name, s := range project.Services {
			seen := map[string]bool{}
			for _, v := range s.Volumes {
				if seen[v.Target] {
					t.Errorf("%s mounts two things at %s", name, v.Target)
				}
				seen[v.Target] = true
				if v.Type == types.VolumeTypeVolume {
					used[v.Source] = true
					continue
				}
				if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
					t.Errorf("%s mounts %s (read-only %v): %v", name, v.Source, v.ReadOnly, err)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(project.Volumes)) {
			if !used[name] {
				t.Errorf("nobody uses the volume %s", name)
			}
		}
	}
}

// A port on this machine belongs to one service of the profiles that run together.
func TestPortsDoNotCollide(t *testing.T) {
	owner := map[string]string{}
	for name, s := range mustLoad(t, nil, "*").Services {
		for _, p := range s.Ports {
			if other, taken := owner[p.Published]; taken {
				t.Errorf("%s and %s publish %s", name, other, p.Published)
			}
			owner[p.Published] = name
		}
	}
}

// Two nodes on three servers, each server synced and each stream in three copies.
func TestClusterProfile(t *testing.T) {
	project := mustLoad(t, nil, "cluster")
	for _, name := range []string{"shiplog-1", "shiplog-2"} {
		s := project.Services[name]
		urls, replicas := s.Environment["SHIPLOG_NATS"], s.Environment["SHIPLOG_REPLICAS"]
		if urls == nil || replicas == nil || *replicas != "3" {
			t.Fatalf("%s: NATS %v, replicas %v", name, urls, replicas)
		}
		for _, server := range []string{"nats-1", "nats-2", "nats-3"} {
			if !strings.Contains(*urls, "nats://"+server+":4222") || s.DependsOn[server].Condition != types.ServiceConditionHealthy {
				t.Errorf("%s does not wait for %s: %s, %v", name, server, *urls, s.DependsOn)
			}
			mounted := slices.ContainsFunc(project.Services[server].Volumes, func(v types.ServiceVolumeConfig) bool {
				return strings.HasSuffix(v.Source, "/ops/deploy/cluster/nats.conf")
			})
			if !mounted || *project.Services[server].Environment["SERVER_NAME"] != server {
				t.Errorf("%s does not run on nats.conf under its name", server)
			}
		}
	}
}
