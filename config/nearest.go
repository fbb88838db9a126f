package config

import "strings"

// Meant is the end of a message about a word that is none of the valid ones: which
// of them it was probably meant to be, "" when none is near.
func Meant(word string, valid []string) string { return meant(word, valid) }

// meant is the closing hint of an error about a word: the valid word that is
// nearest in spelling, "" when none is near.
func meant(word string, valid []string) string {
	best, least := "", 1+len(word)/3 // more typing errors than that are another word
	for _, v := range valid {
		if n := distance(strings.ToLower(word), strings.ToLower(v)); n <= least && (best == "" || n < least) {
			best, least = v, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance counts the single-letter changes from a to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
