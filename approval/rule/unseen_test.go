package rule

import "testing"

// TestAWriteNobodyKnowsWhereIsAsked: whatever the mode, since there may lie what
// runs code, or what nobody may touch.
func TestAWriteNobodyKnowsWhereIsAsked(t *testing.T) {
	s := NewSet(rules(t, Allow, "cd", "echo", "tee", "write:**", "set", "pushd", "popd", "cat")...)
	checkLines(t, s, Ask,
		`cd "$D"; echo x > ci.yml`, `cd "$D" && tee x`, `cd -; echo x > y`, `pushd +1; echo x > y`, `CDPATH=/x; cd workflows; echo x > ci.yml`,
		`set -a; cd docs; echo x > y`, `f() { cd "$1"; echo x > y; }; f docs`, `cd "$D"; rm x`, `cd "$D"; find . -delete`, `cd "$D"; find -delete`,
		"cd .github/workflows; echo x > ci2.yml", "cd .github/workflows\necho x > ci2.yml", "pushd .github/workflows; echo x > ci2.yml",
		"cd src; pushd ../.github/workflows; popd; pushd; echo x > ci2.yml", "set -a; echo x > package.json", "cd .github; cd workflows; tee x.yml")
	checkLines(t, s, Deny, "cd ~/.local/state; echo t >> drawbridge/zz", "cd ~/.local/state/drawbridge; echo t >> zz", "cd ~/.local; cd state; rm drawbridge/zz")
	checkLines(t, NewSet(), Open, "cd src; echo x > y", "cd src; cat y", `cd "$D"; cat y`, `cd "$D"; echo x > /tmp/y`, `cd "$D"; cat x 2>/dev/null`, "set -a; echo x > y",
		"f() { echo x > y; }; f", "echo x > $X", "rm -r src", "mv src lib", "cd src; ls; cd ..; echo x > y")
	checkLines(t, s, Allow, "cd src; cat main.go", "cd src; echo x > y", "cd src; cd ./lib; echo x > y")
	checkLines(t, s, Open, "cd src; cat main.go; cd ..; echo x > y", "cd ..; cat x", "cd /etc; cat passwd", "cd link-out; cat x")
}

// TestWhatMayBeForbiddenIsAsked: of files as of commands.
func TestWhatMayBeForbiddenIsAsked(t *testing.T) {
	s := NewSet(append(rules(t, Deny, "write:docs/**", "read:src/.env"), rules(t, Allow, "cat", "sed", "tee", "find", "xargs")...)...)
	checkLines(t, s, Ask,
		"echo x > $X", "tee $X", `cp p "$(echo docs/a)"`, "sed -i s/a/b/ $(ls docs/*)", "ls docs | xargs sed -i s/a/b/", "find docs -exec sed -i s/a/b/ {} +",
		"cat $X", `cat "$X"`, "ls | xargs cat", "ls | xargs rm", "ls -a | xargs -I{} cp {} x", "$X docs/a", `eval "$X"`, "python $X", "foo $X", "mv $X y", "cd $D; cat .env", "cd $D; foo .env",
		"rm -r $X", "ls | xargs tee")
	checkLines(t, s, Deny,
		"cd docs; echo x > denied.txt", "cd docs\ntee a", "find docs -delete", "find . -delete", "find -delete", "cd docs; find . -name a -delete", "rm -r docs", "rm -rf .", "mv docs x", "mv . ../x", "chmod -R 700 .",
		"mv src/.env x && cat x", "ln src/.env x", "ln -s src/.env x", "cp src/.env x", "cp -r src x", "tar cf x.tar src", "tar cf x.tar -C src .", "rsync -a src/ x", "mv src x", "cd src; cat .env", "grep -r X src", "zip -r x.zip .")
	checkLines(t, s, Open, `echo "$X"`, `cd "$D"`, "rm -r lib", "mv lib x", "cp -r lib x", "git commit -m \"$X\"", `cd "$D"; cat main.go`, "chmod 700 src", "find lib -delete", "grep X src/main.go")
	wild := NewSet(rules(t, Deny, "write:**/*.lock", "read:/ws/*/secret/*")...)
	checkLines(t, wild, Ask, "rm -r src", "mv . x", "cp -r src x", "cp -r . x", "cp -r src/secret x", "find src -delete")
	checkLines(t, wild, Open, "cp -r src/lib x", "cp -r /tmp/x y", "echo $X")
}

// TestFoldersThatHoldWhatIsProtected are taken as a whole by nobody.
func TestFoldersThatHoldWhatIsProtected(t *testing.T) {
	s := NewSet(rules(t, Allow, "ls", "cd", "mv", "rm", "cp", "tar", "rsync", "write:/**", "read:/**")...)
	checkLines(t, s, Deny,
		"mv ~/.local/state x", "rm -r ~/.local", "rm -rf ~", "cp -r ~/.local/state x", "tar czf x.tgz ~/.local/state", "tar cf x -C ~/.local state", "rsync -a ~/.local/state/ x/",
		"ln -s ~/.local/state x", "find ~/.local/state -delete", "chmod -R 777 ~", "cd ~/.local && rm -r state", "cd ~/.local; cp -a state x", "zip -r x.zip ~/.local", "sudo rm -rf ~/.local", "cd; tar c .local", "grep -r x ~/.local/state")
	for _, line := range []string{"ls ~/.local/state", "cd ~/.local/state && ls", "cp go.mod ~/.local", "mv x ~/.local/state", "tar xf x.tar -C ~/.local", "find ~/.local -name x"} {
		if got := judged(s, line); got.Verdict == Deny {
			t.Errorf("%s: %s", line, got.Why)
		}
	}
}
