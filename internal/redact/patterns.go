package redact

import (
	"regexp"
	"strings"
	"sync"
)

// The patterns are compiled when they are first needed: a start needs none.
var (
	keyShapes = pattern(`\b(?:` + strings.Join([]string{
		`(?:sk|pk|xai|gsk|pplx)-[A-Za-z0-9_*-]{8,}`,
		`key-[A-Za-z0-9]{16,}`,
		`(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}`,
		`gh[oprsu]_[A-Za-z0-9]{10,}`,
		`github_pat_[A-Za-z0-9_]{10,}`,
		`glpat-[A-Za-z0-9_-]{10,}`,
		`(?:AKIA|ASIA)[A-Z0-9]{12,}`,
		`AIza[A-Za-z0-9_-]{16,}`,
		`ya29\.[A-Za-z0-9_-]{10,}`,
		`xox[a-z]-[A-Za-z0-9-]{8,}`,
		`(?:hf|r8)_[A-Za-z0-9]{16,}`,
		`npm_[A-Za-z0-9]{20,}`,
		`pypi-[A-Za-z0-9_-]{16,}`,
		`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`,
		`AGE-SECRET-KEY-1[A-Z0-9]{16,}`,
		`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`, // a JSON web token
	}, "|") + `)`)

	// A key whose end or beginning is missing counts too: logs are cut.
	privateKey     = pattern(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`)
	privateKeyTail = pattern(`(?m)(?:^[A-Za-z0-9+/=]+[ \t]*\r?\n)+-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)

	urlUser = pattern(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#"'<>\\]*@`)
	scheme  = pattern(`(?i)\b(bearer|basic)([ \t]+)([A-Za-z0-9._~+/=-]{6,})`)

	header = pattern(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api-key|x-goog-api-key|x-auth-token|private-token)` +
		between + `(` + quoted + `|\[[^\]\r\n]*\]|[^\r\n"'\\]+)`)

	// A line of an environment: the value may hold anything.
	envLine = pattern(`(?m)^([ \t]*(?:export |set )?` + envName + `=)(.+)$`)

	// A password may hold spaces: the rest of the line is its.
	password = pattern(`(?im)\b((?:[a-z0-9]+[_.-])*(?:password|passwd|passphrase))([ \t]*[:=][ \t]*)([^"'\s][^"\r\n]*)`)

	option = pattern(`(?i)(--(?:[a-z0-9]+-)*(?:` + secretWord + `))([ =]+)(` + quoted + `|[^\s"']+)`)

	named = pattern(`(\b(?:[A-Za-z0-9]+[_.-])*(?i:` + secretWord + `)(?:[_-]?[0-9]+)?|` +
		`\b[A-Za-z0-9_.-]*[a-z0-9](?:Key|Token|Secret|Password|Passphrase|Credentials?)|` + `\b` + envName + `)` +
		between + `(` + quoted + `|[^\s"'&]+)`)
)

const (
	secretWord = `(?:api|access|auth|secret|private|session|refresh)?[_-]?(?:key|token)|secret|password|passwd|passphrase|credentials?`
	envName    = `[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)[A-Z0-9_]*`
	// between a name and its value, also within JSON and within JSON in a string.
	between = `(\\*["']?[ \t]*(?::=|=>|[:=])[ \t]*)`
	quoted  = `"(?:[^"\\]|\\.)*"|\\+"[^"]*"|'[^'\r\n]*'`
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// SecretName says that a variable of this name holds a secret.
func SecretName(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Shapes takes out what looks like a key of a well-known service.
func Shapes(text string) string { return keyShapes().ReplaceAllString(text, Mark) }

func privateKeys(text string) string {
	text = privateKey().ReplaceAllString(text, Mark)
	return privateKeyTail().ReplaceAllString(text, Mark)
}

// names takes out what its name, or the place where it stands, calls a secret.
func names(text string) string {
	text = urlUser().ReplaceAllString(text, "${1}"+Mark+"@")
	text = header().ReplaceAllString(text, "${1}${2}"+Mark)
	text = replaceEach(text, scheme(), func(m []string) string {
		if !credential(m[1], m[3]) {
			return m[0]
		}
		return m[1] + m[2] + Mark
	})
	text = envLine().ReplaceAllString(text, "${1}"+Mark)
	for _, p := range []*regexp.Regexp{password(), option(), named()} {
		text = replaceEach(text, p, func(m []string) string {
			if harmless(m[3]) {
				return m[0]
			}
			return m[1] + m[2] + Mark
		})
	}
	return text
}

func replaceEach(text string, p *regexp.Regexp, with func(groups []string) string) string {
	return p.ReplaceAllStringFunc(text, func(found string) string { return with(p.FindStringSubmatch(found)) })
}

// credential tells "Basic dXNlcjpwYXNz" from "basic settings".
func credential(scheme, value string) bool {
	if strings.EqualFold(scheme, "bearer") {
		return !strings.HasPrefix(strings.ToLower(value), "token") && !strings.HasPrefix(strings.ToLower(value), "auth")
	}
	return strings.ContainsAny(value, "0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// harmless values say that there is none, or count something.
func harmless(value string) bool {
	value = strings.Trim(value, `\"',;.)}]`)
	switch strings.ToLower(value) {
	case "", "true", "false", "null", "nil", "none", "undefined", "(set", strings.Trim(Mark, ")"):
		return true
	}
	return len(value) <= 6 && strings.Trim(value, "0123456789") == ""
}
