package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/shell/sandbox/stage"
)

// A path of the policy is free of links when the stage is told of it. Should a
// command that still runs have put one there since, nothing is opened elsewhere.
func TestAStageFollowsNoLink(t *testing.T) {
	if err := namespaces(); err != nil {
		missingBackend(t, "landlock in namespaces", err)
		return
	}
	dir := followed(t.TempDir())
	for _, name := range []string{"outside/in", "root/in"} {
		os.MkdirAll(filepath.Join(dir, name), 0o755)
	}
	link := filepath.Join(dir, "root/link")
	os.Symlink("../outside", link)
	filter, err := filterProgram(calls{})
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "root/in")
	for what, m := range map[string]stage.Mount{
		"a source":                {Target: in, Source: link, Kind: stage.Bind},
		"a source behind a link":  {Target: in, Source: link + "/in", Kind: stage.Bind},
		"a target":                {Target: link, Source: in, Kind: stage.Bind},
		"a target behind a link":  {Target: link + "/in", Source: in, Kind: stage.Bind},
		"a concealed place by it": {Target: link + "/in", Kind: stage.Conceal},
	} {
		spec := stage.Spec{Namespaces: true, Reads: []string{"/"}, Filter: filter, Mounts: []stage.Mount{m}}
		if err := tryStage(context.Background(), spec); err == nil || !strings.Contains(err.Error(), "symbolic links") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
