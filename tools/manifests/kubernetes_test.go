package manifests_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const kubernetes = repository + "/ops/deploy/kubernetes"

// A set is what kustomize makes of a folder, each object of the type it says it is.
type set struct {
	namespace *corev1.Namespace
	node      *appsv1.StatefulSet
	services  []*corev1.Service
	settings  []*corev1.ConfigMap
	network   *networkingv1.NetworkPolicy
	budget    *policyv1.PodDisruptionBudget
}

// decode is strict: a field that the type does not have is an error.
func decode(t *testing.T, manifest []byte) (runtime.Object, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	object, _, err := codecs.UniversalDeserializer().Decode(manifest, nil, nil)
	return object, err
}

// build has kustomize make the objects of a set, with the token's component or without.
func build(t *testing.T, s shipped) set {
	t.Helper()
	folder := s.folder
	files := filesys.MakeFsInMemory()
	if err := files.WriteFile("/as/used/kustomization.yaml", []byte(s.use())); err != nil {
		t.Fatal(err)
	}
	copyInto(t, files, "/as")
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/as/used")
	if err != nil {
		t.Fatal(err)
	}
	var whole set
	for _, r := range made.Resources() {
		manifest, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(t, manifest)
		if err != nil {
			t.Fatalf("%s: %s: %v", folder, r.CurId(), err)
		}
		if meta, ok := object.(metav1.Object); ok && r.GetKind() != "Namespace" && meta.GetNamespace() != "shiplog" {
			t.Errorf("%s: %s is in the namespace %q", folder, r.CurId(), meta.GetNamespace())
		}
		whole.take(t, object)
	}
	if whole.namespace == nil || whole.node == nil || len(whole.services) == 0 || len(whole.settings) != 1 || whole.network == nil {
		t.Fatalf("%s is not whole: %+v", folder, whole)
	}
	return whole
}

func (s *set) take(t *testing.T, object runtime.Object) {
	t.Helper()
	switch o := object.(type) {
	case *corev1.Namespace:
		s.namespace = o
	case *appsv1.StatefulSet:
		s.node = o
	case *corev1.Service:
		s.services = append(s.services, o)
	case *corev1.ConfigMap:
		s.settings = append(s.settings, o)
	case *networkingv1.NetworkPolicy:
		s.network = o
	case *policyv1.PodDisruptionBudget:
		s.budget = o
	default:
		t.Errorf("nothing is known of %T", object)
	}
}

// A shipped set is a folder, as it is or with the component that adds a token.
type shipped struct {
	folder string
	token  bool
}

var sets = map[string]shipped{
	"base": {"base", false}, "base with token": {"base", true}, "cluster": {"cluster", false}, "cluster with token": {"cluster", true},
}

// use is a kustomization of somebody who takes the set.
func (s shipped) use() string {
	use := "resources: [../" + s.folder + "]\n"
	if s.token {
		use += "components: [../token]\n"
	}
	return use
}

// copyInto copies the manifests, of which every folder must be one of the sets or the
// token.
func copyInto(t *testing.T, files filesys.FileSystem, at string) {
	t.Helper()
	err := filepath.WalkDir(kubernetes, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(kubernetes, path)
		if err != nil {
			return err
		}
		if folder := filepath.Dir(rel); folder != "token" && sets[folder].folder == "" {
			t.Errorf("nothing looks at %s", rel)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return files.WriteFile(at+"/"+rel, raw)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each set is one that kustomize and the API take, and whose parts find each other.
func TestSetsHoldTogether(t *testing.T) {
	for name, folder := range sets {
		t.Run(name, func(t *testing.T) {
			s := build(t, folder)
			pod := s.node.Spec.Template
			container := pod.Spec.Containers[0]
			ports := map[string]bool{}
			for _, p := range container.Ports {
				ports[p.Name] = true
			}
			selects(t, "the stateful set", s.node.Spec.Selector, pod.Labels)
			selects(t, "the network policy", &s.network.Spec.PodSelector, pod.Labels)
			for _, service := range s.services {
				selects(t, "the service "+service.Name, &metav1.LabelSelector{MatchLabels: service.Spec.Selector}, pod.Labels)
				if len(service.Spec.Selector) == 0 {
					t.Errorf("the service %s selects everybody", service.Name)
				}
				for _, p := range service.Spec.Ports {
					leads(t, "the service "+service.Name, ports, p.TargetPort)
				}
			}
			if !slices.ContainsFunc(s.services, func(service *corev1.Service) bool { return service.Name == s.node.Spec.ServiceName }) {
				t.Errorf("there is no service %s, which names the pods", s.node.Spec.ServiceName)
			}
			for _, rule := range s.network.Spec.Ingress {
				for _, p := range rule.Ports {
					leads(t, "the network policy", ports, *p.Port)
				}
			}
			for name, probe := range map[string]*corev1.Probe{
				"startup": container.StartupProbe, "liveness": container.LivenessProbe, "readiness": container.ReadinessProbe,
			} {
				if probe == nil || probe.HTTPGet == nil {
					t.Fatalf("there is no %s probe", name)
				}
				leads(t, name, ports, probe.HTTPGet.Port)
			}
			if got := container.LivenessProbe.HTTPGet.Path + container.ReadinessProbe.HTTPGet.Path; got != "/healthz/readyz" {
				t.Errorf("the probes ask %s", got)
			}
			if container.EnvFrom[0].ConfigMapRef.Name != s.settings[0].Name {
				t.Errorf("the pod reads %s, there is %s", container.EnvFrom[0].ConfigMapRef.Name, s.settings[0].Name)
			}
			mounted(t, s.node)
		})
	}
}

func selects(t *testing.T, who string, selector *metav1.LabelSelector, pod map[string]string) {
	t.Helper()
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil || !s.Matches(labels.Set(pod)) {
		t.Errorf("%s selects %v, the pod has %v (%v)", who, s, pod, err)
	}
}

func leads(t *testing.T, who string, ports map[string]bool, port intstr.IntOrString) {
	t.Helper()
	if port.Type != intstr.String || !ports[port.StrVal] {
		t.Errorf("%s leads to the port %s; the pod has %v", who, port.String(), slices.Sorted(maps.Keys(ports)))
	}
}

// mounted compares what a pod mounts with the volumes that there are.
func mounted(t *testing.T, node *appsv1.StatefulSet) {
	t.Helper()
	var have, want []string
	for _, v := range node.Spec.Template.Spec.Volumes {
		have = append(have, v.Name)
	}
	for _, v := range node.Spec.VolumeClaimTemplates {
		have = append(have, v.Name)
	}
	for _, m := range node.Spec.Template.Spec.Containers[0].VolumeMounts {
		want = append(want, m.Name)
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("mounted are %v, there are %v", want, have)
	}
}

// The namespace enforces the strictest standard of pod security, and lets the pod in.
func TestPodIsRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for folder, from := range sets {
		s := build(t, from)
		if got := s.namespace.Labels[api.EnforceLevelLabel]; got != string(api.LevelRestricted) {
			t.Errorf("%s enforces %q", folder, got)
		}
		pod := s.node.Spec.Template
		level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
		for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				t.Errorf("%s: %s: %s", folder, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
		c := pod.Spec.Containers[0].SecurityContext
		if c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem || pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken {
			t.Errorf("%s: the pod can write its root, or has a token of the API", folder)
		}
		// What is allowed is refused once it asks for more.
		no := false
		pod.Spec.SecurityContext.RunAsNonRoot = &no
		refused := slices.ContainsFunc(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec), func(r policy.CheckResult) bool { return !r.Allowed })
		if !refused {
			t.Errorf("%s: a pod that may run as root is let in", folder)
		}
	}
}

// The cluster is two nodes that are not taken away at once, on three copies.
func TestClusterSet(t *testing.T) {
	s := build(t, sets["cluster"])
	if *s.node.Spec.Replicas != 2 || s.budget == nil {
		t.Fatalf("%d nodes, budget %v", *s.node.Spec.Replicas, s.budget)
	}
	if s.node.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		t.Errorf("one node waits for the other: %q", s.node.Spec.PodManagementPolicy)
	}
	selects(t, "the budget", s.budget.Spec.Selector, s.node.Spec.Template.Labels)
	data := s.settings[0].Data
	if !strings.HasPrefix(data["SHIPLOG_NATS"], "nats://") || data["SHIPLOG_REPLICAS"] != "3" || data["SHIPLOG_BASE_URL"] == "" {
		t.Errorf("the settings are %v", data)
	}
}

// With a token, its file is where the node is told to look for it.
func TestToken(t *testing.T) {
	container := build(t, sets["cluster with token"]).node.Spec.Template.Spec.Containers[0]
	file := ""
	for _, e := range container.Env {
		if e.Name == "SHIPLOG_WRITE_TOKEN_FILE" {
			file = e.Value
		}
	}
	if !slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.ReadOnly && file == m.MountPath+"/token" }) {
		t.Errorf("the token is to be in %q, mounted are %v", file, container.VolumeMounts)
	}
}

// The decoder refuses what the API would refuse.
func TestDecoderIsStrict(t *testing.T) {
	raw, err := os.ReadFile(kubernetes + "/base/statefulset.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"readOnlyRootFilesystem", "readonlyRootFilesystem"}, {"apps/v1", "apps/v9"}, {"replicas: 1", "replicas: one"},
	} {
		text := strings.Replace(string(raw), change[0], change[1], 1)
		if text == string(raw) {
			t.Fatalf("%s does not occur", change[0])
		}
		if object, err := decode(t, []byte(text)); err == nil {
			t.Errorf("%s is taken: %s", change[1], fmt.Sprintf("%T", object))
		}
	}
}
