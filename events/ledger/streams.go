package ledger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ledgerConfig is the stream of events. Nothing may ever leave it: not by age,
// by size, by hand, nor by a message that replaces others.
func ledgerConfig(o Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               Stream,
		Description:        "The events of a Shiplog ledger, for ever",
		Subjects:           []string{Subjects},
		Retention:          jetstream.LimitsPolicy,
		Storage:            jetstream.FileStorage,
		Discard:            jetstream.DiscardNew,
		MaxBytes:           o.MaxBytes,
		MaxMsgSize:         MaxMessage,
		DenyDelete:         true,
		DenyPurge:          true,
		AllowAtomicPublish: true,
		Replicas:           o.Replicas,
	}
}

// inboxConfig is the stream of events that wait to be recorded.
func inboxConfig(o Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        InboxStream,
		Description: "Events that wait to be recorded by Shiplog",
		Subjects:    []string{InboxPrefix + "*"},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    o.InboxMaxBytes,
		MaxMsgSize:  MaxMessage,
		Replicas:    o.Replicas,
	}
}

// rejectedConfig is the stream of events that could not be recorded. One that was
// created without atomic batches goes on without; see [Ledger.RejectAll].
func rejectedConfig(o Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        RejectedStream,
		Description: "Events that Shiplog could not record, with the reasons",
		Subjects:    []string{RejectedPrefix + "*"},
		Retention:   jetstream.LimitsPolicy,
		Storage:     jetstream.FileStorage,
		Discard:     jetstream.DiscardOld,
		MaxBytes:    rejectedMaxBytes,
		MaxMsgSize:  -1,
		MaxAge:      rejectedMaxAge,
		Replicas:    o.Replicas,

		AllowAtomicPublish: true,
	}
}

// A setting is one line of a stream's configuration, as text.
type setting struct{ name, value string }

// settings are those that decide what the stream keeps and what it takes.
// Others, such as the description, placement and compression, are the
// operator's.
func settings(c jetstream.StreamConfig) []setting {
	subjects := slices.Sorted(slices.Values(c.Subjects))
	return []setting{
		{"subjects", strings.Join(subjects, ",")},
		{"storage", c.Storage.String()},
		{"retention", c.Retention.String()},
		{"discard", c.Discard.String()},
		{"discard_new_per_subject", strconv.FormatBool(c.DiscardNewPerSubject)},
		{"max_msgs", limit(c.MaxMsgs)},
		{"max_msgs_per_subject", limit(c.MaxMsgsPerSubject)},
		{"max_bytes", limit(c.MaxBytes)},
		{"max_msg_size", limit(int64(c.MaxMsgSize))},
		{"max_age", age(c.MaxAge)},
		{"num_replicas", strconv.Itoa(c.Replicas)},
		{"deny_delete", strconv.FormatBool(c.DenyDelete)},
		{"deny_purge", strconv.FormatBool(c.DenyPurge)},
		{"allow_rollup_hdrs", strconv.FormatBool(c.AllowRollup)},
		{"allow_msg_ttl", strconv.FormatBool(c.AllowMsgTTL)},
		{"allow_msg_counter", strconv.FormatBool(c.AllowMsgCounter)},
		{"allow_msg_schedules", strconv.FormatBool(c.AllowMsgSchedules)},
		{"allow_atomic", strconv.FormatBool(c.AllowAtomicPublish)},
		{"allow_direct", strconv.FormatBool(c.AllowDirect)},
		{"persist_mode", c.PersistMode.String()},
		{"no_ack", strconv.FormatBool(c.NoAck)},
		{"sealed", strconv.FormatBool(c.Sealed)},
		{"first_seq", strconv.FormatUint(max(c.FirstSeq, 1), 10)},
		{"mirror", present(c.Mirror != nil)},
		{"sources", present(len(c.Sources) > 0)},
		{"subject_transform", present(c.SubjectTransform != nil)},
	}
}

// drift returns the first setting that differs, nil if none does.
func drift(want, got jetstream.StreamConfig) error {
	have := settings(got)
	for i, w := range settings(want) {
		if have[i].value != w.value {
			return &DriftError{Stream: want.Name, Setting: w.name, Want: w.value, Got: have[i].value}
		}
	}
	return nil
}

// limit is a limit as text; JetStream writes none as 0 or as -1.
func limit(n int64) string {
	if n <= 0 {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}

func age(d time.Duration) string {
	if d <= 0 {
		return "unlimited"
	}
	return d.String()
}

func present(is bool) string {
	if is {
		return "set"
	}
	return "not set"
}

// checkLimits refuses limits that would lose events or could never be met.
func checkLimits(o Options) error {
	for _, l := range []setting{
		{"--max-bytes", limit(o.MaxBytes)}, {"the inbox's max bytes", limit(o.InboxMaxBytes)},
	} {
		if n, err := strconv.ParseInt(l.value, 10, 64); err == nil && n < 2*MaxMessage {
			return fmt.Errorf("%s is %s, too small for one event; it must be at least %d", l.name, l.value, 2*MaxMessage)
		}
	}
	return nil
}
