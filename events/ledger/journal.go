package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// journalName is the journal's file in the server's folder.
const journalName = ".batch"

// journalMagic begins the file, and names its form.
const journalMagic = "shiplog batch 1\n"

// A journal keeps the last batch with messages that belong together, from before
// it is appended. Should power be lost while the server writes the batch into the
// stream, or the disk be full, a part of it may be there, and what the server had
// staged is gone: what is missing is in the journal (see [Ledger.Complete]).
//
// It is a file that is written over each time: the magic, the length of the rest
// and its CRC-32C, then the head, and subject and data of each message.
type journal struct {
	file *os.File
	turn chan struct{} // taken while the file is written
	buf  []byte

	// open means that it is not known of the batch whether it is stored as a whole.
	open     atomic.Bool
	settling sync.Mutex // for who finds out
}

func openJournal(dir string) (*journal, error) {
	path := filepath.Join(dir, journalName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, dirError(path, err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, fmt.Errorf("%s is not a file; move it away", path)
	}
	j := &journal{file: file, turn: make(chan struct{}, 1)}
	j.open.Store(true)
	return j, nil
}

func (j *journal) close() { _ = j.file.Close() } // it is synced with each batch

// keep writes a batch down, to be appended after head. It returns when that is on
// disk, or when the context ends: a disk may hang.
func (j *journal) keep(ctx context.Context, head uint64, batch []Message) error {
	select {
	case j.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrHangs, context.Cause(ctx))
	}
	done := make(chan error, 1)
	go func() {
		done <- j.write(head, batch)
		<-j.turn
	}()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		j.open.Store(true)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrHangs, context.Cause(ctx))
	}
}

const journalHeader = len(journalMagic) + 8

func (j *journal) write(head uint64, batch []Message) error {
	b := j.buf[:0]
	b = append(b, journalMagic...)
	b = append(b, make([]byte, journalHeader-len(journalMagic))...)
	b = binary.AppendUvarint(b, head)
	for _, m := range batch {
		b = binary.AppendUvarint(b, uint64(len(m.Subject)))
		b = append(b, m.Subject...)
		b = binary.AppendUvarint(b, uint64(len(m.Data)))
		b = append(b, m.Data...)
	}
	body := b[journalHeader:]
	binary.BigEndian.PutUint32(b[len(journalMagic):], uint32(len(body)))
	binary.BigEndian.PutUint32(b[len(journalMagic)+4:], crc32.Checksum(body, castagnoli))
	if j.buf = b; cap(b) > journalBuffer {
		j.buf = nil
	}
	if _, err := j.file.WriteAt(b, 0); err != nil {
		return err
	}
	return syncData(j.file)
}

// journalBuffer is how large a buffer is kept for the next batch.
const journalBuffer = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// read returns the batch that was kept last, none where there was none, or where
// it was not written to its end: then it was not appended either.
func (j *journal) read() (head uint64, batch []Message, err error) {
	header := make([]byte, journalHeader)
	_, err = j.file.ReadAt(header, 0)
	if errors.Is(err, io.EOF) || err == nil && !bytes.HasPrefix(header, []byte(journalMagic)) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read the journal of batches: %w", err)
	}
	info, err := j.file.Stat()
	if err != nil {
		return 0, nil, fmt.Errorf("read the journal of batches: %w", err)
	}
	size := int64(binary.BigEndian.Uint32(header[len(journalMagic):]))
	if size > info.Size()-int64(journalHeader) {
		return 0, nil, nil
	}
	body := make([]byte, size)
	if _, err := j.file.ReadAt(body, int64(journalHeader)); err != nil {
		return 0, nil, fmt.Errorf("read the journal of batches: %w", err)
	}
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(header[len(journalMagic)+4:]) {
		return 0, nil, nil
	}
	return parseJournal(body)
}

func parseJournal(b []byte) (head uint64, batch []Message, err error) {
	head, n := binary.Uvarint(b)
	for b = b[max(n, 0):]; n > 0 && len(b) > 0; {
		var subject, data []byte
		if subject, b, n = cut(b); n > 0 {
			data, b, n = cut(b)
		}
		batch = append(batch, Message{Subject: string(subject), Data: data, Joined: true})
	}
	if n <= 0 {
		return 0, nil, errors.New("read the journal of batches: it is not of this form")
	}
	return head, batch, nil
}

// cut takes a field off; n is not positive where there is none.
func cut(b []byte) (field, rest []byte, n int) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, -1
	}
	return b[n : n+int(size)], b[n+int(size):], n
}
