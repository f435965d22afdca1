# Bash completion for tracenest: source it, or install it as share/bash-completion/completions/tracenest.
_tracenest()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local reading='--events --order --collectives' words=''
	case $previous in
	--events) words='comm mpi all' ;;
	--order) words='posted recorded' ;;
	--collectives) words='recorded regions' ;;
	--rank | -r | --loop | --growth | --window | --repetitions | --jobs | -j)
		COMPREPLY=()
		return
		;;
	esac
	if [[ -z $words && $COMP_CWORD -gt 1 && $word == -* ]]; then
		case ${COMP_WORDS[1]} in
		events) words="$reading --rank --output --jobs --quiet --help" ;;
		model) words="$reading --local --growth --window --repetitions --lenient --output --jobs --quiet --help" ;;
		show) words='--rank --loop --positions --output --help' ;;
		expand) words='--rank --output --help' ;;
		check) words="$reading --lenient --jobs --quiet --help" ;;
		stat) words='--json --output --help' ;;
		esac
	elif [[ $COMP_CWORD -eq 1 ]]; then
		words='events model show expand check stat --help --version'
	fi
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -F _tracenest tracenest
