package ops

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"shiplog/events/ledger"
)

// The header with the last sequence of an export, and the trailer that says what
// cut it short. Lines alone could not tell.
const (
	HeadHeader   = "Shiplog-Head"
	ErrorTrailer = "Shiplog-Error"
)

// export sends the stored bytes of the events from ?from= on, one a line, up to
// the head as it is now, and where no batch is stored in part.
func (a *Admin) export(w http.ResponseWriter, r *http.Request, l *ledger.Ledger) {
	ctx, cancel := a.long(r)
	defer cancel()
	from, err := number(r, "from", 1)
	if err != nil {
		problem(w, err)
		return
	}
	from = max(from, 1)
	head, err := l.SettledHead(ctx)
	if err != nil {
		problem(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(HeadHeader, strconv.FormatUint(head, 10))
	w.Header().Set("Trailer", ErrorTrailer)
	out := bufio.NewWriterSize(w, 64<<10)
	err = l.Read(ctx, from, head, func(_ uint64, raw []byte) error {
		_, _ = out.Write(raw) // an error of this is one of the next
		return out.WriteByte('\n')
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		w.Header().Set(ErrorTrailer, cutShort(err))
	}
}

// cutShort says in a line why an export ends before its head.
func cutShort(err error) string {
	if gap, ok := errors.AsType[*ledger.GapError](err); ok {
		return fmt.Sprintf("the ledger is damaged: %s; restore it from a backup", gap)
	}
	return oneLine(err)
}
