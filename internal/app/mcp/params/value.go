package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

type mismatch struct{ name, want string }

func (m *mismatch) Error() string { return m.name + " is not " + m.want }

func readArg(name string, raw json.RawMessage, to any) *mismatch {
	var err error
	want := ""
	switch to := to.(type) {
	case *string:
		want, err = "a string", json.Unmarshal(raw, to)
	case *bool:
		want = "true or false"
		*to, err = strconv.ParseBool(unquoted(raw))
	case **float64:
		want = "a number"
		*to, err = readNumber(raw)
	case **int64:
		want = "a whole number, at least 0"
		*to, err = readCount(raw)
	case *[]string:
		want = "a list of strings"
		*to, err = readWords(raw)
	case *map[string]string:
		return readVariables(name, raw, to)
	default:
		panic(fmt.Sprintf("%s: no argument is a %T", name, to))
	}
	if err != nil {
		return &mismatch{name, want}
	}
	return nil
}

func unquoted(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

func readNumber(raw json.RawMessage) (*float64, error) {
	n, err := strconv.ParseFloat(unquoted(raw), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, strconv.ErrSyntax
	}
	return &n, nil
}

// readCount accepts any notation of a whole number, such as 10.0.
func readCount(raw json.RawMessage) (*int64, error) {
	n, err := readNumber(raw)
	if err != nil {
		return nil, err
	}
	const largest = 1 << 53 // up to which a number in JSON is exact
	if *n < 0 || *n > largest || *n != math.Trunc(*n) {
		return nil, strconv.ErrRange
	}
	whole := int64(*n)
	return &whole, nil
}

func readWords(raw json.RawMessage) (words []string, err error) {
	if json.Unmarshal(raw, &words) == nil {
		return words, nil
	}
	var text string
	err = json.Unmarshal(raw, &text)
	return strings.Fields(text), err
}

// readVariables converts numbers and booleans to strings.
func readVariables(name string, raw json.RawMessage, to *map[string]string) *mismatch {
	var given map[string]any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if numbers.Decode(&given) != nil {
		return &mismatch{name, "an object of strings"}
	}
	*to = make(map[string]string, len(given))
	for variable, value := range given {
		switch value.(type) {
		case string, bool, json.Number:
			(*to)[variable] = fmt.Sprint(value)
		default:
			return &mismatch{name + "." + variable, "a string"}
		}
	}
	return nil
}
