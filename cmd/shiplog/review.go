package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"shiplog/events"
	"shiplog/events/intake"
)

// Run sends the review and says what became of it.
func (c *ReviewCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	event, err := c.event(std)
	if err != nil {
		return err
	}
	receipts, err := newSender(client, false, c.RetryFor, std.note).send(ctx, [][]byte{event})
	if err != nil {
		return err
	}
	r := receipts[0]
	if c.JSON {
		if err := std.printJSON(r.raw); err != nil || r.OK() {
			return err
		}
		return errSaidNo
	}
	if !r.OK() {
		return no("rejected: %s", oneLine(r.Problems.Error()))
	}
	fmt.Fprintf(std.out, "%s\n%s\n", c.sentence(r.Receipt), client.url("/tools/"+c.Tool))
	return nil
}

// event is the review as a CloudEvent.
func (c *ReviewCmd) event(std *stdio) ([]byte, error) {
	body, err := c.body(std)
	if err != nil {
		return nil, err
	}
	id := c.ID
	if id == "" {
		made, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make an id: %w", err)
		}
		id = made.String()
	}
	event := struct {
		Specversion string     `json:"specversion"`
		ID          string     `json:"id"`
		Source      string     `json:"source"`
		Type        string     `json:"type"`
		Data        reviewData `json:"data"`
	}{"1.0", id, c.Source, (*events.ReviewSubmitted)(nil).Type(), c.data(body)}
	return json.Marshal(event)
}

// reviewData is the data of the event: what was not given is not sent.
type reviewData struct {
	Tool         string   `json:"tool"`
	Reviewer     string   `json:"reviewer"`
	Verdict      string   `json:"verdict"`
	Body         string   `json:"body"`
	Format       string   `json:"format,omitempty"`
	Condition    string   `json:"condition,omitempty"`
	Pros         []string `json:"pros,omitempty"`
	Cons         []string `json:"cons,omitempty"`
	Evidence     []string `json:"evidence,omitempty"`
	Disclosure   string   `json:"disclosure,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	ToolName     string   `json:"tool_name,omitempty"`
	ReviewerName string   `json:"reviewer_name,omitempty"`
	Expects      *uint64  `json:"expects,omitempty"`
}

func (c *ReviewCmd) data(body string) reviewData {
	return reviewData{
		Tool: c.Tool, Reviewer: c.Reviewer, Verdict: c.Verdict, Body: body, Format: c.Format,
		Condition: c.Condition, Pros: c.Pro, Cons: c.Con, Evidence: c.Evidence,
		Disclosure: c.Disclosure, Reason: c.Reason,
		ToolName: c.ToolName, ReviewerName: c.ReviewerName, Expects: c.Expects,
	}
}

// body is the text of the review. The line break that an editor leaves at the
// end of a file is not part of it.
func (c *ReviewCmd) body(std *stdio) (string, error) {
	if c.BodyFile == "" {
		return valid("--body", c.Body)
	}
	var text []byte
	var err error
	if c.BodyFile == "-" {
		text, err = io.ReadAll(io.LimitReader(std.in, events.MaxEvent))
	} else {
		text, err = os.ReadFile(c.BodyFile)
	}
	if err != nil {
		return "", fmt.Errorf("--body-file %s: %s", c.BodyFile, reason(err))
	}
	return valid("--body-file "+c.BodyFile, strings.TrimRight(string(text), "\r\n"))
}

// valid refuses what JSON would carry altered.
func valid(flag, text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("%s is not UTF-8; convert it first", flag)
	}
	return text, nil
}

// sentence says what became of the review.
func (c *ReviewCmd) sentence(r intake.Receipt) string {
	what := fmt.Sprintf("%s on %s, %s", c.Reviewer, c.Tool, c.Verdict)
	switch {
	case r.Status == intake.StatusDuplicate && r.Recorded:
		return fmt.Sprintf("Recorded before as #%d: %s.", r.Seq, what)
	case r.Status == intake.StatusDuplicate:
		return fmt.Sprintf("Nothing new: #%d says the same already, %s.", r.Seq, what)
	case r.Type == (*events.ReviewRevised)(nil).Type():
		what = fmt.Sprintf("Recorded #%d, a revision: %s.", r.Seq, what)
	default:
		what = fmt.Sprintf("Recorded #%d: %s.", r.Seq, what)
	}
	for i, also := range r.Also {
		what += fmt.Sprintf("%s #%d %s", []string{" With it:", ","}[min(i, 1)], also.Seq, typeName(also.Type))
	}
	if len(r.Also) > 0 {
		what += "."
	}
	return what
}
