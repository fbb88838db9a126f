#!/bin/sh
# Plays a whole story in a real terminal, by keys alone, and keeps what a person
# would see: editors/nvim/test/out/screen/NAME-COLSxROWS-N-STEP.ansi, colours
# included (look at one with cat), and the same as plain text in .txt.
#
#   editors/nvim/test/screen.sh [COLSxROWS]…     default: 80x24 200x50
#
# NVIM names the Neovim; without it the newest of .tools/nvim is taken.
# Every wait polls for what must appear and gives up after 90 s.
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
nvim=${NVIM:-$root/.tools/nvim/newest/usr/bin/nvim}
out=$root/editors/nvim/test/out/screen
mkdir -p "$out"
rm -f "$out"/*.ansi "$out"/*.txt
command -v tmux >/dev/null 2>&1 || {
	echo "screen: left out: tmux is not installed"
	[ "${CI:-}" = true ] && exit 1
	exit 0
}

work=$(mktemp -d)
socket=drawbridge-screen-$$
tm() { tmux -L "$socket" -f /dev/null "$@"; }
finish() {
	tm kill-server 2>/dev/null || true
	"$root/scripts/remove.sh" "$work"
}
trap finish EXIT INT TERM

screen() { tm capture-pane -p -t main; }
wait_for() {
	i=0
	until screen | grep -qF -- "$1"; do
		i=$((i + 1))
		if [ $i -gt 900 ]; then
			echo "screen: waited in vain for: $1" >&2
			screen >&2
			exit 1
		fi
		sleep 0.1
	done
}
keys() { tm send-keys -t main "$@"; }
type_text() { tm send-keys -t main -l "$1"; }
step=0
keep() {
	step=$((step + 1))
	name=$out/nvim-${cols}x${rows}-$step-$1
	tm capture-pane -p -e -N -t main >"$name.ansi"
	screen >"$name.txt"
}

prepare() {
	"$root/scripts/remove.sh" "$work/home" "$work/greet"
	mkdir -p "$work/home" "$work/greet/.git"
	cat >"$work/greet/greet.go" <<'GO'
package greet

// Hello greets a person by name.
func Hello(name string) string {
	if name == "" {
		return "Helo, you!"
	}
	return "Helo, " + name + "!"
}

// Bye is the other end of a visit.
func Bye(name string) string {
	return "Goodby, " + name + "."
}

// Shout is for people far away.
func Shout(name string) string {
	return "Helo " + strings.ToUpper(name)
}
GO
	mkdir "$work/greet/.drawbridge"
	cat >"$work/greet/.drawbridge/config.yaml" <<'YAML'
approval:
  rules:
    - allow: make build
    - deny: git push
YAML
	cat >"$work/script.txt" <<'SCRIPT'
think "Three places say Helo or Goodby. I will look at the file, mend them, and then ask for a name."
text "I will read the file **first**, then mend the spelling:\n\n- `Helo` becomes `Hello`\n- `Goodby` becomes `Goodbye`\n"
call c1 read_file {"file_path":"greet.go"}
----
call c2 edit_file {"file_path":"greet.go","old_string":"Helo","new_string":"Hello","replace_all":true}
----
call c3 exec_command {"cmd":"printf 'Your name? '; read -r name; echo \"Hello, $name\"; sleep 0.2; exit 3"}
----
call c5 exec_command {"cmd":"cd . && ls *.go | head -3"}
----
call c6 exec_command {"cmd":"ls -a"}
----
call c7 run_subagent {"description":"Count the greetings","prompt":"How many lines say Hello?","provider":"script","model_id":"sub.txt"}
----
want c7 "Three lines"
call c4 exec_command {"cmd":"printf 'Which greeting? '; read -r g; echo \"Serving $g\"; exec sleep 1000","run_in_background":true}
----
text "Mended. The greeting now reads:\n\n```go\nreturn \"Hello, \" + name + \"!\"\n```\n"
----
want-user "Serving hello"
text "You stopped it.\n"
SCRIPT
	cat >"$work/sub.txt" <<'SCRIPT'
text "I count them in greet.go.\n"
call s1 read_file {"file_path":"greet.go"}
----
call s2 exec_command {"cmd":"grep -c Hello greet.go"}
----
text "Three lines say **Hello**.\n"
SCRIPT
	sed "s|sub\\.txt|$work/sub.txt|" "$work/script.txt" >"$work/script"
	mv "$work/script" "$work/script.txt"
	cat >"$work/init.lua" <<LUA
vim.opt.rtp:prepend("$root/editors/nvim")
vim.o.termguicolors, vim.o.swapfile, vim.o.showcmd = true, false, false
vim.o.statusline = " %f %m%=%{v:lua.require'drawbridge'.statusline()} "
vim.o.laststatus = 3
vim.g.drawbridge = { cmd = { "$root/bin/drawbridge", "serve" }, model = "script:$work/script.txt" }
LUA
}

story() {
	cols=$1 rows=$2 step=0
	prepare
	tm new-session -d -x "$cols" -y "$rows" -s main \
		"cd $work/greet && HOME=$work/home XDG_STATE_HOME=$work/home/state XDG_DATA_HOME=$work/home/data XDG_CONFIG_HOME=$work/home/config XDG_CACHE_HOME=$work/home/cache NVIM= TERM=tmux-256color COLORTERM=truecolor exec $nvim -n -u $work/init.lua greet.go"
	tm set-option -g status off
	wait_for "package greet"
	keys ":Drawbridge" Enter
	wait_for "Ask for a change"
	keep empty
	type_text "mend the spelling in @gre"
	wait_for "greet.go file"
	keep mention
	keys C-e
	type_text "et.go"
	keys C-s
	wait_for "waiting for you"
	keep asked
	keys Escape
	keys C-w h
	keys ":Drawbridge next" Enter
	wait_for "Hello, you!"
	keep hunks
	keys ":Drawbridge accept" Enter
	keys ":Drawbridge next" Enter
	keys ":Drawbridge accept" Enter
	keys ":Drawbridge next" Enter
	keys ":Drawbridge reject that one is right" Enter
	wait_for "Run: printf"
	keys ":Drawbridge approvals" Enter
	wait_for "Deny with"
	keep question
	keys 1 Enter
	# A command that is allowed starts a moment later.
	until screen | grep -qF ":Drawbridge kill"; do
		keys ":Drawbridge terminals" Enter
		sleep 0.3
	done
	wait_for "Your name? "
	keep terminal
	type_text "iada"
	keys Enter
	wait_for "Hello, ada"
	wait_for "exit code: 3"
	keep ended
	keys 'C-\' C-n
	keys ":q" Enter
	wait_for "waiting for you (1)"
	# A command of several: what the rules say of each, why it is asked, and a yes
	# that asks no more in this workspace.
	wait_for "? ask    ls"
	keep parts
	keys ":Drawbridge why" Enter
	wait_for "How it came to be asked:"
	keep why
	keys ":q" Enter
	keys ":Drawbridge approvals" Enter
	wait_for ": Allow in this workspace: "
	keep scopes
	keys "$(screen | sed -n 's/^\([0-9]*\): Allow in this workspace: .*/\1/p')" Enter
	wait_for "remembered in this workspace"
	# A subagent asks within the call that started it, and is listed.
	wait_for "? grep -c Hello greet.go"
	keep remembered
	keys ":Drawbridge subagents" Enter
	wait_for "waits for you · Count the greetings"
	keep subagents
	keys Enter
	wait_for "How many lines say Hello?"
	keep subagent
	keys ":q" Enter
	keys ":Drawbridge toggle" Enter ":Drawbridge toggle" Enter Escape
	sleep 1
	keys ":Drawbridge allow" Enter
	wait_for "Run: printf 'Which"
	keep answered
	keys ":Drawbridge rules" Enter
	wait_for "remembered, in this workspace"
	keep rules
	keys ":q" Enter
	keys ":Drawbridge trust" Enter
	wait_for "They would do this:"
	keep trust
	keys ":q" Enter
	keys ":Drawbridge allow a4" Enter
	wait_for "Mended."
	keep done
	# A command in the background asks, is answered from the prompt, and stopped;
	# its end begins a turn by itself.
	wait_for "waits for typing: Which greeting?"
	keep background
	keys ":Drawbridge type" Enter
	type_text "hello"
	keys Enter
	wait_for "1 in the background"
	keys ":Drawbridge terminals" Enter
	wait_for "Serving hello"
	keep serving
	keys ":Drawbridge kill" Enter
	wait_for "ended by SIG"
	keys ":q" Enter
	keys ":Drawbridge toggle" Enter
	keys ":Drawbridge toggle" Enter
	keys Escape ":Drawbridge prompt go on" Enter
	wait_for "You stopped it."
	keys Escape
	keep stopped
	keys ":Drawbridge diff g1" Enter
	wait_for " before "
	keep diff
	# What was changed, turn by turn; then all of it is taken back, after a look.
	keys ":tabclose" Enter
	keys ":Drawbridge changes" Enter
	wait_for "M greet.go"
	keep changes
	keys ":Drawbridge rewind all" Enter
	wait_for "restore   greet.go"
	keys "zR"
	wait_for "@@ -"
	keep rewind
	keys ":Drawbridge accept" Enter
	wait_for "1 file taken back"
	keep rewound
	keys ":qa!" Enter
	i=0
	while tm has-session -t main 2>/dev/null && [ $i -lt 900 ]; do
		i=$((i + 1))
		sleep 0.1
	done
	tm kill-server 2>/dev/null || true
}

for size in ${*:-80x24 200x50}; do
	story "${size%x*}" "${size#*x}"
done
echo "screen: $(ls "$out"/*.ansi | wc -l) screens in ${out#"$root"/}"
