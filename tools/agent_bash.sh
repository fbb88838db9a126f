# What stands around each command of the tool bash. All that it calls are builtins, called as such: a command may
# have left functions, and may find programs, of the same names. Descriptor 77 leads to the one who started it.

__db_send() { builtin printf '%s\0' "$@"; }

# Whether what is told in the end takes longer than it may, which is then what is told. Before version 4.2 there is
# no clock.
__db_late() {
	[[ ${__db_since-} ]] && builtin printf -v __db_now '%(%s)T' -1 && ((__db_now - __db_since > __db_most)) && __db_send late
}

# What the shell exports: names, attributes, values. Each list is made once, by whatever words are split at: making
# it takes longer than all that is done with it.
__db_exports() {
	builtin compgen -e | {
		builtin mapfile -t __db_list
		for __db_name in "${__db_list[@]}"; do
			__db_late && builtin return 1
			case ${!__db_name+x}${!__db_name@a} in
			x*[aA]*) ;;
			x*) __db_send "$1" "$__db_name" "${!__db_name@a}" "${!__db_name}" ;;
			esac
		done
	}
}

# Before version 4.4 there are no attributes to be had.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
	__db_exports() {
		builtin compgen -e | while builtin read -r; do __db_send "$1" "$REPLY" '' "${!REPLY-}"; done
	}
fi

__db_functions() {
	builtin declare -F | {
		builtin mapfile -t __db_list
		for __db_line in "${__db_list[@]}"; do
			__db_late && builtin return 1
			case $__db_line in
			'' | *' __db_'*) ;;
			*)
				__db_send f "$__db_line"
				builtin declare -f -- "${__db_line#declare * }"
				__db_send ''
				;;
			esac
		done
	}
}

# The last word says that nothing is missing.
__db_state() {
	__db_send O "$__db_set" "$__db_shopt" &&
		__db_exports E &&
		__db_functions &&
		__db_send A && builtin alias -p && __db_send '' &&
		__db_send D && builtin pwd && __db_send '' && { builtin pwd -P || :; } && __db_send '' &&
		__db_send done
}

# Reports what the next call is to begin with, and ends the shell as the command did. In POSIX mode, which an
# assignment turns on, no function stands in for unset.
__db_end() {
	__db_status=$? __db_set=$SHELLOPTS __db_shopt=$BASHOPTS
	POSIXLY_CORRECT=1
	unset -f builtin || :
	builtin unset -v POSIXLY_CORRECT
	builtin trap - DEBUG ERR RETURN EXIT
	builtin set +euxm +o pipefail
	builtin shopt -u nocasematch
	builtin printf -v __db_since '%(%s)T' -1
	__db_state >&77
	builtin exit "$__db_status"
}

# Brings back what calls before have left. Functions come before aliases, which would be expanded in them.
__db_begin() {
	builtin shopt -s expand_aliases
	__db_send o "$SHELLOPTS" "$BASHOPTS" >&77
	builtin cd -P -- "$DRAWBRIDGE_BASH_DIR" && [[ -z $DRAWBRIDGE_BASH_REAL || $PWD == "$DRAWBRIDGE_BASH_REAL" ]] &&
		builtin cd -- "$DRAWBRIDGE_BASH_DIR" || builtin exit 1
	for __db_name in "${!DRAWBRIDGE_BASH_EXPORT_@}"; do
		builtin export "${!__db_name}"
	done
	builtin shopt -s extglob
	for __db_name in "${!DRAWBRIDGE_BASH_FUNCTION_@}"; do
		builtin eval -- "${!__db_name}"
	done
	builtin shopt -u extglob
	for __db_name in "${!DRAWBRIDGE_BASH_ALIAS_@}"; do
		builtin alias -- "${!__db_name}"
	done
	__db_command=$DRAWBRIDGE_BASH_COMMAND __db_last=$DRAWBRIDGE_BASH_LAST __db_most=$DRAWBRIDGE_BASH_MOST
	builtin unset -v "${!DRAWBRIDGE_BASH_@}"
	__db_exports e >&77
	__db_send begun >&77
	builtin unset -v __db_name
	builtin trap '{ __db_end; } >/dev/null 2>&1 </dev/null' EXIT
	builtin eval -- "$__db_last"
}

exec 77>&3 3>&-
{ __db_begin; } 2>/dev/null
builtin unset -f __db_begin
