# Fish completion for tracenest: install it as share/fish/vendor_completions.d/tracenest.fish. Verbs, options and values are those of the help.
function __tracenest_verbs
	tracenest --help 2>/dev/null | string match -rg '^  ([a-z-]+) +(?:\S.*?  +)?(\S.*)$' | while read -l verb; read -l words; printf '%s\t%s\n' $verb $words; end
end
function __tracenest_options
	set -l words (commandline -opc)
	tracenest $words[2] --help 2>/dev/null | string match -rg '^  (?:-., |    )(--[a-z-]+)(?: \S+)? +(.*)$' | while read -l option; read -l words; printf '%s\t%s\n' $option $words; end
end
function __tracenest_behind
	set -l words (commandline -opc)
	contains -- -- $words; and contains -- "$words[2]" record record-exec test
end
function __tracenest_at_address
	set -l words (commandline -opc)
	tracenest $words[2] --help 2>/dev/null | string match -q -- "* $words[-1] ADDRESS *"
end
function __tracenest_functions # of the models that stand before
	for file in (commandline -opc)[3..]
		test -f $file; and tracenest show $file 2>/dev/null |
			sed '1,/^\/\/ sites$/d; /^\/\/ tables$/,$d; s/^\/\/ *//; s/ > /\n/g' | sed -n 's/^[^ ]* \([^ ]*\)$/\1/p' | sort -u
	end
end
complete -c tracenest -n __tracenest_at_address -f -a '(__tracenest_functions)'
complete -c tracenest -n '__fish_is_nth_token 1' -f -a '(__tracenest_verbs) help version'
complete -c tracenest -n '__fish_seen_subcommand_from help' -f -a '(__tracenest_verbs)'
complete -c tracenest -n 'not __fish_is_nth_token 1; and not __tracenest_behind; and string match -q -- "-*" (commandline -ct)' -f -a '(__tracenest_options)'
complete -c tracenest -n __tracenest_behind -a '(__fish_complete_subcommand --fcs-skip=2)'
