package audit_test

import (
	"testing"

	"shiplog/events/ledger/ledgertest"
)

func TestMain(m *testing.M) { ledgertest.Main(m) }
