package events

import (
	"errors"
	"time"
)

// maxTime is the longest time taken, in bytes: nine digits of a second and an
// offset need 35.
const maxTime = 64

// day is the seconds that no offset reaches.
const day = 24 * 60 * 60

var (
	errTime       = errors.New("not an RFC 3339 time")
	errLeapSecond = errors.New("leap seconds are not kept")
)

// ParseTime reads an RFC 3339 time, also with small t and z, as the RFC allows.
// It is strict where the time package is lenient, and does not take leap
// seconds.
func ParseTime(s string) (time.Time, error) {
	const whole = len("2006-01-02T15:04:05")
	if len(s) <= whole || len(s) > maxTime || s[whole] == ',' {
		return time.Time{}, errTime
	}
	var room [maxTime]byte
	b := append(room[:0], s...)
	if b[10] == 't' {
		b[10] = 'T'
	}
	if b[len(b)-1] == 'z' {
		b[len(b)-1] = 'Z'
	}
	var t time.Time
	if err := t.UnmarshalText(b); err != nil {
		if string(b[whole-3:whole]) == ":60" {
			b[whole-2], b[whole-1] = '5', '9'
			if t.UnmarshalText(b) == nil {
				return time.Time{}, errLeapSecond
			}
		}
		return time.Time{}, errTime
	}
	if _, offset := t.Zone(); offset >= day || offset <= -day {
		return time.Time{}, errTime // RFC 3339: hours from 00 to 23
	}
	return t.UTC(), nil
}
