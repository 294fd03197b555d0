// Package dashboards makes the Grafana dashboards of Shiplog.
//
// A dashboard is a table of panels in Go; the JSON that Grafana reads is made
// from it and committed in ops/grafana/dashboards, and a test holds the two
// equal (go test ./ops/dashboards -update writes the JSON anew). The program
// itself imports nothing of this.
//
// # Promises
//
//   - Dashboards are of the classic schema, which every Grafana reads from files.
//   - The uid of a dashboard never changes: alerts and bookmarks hold it.
//   - Every panel has a description and a unit, names its data source by the
//     variable, and narrows by job and instance.
//   - Symptoms come first: the upper rows say whether anything is wrong, the
//     lower ones why.
//   - Queries read classic histograms, so that Prometheus from 2.42 on answers
//     them; those of one dashboard read the native ones.
package dashboards
