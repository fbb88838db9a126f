package command

import "testing"

// TestMoreProgramsThatRunOthers: what they are seen to run has a Part, or is
// doubted; payload is seen.
func TestMoreProgramsThatRunOthers(t *testing.T) {
	for _, text := range []string{
		"setarch -R payload a", "setarch x86_64 -R payload a", "linux32 payload a", "linux64 -R payload", "i386 payload", "x86_64 payload", "prlimit --nofile=10 payload a", "prlimit -n10 --cpu=5 -- payload", "systemd-run --user --wait payload a",
		"systemd-run -p X=y --unit=a payload", "/lib64/ld-linux-x86-64.so.2 payload a", "/lib/ld-linux.so.2 --library-path /a payload", "/lib/ld-musl-x86_64.so.1 payload", "chrt 5 payload", "numactl --interleave=all payload", "numactl -N 0 payload",
		"cgexec -g cpu:a payload", "firejail --quiet --net=none payload", "bwrap --ro-bind / / --dev /dev --unshare-all payload", "proxychains -q payload", "proxychains4 -f a payload", "torsocks payload", "unbuffer -p payload", "rlwrap payload", "faketime -f '2 days ago' payload",
		"fakeroot -- payload", "choom -n 5 -- payload", "pkexec payload", "dbus-run-session -- payload", "dbus-launch --exit-with-session payload", "xvfb-run -a -s '-screen 0' payload", "/usr/bin/time -f %e payload", "/usr/bin/time -o f payload", "at now <<< payload", "batch <<E\npayload\nE",
		"start-stop-daemon --start --exec payload -- a", "start-stop-daemon -S -x payload", "start-stop-daemon --start --startas=payload", "tmux new -d payload", "tmux new-session -d -s a 'payload x'", "tmux -L a new -d payload a", "screen -dm payload", "screen -dmS name payload a",
		"git -c alias.p=payload p", "npx -c 'payload a'", "npx payload a", "npx --yes payload", "npm exec -- payload a", "npm exec payload", "npm x -c payload", "pnpm dlx payload", "git rebase -x payload main", "git rebase -ipayload -x 'ls; payload' main", "git rebase --exec=payload main",
		"git rebase --exec payload main", "git submodule foreach payload", "git submodule foreach --recursive 'ls; payload'", "git submodule -q foreach payload a", "git bisect run payload a", "git bisect run sh -c payload", "git difftool -y -x payload", "git difftool --extcmd=payload HEAD",
		"git -C sub rebase -x payload", "git filter-branch --tree-filter payload HEAD", "git grep -Opayload a", "gosu me payload", "tini -- payload", "eatmydata payload", "hyperfine 'payload a'", "valgrind -q --leak-check=full payload", "sshpass -p x payload",
	} {
		s := Parse(text, "/ws", fixed{})
		seen := runs(s)
		for _, p := range s.Parts {
			seen = seen || len(p.Argv) > 1 && p.Argv[0].Text == "git" && p.Argv[len(p.Argv)-1].Text == "payload"
		}
		if !seen {
			t.Errorf("%s: %v", text, s.Parts)
		}
	}
	for _, text := range []string{"bwrap --ro-bind / / $x payload", "setarch --new-option payload", "systemd-run --new x payload", "numactl -Z payload", "npx --new payload", "tmux new -d $x", "git submodule foreach $x", "git rebase -x \"$x\"", "at now < f", "ls | at now", "firejail $x"} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) == 0 {
			t.Errorf("%s: no doubt", text)
		}
	}
}
