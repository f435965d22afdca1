# Bash completion for tracenest: source it, or install it as share/bash-completion/completions/tracenest.
_tracenest()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local reading='--events --order --collectives' words=''
	case $previous in
	--events) words='comm mpi all' ;;
	--order) words='posted recorded' ;;
	--collectives) words='recorded regions' ;;
	--lang) words='c text' ;;
	--get) words='time bytes' ;;
	--labels) words='names tags none' ;;
	--affine) words='on off' ;;
	--ranks | --depth | --tag | --at | --width | --rank | -r | --loop | --growth | --window | --repetitions | --predict | --jobs | -j)
		COMPREPLY=()
		return
		;;
	esac
	if [[ -z $words && $COMP_CWORD -gt 1 && $word == -* ]]; then
		case ${COMP_WORDS[1]} in
		events) words="$reading --rank --output --jobs --quiet --help" ;;
		model) words="$reading --local --unfolded --growth --window --repetitions --affine --lenient --output --jobs --quiet --help" ;;
		show) words='--rank --loop --unfold --positions --addresses --output --help' ;;
		expand) words='--rank --output --help' ;;
		check) words="$reading --lenient --jobs --quiet --help" ;;
		stat) words='--json --output --help' ;;
		skeleton) words='--lang --output --help' ;;
		matrix) words='--loop --per-iteration --tag --bytes --csv --json --output --jobs --quiet --verbose --help' ;;
		scan) words='--at --get --ranks --start --end --both --per-iteration --inside --binary --output --run --program --jobs --quiet --verbose --help' ;;
		time) words="$reading --depth --csv --json --output --jobs --quiet --help" ;;
		nlr) words='--window --repetitions --affine --expand --predict --positions --output --quiet --help' ;;
		draw) words='--loop --ranks --depth --skip-short --folded --labels --width --times --output --quiet --help' ;;
		esac
	elif [[ $COMP_CWORD -eq 1 ]]; then
		words='events model show expand check stat skeleton matrix scan time draw nlr --help --version'
	fi
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -F _tracenest tracenest
