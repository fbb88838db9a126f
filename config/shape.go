package config

// shape is a JSON Schema of draft 7, which is what editors' language servers of
// YAML know best. It speaks of values as YAML reads them.
type shape map[string]any

func oneOf(words ...string) shape { return shape{"type": "string", "enum": words} }

func listOf(item shape) shape { return shape{"type": "array", "items": item} }

// textShape is text that is not blank.
func textShape() shape { return shape{"type": "string", "pattern": `\S`} }

func urlShape() shape { return shape{"type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://"} }

func variableShape() shape { return shape{"type": "string", "pattern": variableName.String()} }

// modelPattern is PROVIDER:NAME.
const modelPattern = `^(anthropic|openai|openai-chat|script):(.|\n)`

func modelShape() shape { return shape{"type": "string", "pattern": modelPattern} }

// durationPattern wants a unit and some digit that is not 0; that the whole is
// not too long is left to reading.
const durationPattern = `^\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

func durationShape() shape {
	return shape{"type": "string", "allOf": []shape{{"pattern": durationPattern}, {"pattern": "[1-9]"}}}
}

// waitShape is a duration, or 0 for none.
func waitShape() shape {
	return shape{"anyOf": []shape{{"type": "integer", "const": 0}, {"type": "string", "enum": []string{"0", "0s"}}, durationShape()}}
}

// pairsShape takes what stands behind a name for the text that it is written
// as.
func pairsShape() shape {
	return shape{
		"type": "object", "propertyNames": shape{"pattern": variableName.String()},
		"additionalProperties": shape{"type": []string{"string", "number", "boolean"}},
	}
}

// section is a mapping that holds these, and nothing else.
func section(properties map[string]any, required ...string) shape {
	s := shape{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}
