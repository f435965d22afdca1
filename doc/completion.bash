# Bash completion for tracenest: source it, or install it as share/bash-completion/completions/tracenest.
# Verbs, options and their values are those that the command's own help tells of: "  -j, --jobs N      threads ...".
_tracenest()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words='' value='' i
	# Behind --, the words of a command: another program's, which may have a completion of its own.
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -- && ${COMP_WORDS[1]} =~ ^(record|record-exec|test)$ ]] || continue
		if ((i + 1 < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
			_command_offset $((i + 1))
		else
			mapfile -t COMPREPLY < <(compgen -c -f -- "$word" | sort -u)
		fi
		return
	done
	if ((COMP_CWORD == 1)) || [[ $COMP_CWORD == 2 && ${COMP_WORDS[1]} == help ]]; then
		words=$("$1" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')
		((COMP_CWORD > 1)) || words="$words help --help --version"
	else
		local options
		options=$("$1" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \(-.\), --/\1 --/p; s/^      --/-- --/p')
		[[ $previous != -* ]] ||
			value=$(awk -v option="$previous" '($1 == option || $2 == option) && match($0, /--[a-z-]+ [^ ]+/) { print $3 }' <<<"$options")
		case $previous$value in
		--getATTRIBUTE) words='time bytes site' ;;
		*ADDRESS) # the functions of the model that stands before, which its text ends with
			for ((i = 2; i < COMP_CWORD; i++)); do
				[[ ! -f ${COMP_WORDS[i]} ]] || words=$("$1" show "${COMP_WORDS[i]}" 2>/dev/null |
					sed '1,/^\/\/ sites$/d; /^\/\/ tables$/,$d; s/^\/\/ *//; s/ > /\n/g' | sed -n 's/^[^ ]* \([^][ <>()&|;$]*\)$/\1/p' | sort -u)
			done
			# Readline takes :: for the end of a word
			[[ $COMP_WORDBREAKS != *:* || $words != *:* ]] || words=$(sed 's/^.*:://' <<<"$words" | sort -u) ;;
		*FILE* | *TRACE) ;;
		*'|'*) words=${value//|/ } ;;
		*) if [[ -n $value ]]; then
			COMPREPLY=()
			return
		elif [[ $word == -* ]]; then
			words=$(awk '{ print $2 }' <<<"$options")
		fi ;;
		esac
	fi
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -F _tracenest tracenest
