//go:build clients

package clients_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// root is the root of the project.
const root = "../../.."

// The profile cluster of docker-compose.yml, without the containers: its NATS
// configuration, its environments, the image's, and its proxy run as they stand, on
// hosts of the same names. It goes on when a server, and then a node, is killed.
func TestClientComposeCluster(t *testing.T) {
	l := newLAN(t, "nats-1", "nats-2", "nats-3", "shiplog-1", "shiplog-2", "proxy")
	c := composeCluster{lan: l, services: composeServices(t), image: imageEnvironment(t), data: t.TempDir()}
	servers := map[string]*service{}
	for _, name := range []string{"nats-1", "nats-2", "nats-3"} {
		servers[name] = c.nats(name)
	}
	for name := range servers {
		l.until(name+" is healthy", "http://"+l.hosts[name].addr+":8222/healthz?js-server-only=true")
	}
	first := c.node("shiplog-1")
	c.node("shiplog-2")
	for _, name := range []string{"shiplog-1", "shiplog-2"} {
		l.until(name+" is ready", "http://"+l.hosts[name].addr+":9464/readyz")
		c.healthy(name)
	}
	c.proxy()
	l.until("the proxy is alive", l.site()+"/")
	if jsz := string(get(t, "http://"+l.hosts["nats-2"].addr+":8222/jsz?streams=true&config=true")); !strings.Contains(jsz, `"num_replicas": 3`) {
		t.Errorf("the ledger is not kept in three copies: %.2000s", jsz)
	}
	c.submit("shiplog-1", "before")
	for range 4 {
		c.shows("before")
	}
	servers["nats-1"].kill()
	c.submit("shiplog-1", "without-a-server")
	c.shows("without-a-server")
	first.kill()
	c.submit("shiplog-2", "without-a-node")
	within(t, 20*time.Second, "the proxy has left the dead node out", func() bool {
		status, _ := fetch(t, l.site()+"/")
		return status == http.StatusOK
	})
	for range 10 {
		c.shows("without-a-node")
	}
	c.nats("nats-1")
	l.until("nats-1 is back", "http://"+l.hosts["nats-1"].addr+":8222/healthz?js-server-only=true")
	c.node("shiplog-1")
	l.until("shiplog-1 is back", "http://"+l.hosts["shiplog-1"].addr+":9464/readyz")
	for range 4 {
		c.shows("without-a-node")
	}
}

// A composeCluster runs the services of docker-compose.yml on a lan.
type composeCluster struct {
	*lan
	services map[string]composeService
	image    []string
	data     string
}

// A composeService is what is needed here of a service.
type composeService struct {
	Environment map[string]string
	Command     []string
	Volumes     []string
}

func composeServices(t *testing.T) map[string]composeService {
	t.Helper()
	raw, err := os.ReadFile(root + "/docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]composeService }
	raw = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`).ReplaceAll(raw, []byte("$1"))
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

var imageVariable = regexp.MustCompile(`(?m)\b(SHIPLOG_[A-Z_]+=\S+)`)

// imageEnvironment is what the image sets.
func imageEnvironment(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(root + "/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := imageVariable.FindAllString(string(raw), -1)
	if len(found) < 4 {
		t.Fatalf("the image sets %q", found)
	}
	return found
}

// environment is that of a service, over the image's.
func (c composeCluster) environment(name string, image ...string) []string {
	env := slices.Clone(image) // and not into its spare room, which another service has too
	for key, value := range c.services[name].Environment {
		env = append(env, key+"="+value)
	}
	return env
}

// file is what a service has mounted at a path.
func (c composeCluster) file(name, at string) string {
	c.t.Helper()
	for _, v := range c.services[name].Volumes {
		if from, ok := strings.CutSuffix(v, ":"+at+":ro"); ok {
			path, err := filepath.Abs(filepath.Join(root, from))
			if err != nil {
				c.t.Fatal(err)
			}
			return path
		}
	}
	c.t.Fatalf("%s has nothing at %s", name, at)
	return ""
}

// nats runs a server; only where it stores is another path than in the container.
func (c composeCluster) nats(name string) *service {
	c.t.Helper()
	command := c.services[name].Command
	if len(command) != 2 || command[0] != "--config" {
		c.t.Fatalf("%s runs with %q", name, command)
	}
	env := append(c.environment(name), "STORE_DIR="+filepath.Join(c.data, name))
	return c.serve(name, env, buildNATS(c.t), command[0], c.file(name, command[1]))
}

// node runs a node; only its data are at another path than in the container.
func (c composeCluster) node(name string) *service {
	c.t.Helper()
	return c.serve(name, append(c.environment(name, c.image...), "SHIPLOG_DATA="+filepath.Join(c.data, name)), program, "serve")
}

// healthy asks a node as its health check does.
func (c composeCluster) healthy(name string) {
	c.t.Helper()
	cmd := c.command(name, program, "health")
	cmd.Env = append(os.Environ(), c.image...)
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Errorf("%s: health: %v: %s", name, err, out)
	}
}

// proxy runs HAProxy beside a name server where Docker has one.
func (c composeCluster) proxy() {
	c.t.Helper()
	names := []string{
		"dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root", "--pid-file",
		"--listen-address=127.0.0.11", "--bind-interfaces",
	}
	for name, h := range c.hosts {
		names = append(names, "--host-record="+name+","+h.addr)
	}
	c.serve("proxy", nil, names...)
	c.serve("proxy", nil, "haproxy", "-db", "-f", c.file("proxy", "/usr/local/etc/haproxy/haproxy.cfg"))
}

// site is where readers come in.
func (l *lan) site() string { return "http://" + l.hosts["proxy"].addr + ":8080" }

// until waits until an address answers 200.
func (l *lan) until(what, url string) {
	l.t.Helper()
	client := http.Client{Timeout: 2 * time.Second}
	within(l.t, 45*time.Second, what, func() bool {
		resp, err := client.Get(url)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// submit sends a review inside a node's container, where it comes from this machine,
// until it is accepted.
func (c composeCluster) submit(name, id string) {
	c.t.Helper()
	file := filepath.Join(c.data, id+".jsonl")
	if err := os.WriteFile(file, []byte(review(id, id, "It was said "+id+".")), 0o600); err != nil {
		c.t.Fatal(err)
	}
	var said []byte
	within(c.t, 45*time.Second, "the event "+id+" is accepted", func() bool {
		cmd := c.command(name, program, "submit", file)
		var err error
		said, err = cmd.CombinedOutput()
		return err == nil
	})
	c.t.Logf("%s: %s", id, said)
}

// shows asks the proxy for a page until it shows a review.
func (c composeCluster) shows(id string) {
	c.t.Helper()
	shows(c.t, fmt.Sprintf("%s/tools/%s", c.site(), id), "It was said "+id+".")
}
