// Package ops is what an operator holds: metrics, health, logs and the
// administration interface.
//
// It describes the other packages and is imported by cmd alone. Nothing here is
// on the path of an event, but the counting of HTTP requests.
//
// # Promises
//
//   - Every label set of a metric exists from the start, so that a rate sees the
//     first event. No label holds anything a publisher or a reader chose.
//   - /healthz speaks of the process alone: a supervisor that restarts on it
//     does not make an outage of NATS worse. /readyz names each check with its
//     reason and its age.
//   - Logs hold no review and no secret.
package ops
