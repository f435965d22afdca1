#compdef tracenest
# Zsh completion for tracenest: install it as share/zsh/site-functions/_tracenest. Verbs, options and their values are those of the command's help.
_tracenest() {
	local -a verbs options
	local verb=$words[2] value file
	if (( CURRENT == 2 )) || [[ $CURRENT == 3 && $verb == help ]]; then
		verbs=(${(f)"$($words[1] --help 2>/dev/null | sed -n 's/^  \([a-z-]*\)  *[^ ].*[^ ]  *\([^ ].*\)$/\1:\2/p')"})
		_describe verb verbs
		return
	fi
	local behind=$words[(i)--]
	if [[ $verb == (record|record-exec|test) ]] && (( behind < CURRENT )); then
		shift behind words
		(( CURRENT -= behind ))
		_normal
		return
	fi
	value=$($words[1] $verb --help 2>/dev/null | awk -v option=$words[CURRENT-1] '($1 == option || $2 == option) && match($0, /--[a-z-]+ [^ ]+/) { print ($1 == option ? $2 : $3) }')
	if [[ $words[CURRENT-1] == -* && $value == *'|'* ]]; then
		compadd -- ${(s:|:)value}
	elif [[ $words[CURRENT-1] == -* && $value == ADDRESS ]]; then # the functions of the models that stand before
		for file in $words[3,CURRENT-1]; do
			[[ -f $file ]] && compadd -- ${(f)"$($words[1] show $file 2>/dev/null |
				sed '1,/^\/\/ sites$/d; /^\/\/ tables$/,$d; s/^\/\/ *//; s/ > /\n/g' | sed -n 's/^[^ ]* \([^ ]*\)$/\1/p' | sort -u)"}
		done
	elif [[ $PREFIX == -* ]]; then
		options=(${(f)"$($words[1] $verb --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)[^ ]*\( [^ ]*\)\{0,1\}  *\(.*\)$/\2:\4/p')"})
		_describe option options
	else
		_files
	fi
}
_tracenest "$@"
