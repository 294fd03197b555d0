package ops

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxAsk bounds the body of an operator's request, in bytes.
const maxAsk = 64 << 10

// readAsk reads the one JSON object that an operator sends. What would be ignored
// otherwise is refused, since the operator meant something by it: a member that
// is unknown or stands there twice, and what follows the object. The refusal
// shows the form of the object.
func readAsk(w http.ResponseWriter, r *http.Request, into any, form string) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsk))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &Refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes; send %s", maxAsk, form)}
	}
	if err != nil {
		return &Refusal{http.StatusBadRequest, fmt.Sprintf("the body ended early: %v", err)}
	}
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return &Refusal{http.StatusBadRequest, whatIsWrong(err) + "; send " + form}
	}
	return nil
}

// whatIsWrong names the member that a JSON object is refused for.
func whatIsWrong(err error) string {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	meaning, _ := errors.AsType[*json.SemanticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && syntax != nil:
		return fmt.Sprintf("%.40q stands in the object twice", syntax.JSONPointer.LastToken())
	case errors.Is(err, json.ErrUnknownName) && meaning != nil:
		return fmt.Sprintf("the object has %.40q, which is not known here", meaning.JSONPointer.LastToken())
	case meaning != nil && meaning.JSONPointer != "":
		return fmt.Sprintf("%q cannot be that %s", meaning.JSONPointer.LastToken(), meaning.JSONKind)
	case syntax != nil:
		return fmt.Sprintf("the body is not one JSON object (%v)", syntax.Err)
	}
	return "the body is no JSON object"
}
