package main

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// web NAME serves the workspace on this machine until the script ends, its address
// in the variable NAME. Below /status/N it answers with that status, below /to it
// sends to what the query says, and below /as/TYPE/SUBTYPE it calls a file that.
func cmdWeb(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	dir := ts.MkAbs(".")
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		word, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch word {
		case "status":
			code, _ := strconv.Atoi(path.Base(rest))
			w.WriteHeader(code)
		case "to":
			http.Redirect(w, r, r.URL.RawQuery, http.StatusFound)
		case "as":
			words := strings.SplitN(rest, "/", 3)
			w.Header().Set("Content-Type", words[0]+"/"+words[1])
			http.ServeFile(w, r, dir+"/"+words[2])
		default:
			files.ServeHTTP(w, r)
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

// picture TYPE FILE wants exactly one picture in the answer, of that type and with
// the bytes of the file; ! picture wants none.
func cmdPicture(ts *testscript.TestScript, neg bool, args []string) {
	images := ts.Value(lastAnswer{}).(*toolResult).Images
	if neg {
		if len(images) > 0 {
			ts.Fatalf("the answer has %d pictures", len(images))
		}
		return
	}
	want := base64.StdEncoding.EncodeToString([]byte(ts.ReadFile(args[1])))
	if len(images) != 1 || images[0].MimeType != args[0] || images[0].Data != want {
		ts.Fatalf("the answer has not the one picture %s of %s: %.300v", args[0], args[1], images)
	}
}
