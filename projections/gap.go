package projections

// Gap counts that events were found missing by who reads the ledger beside the
// runner.
func (m *Metrics) Gap() { m.gaps.Inc() }
