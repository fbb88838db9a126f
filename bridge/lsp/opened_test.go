package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// A document that is opened has unsaved changes if its file holds something else:
// the bridge may have been started anew while somebody typed. What cannot be
// compared counts as saved.
func TestADocumentThatIsOpenedIsComparedWithItsFile(t *testing.T) {
	const none, folder = "\x00none", "\x00folder"
	large := strings.Repeat("x\n", maxOpened/2)
	for name, c := range map[string]struct {
		disk, text string
		unsaved    bool
		saved      string
	}{
		"the same":               {"a\n", "a\n", false, "a\n"},
		"other text":             {"a\n", "b\n", true, "a\n"},
		"other line ends":        {"a\r\nb\r\n", "a\nb\n", false, "a\nb\n"},
		"a byte order mark":      {"\ufeffa\n", "a\n", false, "a\n"},
		"no file":                {none, "a\n", true, ""},
		"an empty file":          {"", "", false, ""},
		"no document of no line": {"", "\n", false, "\n"},
		"text of an empty file":  {"", "a\n", true, ""},
		"no UTF-8":               {"caf\xe9\n", "café\n", false, "café\n"},
		"as large as it may be":  {large, "a\n", true, large},
		"too large":              {large + "x", "a\n", false, "a\n"},
		"a folder":               {folder, "a\n", false, "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.txt")
			var err error
			switch c.disk {
			case none:
			case folder:
				err = os.Mkdir(path, 0o755)
			default:
				err = os.WriteFile(path, []byte(c.disk), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			inBubble(t, Options{}, func(t *testing.T, e *editor) {
				e.initialize(`{}`)
				e.notify("textDocument/didOpen", `{"textDocument":{"uri":"file://`+path+`","languageId":"text","version":1,"text":`+quote(c.text)+`}}`)
				synctest.Wait()
				doc, open := e.face.Document(path)
				if !open || doc.Dirty != c.unsaved || doc.Saved != c.saved {
					t.Errorf("open %t, unsaved %t, saved %.20q; want unsaved %t, saved %.20q", open, doc.Dirty, doc.Saved, c.unsaved, c.saved)
				}
			})
		})
	}
}
