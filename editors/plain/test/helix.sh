#!/bin/sh
# A person reviews in Helix, by keys alone, on a real screen: the question is
# closed and answered at its marks, hunk by hunk; the next one shows its diff and
# is refused. Arguments: the editor, the bridge, and a folder with a workspace ws,
# a home and the model's script, see scripts/test-plain.sh.
set -eu
hx=$1 bridge=$2 work=$3
socket=drawbridge-helix-$$
tm() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null || true' EXIT INT TERM

screen() { tm capture-pane -p -t main; }
# settles MESSAGE COMMAND… waits until the command succeeds.
settles() {
	message=$1
	shift
	i=0
	until "$@"; do
		i=$((i + 1))
		if [ $i -gt 900 ]; then
			echo "helix: $message" >&2
			screen >&2 || true
			exit 1
		fi
		sleep 0.1
	done
}
shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }
no_diff_lies_there() { [ -z "$(find "$work/home" -name '*.diff')" ]; }
has_ended() { ! tm has-session 2>/dev/null; }
wait_for() { settles "waited in vain for: $1" shows "$1"; }
wait_gone() { settles "this does not go away: $1" shows_not "$1"; }
keys() { tm send-keys -t main "$@"; }

# prompt TEXT asks the model, once Helix has heard what the server can do. What Helix
# said before goes with the first key; what it says of this is there when the line is
# not any more.
prompt() {
	tries=0
	while :; do
		keys ":lsp-workspace-command drawbridge.prompt \"$1\""
		wait_for ":lsp-workspace-command drawbridge.prompt \"$1\""
		keys Enter
		wait_gone ":lsp-workspace-command"
		screen | grep -qF "is not supported for any language server" || return 0
		sleep 0.3
		tries=$((tries + 1))
		if [ $tries -gt 100 ]; then
			echo "helix: the server's commands are not known" >&2
			screen >&2
			exit 1
		fi
	done
}

mkdir -p "$work/home/.config/helix"
cat >"$work/home/.config/helix/languages.toml" <<TOML
[language-server.drawbridge]
command = "$bridge"
args = ["serve"]

[[language]]
name = "notes"
scope = "text.notes"
file-types = ["txt"]
language-servers = ["drawbridge"]
TOML

cd "$work/ws"
tm new-session -d -x 130 -y 40 -s main "$hx a.txt 2>$work/helix.err"
wait_for "one"

# Closed without a choice, the question waits at its marks.
prompt "change it"
wait_for "Accept for session"
keys Escape
wait_for "Drawbridge waits"
wait_for "proposed: replace 1 line by “ONE”"
keys Space a
wait_for "Accept this hunk"
keys Enter
wait_for "accepted, and waits for the other hunks"
keys ':9' Enter
keys Space a
wait_for "Reject this hunk"
keys Down
keys Enter
wait_for "Changed as you chose."
wait_gone "proposed:"
wait_for "  ONE"
keys ':w' Enter
wait_for "written"
printf 'ONE\n2\n3\n4\n5\n6\n7\n8\nnine\n' | cmp - a.txt

# The next change is looked at as a diff, which goes with the answer.
prompt "once more"
wait_for "Accept in this workspace"
keys Down
keys Down
keys Down
keys Down
keys Enter
wait_for "proposed, not applied yet"
wait_for "Accept for session"
[ -n "$(find "$work/home" -name '*.diff')" ]
keys Down
keys Down
keys Down
keys Enter
wait_for "Left alone."
settles "the diff does not go with the answer" no_diff_lies_there
keys ':qa!' Enter
settles "it does not end" has_ended
printf 'ONE\n2\n3\n4\n5\n6\n7\n8\nnine\n' | cmp - a.txt
