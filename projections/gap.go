package projections

// Gap counts that events were found missing by who reads the ledger beside the
// runner. Without metrics nothing is counted.
func (m *Metrics) Gap() {
	if m != nil {
		m.gaps.Inc()
	}
}
