package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Decode turns the argument string of a model into a JSON object. Nothing is
// guessed: what is not valid JSON, cut-off JSON above all, is a *Failure that
// asks for the call again. JSON that is no object counts as one without
// properties, so that the tool names what it misses.
func Decode(spec Spec, raw string) (json.RawMessage, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, Failf("The arguments field of this %s call is empty. Re-issue the call with a JSON object as its arguments.", spec.Name)
	}
	var value json.RawMessage
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		return nil, Failf("The arguments of this %s call are not valid JSON (%s). Nothing was run. Re-issue the call with its arguments as one complete JSON object.",
			spec.Name, syntaxFault(raw, err))
	}
	value = bytes.TrimSpace(value)
	if value[0] != '{' {
		return json.RawMessage("{}"), nil
	}
	return value, nil
}

// syntaxFault says where JSON breaks; the end is named as such, because that is
// how a call looks that was cut off by an output limit.
func syntaxFault(raw string, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err.Error()
	}
	if syntax.Offset >= int64(len(raw)) {
		return fmt.Sprintf("they end too early, after %d bytes", len(raw))
	}
	return fmt.Sprintf("%s, at byte %d of %d", syntax.Error(), syntax.Offset, len(raw))
}

// arguments reads the properties of a call. It is lenient where the meaning is
// plain: numbers and booleans may be written as strings, null is absent, unknown
// properties are ignored, and of two equal names the last counts.
type arguments map[string]json.RawMessage

func parse(raw json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, Failf("The arguments are not a JSON object: %s", err)
	}
	for name, value := range a {
		if string(value) == "null" {
			delete(a, name)
		}
	}
	return a, nil
}

func (a arguments) has(name string) bool { return a[name] != nil }

// text is a required string, which may be empty.
func (a arguments) text(name string) (string, error) {
	if !a.has(name) {
		return "", Failf("Missing required argument: %s", name)
	}
	var s string
	if err := json.Unmarshal(a[name], &s); err != nil {
		return "", Failf("Invalid argument %s: expected a string, got %s", name, a.shown(name))
	}
	return s, nil
}

// filled is a required string that says something.
func (a arguments) filled(name string) (string, error) {
	s, err := a.text(name)
	if err == nil && strings.TrimSpace(s) == "" {
		err = Failf("Missing required argument: %s (it is empty)", name)
	}
	return s, err
}

// number is an optional number, rounded down.
func (a arguments) number(name string, absent int) (int, error) {
	if !a.has(name) {
		return absent, nil
	}
	digits := string(a[name])
	var s string
	if json.Unmarshal(a[name], &s) == nil {
		digits = strings.TrimSpace(s)
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(n) {
		return 0, Failf("Invalid argument %s: expected a number, got %s", name, a.shown(name))
	}
	return int(math.Floor(max(-math.MaxInt32, min(n, math.MaxInt32)))), nil
}

// flag is an optional boolean, false when absent.
func (a arguments) flag(name string) (bool, error) {
	switch strings.ToLower(strings.Trim(string(a[name]), `" `)) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, Failf("Invalid argument %s: expected true or false, got %s", name, a.shown(name))
}

// shown is a value as the model wrote it, short.
func (a arguments) shown(name string) string {
	const most = 60
	s := strings.ToValidUTF8(string(a[name]), "�")
	if cut := head(s, most); cut != s {
		return cut + "…"
	}
	return s
}
